import { beforeEach, describe, expect, test } from "bun:test";
import { STATISTIC } from "../../../src/monit/statistic-types.ts";
import { filesystemXml, portXml, systemXml } from "../../support/agent-messages.ts";
import type { Fields } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { HistoryFixture, HOUR } from "./history-fixture.ts";

const TOP = "/api/1/reports/history/top";
const DISK = STATISTIC.spacePercent.code;
const CPU = [STATISTIC.cpuUser.code, STATISTIC.cpuSystem.code, STATISTIC.cpuWait.code];

let fixture: HistoryFixture;
beforeEach(() => {
  fixture = new HistoryFixture();
});

function report(name: string, disks: readonly number[], more: object = {}) {
  return fixture.app.report({
    id: name,
    hostname: name,
    services: [
      { name, type: 5, body: systemXml({ user: disks[0] ?? 0, system: 2, wait: 1 }) },
      ...disks.map((percent, i) => ({ name: `disk-${i}`, type: 0, body: filesystemXml({ percent }) })),
    ],
    ...more,
  });
}

const top = async (fields: Fields) => (await (await fixture.app.user()).get(TOP, fields)).json;
const listed = (json: { records: { hostname: string; servicename: string; value: number }[] }) =>
  json.records.map(({ hostname, servicename, value }) => [hostname, servicename, value]);

describe("hosts by a number are", () => {
  beforeEach(async () => {
    await report("a", [10, 80]);
    await report("b", [55]);
    await report("c", [90, 5]);
    await report("none", []);
  });

  test("listed with the highest of each, the highest first; those without it are left out", async () => {
    const json = await top({ type: DISK });
    expect(listed(json)).toEqual([
      ["c", "disk-0", 90],
      ["a", "disk-1", 80],
      ["b", "disk-0", 55],
    ]);
    expect(json).toMatchObject({ totalRecords: 3, median: 80, date: START });
    expect(json.records[0]).toMatchObject({ hostid: 3, led: 2, at: START, descriptor: "" });
    expect(json.distribution).toHaveLength(20);
  });

  test("listed with the lowest of each, if that is asked for, and as many as are asked for", async () => {
    const json = await top({ type: DISK, order: "asc", results: 2 });
    expect(listed(json)).toEqual([
      ["c", "disk-1", 5],
      ["a", "disk-0", 10],
    ]);
    expect(json.totalRecords).toBe(3);
  });

  test("listed by a sum of types, with its course over the last day", async () => {
    fixture.app.clock.step(60);
    const json = await top({ type: CPU, results: 1 });
    expect(listed(json)).toEqual([["c", "c", 93]]);
    expect(json.records[0].course).toEqual([...Array(23).fill(null), 93]);
  });

  test("those that exist, also once one is restored that was deleted when the statistics were first read", async () => {
    fixture.app.deleteHosts([1]);
    expect(listed(await top({ type: DISK }))).toEqual([
      ["c", "disk-0", 90],
      ["b", "disk-0", 55],
    ]);
    fixture.app.restoreHosts([1]);
    expect(listed(await top({ type: DISK }))).toEqual([
      ["c", "disk-0", 90],
      ["a", "disk-1", 80],
      ["b", "disk-0", 55],
    ]);
  });

  test("those that report, with their newest value", async () => {
    await report("a", [20]);
    fixture.app.pass(HOUR);
    expect((await top({ type: DISK })).records).toEqual([]);
    await report("a", [30]);
    expect(listed(await top({ type: DISK }))).toEqual([["a", "disk-0", 30]]);
  });

  test("found in the same order once their samples are packed", async () => {
    const before = await top({ type: DISK });
    fixture.app.clock.step(2 * HOUR);
    fixture.pack();
    expect(fixture.app.db.$client.query("select count(*) n from samples").get()).toEqual({ n: 0 });
    const { records, ...after } = await top({ type: DISK });
    expect(listed({ records })).toEqual(listed(before));
    expect(after.median).toBe(before.median);
  });

  test("listed with the same service of those that are equal: now, of a moment, and once packed", async () => {
    await report("d", [10]);
    fixture.app.clock.step(30);
    const equal = ["disk-9", "disk-0"].map((name) => ({
      name,
      type: 0,
      body: filesystemXml({ percent: 99 }),
    }));
    await report("d", [], { services: equal });
    const at = fixture.app.clock.now();
    const listedAt = async (fields: Fields = {}) => listed(await top({ type: DISK, results: 1, ...fields }));
    const expected = [["d", "disk-0", 99]];
    expect([await listedAt(), await listedAt({ at })]).toEqual([expected, expected]);
    fixture.app.clock.step(2 * HOUR);
    fixture.pack();
    expect([await listedAt(), await listedAt({ at })]).toEqual([expected, expected]);
  });

  test("all found once their samples are packed, however many they are", async () => {
    for (let i = 0; i < 210; i++) await report(`host-${i}`, [20]);
    await report("fullest", [99]);
    fixture.app.clock.step(2 * HOUR);
    fixture.pack();
    const { records, totalRecords } = await top({ type: DISK, results: 1 });
    expect([totalRecords, ...listed({ records })]).toEqual([214, ["fullest", "disk-0", 99]]);
  });

  test("known with statistics and layouts that come later", async () => {
    await top({ type: DISK });
    await report("b", [55, 99]);
    await report("new", [98]);
    expect(listed(await top({ type: DISK, results: 2 }))).toEqual([
      ["b", "disk-1", 99],
      ["new", "disk-0", 98],
    ]);
  });
});

test("hosts with the same value are in order of name, then of id, whether their samples are packed or not", async () => {
  for (const id of ["first", "second"]) await report(id, [50], { hostname: "same" });
  await report("a", [50]);
  fixture.app.clock.step(2 * HOUR);
  fixture.pack();
  await report("second", [50], { hostname: "same" });
  const { records } = await top({ type: DISK });
  expect(records.map(({ hostid }: { hostid: number }) => hostid)).toEqual([3, 1, 2]);
});

test("hosts far from their group are named with its median, and groups filter", async () => {
  for (const [i, disk] of [40, 42, 41, 39, 43, 97].entries())
    await report(`web-${i}`, [disk], { hostGroups: ["web"] });
  for (const [i, disk] of [95, 96, 94, 97, 96].entries())
    await report(`db-${i}`, [disk], { hostGroups: ["db"] });
  const json = await top({ type: DISK });
  expect(json.far).toHaveLength(1);
  expect(json.far[0]).toMatchObject({ hostname: "web-5", value: 97, groupid: 1, median: 41.5 });
  expect(json.far[0].score).toBeGreaterThan(3.5);
  expect((await top({ type: DISK, hostgroupid: 2 })).totalRecords).toBe(5);
  expect((await top({ type: DISK, hostgroupid: 9 })).records).toEqual([]);
});

test("a response time of a failed connection is no number", async () => {
  await fixture.app.report({ services: [{ name: "api", type: 4, body: portXml({ seconds: -1 }) }] });
  expect((await top({ type: STATISTIC.portResponse.code })).records).toEqual([]);
});

test("a speed that an agent does not know is not the lowest one", async () => {
  const link = (speed: number) => `<link><state>1</state><speed>${speed}</speed><duplex>-1</duplex></link>`;
  for (const [name, speed] of [
    ["unknown", -1],
    ["slow", 1e8],
  ] as const)
    await report(name, [], { services: [{ name: "eth0", type: 8, body: link(speed) }] });
  const lowest = (type: number) => top({ type, order: "asc" });
  expect(listed(await lowest(STATISTIC.linkSpeed.code))).toEqual([["slow", "eth0", 1e8]]);
  expect((await lowest(STATISTIC.linkDuplex.code)).records).toEqual([]);
});
