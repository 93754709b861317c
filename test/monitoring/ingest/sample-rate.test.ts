/** How many samples of a host are stored, however often it posts. */
import { expect, test } from "bun:test";
import { putSample } from "../../../src/monitoring/ingest/sample-rate.ts";
import { layoutsOf } from "../../../src/monitoring/ingest/samples.repository.ts";
import { transaction } from "../../../src/platform/storage/open.ts";
import { processXml } from "../../support/agent-messages.ts";
import { START } from "../../support/clock.ts";
import { app, freshAppOfEachTest } from "../../support/each-test.ts";

freshAppOfEachTest();

const web = (pid: number, id = "agent-1") =>
  app.report({ id, services: [{ name: "web", body: processXml({ pid }) }] });
const samples = (host = 1) =>
  app.rows<{ n: number }>(`select count(*) as n from samples where host_id = ${host}`)[0]?.n;
const shownPid = (host = 1) =>
  app.muster.status
    .get(host, true, "all")
    .records.host.services[0]?.statistics.find(({ type }) => type === 30)?.value;

test("a burst of messages is stored, up to 280, and after that the last one takes the place of the one before", async () => {
  for (let pid = 1; pid <= 280; pid++) await web(pid);
  expect([samples(), shownPid()]).toEqual([280, 280]);
  for (let pid = 281; pid <= 290; pid++) {
    await web(pid);
    expect([samples(), shownPid()]).toEqual([280, pid]);
  }
  await web(7, "agent-2");
  expect([samples(2), shownPid(2)]).toEqual([1, 7]);
});

test("a host that posts every second has at most a thousand samples of an hour, and its last values are known", async () => {
  for (let second = 0; second < 3600; second++) {
    await web(second);
    if (second % 600 === 599) expect(shownPid()).toBe(second);
    app.clock.step(1);
  }
  expect(samples()).toBeWithin(990, 1001);
  expect(app.rows("select max(at) as at from samples")).toEqual([{ at: START + 3599 }]);
  app.clock.step(60);
  while (app.muster.compaction.step());
  expect([samples(), shownPid()]).toEqual([0, 3599]);
});

test("a host that posts every five seconds has every sample", async () => {
  for (let n = 1; n <= 400; n++) {
    await web(n);
    app.clock.step(5);
  }
  expect(samples()).toBe(400);
});

test("a burst whose services change is bounded too, and shows the list of its last message", async () => {
  for (let n = 1; n <= 300; n++) {
    const more = n % 2 === 0 ? [{ name: "db", body: processXml({ pid: n }) }] : [];
    await app.report({
      services: [
        { name: "web", status: n % 3 === 0 ? 512 : 0, body: n % 3 === 0 ? "" : processXml({ pid: n }) },
        ...more,
      ],
    });
  }
  expect(samples()).toBe(280);
  const shown = app.muster.status.get(1, true, "all").records.host.services;
  expect(shown.map(({ name, statistics }) => [name, statistics.length > 0])).toEqual([
    ["db", true],
    ["web", false],
  ]);
  expect(app.rows("select 1 from samples where layout_id not in (select id from sample_layouts)")).toEqual(
    [],
  );
});

test("a sample of many values counts several times", async () => {
  await app.report({});
  app.clock.step(3600);
  const count = 8000;
  const statisticIds = Uint32Array.from({ length: count }, (_, i) => i + 1);
  transaction(app.db, () => {
    const [layout] = layoutsOf(app.db, [{ hostId: 1, statisticIds, isNew: false, isFirst: false }]);
    const sample = { hostId: 1, layoutId: layout?.id ?? 0, values: new Float64Array(count) };
    for (let n = 0; n < 200; n++) putSample(app.db, { ...sample, at: app.clock.now() });
  });
  expect(samples()).toBe(1 + 140);
});

test("after the clock was set back a host begins anew, and samples of later times stay", async () => {
  for (let pid = 1; pid <= 300; pid++) await web(pid);
  app.clock.step(-1000);
  for (let pid = 1; pid <= 290; pid++) await web(pid);
  expect(app.rows("select at, count(*) as n from samples group by at order by at")).toEqual([
    { at: START - 1000, n: 280 },
    { at: START, n: 280 },
  ]);
});
