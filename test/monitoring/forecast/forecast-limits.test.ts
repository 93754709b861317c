import { expect, test } from "bun:test";
import { START } from "../../support/clock.ts";
import { limitWith } from "../../support/limits.ts";
import { HOUR } from "../history/history-fixture.ts";
import { Fleet, SERVICES } from "./forecast-fleet.ts";
import { linear } from "./laws.ts";

const DAYS_UNTIL_SPACE_IS_FULL = 170;
const DAY = 86_400;

async function fleetWithLimit(fields: object = {}): Promise<Fleet> {
  const fleet = new Fleet();
  const statistics = [DAYS_UNTIL_SPACE_IS_FULL];
  const values = { direction: "below", warning: 14, critical: 3, ...fields };
  fleet.app.muster.statisticLimits.create(limitWith({ name: "full soon", statistics, ...values }));
  await fleet.add("a", { rootfs: () => 95, data: linear(1), "host-1": () => 60 });
  return fleet;
}

const report = ({ app }: Fleet, poll = 30) =>
  app.report({ id: "a", hostname: "a", services: SERVICES, at: app.clock.now(), incarnation: 1, poll });

/** Hours in each of which the host reports once. */
async function hours(fleet: Fleet, count: number): Promise<void> {
  for (let hour = 0; hour < count; hour++) {
    fleet.app.clock.step(HOUR);
    await report(fleet, HOUR);
  }
}

const events = ({ app }: Fleet) =>
  app
    .rows<{ state: number; name: string; message: string }>(
      "select state, name, message from events join names on names.id = name_id where limit_id <> 0 order by events.id",
    )
    .map(({ state, name, message }) => `${state} ${name} ${message}`);

test("a limit on the days until a disk is full is compared with each forecast", async () => {
  const fleet = await fleetWithLimit();
  await report(fleet);
  expect(events(fleet)).toEqual([]);
  await fleet.passForecasts();
  await report(fleet);
  const warning = expect.stringMatching(
    /^1 data full soon: days until the space is full is (6\.9\d*|7|7\.\d+) days, below 14 days \(warning\)\.$/,
  );
  expect(events(fleet)).toEqual([warning]);
  await report(fleet);
  expect(events(fleet)).toEqual([warning]);
  // Nothing is known of the last day, so that the next forecast has no number.
  fleet.app.clock.step(2 * DAY);
  fleet.app.db.$client.run("delete from samples");
  await fleet.passForecasts();
  await report(fleet);
  expect(events(fleet)).toEqual([
    warning,
    expect.stringMatching(/^0 data full soon: .* no longer below 14 days$/),
  ]);
});

test("a disk without a forecast exceeds no limit", async () => {
  const fleet = await fleetWithLimit();
  await fleet.passForecasts();
  await report(fleet);
  expect(events(fleet).filter((event) => event.includes("rootfs"))).toEqual([]);
});

test("the preview of a limit on forecasts shows which of the last ones exceed it", async () => {
  const fleet = await fleetWithLimit();
  await report(fleet);
  await fleet.passForecasts();
  const admin = await fleet.app.admin();
  const preview = async (days: number) => {
    const statistics = [DAYS_UNTIL_SPACE_IS_FULL];
    const limit = { name: "new", statistics, direction: "below", warning: days };
    const { json } = await admin.post("/api/1/limits/preview", { limit });
    const records = json.records as { servicename: string; date: number; ended: number }[];
    return [json.services, records.map(({ servicename, date, ended }) => [servicename, date, ended])];
  };
  expect(await preview(14)).toEqual([2, [["data", fleet.app.clock.now(), 0]]]);
  expect(await preview(1)).toEqual([2, []]);
});

/** When a value counts as missing whose forecast was made at START, on a host that counts as down after three hours. */
const MISSING_AT = START + 2 * DAY + 3 * HOUR;

test.each([
  ["warn", 1, { date: MISSING_AT - 1, ended: 0 }, /^1 data full soon: no value of/],
  ["keep", 14, { date: START, ended: 0 }, /^1 data full soon: days until the space is full is/],
  ["clear", 14, { date: START, ended: MISSING_AT - 1 }, /^0 data full soon: there is no value of/],
] as const)(
  "the preview of a limit with missing: %s shows what it does with a forecast that becomes too old",
  async (missing, warning, span, lastEvent) => {
    const fleet = await fleetWithLimit({ missing, warning, critical: null });
    await fleet.passForecasts();
    await hours(fleet, 54);
    expect(events(fleet).at(-1)).toMatch(lastEvent);
    const preview = async (days: number) =>
      (await (await fleet.app.admin()).post("/api/1/limits/preview", { id: 1, days })).json;
    expect((await preview(30)).records).toMatchObject([{ servicename: "data", ...span }]);
    // Only the days that are requested: their first message is the first one that counts.
    await hours(fleet, 72);
    const { datefrom, records } = await preview(1);
    const missingFromStart = { servicename: "data", date: datefrom + 3 * HOUR, ended: 0 };
    expect(records).toMatchObject(missing === "warn" ? [missingFromStart] : []);
  },
);

test("a restored host exceeds no limit by a forecast from before its deletion, until the next one", async () => {
  const fleet = await fleetWithLimit();
  await fleet.passForecasts();
  fleet.app.deleteHosts([1]);
  fleet.app.clock.step(20 * DAY);
  fleet.app.restoreHosts([1]);
  await report(fleet);
  expect(events(fleet)).toEqual([]);
});

test("a failure of a forecast stays open while Muster is off, and until the next forecast", async () => {
  const fleet = await fleetWithLimit();
  await fleet.passForecasts();
  await report(fleet);
  const [opened] = events(fleet);
  fleet.app.clock.step(20 * DAY);
  fleet.app.hostCache.forgetAll();
  await report(fleet);
  expect(events(fleet)).toEqual([opened ?? ""]);
});

test("a value is missing once its forecast is two days old, however often the host reports", async () => {
  const fleet = await fleetWithLimit({ missing: "clear" });
  await fleet.passForecasts();
  await hours(fleet, 1);
  const [opened] = events(fleet);
  expect(opened).toStartWith("1 data full soon: ");
  // From now on, the daily pass fails for this host.
  fleet.pack();
  fleet.app.db.$client.run(`update history_blocks set payload = '' where resolution = ${HOUR}`);
  await hours(fleet, 24);
  await fleet.passForecasts();
  expect(fleet.app.logged.join("")).toContain("forecasts of a host cannot be made");
  await hours(fleet, 22);
  // The host counts as down after three hours, so a value counts as missing after three hours without one.
  await hours(fleet, 3);
  expect(events(fleet)).toEqual([opened ?? ""]);
  await hours(fleet, 1);
  expect(events(fleet)).toEqual([opened ?? "", expect.stringMatching(/^0 data full soon: /)]);
});
