/** How long people and programs wait for answers from a large database, also while agents report. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { SecretBox } from "../../src/platform/secrets/secret-box.ts";
import { loadSecretKey } from "../../src/platform/secrets/secret-key.ts";
import { EXECUTABLE, Muster, temporaryFolder } from "../e2e/support.ts";
import { COLLECTOR_PASSWORD } from "../support/app.ts";
import type { TestClient } from "../support/client.ts";
import { everyAddress } from "./harness/addresses.ts";
import { Latencies } from "./load/latencies.ts";
import type { LoadResult } from "./load/load.ts";
import { type SeedSize, seedQueries } from "./query-seed.ts";

interface Target {
  port: number;
  pid: number;
  password: string;
}

/** Agents that report meanwhile. The load ends with the queries. */
export type Load = (muster: Target, asked: Promise<void>) => Promise<LoadResult>;

export interface QueryOptions extends SeedSize {
  load?: Load;
  /** Work to wait for before the first query, such as the first reports of agents, which cost many times more. */
  warmUp?: (muster: Target) => Promise<void>;
  /** How often each query is run. */
  rounds?: number;
}

export interface QueryRow {
  query: string;
  /** Milliseconds until the whole answer has arrived. */
  p50: number;
  p99: number;
  /** Target for p99, milliseconds; null without one. */
  target: number | null;
}

const DAY = 86_400;
const LIST = "/api/1/reports/events/list";
const HOSTS = "/api/1/status/hosts/list?results=100";
const HOST_TARGET = 20;
const PAGE_TARGET = 30;
const TOTAL_TARGET = 100;
const OTHER_TARGET = 1000;

/** Each query and its target. A list of events is a page and a total, and the total's target applies. */
function queriesOf({ hosts }: SeedSize, now: number): [query: string, target: number | null][] {
  const host = Math.ceil(hosts / 2);
  const week = `datefrom=${now - 7 * DAY - 1234}`;
  const year = `datefrom=${now - 400 * DAY - 1234}&dateto=${now - 35 * DAY - 4321}`;
  const filters = {
    active: "active=2",
    host: `hostid=${host}`,
    group: "hostgroupid=1",
    state: "state=1",
    name: "servicenameid=1",
    week,
    year,
  };
  const names = Object.keys(filters) as (keyof typeof filters)[];
  const pairs = names.flatMap((name, i) =>
    names
      .slice(i + 1)
      .filter((other) => !(name === "week" && other === "year"))
      .map((other): [string, number] => [`${LIST}?${filters[name]}&${filters[other]}`, TOTAL_TARGET]),
  );
  const sorts = ["hostname", "led", "events", "cpu", "mem", "status"];
  const selections = ["led=0", "hostgroupid=1", "hostgroupid=3", "hostpattern=host-77"];
  return [
    ["/api/1/status/hosts/summary", 5],
    ...sorts.flatMap((sort): [string, number][] =>
      ["asc", "desc"].map((dir) => [`${HOSTS}&sort=${sort}&dir=${dir}`, HOST_TARGET]),
    ),
    ...selections.map((filter): [string, number] => [`${HOSTS}&${filter}`, HOST_TARGET]),
    [`${HOSTS}&hostgroupid=1&led=2&hostpattern=7&sort=cpu`, HOST_TARGET],
    [`${HOSTS}&startindex=${host}`, HOST_TARGET],
    ["/api/1/status/hosts/list", null],
    [`/api/1/status/hosts/get?id=${host}`, 10],
    ["/api/1/status/hosts/get?id=1", 10],
    [`/api/1/reports/history/get?hostid=1&serviceid=1&type=0&datefrom=${now - DAY}`, 15],
    [LIST, PAGE_TARGET],
    ...names.map((name): [string, number] => [`${LIST}?${filters[name]}`, TOTAL_TARGET]),
    ...pairs,
    [`${LIST}?hostgroupid=3`, TOTAL_TARGET],
    [`${LIST}?startindex=${host * 40}`, OTHER_TARGET],
    [`${LIST}?servicetype=4&eventtype=32&state=2`, OTHER_TARGET],
    [`${LIST}?hostgroupid=1&servicenameid=1&state=1&${year}`, OTHER_TARGET],
    [`${LIST}?hostgroupid=1&hostgroupid=2&state=0`, OTHER_TARGET],
    [`${LIST}?sort=hostname&state=1`, OTHER_TARGET],
    [`${LIST}?sort=servicename`, OTHER_TARGET],
    [`${LIST}?sort=note`, OTHER_TARGET],
    ["/api/1/reports/events/summary", null],
    [`/api/1/reports/uptime/get?id=${host}&range=9`, null],
    // With 1,000 hosts it should take less than 150 ms.
    ["/api/1/reports/uptime/list?range=9", Math.max(150, (150 * hosts) / 1000)],
  ];
}

async function run(client: TestClient, query: string): Promise<number> {
  const startedAt = performance.now();
  const response = await client.raw(query);
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${query} is answered ${response.status}`);
  return performance.now() - startedAt;
}

/** Runs queries one after another. Those that take seconds run only a few times. */
async function measure(client: TestClient, query: string, rounds: number): Promise<Latencies> {
  const times = new Latencies();
  await run(client, query);
  const end = performance.now() + 5000;
  while (times.count < rounds && (times.count < 3 || performance.now() < end))
    times.add(await run(client, query));
  return times;
}

/** A data folder of that size below `folder`. */
export function seedFolder(folder: string, size: SeedSize): string {
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  const seconds = seedQueries(
    join(data, "muster.db"),
    new SecretBox(loadSecretKey(join(data, "secret.key"))),
    size,
  );
  console.log(`${size.hosts} hosts and ${size.events} events made in ${Math.round(seconds)} s`);
  return data;
}

export interface Answers {
  rows: QueryRow[];
  /** Results of the agents' messages meanwhile. */
  load: LoadResult | undefined;
}

/** @param cwd holds a data folder that `seedFolder` made */
export async function runQueries(cwd: string, options: QueryOptions): Promise<Answers> {
  const executable = process.env.MUSTER_BENCH_EXECUTABLE ?? EXECUTABLE;
  await using muster = await Muster.start({ cwd, executable, listen: everyAddress() });
  const client = await muster.admin();
  const target = { port: muster.port, pid: muster.pid, password: COLLECTOR_PASSWORD };
  await options.warmUp?.(target);
  const { promise: asked, resolve: end } = Promise.withResolvers<void>();
  const reporting = options.load?.(target, asked);
  const rows: QueryRow[] = [];
  try {
    for (const [query, target] of queriesOf(options, Math.floor(Date.now() / 1000))) {
      const times = await measure(client, query, options.rounds ?? 100);
      rows.push({
        query: query.replace("/api/1/", ""),
        p50: times.percentile(0.5),
        p99: times.percentile(0.99),
        target,
      });
    }
  } finally {
    end();
    await reporting;
  }
  await muster.stop();
  return { rows, load: await reporting };
}

export async function benchQueries(options: QueryOptions): Promise<Answers> {
  using folder = temporaryFolder();
  seedFolder(folder.path, options);
  return await runQueries(folder.path, options);
}

if (import.meta.main) {
  const [hosts = 100_000, events = 10_000_000] = process.argv.slice(2).map(Number);
  const { rows } = await benchQueries({ hosts, events });
  console.table(rows.map((row) => ({ ...row, p50: row.p50.toFixed(1), p99: row.p99.toFixed(1) })));
}
