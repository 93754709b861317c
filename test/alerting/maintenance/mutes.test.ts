import { beforeEach, describe, expect, test } from "bun:test";
import { FULL_REACH } from "../../../src/platform/http/scope.ts";
import type { Fields } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { notifying } from "../../support/rules.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";
import { Alerting, fails, type Input, ledger, pass, recovers } from "../notifications/support.ts";

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
const HOST_1 = { hosts: [1] };
const GROUP_1 = { hostgroups: [1] };

const muted =
  (fields: Fields): Input =>
  (alerting) =>
    alerting.call("mutes/create", fields);
/** Ends, renews or releases the newest mute. */
const change =
  (verb: "delete" | "renew" | "release", fields: Fields = {}): Input =>
  async (alerting) => {
    const [{ id } = { id: 0 }] = alerting.app.rows<{ id: number }>(
      "select max(id) as id from maintenance_windows",
    );
    await alerting.call(`mutes/${verb}`, { id, ...fields });
  };
const restarted: Input = (alerting) => alerting.restart();

/** Hosts 1, of group 1 "web", and 2; a rule 1 for everything, to channel 1, and a rule 2, to channel 2. */
const prepare: Input = async (alerting) => {
  alerting.channel("mail");
  alerting.channel("chat");
  await alerting.rule({ name: "rule", ...notifying(1), flapcount: 0 });
  await alerting.rule({ name: "services", ...notifying(2), flapcount: 0, filter: { servicenames: ["db"] } });
  await alerting.report();
  await alerting.report({ id: "agent-2", hostname: "host-2" });
  await alerting.call("admin/groups/create", { name: "web" });
  await alerting.call("admin/groups/add", { id: 1, hostid: 1 });
};
const onSecondHost = { id: "agent-2", hostname: "host-2" };

describe("a mute", () => {
  ledger("of a host: before, during, its end, and a restart inside", prepare, [
    ["before", fails(), []],
    ["", pass(5), ["@5 mail problem: web on host-1: is gone"]],
    ["", muted({ filter: HOST_1, minutes: 10 }), []],
    ["during: the recovery waits", recovers(), []],
    ["", pass(MINUTE), []],
    ["a failure under it waits", fails({ service: "disk" }), []],
    ["", restarted, []],
    ["one that recovers under it is never told", fails({ service: "tmp" }), []],
    ["", recovers({ service: "tmp" }), []],
    ["another host is not muted", fails({}, onSecondHost), []],
    ["", pass(5), ["@70 mail problem: web on host-2: is gone"]],
    ["", pass(9 * MINUTE - 6), []],
    [
      "its end",
      pass(1),
      [
        "@605 mail recovery: Recovered after 5s: web on host-1: is gone",
        "@605 mail problem: disk on host-1: is gone",
      ],
    ],
  ]);

  ledger("of a group, ended early: ongoing failures trigger a message at once, even earlier ones", prepare, [
    ["it begins", fails(), []],
    ["before it is told, somebody mutes it", muted({ filter: GROUP_1, to: START + DAY }), []],
    ["", pass(10 * MINUTE), []],
    ["deletion", change("delete"), []],
    ["", pass(1), ["@601 mail problem: web on host-1: is gone"]],
  ]);

  ledger("of a service by its name leaves the others", prepare, [
    ["", muted({ filter: { hosts: [1], servicenames: ["d*"] }, minutes: 5 }), []],
    ["", fails({ service: "db" }), []],
    ["", fails({ service: "web" }), []],
    ["", pass(10), ["@5 mail problem: web on host-1: is gone"]],
  ]);

  ledger("of a rule leaves the other rules", prepare, [
    ["", muted({ filter: { rules: [1] }, minutes: 5 }), []],
    ["", fails({ service: "db" }), []],
    ["", pass(5), ["@5 chat problem: db on host-1: is gone"]],
    ["", pass(5 * MINUTE - 5), ["@300 mail problem: db on host-1: is gone"]],
  ]);

  ledger("lasts longer, or shorter, once its end changes", prepare, [
    ["", muted({ filter: HOST_1, minutes: 5 }), []],
    ["", fails(), []],
    ["", pass(4 * MINUTE), []],
    ["", change("renew", { minutes: 10 }), []],
    ["", pass(5 * MINUTE), []],
    ["", change("renew", { to: START + 10 * MINUTE }), []],
    ["", pass(MINUTE - 1), []],
    ["", pass(1), ["@600 mail problem: web on host-1: is gone"]],
  ]);

  ledger("whose maintenance is deleted ends at once too", prepare, [
    [
      "",
      (a) => {
        const schedule = { kind: "once", from: START, to: START + DAY };
        return a.call("admin/maintenance/create", { name: "m", filter: {}, schedule });
      },
      [],
    ],
    ["", fails(), []],
    ["", pass(MINUTE), []],
    ["", (a) => a.call("admin/maintenance/delete", { id: 1 }), []],
    ["", pass(1), ["@61 mail problem: web on host-1: is gone"]],
  ]);
});

describe("a mute with a lease", () => {
  const leased = muted({ filter: GROUP_1, lease: {} });

  ledger("lasts as long as it is renewed, and until its hosts have recovered", prepare, [
    ["", leased, []],
    ["", fails(), []],
    ["", pass(2 * MINUTE), []],
    ["", change("renew"), []],
    ["", pass(2 * MINUTE), []],
    ["a restart of Muster", restarted, []],
    ["the command ended; its host still fails", change("release"), []],
    ["", pass(5 * MINUTE), []],
    ["it recovers: nobody heard of it", recovers(), []],
    ["", pass(1), []],
    ["the mute is over", ({ admin }) => expectMutes(admin, []), []],
    ["", fails(), []],
    ["", pass(5), ["@546 mail problem: web on host-1: is gone"]],
  ]);

  ledger("waits for the next report of its hosts", prepare, [
    ["", leased, []],
    ["", pass(MINUTE), []],
    ["", change("release"), []],
    ["", pass(MINUTE), []],
    ["", ({ admin }) => expectMutes(admin, [START + 16 * MINUTE]), []],
    ["what the command broke is found out now", fails(), []],
    ["", pass(MINUTE), []],
    ["", recovers(), []],
    ["", pass(1), []],
    ["", ({ admin }) => expectMutes(admin, []), []],
  ]);

  ledger("reports failures that remain when its grace period ends", prepare, [
    ["", muted({ filter: GROUP_1, lease: { grace: 5 } }), []],
    ["", fails(), []],
    ["", change("release"), []],
    ["", pass(5 * MINUTE - 1), []],
    ["", pass(1), ["@300 mail problem: web on host-1: is gone"]],
  ]);

  ledger("that nobody renews, as after a crash of the command's host, ends in the same way", prepare, [
    ["", muted({ filter: GROUP_1, lease: { grace: 5 } }), []],
    ["", fails(), []],
    ["", pass(8 * MINUTE - 1), []],
    ["", pass(1), ["@480 mail problem: web on host-1: is gone"]],
  ]);

  ledger("is not prolonged by earlier failures, which then trigger a message", prepare, [
    ["", fails(), []],
    ["", pass(1), []],
    ["", leased, []],
    ["", pass(MINUTE), []],
    ["", change("release"), []],
    ["", pass(1), []],
    ["its host reports, and still fails", recovers({ service: "other" }), []],
    ["", pass(1), ["@63 mail problem: web on host-1: is gone"]],
  ]);

  test("ends after a day, however often it is renewed", async () => {
    const alerting = await Alerting.create();
    await prepare(alerting);
    await leased(alerting);
    for (let minutes = 0; minutes < 24 * 60 - 2; minutes += 2) {
      alerting.app.clock.step(2 * MINUTE);
      const { to } = alerting.app.muster.mutes.renew({ id: 1 }, FULL_REACH);
      expect(to).toBeLessThanOrEqual(START + DAY);
    }
    alerting.app.clock.step(2 * MINUTE);
    expect(() => alerting.app.muster.mutes.renew({ id: 1 }, FULL_REACH)).toThrow("There is no mute 1");
  });
});

async function expectMutes(admin: Alerting["admin"], ends: number[]): Promise<void> {
  const { json } = await admin.get("/api/1/mutes/list");
  expect(json.records.map(({ to }: { to: number }) => to)).toEqual(ends);
}

describe("mutes are", () => {
  let alerting: Alerting;
  const create = (fields: Fields) => alerting.admin.post("/api/1/mutes/create", fields);

  beforeEach(async () => {
    alerting = await Alerting.create();
    await prepare(alerting);
  });

  test("listed with the maintenance that is under way or begins within a day", async () => {
    const plan = (name: string, from: number, more: Fields = {}) => {
      const schedule = { kind: "once", from, to: from + 3600 };
      return alerting.call("admin/maintenance/create", { name, filter: HOST_1, schedule, ...more });
    };
    await plan("later", START + DAY + 1);
    await plan("soon", START + DAY);
    await plan("now", START - 60);
    await plan("over", START - 3600);
    await plan("off", START, { enabled: false });
    // START is a Monday, 12:00 UTC.
    const schedule = { kind: "weekly", days: [1], from: "13:00", minutes: 30, timezone: "UTC" };
    await plan("weekly", START, { schedule });
    const user = await alerting.app.user();
    const { json } = await user.get("/api/1/mutes/list");
    const window = { to: expect.any(Number), id: expect.any(Number) };
    expect(json.maintenance).toEqual([
      { ...window, name: "now", from: START - 60, active: true },
      { ...window, name: "weekly", from: START + 3600, to: START + 5400, active: false },
      { ...window, name: "soon", from: START + DAY, active: false },
    ]);
  });

  test("listed for everyone until they end, and begun and ended by administrators", async () => {
    expect((await create({ filter: HOST_1, minutes: 30, note: "switch" })).json).toEqual({ id: 1 });
    expect((await create({ filter: GROUP_1, lease: {} })).json).toEqual({ id: 2 });
    const user = await alerting.app.user();
    const { json } = await user.get("/api/1/mutes/list");
    const same = { uname: "admin", created: START, from: START, active: true };
    expect(json).toEqual({
      totalRecords: 2,
      maintenance: [],
      records: [
        {
          id: 2,
          ...same,
          note: "",
          filter: { hostgroups: [1] },
          to: START + 18 * MINUTE,
          lease: { grace: 15, until: START + 3 * MINUTE, released: false },
        },
        { id: 1, ...same, note: "switch", filter: { hosts: [1] }, to: START + 30 * MINUTE, lease: null },
      ],
    });
    expect((await user.post("/api/1/mutes/create", { filter: HOST_1, minutes: 5 })).status).toBe(403);
    expect((await user.post("/api/1/mutes/delete", { id: 1 })).status).toBe(403);
    expect((await alerting.admin.get("/api/1/admin/maintenance/list")).json.records).toEqual([]);
    await alerting.call("mutes/delete", { id: 1 });
    expect((await alerting.admin.post("/api/1/mutes/delete", { id: 1 })).status).toBe(404);
  });

  test("shown with hosts, services and open failures, as planned maintenance is", async () => {
    await fails()(alerting);
    await create({ filter: HOST_1, minutes: 10, note: "switch" });
    const at = { until: START + 10 * MINUTE, uname: "admin", note: "switch" };
    const get = async (path: string, fields: Fields = {}) => (await alerting.admin.get(path, fields)).json;
    const list = await get("/api/1/status/hosts/list");
    expect(list.records.map(({ muted }: { muted: unknown }) => muted)).toEqual([at, null]);
    const { host } = (await get("/api/1/status/hosts/get", { id: 1 })).records;
    expect([host.muted, host.services[0].muted, host.services[0].acknowledged]).toEqual([at, at, null]);
    expect((await get("/api/1/reports/events/list")).records[0].muted).toEqual(at);
    expect((await get("/api/1/reports/events/get", { id: 1 })).muted).toEqual(at);
    await alerting.call("problems/acknowledge", { id: 1 });
    const after = (await get("/api/1/status/hosts/get", { id: 1 })).records.host;
    expect(after.services[0].acknowledged).toEqual({ uname: "admin", date: START, until: null, note: "" });
    await alerting.call("admin/maintenance/create", {
      name: "move",
      filter: {},
      schedule: { kind: "once", from: START, to: START + DAY },
    });
    const planned = { until: START + DAY, uname: "", note: "move" };
    expect((await get("/api/1/reports/events/get", { id: 1 })).muted).toEqual(planned);
    await recovers()(alerting);
    expect((await get("/api/1/reports/events/get", { id: 1 })).muted).toBeNull();
  });

  const WRONG: Readonly<Record<string, readonly [Fields, string]>> = {
    "without a filter": [{ minutes: 5 }, "filter is required"],
    "of everything": [{ filter: {}, minutes: 5 }, "filter must be at least one of"],
    "of an unknown host": [{ filter: { hosts: [1, 9] }, minutes: 5 }, "filter.hosts[1] must be"],
    "of an unknown rule": [
      { filter: { rules: [9] }, minutes: 5 },
      "filter.rules[0] must be the id of a rule",
    ],
    "without an end": [{ filter: HOST_1 }, "minutes is required"],
    "with two ends": [{ filter: HOST_1, minutes: 5, to: START + 9 }, "to must be"],
    "that is over": [{ filter: HOST_1, from: START - HOUR, minutes: 60 }, "from must be"],
    "until now": [{ filter: HOST_1, to: START }, "to must be"],
    "for more than a month": [{ filter: HOST_1, to: START + 32 * DAY }, "to must be"],
    "with a lease and an end": [{ filter: HOST_1, minutes: 5, lease: {} }, "minutes must be"],
    "of a rule with a lease": [{ filter: { rules: [1] }, lease: {} }, "filter.rules must be"],
  };
  for (const [title, [fields, message]] of Object.entries(WRONG))
    test(`refused ${title}`, async () => {
      const before = stored(alerting.app);
      const { status, json } = await create(fields);
      expect([status, json.error.startsWith(message) ? message : json.error]).toEqual([400, message]);
      expect(changedTables(alerting.app, before)).toEqual([]);
    });

  test("given another end only after their beginning, from which minutes count", async () => {
    await create({ filter: HOST_1, from: START + HOUR, minutes: 60 });
    const renew = (fields: Fields) => alerting.admin.post("/api/1/mutes/renew", { id: 1, ...fields });
    await expectRefusal(alerting.app, () => renew({ to: START + 30 * MINUTE }), 400, "argument.invalid");
    expect((await renew({ minutes: 30 })).json).toEqual({ to: START + HOUR + 30 * MINUTE });
  });

  test("released only if they have a lease", async () => {
    await create({ filter: HOST_1, minutes: 5 });
    await expectRefusal(
      alerting.app,
      () => alerting.admin.post("/api/1/mutes/release", { id: 1 }),
      400,
      "argument.invalid",
    );
  });
});
