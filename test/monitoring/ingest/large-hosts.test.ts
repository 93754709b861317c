import { expect, test } from "bun:test";
import { MAX_BATCH_SERVICES } from "../../../src/monitoring/ingest/queue.ts";
import { processXml, type ServiceXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import { app, appOfEachTest } from "../../support/each-test.ts";

appOfEachTest();

const LARGEST = 1000;

const processes = (count: number, from = 0): ServiceXml[] =>
  Array.from({ length: count }, (_, i) => ({ name: `n${from + i}`, body: processXml({ pid: i + 1 }) }));

/** Watches a table grow, commit by commit, until `work` is over. */
async function sizesOf(app: TestApp, table: string, work: Promise<unknown>): Promise<number[]> {
  const sizes = new Set<number>();
  let isOver = false;
  const watched = work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    sizes.add(app.rows(`select id from ${table}`).length);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await watched;
  return [...sizes];
}

function largestStep(sizes: readonly number[]): number {
  return Math.max(...sizes.map((size, i) => size - (sizes[i - 1] ?? 0)));
}

test("no commit of a message with a thousand new services stores more than a part of them", async () => {
  const reply = app.report({ services: processes(LARGEST) });
  const sizes = await sizesOf(app, "services", reply);
  expect((await reply).status).toBe(200);
  expect(app.rows("select id from services")).toHaveLength(LARGEST);
  expect(largestStep([...sizes, LARGEST])).toBe(MAX_BATCH_SERVICES);
});

test("several hosts with many new services share commits only as far as the bound allows", async () => {
  const each = 150;
  const replies = Promise.all(
    ["a", "b", "c", "d", "e"].map((id) => app.report({ id, services: processes(each) })),
  );
  const sizes = await sizesOf(app, "services", replies);
  expect((await replies).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(largestStep([...sizes, 5 * each])).toBeLessThanOrEqual(MAX_BATCH_SERVICES);
});

test("services stored ahead of their message are the same as those of several small messages", async () => {
  const whole = new TestApp();
  const grown = new TestApp();
  const services = processes(LARGEST);
  const serviceGroups = { odd: ["n1", "n999"], first: ["n0"] };
  await whole.report({ services, serviceGroups });
  for (let count = 100; count <= LARGEST; count += 100)
    await grown.report({
      services: services.slice(0, count),
      serviceGroups: count === LARGEST ? serviceGroups : {},
    });
  const status = (app: TestApp) => app.muster.status.get(1, true, "all").records.host;
  expect(status(whole)).toEqual(status(grown));
  expect(status(whole).services).toHaveLength(LARGEST);
  for (const table of ["services", "statistics", "service_groups", "service_group_members", "host_counts"])
    expect(whole.rows(`select * from ${table}`)).toEqual(grown.rows(`select * from ${table}`));
  const sample = 'select "values" from samples order by layout_id desc limit 1';
  expect(whole.rows(sample)).toEqual(grown.rows(sample));
});

test("a host that gains and regains many services has each once, with its groups", async () => {
  const serviceGroups = { all: ["n5", "n700"] };
  await app.report({ services: processes(10), serviceGroups });
  await app.report({ services: processes(LARGEST), serviceGroups });
  const ids = app.rows("select id from services order by id");
  await app.report({ services: processes(10), serviceGroups });
  await app.report({ services: processes(LARGEST), serviceGroups });
  expect(app.rows("select id from services order by id")).toEqual(ids);
  expect(app.rows("select id from services where vanished_at is not null")).toEqual([]);
  expect(app.rows("select group_id from service_group_members")).toHaveLength(2);
  expect(app.rows('select services_total as "total", services_ok as "ok" from hosts')).toEqual([
    { total: LARGEST, ok: LARGEST },
  ]);
});

test("a message of a large host that the database refuses is stored whole when it comes again", async () => {
  app.db.$client.run(
    "create trigger refuse before insert on samples begin select raise(abort, 'refused'); end",
  );
  const message = { services: processes(LARGEST), event: { service: "n900" } };
  expect((await app.report(message)).status).toBe(500);
  expect(app.rows("select id from events")).toEqual([]);
  expect(app.rows("select id from samples")).toEqual([]);
  app.db.$client.run("drop trigger refuse");
  expect((await app.report(message)).status).toBe(200);
  expect(app.rows("select id from services")).toHaveLength(LARGEST);
  expect(app.rows("select id from events")).toHaveLength(1);
  expect(app.rows("select id from samples")).toHaveLength(1);
});

test("a name that a message lists twice is stored once", async () => {
  const [first, second] = [{ name: "web", status: 512 }, { name: "web" }];
  expect((await app.report({ services: [first, second, ...processes(LARGEST - 2)] })).status).toBe(200);
  expect(app.rows("select id from services")).toHaveLength(LARGEST - 1);
});
