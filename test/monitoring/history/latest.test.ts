import { describe, expect, test } from "bun:test";
import { STATISTIC } from "../../../src/monit/statistic-types.ts";
import { processXml, programXml, systemXml } from "../../support/agent-messages.ts";
import { HistoryFixture, HOUR } from "./history-fixture.ts";

function statistics(fixture: HistoryFixture) {
  return fixture.app.muster.status
    .get(1, true, "all")
    .records.host.services.map((service) => [service.name, service.statistics]);
}

test("the latest values of a host are the same once everything is packed", async () => {
  const fixture = new HistoryFixture();
  const { app } = fixture;
  for (let i = 0; i < 5; i++) {
    await app.report({
      services: [
        { name: "app", body: processXml({ cpu: 1.5 * i, memory: 0.1 }) },
        { name: "job", type: 7, body: programXml({ output: `run ${i}`, status: -i }) },
        ...(i < 4 ? [{ name: "sys", type: 5, body: systemXml({ load: i / 3 }) }] : []),
      ],
    });
    app.clock.step(30);
  }
  const before = statistics(fixture);
  expect(before.map(([name, values]) => [name, values?.length])).toEqual([
    ["app", 14],
    ["job", 3],
  ]);
  expect(before[0]?.[1]).toContainEqual({ id: expect.any(Number), type: 8, descriptor: "", value: 6 });
  app.clock.step(2 * HOUR);
  fixture.pack();
  expect(app.rows("select count(*) as n from samples")).toEqual([{ n: 0 }]);
  expect(statistics(fixture)).toEqual(before);
});

test("a host whose newest message measured nothing has no values, packed or not", async () => {
  const fixture = new HistoryFixture();
  const { app } = fixture;
  await app.report({ services: [{ name: "app", body: processXml() }] });
  app.clock.step(30);
  await app.report({ services: [{ name: "app" }] });
  expect(statistics(fixture)).toEqual([["app", []]]);
  app.clock.step(2 * HOUR);
  fixture.pack();
  expect(statistics(fixture)).toEqual([["app", []]]);
});

describe("values from while the clock was ahead", () => {
  const HOURS_AHEAD = 5;
  let fixture: HistoryFixture;

  const report = (load: number) =>
    fixture.app.report({ services: [{ name: "sys", type: 5, body: systemXml({ load }) }] });

  /** The load on the page of the host and in the ranking. */
  async function loads() {
    const user = await fixture.app.user();
    const load = { type: STATISTIC.load.code, descriptor: "1min" };
    const { records } = (await user.get("/api/1/reports/history/top", load)).json;
    const page = (await user.get("/api/1/status/hosts/get", { id: 1 })).json.records.host.services[0]
      .statistics;
    return [
      page.find(({ descriptor }: { descriptor: string }) => descriptor === "1min").value,
      ...records.map(({ value }: { value: number }) => value),
    ];
  }

  for (const [text, hours] of [
    ["are not the latest once it is set back", 0],
    ["nor if they are packed", 2],
  ] as const)
    test(text, async () => {
      fixture = new HistoryFixture();
      const { app } = fixture;
      await report(1);
      app.clock.step(HOURS_AHEAD * HOUR);
      await report(2);
      app.clock.step(hours * HOUR);
      fixture.pack();
      expect(await loads()).toEqual([2, 2]);
      app.clock.step(60 - (HOURS_AHEAD + hours) * HOUR);
      await report(3);
      expect(await loads()).toEqual([3, 3]);
      fixture.pack();
      expect(await loads()).toEqual([3, 3]);
    });
});
