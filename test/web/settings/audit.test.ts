/** Details of the audit log as lines. */
import { expect, test } from "bun:test";
import { detailLines } from "../../../web/settings/audit-details.ts";

const UPDATE = "admin/hosts/update";
const CREATE = "oncall/create";

test("a change is told as before and after, and of a secret only that it changed", () => {
  expect(detailLines(UPDATE, { skew: [3, 5], description: ["", "a <b>"], password: "(secret)" })).toEqual([
    "skew: 3 \u2192 5",
    "description: nothing \u2192 a <b>",
    "password changed",
  ]);
});

test("a new object is told by its values, also by those within others", () => {
  const rotations = [
    { name: "Days", users: ["anna", "ben"] },
    { name: "Nights", users: [] },
  ];
  expect(detailLines(CREATE, { admin: true, id: [1, 2], rotations })).toEqual([
    "admin: true",
    "id: 1, 2",
    "rotations 1 › name: Days",
    "rotations 1 › users: anna, ben",
    "rotations 2 › name: Nights",
    "rotations 2 › users: nothing",
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
    "steps 2 › after: 30 → nothing",
    "steps 2 › channels: 2 → nothing",
    "filter › servicenames: nothing → web",
    "quiet › from: 22:00 → nothing",
  ]);
});
