import { beforeEach, describe, expect, test } from "bun:test";
import { MAX_OVERRIDES } from "../../../src/alerting/on-call/on-call.service.ts";
import { TestApp } from "../../support/app.ts";
import type { TestClient } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;
/** From Monday, START, at noon: Anna and Ben alternate daily, on weekdays around the clock. */
const DAILY = {
  name: "Daily",
  users: ["anna", "ben"],
  start: "2026-01-05",
  handover: "12:00",
  unit: "day",
  every: 1,
  hours: { days: [1, 2, 3, 4, 5], from: "12:00", to: "12:00" },
};
const OFFICE = { name: "Office", timezone: "UTC", rotations: [DAILY] };
const OVERRIDE = { schedule: 1, user: "cleo", from: START + HOUR, to: START + 2 * HOUR };

let app: TestApp;
let admin: TestClient;
beforeEach(async () => {
  app = new TestApp();
  admin = await app.admin();
  for (const [uname, fullname] of Object.entries({ anna: "Anna A", ben: "Ben B", cleo: "Cleo C" }))
    app.muster.users.create({ uname, fullname, password: "some password", admin: false });
});
/** Sessions do not last that long. */
async function pass(seconds: number): Promise<void> {
  app.clock.step(seconds);
  admin = await app.admin();
}
const call = (operation: string, fields: object) => admin.post(`/api/1/oncall/${operation}`, { ...fields });
const ask = async (operation: string, fields = {}) =>
  (await admin.get(`/api/1/oncall/${operation}`, fields)).json;
const refused = (operation: string, fields: object, status: number, code: string) =>
  expectRefusal(app, () => call(operation, fields), status, code);

describe("a schedule", () => {
  test("is created, changed and deleted by an administrator, and read by everyone", async () => {
    expect((await call("create", OFFICE)).json).toEqual({ id: 1 });
    const silent = { noticeminutes: 0, handovernotice: false };
    const office = { id: 1, name: "Office", timezone: "UTC", rotations: [DAILY], ...silent, overrides: [] };
    const user = await app.user();
    expect((await user.get("/api/1/oncall/list")).json).toEqual({ totalRecords: 1, records: [office] });
    expect((await user.post("/api/1/oncall/delete", { id: 1 })).status).toBe(403);
    await call("update", { id: 1, name: "Ops" });
    expect(await ask("get", { id: 1 })).toEqual({ ...office, name: "Ops" });
    await call("override/create", OVERRIDE);
    const before = stored(app);
    expect((await call("delete", { id: 1 })).json).toEqual({});
    expect(changedTables(app, before)).toEqual(["on_call_overrides", "on_call_schedules"]);
    await refused("delete", { id: 1 }, 404, "object.unknown");
  });

  test("has the time zone of the settings unless it names one", async () => {
    await admin.post("/api/1/admin/settings/update", { timezone: "Europe/Berlin" });
    await call("create", { name: "Office", rotations: [] });
    expect((await ask("get", { id: 1 })).timezone).toBe("Europe/Berlin");
  });

  test("is refused with rotations that make no sense, and says where", async () => {
    const wrong = async (rotations: unknown, error: string, code = "argument.invalid") => {
      const reply = await refused("create", { ...OFFICE, rotations }, 400, code);
      expect(reply.json.error).toContain(error);
    };
    await wrong({ users: [] }, "rotations must be a list of at most 20 rotations");
    await wrong([{ ...DAILY, users: [] }], "rotations[0].users must be a list of 1 to 50 login names");
    await wrong([{ ...DAILY, every: 0 }], "rotations[0].every must be a whole number from 1 to 366");
    await wrong([{ ...DAILY, handover: "25:00" }], "rotations[0].handover must be a time of day");
    await wrong([{ ...DAILY, start: "2026-02-30" }], "rotations[0].start must be a date");
    const hours = { ...DAILY.hours, days: [7] };
    await wrong([DAILY, { ...DAILY, hours }], "rotations[1].hours.days[0] must be a day of the week");
    await wrong([{ ...DAILY, colour: "red" }], "no argument rotations[0].colour", "argument.unknown");
    await wrong(
      [{ ...DAILY, users: ["anna", "nobody"] }],
      "rotations[0].users[1] must be the login name of a user",
    );
    await wrong(Array(21).fill(DAILY), "at most 20");
  });
});

describe("an override", () => {
  beforeEach(() => call("create", OFFICE));

  test("puts somebody else on call, and says who made it", async () => {
    expect((await call("override/create", OVERRIDE)).json).toEqual({ id: 1 });
    const { from, to } = OVERRIDE;
    expect((await ask("get", { id: 1 })).overrides).toEqual([
      { id: 1, user: "cleo", from, to, createdby: "admin", fullname: "Cleo C" },
    ]);
    await pass(HOUR);
    expect((await ask("now")).records[0]).toMatchObject({ uname: "cleo", until: to, nextuname: "anna" });
    const before = stored(app);
    expect((await call("override/delete", { id: 1 })).json).toEqual({});
    expect(changedTables(app, before)).toEqual(["on_call_overrides"]);
    expect((await ask("now")).records[0]).toMatchObject({ uname: "anna" });
    await refused("override/delete", { id: 1 }, 404, "object.unknown");
  });

  test("is refused unless it is a span in the future, of a user and a schedule that exist", async () => {
    const wrong = (fields: object, status: number, code: string) =>
      refused("override/create", { ...OVERRIDE, ...fields }, status, code);
    await wrong({ to: START + HOUR }, 400, "argument.invalid");
    await wrong({ from: START - HOUR, to: START }, 400, "argument.invalid");
    await wrong({ to: START + 400 * DAY }, 400, "argument.invalid");
    await wrong({ user: "nobody" }, 400, "argument.invalid");
    await wrong({ schedule: 9 }, 400, "argument.invalid");
  });

  test("is kept for 92 days after its end, and there are at most 200 that have not ended", async () => {
    await call("override/create", OVERRIDE);
    await pass(93 * DAY);
    const now = app.clock.now();
    for (let i = 0; i < MAX_OVERRIDES; i++)
      await call("override/create", { ...OVERRIDE, from: now, to: now + DAY });
    const more = { ...OVERRIDE, from: now, to: now + DAY };
    await refused("override/create", more, 400, "request.invalid");
    expect(app.rows("select min(id) as first, count(*) as n from on_call_overrides")).toEqual([
      { first: 2, n: MAX_OVERRIDES },
    ]);
  });
});

describe("who is on call now", () => {
  test("is told with who follows, and with the next gap before it happens", async () => {
    await call("create", OFFICE);
    await call("create", { ...OFFICE, name: "Empty", rotations: [] });
    const gap = { from: START + 5 * DAY, to: START + 7 * DAY };
    const anna = { uname: "anna", fullname: "Anna A" };
    expect((await ask("now")).records).toEqual([
      {
        id: 2,
        name: "Empty",
        timezone: "UTC",
        uname: "",
        fullname: "",
        until: null,
        nextuname: "",
        nextfullname: "",
        gap: { from: START, to: START + 32 * DAY },
      },
      {
        id: 1,
        name: "Office",
        timezone: "UTC",
        ...anna,
        until: START + DAY,
        nextuname: "ben",
        nextfullname: "Ben B",
        gap,
      },
    ]);
    await pass(6 * DAY);
    expect((await ask("now")).records[1]).toMatchObject({
      uname: "",
      until: START + 7 * DAY,
      nextuname: "ben",
      gap: { from: START + 6 * DAY, to: gap.to },
    });
  });

  test("follows each change of a schedule at once", async () => {
    await call("create", OFFICE);
    expect((await ask("now")).records[0].uname).toBe("anna");
    await call("update", { id: 1, rotations: [{ ...DAILY, users: ["cleo"] }] });
    expect((await ask("now")).records[0].uname).toBe("cleo");
  });
});

describe("the calendar", () => {
  test("has every shift of a span with its source, and the gaps", async () => {
    await call("create", OFFICE);
    await call("override/create", OVERRIDE);
    const { records } = await ask("calendar", { from: START, to: START + 6 * DAY, scheduleid: 1 });
    const at = (hours: number) => START + hours * HOUR;
    const line = ({ from, to, uname, rotation, overrideid }: Record<string, unknown>) => [
      from,
      to,
      uname,
      rotation,
      overrideid,
    ];
    expect(records[0].shifts.map(line)).toEqual([
      [at(0), at(1), "anna", 0, null],
      [at(1), at(2), "cleo", null, 1],
      [at(2), at(24), "anna", 0, null],
      [at(24), at(48), "ben", 0, null],
      [at(48), at(72), "anna", 0, null],
      [at(72), at(96), "ben", 0, null],
      [at(96), at(120), "anna", 0, null],
      [at(120), at(144), "", null, null],
    ]);
    expect(records[0].gaps).toEqual([{ from: at(120), to: at(144) }]);
  });

  test("is of at most 31 days", async () => {
    const get = (fields: object) => admin.get("/api/1/oncall/calendar", { ...fields });
    expect((await get({ from: START, to: START + 31 * DAY })).status).toBe(200);
    await expectRefusal(app, () => get({ from: START, to: START + 31 * DAY + 1 }), 400, "argument.invalid");
    await expectRefusal(app, () => get({ from: START, to: START }), 400, "argument.invalid");
  });
});

describe("a user who is on call", () => {
  const deleted = (uname: string) => admin.post("/api/1/admin/users/delete", { uname });

  test("cannot be deleted before somebody takes their place", async () => {
    await call("create", OFFICE);
    const reply = await expectRefusal(app, () => deleted("ben"), 409, "user.used");
    expect(reply.json.error).toBe('Remove ben first from: the schedule "Office"');
    await call("update", { id: 1, rotations: [{ ...DAILY, users: ["anna"] }] });
    expect((await deleted("ben")).status).toBe(200);
  });

  test("can be deleted once their override has ended", async () => {
    await call("create", OFFICE);
    await call("override/create", OVERRIDE);
    await expectRefusal(app, () => deleted("cleo"), 409, "user.used");
    await pass(2 * HOUR);
    expect((await deleted("cleo")).status).toBe(200);
    expect(app.rows("select * from on_call_overrides")).toEqual([]);
  });
});
