/** Rehearsals that are held each week, by the wall clock of their time zone. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { START } from "../../support/clock.ts";
import { DAY, HOOK, MINUTE, Rehearsing } from "./support.ts";

let rehearsing: Rehearsing;
let rule: number;
beforeEach(async () => {
  rehearsing = await Rehearsing.create();
  rule = await rehearsing.rule({ steps: [{ channels: [HOOK] }] });
});
afterEach(() => rehearsing[Symbol.asyncDispose]());

const HOUR = 60 * MINUTE;
const WEEK = 7 * DAY;
const weekly = async (fields: object): Promise<number> =>
  (await rehearsing.call("admin/weeklyrehearsals/create", { name: "Weekly", ...fields })).id;
const next = async (id = 1) =>
  new Date((await rehearsing.get("admin/weeklyrehearsals/get", { id })).json.next * 1000).toISOString();
const held = async () => {
  const { json } = await rehearsing.get("admin/rehearsals/list");
  return json.records.map(({ date, outcome }: { date: number; outcome: string }) => {
    return `${new Date(date * 1000).toISOString()} ${outcome || "held"}`;
  });
};
/** Days go by in one step, then the loops run once. */
const skip = async (seconds: number) => {
  rehearsing.app.clock.step(seconds);
  await rehearsing.work();
};

describe("a weekly rehearsal", () => {
  test("is held at its time of each week, and says so in the list", async () => {
    const id = await weekly({ rule, day: 1, time: "13:00" });
    expect(await next(id)).toBe("2026-01-05T13:00:00.000Z");
    await skip(HOUR - 1);
    expect(rehearsing.hook.received).toHaveLength(0);
    await skip(1);
    expect(rehearsing.hook.only.json.kind).toBe("rehearsal");
    expect(await next(id)).toBe("2026-01-12T13:00:00.000Z");
    await skip(HOUR);
    await skip(WEEK - HOUR);
    expect(rehearsing.hook.received).toHaveLength(2);
    expect((await rehearsing.get("admin/rehearsals/list")).json.records).toMatchObject([
      { weeklyid: id, startedby: "", ended: null },
      { weeklyid: id, startedby: "", asleep: ["Hook"] },
    ]);
  });

  test("keeps its local time when the clocks change, also at a time that is skipped or occurs twice", async () => {
    await weekly({ rule, name: "Spring", day: 0, time: "02:30", timezone: "Europe/Berlin" });
    await skip(Date.parse("2026-03-22T12:00:00Z") / 1000 - START);
    // Clocks go forward at 01:00 UTC, from 2:00 to 3:00: the time does not exist, and means the moment of the change.
    expect(await next()).toBe("2026-03-29T01:00:00.000Z");
    await skip(Date.parse("2026-03-29T01:00:00Z") / 1000 - rehearsing.app.clock.now());
    expect(await next()).toBe("2026-04-05T00:30:00.000Z");
    await skip(Date.parse("2026-10-18T12:00:00Z") / 1000 - rehearsing.app.clock.now());
    // Clocks go back at 01:00 UTC: of the two times, the first one counts.
    expect(await next()).toBe("2026-10-25T00:30:00.000Z");
    await skip(Date.parse("2026-10-25T00:30:00Z") / 1000 - rehearsing.app.clock.now());
    await skip(HOUR);
    expect(await next()).toBe("2026-11-01T01:30:00.000Z");
    expect((await held()).filter((line: string) => line.endsWith("held"))).toEqual([
      "2026-10-25T00:30:00.000Z held",
      "2026-03-29T01:00:00.000Z held",
    ]);
  });

  test("is in the time zone of its schedule, or in the one of the settings", async () => {
    await rehearsing.call("admin/settings/update", { timezone: "Asia/Tokyo" });
    const schedule = await rehearsing.schedule("anna");
    await rehearsing.call("oncall/update", { id: schedule, timezone: "America/New_York" });
    const zones = { day: 2, time: "09:00" };
    expect(await next(await weekly({ name: "A", rule, ...zones }))).toBe("2026-01-06T00:00:00.000Z");
    expect(await next(await weekly({ name: "B", schedule, ...zones }))).toBe("2026-01-06T14:00:00.000Z");
  });

  test("is not held while the rule is disabled or the previous one is ongoing; the list says why", async () => {
    await weekly({ rule, day: 1, time: "13:00", wait: 120 });
    await weekly({ name: "Later", rule, day: 1, time: "14:00" });
    await skip(HOUR);
    await skip(HOUR);
    await rehearsing.call("admin/rules/update", { id: rule, enabled: false });
    await skip(WEEK - HOUR);
    expect(await held()).toEqual([
      "2026-01-12T13:00:00.000Z the rule is disabled",
      "2026-01-05T14:00:00.000Z the previous rehearsal is ongoing",
      "2026-01-05T13:00:00.000Z the rule is disabled",
    ]);
  });

  test("is held after a short absence of Muster, and left out after a long one", async () => {
    await weekly({ rule, day: 1, time: "13:00" });
    rehearsing.app.clock.step(HOUR + 10 * MINUTE);
    await rehearsing.restart();
    expect(rehearsing.hook.received).toHaveLength(1);
    await skip(2 * HOUR);
    rehearsing.app.clock.step(WEEK);
    await rehearsing.restart();
    expect(rehearsing.hook.received).toHaveLength(1);
    expect(await held()).toEqual([
      "2026-01-12T15:10:00.000Z Muster was not running at that time",
      "2026-01-05T13:10:00.000Z held",
    ]);
    expect(await next()).toBe("2026-01-19T13:00:00.000Z");
  });

  test("waits for its next time after the clock was far ahead", async () => {
    await weekly({ rule, day: 1, time: "13:00" });
    await skip(52 * WEEK);
    await skip(-52 * WEEK);
    expect(await next()).toBe("2026-01-05T13:00:00.000Z");
    await skip(HOUR);
    expect(rehearsing.hook.received).toHaveLength(1);
  });

  test("that is disabled is not held, nor at the time that it missed", async () => {
    const id = await weekly({ rule, day: 1, time: "13:00", enabled: false });
    await skip(HOUR + MINUTE);
    expect((await rehearsing.get("admin/weeklyrehearsals/get", { id })).json.next).toBeNull();
    await rehearsing.call("admin/weeklyrehearsals/update", { id, enabled: true });
    await rehearsing.work();
    expect(rehearsing.hook.received).toHaveLength(0);
    expect(await next()).toBe("2026-01-12T13:00:00.000Z");
  });

  test("is refused with arguments that contradict each other or are out of range", async () => {
    const schedule = await rehearsing.schedule("anna");
    const refused = async (fields: object) =>
      (
        await rehearsing.post("admin/weeklyrehearsals/create", {
          name: "X",
          day: 1,
          time: "13:00",
          ...fields,
        })
      ).json.error;
    expect(await refused({})).toMatch(/^rule is required/);
    expect(await refused({ rule, schedule })).toMatch(/^schedule must be null/);
    expect(await refused({ schedule, escalate: true })).toMatch(/^escalate must be/);
    expect(await refused({ rule, day: 7 })).toMatch(/^day must be/);
    expect(await refused({ rule, time: "24:00" })).toMatch(/^time must be/);
    expect(await refused({ rule, timezone: "Mars/Base" })).toMatch(/^timezone must be/);
  });
});

describe("a channel", () => {
  const suggested = async () => (await rehearsing.get("admin/rehearsals/suggestions")).json.records;

  test("without a delivery for 30 days is suggested, with what reaches it, until a rehearsal uses it", async () => {
    await skip(30 * DAY);
    expect(await suggested()).toEqual([]);
    await skip(1);
    const schedule = await rehearsing.schedule("anna");
    expect(await suggested()).toEqual([
      { channelid: 2, channel: "Hook", last: null, rules: [{ id: rule, name: "Web" }], schedules: [] },
      { channelid: 1, channel: "Mail", last: null, rules: [], schedules: [{ id: schedule, name: "Nights" }] },
    ]);
    await rehearsing.start({ rule });
    await rehearsing.work();
    const delivered = rehearsing.app.clock.now();
    expect((await suggested()).map(({ channel }: { channel: string }) => channel)).toEqual(["Mail"]);
    await skip(31 * DAY);
    expect((await suggested())[0]).toMatchObject({ channel: "Hook", last: delivered });
    await rehearsing.call("admin/channels/update", { id: 2, enabled: false });
    expect((await suggested()).map(({ channel }: { channel: string }) => channel)).toEqual(["Mail"]);
  });
});

test("rehearsals are kept for 90 days, with their messages", async () => {
  await rehearsing.start({ rule });
  await rehearsing.pass(31 * MINUTE);
  const retained = () => {
    while (rehearsing.app.muster.retention.step());
    return ["rehearsals", "rehearsal_messages", "deliveries"].map(
      (table) => rehearsing.app.rows(`select 1 from ${table}`).length,
    );
  };
  await skip(89 * DAY);
  expect(retained()).toEqual([1, 1, 1]);
  await skip(DAY);
  expect(retained()).toEqual([0, 0, 0]);
});
