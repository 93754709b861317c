/** Details of the audit log as lines. */
import { expect, test } from "bun:test";
import { detailLines } from "../../../web/settings/audit-details.ts";
import { AUDIT } from "../../../web/settings/settings.texts.ts";
import { formatMinute } from "../../../web/text/format.ts";
import { TestApp } from "../../support/app.ts";

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

test("nor is the move of two hosts to a key", () => {
  expect(detailLines("admin/keys/move", { hosts: [1, 2], moved: 2 })).toEqual(["hosts: 1, 2", "moved: 2"]);
});

test("what an entry refers to has its name, also within an object, and counts stay numbers", () => {
  const called = (noun: string) => (id: number) => `${noun} no. ${id}`;
  const names = {
    host: called("host"),
    group: called("group"),
    channel: called("channel"),
    schedule: called("schedule"),
  };
  const details = {
    filter: [{ hosts: [1, 2] }, { hostgroups: [3] }],
    steps: [[{ channels: [4], schedules: [] }], [{ channels: [4], schedules: [5] }]],
    grants: ["", "1 view, 12 manage"],
    delay: [1, 2],
  };
  expect(detailLines(UPDATE, details, names)).toEqual([
    "filter › hosts: host no. 1, host no. 2 → (empty)",
    "filter › host groups: (empty) → group no. 3",
    "steps 1 › schedules: (empty) → schedule no. 5",
    "grants: (empty) → group no. 1 view, group no. 12 manage",
    "delay: 1 → 2",
  ]);
  expect(detailLines("admin/groups/add", { hosts: [1], added: 1 }, names)).toEqual([
    "hosts: host no. 1",
    "added: 1",
  ]);
  expect(detailLines("config/import", { hosts: { created: 1 } }, names)).toEqual(["hosts › created: 1"]);
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
  expect(detailLines("admin/keys/end", { ends: 1_767_614_400 })).toEqual([
    `ends: ${formatMinute(1_767_614_400)}`,
  ]);
  expect(detailLines("admin/settings/update", details)).toEqual([
    "Raw values (days): 14 → 21",
    `until: (empty) → ${formatMinute(1_767_614_400)}`,
    "poll: 5 → 1767614400",
  ]);
});

test("the time zone of a schedule is not called that of reports", () => {
  expect(detailLines("oncall/create", { timezone: "UTC" })).toEqual(["time zone: UTC"]);
});

test("every entry has words for what was done, not the path of its operation", () => {
  const paths = new TestApp().operations
    .filter(({ audit = "none" }) => audit !== "none")
    .map(({ path }) => path.slice(1));
  const outcomes = ["login/failed", "admin/users/update/throttled", "login/created", "login/updated"];
  const others = ["command/user/passwd", "command/import/update", "session/invalidate", "nodes/takeover"];
  const all = [...paths, ...outcomes, ...others];
  expect(all.filter((operation) => AUDIT.action(operation) === operation)).toEqual([]);
});

test.each([
  ["admin/keys/codes/delete", "Revoked an enrolment code of"],
  ["admin/dependencies/create", "Added a dependency of"],
  ["views/tokens/create", "Created a wall of"],
  ["oncall/override/create", "Added an override to"],
  ["command/user/revoke", "Changed the access of"],
])("what %s does to a part of its target is not said of the target", (operation, words) => {
  expect(AUDIT.action(operation)).toBe(words);
});
