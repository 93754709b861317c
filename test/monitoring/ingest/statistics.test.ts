import { describe, expect, test } from "bun:test";
import { layoutsOf } from "../../../src/monitoring/ingest/samples.repository.ts";
import { MAX_STATISTICS_OF_SERVICE } from "../../../src/monitoring/ingest/samples.ts";
import { filesystemXml, portXml, processXml, programXml, systemXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { app, appOfEachTest } from "../../support/each-test.ts";
import { plansOf } from "../../support/plans.ts";
import { Random } from "../../support/random.ts";

appOfEachTest();

function statistics(app: TestApp, service = 0) {
  return app.muster.status
    .get(1, true, "all")
    .records.host.services[service]?.statistics.map(({ id: _id, ...rest }) => rest);
}

test("each number comes back exactly as it was sent", async () => {
  const body =
    "<pid>2147483647</pid><ppid>1</ppid><uid>-1</uid><uptime>4102444800</uptime>" +
    "<memory><percent>0.1</percent><percenttotal>99.999999</percenttotal><kilobyte>9007199254740991</kilobyte></memory>" +
    "<cpu><percent>0.000001</percent><percenttotal>0.0</percenttotal></cpu>";
  await app.report({ services: [{ name: "p", body }] });
  expect(statistics(app)).toEqual([
    { type: 8, descriptor: "", value: 0.000001 },
    { type: 9, descriptor: "", value: 0 },
    { type: 10, descriptor: "", value: 0.1 },
    { type: 11, descriptor: "", value: 99.999999 },
    { type: 12, descriptor: "", value: 9_007_199_254_740_991 },
    { type: 27, descriptor: "", value: -1 },
    { type: 30, descriptor: "", value: 2_147_483_647 },
    { type: 31, descriptor: "", value: 1 },
    { type: 34, descriptor: "", value: 4_102_444_800 },
  ]);
});

test("load, ports and texts carry their descriptors, and a text is beside a value of 0", async () => {
  const ports =
    portXml({ port: 80, seconds: 0.012_345 }) + portXml({ port: 443, protocol: "HTTPS", seconds: -1 });
  await app.report({
    services: [
      { name: "a", type: 4, body: ports },
      { name: "b", type: 7, body: programXml({ status: 3, output: "æøå 日本" }) },
    ],
  });
  expect(statistics(app)).toEqual([
    { type: 15, descriptor: "localhost:80 [HTTP/TCP]", value: 0.012_345 },
    { type: 15, descriptor: "localhost:443 [HTTPS/TCP]", value: -1 },
  ]);
  expect(statistics(app, 1)).toEqual([
    { type: 24, descriptor: "", value: 3 },
    { type: 33, descriptor: "started", value: START },
    { type: 35, descriptor: "", value: 0, text: "æøå 日本" },
  ]);
});

test("a text follows the agent, and the sample's layout stays", async () => {
  for (const output of ["one", "two", "two"])
    await app.report({ services: [{ name: "b", type: 7, body: programXml({ output }) }] });
  expect(statistics(app)?.at(-1)).toEqual({ type: 35, descriptor: "", value: 0, text: "two" });
  expect(app.rows("select count(*) as n from sample_layouts")).toEqual([{ n: 1 }]);
});

test("a text stays while its service is down, and is that of the last message that has one", async () => {
  const running = (output: string) => ({ services: [{ name: "b", type: 7, body: programXml({ output }) }] });
  const failed = { services: [{ name: "b", type: 7, status: 512 }] };
  const more = (output: string) => ({
    services: [{ name: "b", type: 7, body: programXml({ output }) + portXml({ port: 80 }) }],
  });
  const stored = () => app.rows("select text from statistics where text is not null");
  for (const [message, text] of [
    [running("one"), "one"],
    [failed, "one"],
    [running("one"), "one"],
    [more("two"), "two"],
    [running("one"), "one"],
    [more("one"), "one"],
    [more("two"), "two"],
    [failed, "two"],
    [running("one"), "one"],
  ] as const) {
    await app.report(message);
    expect(stored()).toEqual([{ text }]);
    app.pass(30);
  }
});

test("values are those of the newest message: what it lacked is not shown", async () => {
  const system = { name: "s", type: 5, body: systemXml() };
  await app.report({ services: [system, { name: "web", body: processXml() }] });
  await app.report({ services: [system, { name: "web", status: 512 }] });
  expect(statistics(app, 1)).toEqual([]);
});

test("values of a host whose only process died are not shown as if it ran", async () => {
  await app.report({ services: [{ name: "web", body: processXml({ pid: 4711 }) }] });
  app.pass(30);
  await app.report({ services: [{ name: "web", status: 512 }] });
  expect(statistics(app)).toEqual([]);
});

test("looks for unused layouts by reading the samples of a host once, not for each layout", async () => {
  const app = new TestApp();
  await app.report({ services: [{ name: "web" }] });
  const layout = { hostId: 1, statisticIds: new Uint32Array([1]), isNew: true, isFirst: false };
  const plans = plansOf(app, () => layoutsOf(app.db, [layout]));
  expect(plans.filter((step) => step.startsWith("CORRELATED"))).toEqual([]);
});

test("a layout that was used before is reused, with the same ids", async () => {
  const running = { services: [{ name: "web", body: processXml() }] };
  const both = {
    services: [
      { name: "web", body: processXml() },
      { name: "fs", type: 0, body: filesystemXml() },
    ],
  };
  for (const message of [running, both, running, both, running]) {
    app.hostCache.forgetAll();
    await app.report(message);
    app.pass(1);
  }
  expect(app.rows("select layout_id as l from samples order by id")).toEqual(
    [1, 2, 1, 2, 1].map((l) => ({ l })),
  );
  expect(
    app.rows("select count(*) - count(distinct service_id || type || descriptor) as twice from statistics"),
  ).toEqual([{ twice: 0 }]);
});

test("services that change places in the document keep their values", async () => {
  const service = { name: "one", body: processXml({ pid: 1 }) };
  const two = { name: "two", body: processXml({ pid: 2 }) };
  await app.report({ services: [service, two] });
  await app.report({ services: [two, service] });
  expect(statistics(app, 0)?.find(({ type }) => type === 30)?.value).toBe(1);
  expect(statistics(app, 1)?.find(({ type }) => type === 30)?.value).toBe(2);
});

test("a sample has the time of receipt, whatever the agent's clock says", async () => {
  await app.report({ at: START - 5000, services: [{ name: "p", body: processXml() }] });
  expect(app.rows("select at from samples")).toEqual([{ at: START }]);
});

const USAGE: readonly [services: object[], cpu: number, mem: number, why: string][] = [
  [[], -1, -1, "no services"],
  [[{ name: "p", body: processXml({ cpu: 50, memory: 50 }) }], -1, -1, "no system service"],
  [[{ name: "s", type: 5 }], -1, -1, "a system service not yet checked"],
  [
    [{ name: "s", type: 5, body: systemXml({ user: 10, system: 5, wait: 2.5, memory: 40.5 }) }],
    17.5,
    40.5,
    "their sum",
  ],
  [[{ name: "s", type: 5, body: systemXml({ user: 90, system: 30, wait: 0 }) }], 100, 25, "capped at 100"],
  [
    [
      {
        name: "s",
        type: 5,
        body: systemXml({ user: -1, system: -1, wait: -1, memory: 3 }).replace("<nice>0.0", "<nice>-1.0"),
      },
    ],
    -1,
    3,
    "not measured yet",
  ],
  [
    [
      {
        name: "s",
        type: 5,
        body: systemXml({ user: 10, system: 5, wait: 0 }).replace(
          "<nice>0.0</nice>",
          "<nice>20.0</nice><steal>4.0</steal>",
        ),
      },
    ],
    39,
    25,
    "nice, steal and the other fields count too",
  ],
];
for (const [services, cpu, mem, why] of USAGE)
  test(`CPU ${cpu} and memory ${mem} of the host: ${why}`, async () => {
    await app.report({ services: services as never });
    expect(app.rows("select cpu, mem from hosts")).toEqual([{ cpu, mem }]);
  });

test("a host that alternates between lists of statistics always has the list of its last message", async () => {
  const random = new Random(7);
  const valuesOf = (testApp: TestApp) => {
    const { services } = testApp.muster.status.get(1, true, "all").records.host;
    return services.map(({ name, statistics: list }) => [name, list.map(({ id: _id, ...rest }) => rest)]);
  };
  for (let step = 0; step < 80; step++) {
    const services = ["a", "b", "c", "d"]
      .filter(() => random.chance(0.97))
      .map((name) => ({ name, body: random.chance(0.6) ? processXml({ pid: random.below(9) }) : "" }));
    const output = random.chance(0.1) ? "two" : "one";
    const program = { name: "p", type: 7, body: programXml({ output }) };
    app.clock.step(30);
    await app.report({ services: [...services, program] });
    const fresh = new TestApp();
    await fresh.report({ services: [...services, program] });
    expect(new Map(valuesOf(app) as [])).toEqual(new Map(valuesOf(fresh) as []));
    fresh.db.$client.close();
    // Layouts that no unpacked sample uses are deleted when another one is needed.
    if (random.chance(0.4))
      app.db.$client.run("delete from samples where host_id = 1 and at < (select max(at) from samples)");
  }
});

describe("a service whose descriptors change with every message", () => {
  /** A message of a service that tests many ports of one host, and of one that does not change. */
  const tests = (hostname: string, count: number) => {
    const body = Array.from({ length: count }, (_, port) => portXml({ hostname, port, seconds: port })).join(
      "",
    );
    return {
      services: [
        { name: "ports", type: 4, body },
        { name: "web", body: processXml({ pid: 7 }) },
      ],
    };
  };
  const stored = () =>
    app.rows<{ name: string; n: number }>(
      `select substr(descriptor, 1, instr(descriptor, ':') - 1) as name, count(*) as n from statistics
       where service_id = 1 group by 1 order by 1`,
    );
  const others = () => app.rows("select id from statistics where service_id = 2 order by id");

  test("keeps a bounded number of them, the oldest go first, and what is in the message stays", async () => {
    await app.report(tests("a", 1500));
    const ofWeb = others();
    for (const name of ["b", "c"]) {
      app.pass(30);
      await app.report(tests(name, 900));
    }
    const kept = MAX_STATISTICS_OF_SERVICE - 1800;
    expect(stored()).toEqual([
      { name: "a", n: kept },
      { name: "b", n: 900 },
      { name: "c", n: 900 },
    ]);
    expect(app.rows("select min(descriptor) as d from statistics where descriptor like 'a:%'")).toEqual([
      { d: `a:${1500 - kept} [HTTP/TCP]` },
    ]);
    app.pass(30);
    await app.report(tests("d", 2500));
    expect(stored()).toEqual([{ name: "d", n: 2500 }]);
    app.pass(30);
    await app.report(tests("a", 3));
    expect(statistics(app)).toEqual(
      [0, 1, 2].map((port) => ({ type: 15, descriptor: `a:${port} [HTTP/TCP]`, value: port })),
    );
    expect(stored()).toEqual([
      { name: "a", n: 3 },
      { name: "d", n: MAX_STATISTICS_OF_SERVICE - 3 },
    ]);
    expect(others()).toEqual(ofWeb);
  });

  test("keeps them all while it fails, and reports none", async () => {
    await app.report(tests("a", 1500));
    app.pass(30);
    await app.report(tests("b", 500));
    app.pass(30);
    await app.report({
      services: [
        { name: "ports", type: 4, status: 32 },
        { name: "web", body: processXml() + portXml() },
      ],
    });
    expect(stored()).toEqual([
      { name: "a", n: 1500 },
      { name: "b", n: 500 },
    ]);
  });

  test("has the values of those that are kept in its history, and those of the others are left out", async () => {
    const means = async () => {
      const admin = await app.admin();
      return Promise.all(
        ["a:0", "a:1499", "b:1499"].map(async (name) => {
          const descriptor = `${name} [HTTP/TCP]`;
          const range = { datefrom: START, dateto: START + 90 };
          const { json } = await admin.get("/api/1/reports/history/get", { hostid: 1, descriptor, ...range });
          return json.series[0]?.mean;
        }),
      );
    };
    await app.report(tests("a", 1500));
    app.pass(30);
    await app.report(tests("b", 1500));
    app.pass(30);
    await app.report(tests("a", 2));
    const before = await means();
    app.clock.step(2 * 3600);
    while (app.muster.compaction.step());
    expect(app.rows("select count(*) as n from samples")).toEqual([{ n: 0 }]);
    expect(await means()).toEqual(before);
    // The first was deleted and is there again, so it is without its first value.
    expect(before).toEqual([
      [null, null, 0],
      [1499, null, null],
      [null, 1499, null],
    ]);
    expect(app.logged.filter((line) => line.startsWith("error"))).toEqual([]);
  });

  test("that has far too many loses a bounded number with each message", async () => {
    await app.report(tests("a", 1));
    app.db.$client.run(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
      insert into statistics (service_id, type, descriptor) select 1, 15, 'x' || i || ':' from n`);
    const count = () =>
      app.rows<{ n: number }>("select count(*) as n from statistics where service_id = 1")[0]?.n;
    const counts = [count()];
    for (const name of ["b", "c", "d", "e"]) {
      app.pass(30);
      await app.report(tests(name, 10));
      counts.push(count());
    }
    expect(counts).toEqual([5001, 4001, 3001, 2001, 2000]);
  });
});
