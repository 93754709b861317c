import { describe, expect, test } from "bun:test";
import { forecastsOf } from "../../../src/monitoring/forecast/forecast.repository.ts";
import { ForecastPass } from "../../../src/monitoring/forecast/forecast-pass.service.ts";
import type { Turn } from "../../../src/platform/http/turn.ts";
import { START } from "../../support/clock.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";
import { HOUR } from "../history/history-fixture.ts";
import { Fleet, SERVICES } from "./forecast-fleet.ts";
import { linear } from "./laws.ts";

const LIST = "/api/1/reports/forecasts/list";
const GET = "/api/1/reports/forecasts/get";
const DAY = 24 * HOUR;

async function twoHosts(): Promise<Fleet> {
  const fleet = new Fleet();
  await fleet.add("a", { rootfs: () => 95, data: linear(1), "host-1": (day) => 60 + 0.5 * day });
  await fleet.add("b", { rootfs: (day) => 97 + day });
  return fleet;
}

describe("forecasts of a host, calculated when they are asked for", () => {
  test("say when each disk and memory will be full, and why there is no number", async () => {
    const fleet = await twoHosts();
    const user = await fleet.app.user();
    const before = stored(fleet.app);
    const { json } = await user.get(GET, { hostid: 1 });
    expect(json).toMatchObject({ hostid: 1, hostname: "a" });
    const of = (name: string, type: number) =>
      json.records.find(
        (record: { servicename: string; type: number }) =>
          record.servicename === name && record.type === type,
      );
    expect(of("data", 18)).toMatchObject({
      usage: 93,
      state: "filling",
      growth: expect.closeTo(1, 1),
      days: expect.closeTo(7, 0),
      daysfrom: expect.closeTo(7, 0),
      daysto: expect.closeTo(7, 0),
    });
    const none = { days: null, daysfrom: null, daysto: null, growth: null };
    expect(of("rootfs", 18)).toMatchObject({ usage: 95, state: "steady", ...none });
    expect(of("host-1", 4)).toMatchObject({ usage: 60, state: "steady", ...none });
    expect(of("data", 21)).toMatchObject({ usage: null, state: "tooshort", ...none });
    expect(changedTables(fleet.app, before)).toEqual([]);
  });

  test("are the same from samples, five-minute blocks and hourly blocks", async () => {
    const fleet = await twoHosts();
    const user = await fleet.app.user();
    const loose = (await user.get(GET, { hostid: 1 })).json;
    fleet.pack();
    expect(fleet.blocks(1, HOUR).length).toBeGreaterThan(8);
    expect((await user.get(GET, { hostid: 1 })).json).toEqual(loose);
    fleet.app.db.$client.run(`delete from history_blocks where resolution = 300 and start < ${START - DAY}`);
    expect((await user.get(GET, { hostid: 1 })).json).toEqual(loose);
  });

  test("may be of one service, and of no unknown host", async () => {
    const fleet = await twoHosts();
    const user = await fleet.app.user();
    const { records } = (await user.get(GET, { hostid: 1, serviceid: 2 })).json;
    expect(new Set(records.map((record: { serviceid: number }) => record.serviceid))).toEqual(new Set([2]));
    await expectRefusal(fleet.app, () => user.get(GET, { hostid: 99 }), 404, "object.unknown");
  });

  test("are not of disks that are no longer there", async () => {
    const fleet = await twoHosts();
    const remaining = SERVICES.filter(({ name }) => name !== "data");
    await fleet.app.report({ id: "a", hostname: "a", services: remaining });
    const { records } = (await (await fleet.app.user()).get(GET, { hostid: 1 })).json;
    const names = records.map(({ servicename }: { servicename: string }) => servicename);
    expect(new Set(names)).toEqual(new Set(["host-1", "rootfs"]));
  });
});

describe("the daily pass", () => {
  test("stores what will be full, once a day, and drops what no longer will", async () => {
    const fleet = await twoHosts();
    fleet.pack();
    expect(await fleet.passForecasts()).toBe(2);
    expect(forecastsOf(fleet.app.db, 1)).toMatchObject([
      { hostId: 1, calculatedAt: START, usage: 93, fullAt: expect.any(Number) },
    ]);
    const before = stored(fleet.app);
    fleet.app.clock.step(HOUR);
    await fleet.passForecasts();
    expect(changedTables(fleet.app, before)).toEqual([]);
    fleet.app.clock.step(2 * DAY);
    await fleet.passForecasts();
    expect(changedTables(fleet.app, before)).toEqual(["forecasts", "settings"]);
    expect(fleet.app.rows("select * from forecasts")).toEqual([]);
  });

  test("goes on where the clock was ahead by a year and is set back", async () => {
    const fleet = await twoHosts();
    fleet.pack();
    fleet.app.clock.step(365 * DAY);
    await fleet.passForecasts();
    fleet.app.clock.step(-365 * DAY);
    expect(fleet.app.rows("select * from forecasts")).toEqual([]);
    await fleet.passForecasts();
    expect(forecastsOf(fleet.app.db, 1)).toMatchObject([{ calculatedAt: START, usage: 93 }]);
    const before = stored(fleet.app);
    await fleet.passForecasts();
    expect(changedTables(fleet.app, before)).toEqual([]);
  });

  test("goes on where a step ended, and begins anew after a restart", async () => {
    const fleet = await twoHosts();
    // A clock that moves on with every look, so that each step does one host.
    let at = 0;
    const { db, settings, clock, muster } = fleet.app;
    const begin = () =>
      new ForecastPass({
        db,
        settings,
        clock,
        log: muster.log,
        onStored: () => undefined,
        queries: muster.queries,
        monotonic: () => at++ * 1000,
      });
    const stepOf = async (pass: ForecastPass) => {
      const more = pass.step();
      await pass.settled();
      return more;
    };
    const first = begin();
    expect(await stepOf(first)).toBe(true);
    expect([forecastsOf(db, 1).length, forecastsOf(db, 2).length]).toEqual([1, 0]);
    const second = begin();
    const more = [await stepOf(second), await stepOf(second), await stepOf(second), await stepOf(second)];
    expect(more).toEqual([true, true, false, false]);
    expect([forecastsOf(db, 1).length, forecastsOf(db, 2).length]).toEqual([1, 1]);
  });

  test("does not ask for hosts that are too young for one", async () => {
    const fleet = new Fleet();
    for (const [name, days] of [
      ["old", 7],
      ["young", 4],
    ] as const)
      await fleet.add(name, { data: linear(1) }, days);
    const { db, settings, clock, muster } = fleet.app;
    const asked: number[] = [];
    const queries = {
      forecastsToStore: (turn: Turn, hostId: number) => {
        asked.push(hostId);
        return muster.queries.forecastsToStore(turn, hostId);
      },
    };
    const pass = new ForecastPass({
      db,
      settings,
      clock,
      log: muster.log,
      onStored: () => undefined,
      queries,
      monotonic: () => 0,
    });
    while (pass.step()) await pass.settled();
    expect(asked).toEqual([1]);
    expect(settings.get("forecastday")).toBeGreaterThan(0);
  });

  test("leaves a host with a damaged block as it is and does the others", async () => {
    const fleet = await twoHosts();
    fleet.pack();
    fleet.app.db.$client.run(
      `update history_blocks set payload = '' where host_id = 1 and resolution = ${HOUR}`,
    );
    await fleet.passForecasts();
    expect(fleet.app.rows("select host_id from forecasts")).toEqual([{ host_id: 2 }]);
    expect(
      fleet.app.logged.filter((line) => line.includes("forecasts of a host cannot be made")),
    ).toHaveLength(1);
  });

  test("leaves no host out because nothing could be stored for a while", async () => {
    const fleet = await twoHosts();
    const { forecastPass, db } = fleet.app.muster;
    db.$client.run("pragma query_only = on");
    for (let tries = 0; tries < 5; tries++) {
      expect(forecastPass.step()).toBe(true);
      await forecastPass.settled();
      expect(() => forecastPass.step()).toThrow("readonly");
    }
    db.$client.run("pragma query_only = off");
    await fleet.passForecasts();
    expect(fleet.app.rows("select host_id from forecasts order by 1")).toEqual([
      { host_id: 1 },
      { host_id: 2 },
    ]);
  });

  test("keeps nothing of a deleted host", async () => {
    const fleet = await twoHosts();
    await fleet.passForecasts();
    await (await fleet.app.admin()).post("/api/1/admin/hosts/delete", { id: 1 });
    expect(fleet.app.rows("select host_id from forecasts")).toEqual([{ host_id: 2 }]);
  });
});

describe("the list of forecasts", () => {
  async function listed() {
    const fleet = await twoHosts();
    await fleet.passForecasts();
    return { fleet, user: await fleet.app.user() };
  }

  test("has what is full first at the top, as days from now", async () => {
    const { fleet } = await listed();
    fleet.app.clock.step(DAY);
    const { json } = await (await fleet.app.user()).get(LIST);
    expect(json).toMatchObject({ recordsReturned: 2, pageSize: 50, totalRecords: 2, startIndex: 0 });
    expect(json.records).toMatchObject([
      {
        hostid: 2,
        hostname: "b",
        servicename: "rootfs",
        type: 18,
        days: expect.closeTo(2, 0),
        calculated: START,
      },
      { hostid: 1, hostname: "a", servicename: "data", type: 18, days: expect.closeTo(6, 0), usage: 93 },
    ]);
    const ofHost = await (await fleet.app.user()).get(GET, { hostid: 1 });
    const texts = [json, ofHost.json].map((reply) => JSON.stringify(reply.records));
    expect(texts.join(" ")).not.toMatch(/\d\.\d{4}/);
  });

  test("can be of some hosts, groups, tags and days, and is paged", async () => {
    const { fleet, user } = await listed();
    const admin = await fleet.app.admin();
    const { id } = (await admin.post("/api/1/admin/groups/create", { name: "disks" })).json;
    await admin.post("/api/1/admin/groups/add", { id, hostid: 1 });
    const hosts = async (fields: Record<string, unknown>) =>
      (await user.get(LIST, fields as never)).json.records.map((record: { hostid: number }) => record.hostid);
    expect(await hosts({ hostid: 1 })).toEqual([1]);
    expect(await hosts({ hostgroupid: id })).toEqual([1]);
    expect(await hosts({ tag: "none" })).toEqual([]);
    expect(await hosts({ days: 4 })).toEqual([2]);
    expect(await hosts({ days: 0 })).toEqual([]);
    expect(await hosts({ startindex: 1, results: 1 })).toEqual([1]);
  });

  test("leaves out what was calculated before a restored host was deleted, or Muster was off", async () => {
    const { fleet } = await listed();
    const list = async () => (await (await fleet.app.user()).get(LIST)).json;
    fleet.app.clock.step(2 * DAY - 1);
    expect((await list()).totalRecords).toBe(2);
    fleet.app.deleteHosts([1]);
    fleet.app.clock.step(20 * DAY);
    fleet.app.restoreHosts([1]);
    expect(await list()).toMatchObject({ totalRecords: 0, records: [] });
  });

  test("leaves out ignored hosts and services that vanished", async () => {
    const { fleet, user } = await listed();
    fleet.app.db.$client.run("update hosts set status = 2 where id = 2");
    fleet.app.db.$client.run("update services set vanished_at = 1 where host_id = 1");
    expect((await user.get(LIST)).json).toMatchObject({ totalRecords: 0, records: [] });
  });
});
