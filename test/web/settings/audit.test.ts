/** Details of the audit log as lines. */
import { expect, test } from "bun:test";
import { detailLines } from "../../../web/settings/audit-details.ts";
import { formatMinute } from "../../../web/text/format.ts";

const UPDATE = "admin/hosts/update";
const CREATE = "oncall/create";

test("a change is recorded with before and after, and of a secret only that it changed", () => {
  expect(detailLines(UPDATE, { skew: [3, 5], description: ["", "a <b>"], password: "(secret)" })).toEqual([
    "missed reports until down: 3 \u2192 5",
    "description: (empty) \u2192 a <b>",
    "password changed",
  ]);
});

test.each(["admin/groups/target", "command/user/grant", "command/user/revoke", "login/updated"])(
  "so is what %s changed",
  (operation) => {
    expect(detailLines(operation, { hostname: ["web", "db"] })).toEqual(["name: web → db"]);
  },
);

test("a bulk edit of two hosts is no change from one to the other", () => {
  expect(detailLines("admin/hosts/bulk/update", { addtags: ["a", "b"], hosts: [1, 2] })).toEqual([
    expect.stringMatching(/: a, b$/),
    expect.stringMatching(/: 1, 2$/),
  ]);
});

test("a new object is described by its values, including nested ones", () => {
  const rotations = [
    { name: "Days", users: ["anna", "ben"] },
    { name: "Nights", users: [] },
  ];
  expect(detailLines(CREATE, { admin: true, timezone: "UTC", id: [1, 2], rotations })).toEqual([
    "administrator: true",
    "time zone: UTC",
    "id: 1, 2",
    "rotations 1 › name: Days",
    "rotations 1 › users: anna, ben",
    "rotations 2 › name: Nights",
    "rotations 2 › users: (empty)",
  ]);
});

test("of a changed object only what changed within it is told", () => {
  const before = [
    { after: 0, channels: [1, 2] },
    { after: 30, channels: [2] },
  ];
  const after = [{ after: 0, channels: [1] }];
  const filter = [{}, { servicenames: ["web"] }];
  expect(detailLines(UPDATE, { steps: [before, after], filter, quiet: [{ from: "22:00" }, null] })).toEqual([
    "steps 1 › channels: 1, 2 → 1",
    "steps 2 › after: 30 → (empty)",
    "steps 2 › channels: 2 → (empty)",
    "filter › services: (empty) → web",
    "quiet › from: 22:00 → (empty)",
  ]);
});

test("settings have the names of their form, and times are written out", () => {
  const details = { historyraw: [14, 21], until: [null, 1_767_614_400], poll: [5, 1_767_614_400] };
  expect(detailLines("admin/settings/update", details)).toEqual([
    "Raw values (days): 14 → 21",
    `until: (empty) → ${formatMinute(1_767_614_400)}`,
    "poll: 5 → 1767614400",
  ]);
});
