import { describe, expect, test } from "bun:test";
import { DAY, HOUR } from "../../../src/platform/clock.ts";
import { filesystemXml, systemXml } from "../../support/agent-messages.ts";
import { START } from "../../support/clock.ts";
import { app, appOfEachTest, user } from "../../support/each-test.ts";
import { expectRefusal } from "../../support/stored.ts";
import { runToEnd } from "../history/history-fixture.ts";

appOfEachTest();

const GLANCE = "/api/1/status/hosts/glance";
const HALF_HOUR = 1800;

const SERVICES = [
  { name: "host-1", type: 5, body: systemXml({ user: 10, system: 5, wait: 1, memory: 40, load: 0.7 }) },
  { name: "rootfs", type: 0, body: filesystemXml({ percent: 20 }) },
  { name: "data", type: 0, body: filesystemXml({ percent: 91 }) },
  { name: "web" },
];

/** One character per half hour of the bar. */
const drawn = (beats: readonly number[]) => beats.map((beat) => "-ufD"[beat]).join("");

test("shows the latest load and fullest filesystem, and the hours that have values", async () => {
  await app.report({ services: SERVICES });
  const { json } = await (await app.user()).get(GLANCE, { id: [1, 99, 1] });
  expect(json).toMatchObject({ datefrom: START - 86_400, dateto: START });
  const [{ cpu, mem, loads, diskusage, ...record }] = json.records;
  expect(json.records).toHaveLength(1);
  expect(record).toMatchObject({ id: 1, load: 0.7, disk: 91, diskname: "data", uptime: -1 });
  app.clock.step(60);
  const next = (await (await app.user()).post(GLANCE, { id: 1 }, { CSRFToken: "" })).json.records[0];
  expect([next.cpu.at(-1), next.mem.at(-1), next.diskusage.at(-1), next.loads.at(-1)]).toEqual([
    16, 40, 91, 0.7,
  ]);
  expect(next.cpu.slice(0, -1)).toEqual(Array(23).fill(null));
});

test("a host whose system got another name within the hour has the numbers of the present one", async () => {
  const report = (name: string, user: number) =>
    app.report({
      incarnation: START - 3600,
      services: [{ name, type: 5, body: systemXml({ user, system: 20, wait: 0, memory: 60, load: 3 }) }],
    });
  await report("alpha", 40);
  app.clock.step(30);
  await report("beta", 50);
  app.clock.step(30);
  const [record] = (await (await app.user()).get(GLANCE, { id: 1 })).json.records;
  expect(record.load).toBe(3);
  expect([record.cpu.at(-1), record.mem.at(-1), record.loads.at(-1)]).toEqual([70, 60, 3]);
});

test("a host without values has none", async () => {
  await app.report({ services: [] });
  const { records } = (await (await app.user()).get(GLANCE, { id: 1 })).json;
  expect(records[0]).toMatchObject({ load: -1, disk: -1, diskname: "", cpu: Array(24).fill(null) });
});

test("at a moment of which only hourly means are kept, the day before it has those", async () => {
  const report = (percent: number) =>
    app.report({
      at: app.clock.now(),
      incarnation: START - HOUR,
      services: [{ name: "data", type: 0, body: filesystemXml({ percent }) }],
    });
  for (const percent of [10, 20, 30]) {
    await report(percent);
    app.pass(HOUR / 2);
    await report(percent + 2);
    app.pass(HOUR / 2);
  }
  const at = app.clock.now() - HOUR / 4;
  app.clock.step(2 * DAY);
  runToEnd(app.muster.compaction);
  app.db.$client.run("delete from history_blocks where resolution in (0, 300)");
  const [record] = (await (await app.user()).get(GLANCE, { id: 1, at })).json.records;
  // The mean of the hour of the moment contains what came after it.
  expect(record.diskusage.filter((value: number | null) => value !== null)).toEqual([11, 21]);
});

describe("the heartbeat bar", () => {
  test("has a cell per half hour: up, with failing services, down, and not counted", async () => {
    const incarnation = START - 3600;
    const report = (status = 0, event: object | null = null) =>
      app.report({
        at: app.clock.now(),
        incarnation,
        poll: 600,
        services: [{ name: "web", status }],
        event: event && { service: "web", collectedSec: app.clock.now(), ...event },
      });
    await report();
    for (let i = 0; i < 6; i++) {
      app.pass(600);
      const failing = i === 2 || i === 3;
      await report(failing ? 512 : 0, i === 2 ? {} : i === 4 ? { state: 0 } : null);
    }
    // Silent from here on: down after three cycles of ten minutes.
    app.pass(3 * HALF_HOUR);
    const { records } = (await (await app.user()).get(GLANCE, { id: 1 })).json;
    expect(drawn(records[0].beats)).toBe(`${"-".repeat(43)}ufuDD`);
    expect(records[0].uptime).toBeGreaterThan(0);
  });
});

test("takes at least one host and at most 200", async () => {
  await expectRefusal(app, () => user.get(GLANCE), 400, "argument.missing");
  const many = Array.from({ length: 201 }, (_, i) => i + 1);
  await expectRefusal(app, () => user.get(GLANCE, { id: many }), 400, "argument.invalid");
});
