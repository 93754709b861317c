/** The preview of the past equals what the limit would have done. */
import { expect, test } from "bun:test";
import { filesystemXml, systemXml } from "../../support/agent-messages.ts";
import type { TestApp } from "../../support/app.ts";
import type { Fields } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { admin, app, appOfEachTest } from "../../support/each-test.ts";
import { Random, seeds } from "../../support/random.ts";

appOfEachTest();

const SPACE = 18;
const POLL = 30;
const HOUR = 3600;

interface Failure {
  servicename: string;
  date: number;
  ended: number;
  severity: number;
}

/** The failures that the limit opened. */
function opened(app: TestApp): Failure[] {
  return app.rows<Failure>(
    `select name as servicename, started_at as date, coalesce(ended_at, 0) as ended, (
       select max(severity) from events e where e.name_id = d.name_id and e.limit_id = d.limit_id and state = 1
         and date >= started_at and (ended_at is null or date < ended_at)
     ) as severity
     from downtime_intervals d join names on names.id = d.name_id where limit_id > 0 order by 2, 1`,
  );
}

function randomLimit(random: Random): Fields {
  const below = random.chance(0.3);
  const [warning, critical, clear] = below ? [40, 30, 45] : [60, 70, 55];
  return {
    name: "random",
    statistics: [SPACE],
    direction: below ? "below" : "above",
    warning: random.chance(0.8) ? warning : null,
    critical,
    clearvalue: random.chance(0.5) ? clear : null,
    minutes: random.pick([0, 0, 1, 2, 5]),
    clearminutes: random.pick([0, 0, 1, 3]),
    missing: random.pick(["keep", "clear", "warn"]),
  };
}

for (const seed of seeds(1, 2, 3, 4, 5, 6, 7))
  test(`the preview of random series of the last day is what happened, to the second (seed ${seed})`, async () => {
    const random = new Random(seed);
    const requested = randomLimit(random);
    expect((await admin.post("/api/1/limits/create", requested)).status).toBe(200);
    const levels = [50, 50, 50];
    const incarnation = START - HOUR;
    for (let at = 0; at < 2 * HOUR; ) {
      const services = levels.map((level, i) => {
        levels[i] = Math.min(90, Math.max(10, level + random.between(-8, 8)));
        const body = random.chance(0.05) ? {} : { body: filesystemXml({ percent: levels[i] ?? 0 }) };
        return { name: `disk-${i}`, type: 0, ...body };
      });
      // Values that are missing for a while, and a host that is silent for a while.
      const kept =
        Math.floor(at / 1200) % 3 === 1 ? services.map(({ name, type }) => ({ name, type })) : services;
      await app.report({ at: app.clock.now(), incarnation, poll: POLL, services: kept });
      const wait = random.chance(0.03) ? random.between(80, 300) : POLL + random.between(-2, 2);
      app.pass(wait);
      at += wait;
      while (app.muster.compaction.step());
    }
    const reply = await (await app.admin()).post("/api/1/limits/preview", { limit: requested, days: 1 });
    const previewed = (reply.json.records as Failure[])
      .map(({ servicename, date, ended, severity }) => ({ servicename, date, ended, severity }))
      .sort((a, b) => a.date - b.date || (a.servicename < b.servicename ? -1 : 1));
    expect(previewed).toEqual(opened(app));
    expect(previewed.length).toBeGreaterThan(0);
  });

test("before the last day the preview tells of five minutes, says so, and finds what messages told then", async () => {
  const step = 60;
  // Three days; on the first one the disk is above 90 % from 06:00 to 08:00, on the last one from 20 minutes ago.
  const days = 3 * 24 * HOUR;
  const first = { from: 6 * HOUR, to: 8 * HOUR };
  for (let at = 0; at < days; at += step) {
    const isFull = (at >= first.from && at < first.to) || at >= days - 20 * 60;
    const services = [
      { name: "rootfs", type: 0, body: filesystemXml({ percent: isFull ? 95 : 50 + (at % 7) }) },
    ];
    await app.report({ at: app.clock.now(), incarnation: START - HOUR, poll: step, services });
    app.clock.step(step);
  }
  while (app.muster.compaction.step());
  const limit = { name: "new", statistics: [SPACE], warning: 90, minutes: 10 };
  const { json } = await (await app.admin()).post("/api/1/limits/preview", { limit, days: 4 });
  expect(json).toMatchObject({ total: 2, criticals: 0, affected: 1, hosts: 1, examined: 1, services: 1 });
  const place = { hostid: 1, hostname: "host-1", servicename: "rootfs", severity: 1 };
  expect(json.records).toEqual([
    { ...place, date: START + days - 10 * 60, ended: 0, approximate: false },
    { ...place, date: START + first.from + 600, ended: START + first.to, approximate: true },
  ]);
  expect(json.longest).toBe(first.to - first.from - 600);
});

test("a limit names a host however its letters are composed", async () => {
  const hostname = "cafe\u0301-1";
  const services = [{ name: "rootfs", type: 0, body: filesystemXml({ percent: 95 }) }];
  await app.report({ id: "agent-cafe", hostname, services, at: app.clock.now() });
  const { json } = await admin.post("/api/1/limits/preview", {
    limit: { name: "new", statistics: [SPACE], warning: 90, filter: { hostnames: ["CAF\u00c9-*"] } },
    days: 1,
  });
  expect(json.services).toBe(1);
  expect(json.records).toMatchObject([{ hostname }]);
});

test("a preview is about the hosts and services that the limit names, and stores nothing", async () => {
  for (const [i, cpu] of [1, 4].entries()) {
    const services = [
      { name: `host-${i}`, type: 5, body: systemXml({ user: 50, system: 30, wait: 5, load: 6 }) },
      { name: "rootfs", type: 0, body: filesystemXml({ percent: 95 }) },
    ];
    const host = { id: `agent-${i}`, hostname: `host-${i}`, platform: { cpu }, services };
    await app.report({ ...host, at: app.clock.now() });
  }
  const preview = async (fields: object) => {
    const limit = { name: "new", ...fields };
    const { json } = await admin.post("/api/1/limits/preview", { limit, days: 1 });
    return [json.services, (json.records as { hostname: string }[]).map(({ hostname }) => hostname).sort()];
  };
  expect(await preview({ statistics: [SPACE], warning: 90 })).toEqual([2, ["host-0", "host-1"]]);
  expect(await preview({ statistics: [SPACE], warning: 90, filter: { hostnames: ["HOST-1"] } })).toEqual([
    1,
    ["host-1"],
  ]);
  expect(await preview({ statistics: [SPACE], warning: 90, filter: { servicenames: ["home*"] } })).toEqual([
    0,
    [],
  ]);
  expect(await preview({ statistics: [1, 2, 3], warning: 84 })).toEqual([2, ["host-0", "host-1"]]);
  expect(await preview({ statistics: [1, 2, 3], warning: 85 })).toEqual([2, []]);
  expect(await preview({ statistics: [0], perprocessor: true, critical: 2 })).toEqual([2, ["host-0"]]);
  expect(app.rows("select * from limits")).toEqual([]);
  expect(app.rows("select * from limit_states")).toEqual([]);
});
