import { expect, test } from "bun:test";
import type { Maintenance } from "../../../web/alerting/types.ts";
import { applies, maintenanceSpans } from "../../../web/charts/marks.ts";
import { fittedStart } from "../../../web/charts/range.ts";

const at = (text: string) => Date.parse(text) / 1000;

test("a weekly maintenance is marked at its local time, in summer and winter", () => {
  const schedule = {
    kind: "weekly",
    days: [0],
    from: "03:00",
    minutes: 90,
    timezone: "Europe/Oslo",
  } as const;
  const span = { from: at("2026-10-17T00:00Z"), to: at("2026-11-02T00:00Z") };
  expect(maintenanceSpans({ ...schedule, days: [0] }, span)).toEqual([
    { from: at("2026-10-18T01:00Z"), to: at("2026-10-18T02:30Z") },
    { from: at("2026-10-25T02:00Z"), to: at("2026-10-25T03:30Z") },
    { from: at("2026-11-01T02:00Z"), to: at("2026-11-01T03:30Z") },
  ]);
});

test("a single maintenance is marked if it overlaps what is shown", () => {
  const schedule = { kind: "once", from: 1000, to: 2000 } as const;
  expect(maintenanceSpans(schedule, { from: 1500, to: 3000 })).toEqual([{ from: 1000, to: 2000 }]);
  expect(maintenanceSpans(schedule, { from: 2000, to: 3000 })).toEqual([]);
});

const SCOPES: readonly [
  filter: Maintenance["filter"],
  service: string | null,
  applies: boolean,
  why: string,
][] = [
  [{}, null, true, "everything"],
  [{ hostids: [3] }, "nginx", true, "the host"],
  [{ hostids: [4] }, null, false, "another host"],
  [{ hostgroupids: [7] }, null, true, "a group of the host"],
  [{ hostids: [3], hostgroupids: [8] }, null, false, "the host, but not in that group"],
  [{ tags: ["env"] }, null, true, "a tag of the host"],
  [{ hostids: [3], tags: ["env=test"] }, null, false, "the host, but not with that tag"],
  [{ servicenames: ["ng*"] }, "nginx", true, "the service"],
  [{ servicenames: ["ng*"] }, null, false, "one service, and the whole host is shown"],
  [{ servicenames: ["a.c"] }, "abc", false, "a point is a point"],
];
for (const [filter, service, expected, why] of SCOPES)
  test(`a maintenance of ${why} is ${expected ? "" : "not "}marked`, () => {
    const window = { enabled: true, filter } as Maintenance;
    expect(applies(window, { hostId: 3, groupIds: [7], tags: ["env=prod"], service })).toBe(expected);
    expect(
      applies({ ...window, enabled: false }, { hostId: 3, groupIds: [7], tags: ["env=prod"], service }),
    ).toBe(false);
  });

test("a range that is mostly empty begins with the first value; a full one stays", () => {
  const day = { from: 0, to: 86_400 };
  expect(fittedStart(day, 86_400 - 7200)).toBeCloseTo(86_400 - 7560);
  expect(fittedStart(day, 86_300)).toBe(86_400 - 600);
  expect(fittedStart(day, 3600)).toBe(0);
  expect(fittedStart(day, undefined)).toBe(0);
});
