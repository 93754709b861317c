import { expect, test } from "bun:test";
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
  const hours = async (count: number) => {
    for (let hour = 0; hour < count; hour++) {
      fleet.app.clock.step(HOUR);
      await report(fleet, HOUR);
    }
  };
  await hours(1);
  const [opened] = events(fleet);
  expect(opened).toStartWith("1 data full soon: ");
  // From now on, the daily pass fails for this host.
  fleet.pack();
  fleet.app.db.$client.run(`update history_blocks set payload = '' where resolution = ${HOUR}`);
  await hours(24);
  await fleet.passForecasts();
  expect(fleet.app.logged.join("")).toContain("forecasts of a host cannot be made");
  await hours(22);
  // The host counts as down after three hours, so a value counts as missing after three hours without one.
  await hours(3);
  expect(events(fleet)).toEqual([opened ?? ""]);
  await hours(1);
  expect(events(fleet)).toEqual([opened ?? "", expect.stringMatching(/^0 data full soon: /)]);
});
