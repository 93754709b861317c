/** A Muster whose hosts have a made-up past, with an incident at the end of it. */
import { type BlockRow, encodeBlock } from "../../src/monitoring/history/block.ts";
import { putBlock, statisticsOfHistory } from "../../src/monitoring/history/history.repository.ts";
import { FIVE_MINUTES, startOf } from "../../src/monitoring/history/resolutions.ts";
import { rollUpSamples, rowsOfPeriods } from "../../src/monitoring/history/rollup.ts";
import { REFERENCE_DAYS } from "../../src/monitoring/onsets/onset-window.ts";
import { agentXml, portXml, type ServiceXml } from "../support/agent-messages.ts";
import { TestApp } from "../support/app.ts";
import type { TestClient } from "../support/client.ts";
import { START } from "../support/clock.ts";
import { Random } from "../support/random.ts";
import {
  type Effect,
  KINDS,
  MadeHost,
  type MadeIncident,
  type MadeReport,
  METRICS,
  type MetricName,
  makeIncident,
} from "./incident-world.ts";

const HOUR = 3600;
const DAY = 86_400;
/** Seconds after the failure at which it is asked what moved. */
const ASKED_AFTER = 300;

export interface MovedRecord {
  date: number;
  earliest: number;
  latest: number;
  tie: number;
  kind: string;
  hostid: number;
  servicename: string;
  type: number | null;
}

export interface Trial {
  made: MadeIncident | null;
  /** When the failure began. */
  failsAt: number;
  records: readonly MovedRecord[];
  metrics: number;
  /** CPU time of the answer, milliseconds. */
  cpuMs: number;
}

/** The services of a report, as an agent writes them. */
function servicesOf({ values: v }: MadeReport): ServiceXml[] {
  const link = (bytes: number, errors: number) =>
    `<packets><now>1</now><total>1</total></packets><bytes><now>${bytes}</now><total>1</total></bytes>` +
    `<errors><now>${errors}</now><total>0</total></errors>`;
  const share = (name: string, percent: number) => `<${name}><percent>${percent}</percent></${name}>`;
  const process = (cpu: number, memory: number, rest: string) =>
    `${rest}<memory><percent>${memory}</percent></memory><cpu><percent>${cpu}</percent></cpu>`;
  return [
    {
      name: "system",
      type: 5,
      body:
        `<system><load><avg01>${v.load}</avg01></load>` +
        `<cpu><user>${v.cpuUser}</user><system>${v.cpuSystem}</system><wait>${v.cpuWait}</wait><steal>${v.steal}</steal></cpu>` +
        `${share("memory", v.memory)}${share("swap", v.swap)}</system>`,
    },
    { name: "data", type: 0, body: share("block", v.data) },
    { name: "rootfs", type: 0, body: share("block", v.root) },
    {
      name: "app",
      body:
        process(v.appCpu, v.appMemory, `<threads>${v.appThreads}</threads>`) +
        portXml({ seconds: v.appResponse }),
    },
    {
      name: "db",
      body: process(
        v.dbCpu,
        v.dbMemory,
        `<pid>${v.dbPid}</pid><filedescriptors><open>${v.dbFiles}</open></filedescriptors>`,
      ),
    },
    {
      name: "gateway",
      type: 4,
      body: `<icmp><type>Ping</type><responsetime>${v.ping}</responsetime></icmp>`,
    },
    {
      name: "eth0",
      type: 8,
      body: `<link><state>1</state><download>${link(v.download, v.errors)}</download><upload>${link(v.upload, 0)}</upload></link>`,
    },
  ];
}

class Site {
  readonly app = new TestApp();

  constructor(readonly hosts: readonly MadeHost[]) {}

  #xml(host: MadeHost, report: MadeReport, event: Parameters<typeof agentXml>[0] = {}): string {
    const name = `host-${host.number}`;
    const services = servicesOf(report);
    return agentXml({
      id: name,
      hostname: name,
      at: report.at,
      poll: host.poll,
      incarnation: START - 90 * DAY,
      services,
      ...event,
    });
  }

  async report(host: MadeHost, report: MadeReport, event = {}): Promise<void> {
    const { clock } = this.app;
    clock.step(report.at - clock.now());
    const { status } = await this.app.report(this.#xml(host, report, event));
    if (status !== 200) throw new Error(`a report was answered with ${status}`);
  }

  /** Stores what compaction would leave of an earlier day. */
  storeDay(hostId: number, reports: readonly MadeReport[]): void {
    const ids = this.#statisticIds(hostId);
    const layout = Uint32Array.from(ids.values());
    const rows = reports.map(
      ({ at, values }): BlockRow => ({
        at,
        ids: layout,
        values: Float64Array.from(ids.keys(), (name) => values[name]),
      }),
    );
    for (const [start, within] of Map.groupBy(rows, ({ at }) => startOf(at, FIVE_MINUTES.blockSpan))) {
      const payload = encodeBlock(rowsOfPeriods(rollUpSamples(within, FIVE_MINUTES.seconds)));
      putBlock(this.app.db, { hostId, resolution: FIVE_MINUTES, start, payload });
    }
  }

  #statisticIds(hostId: number): Map<MetricName, number> {
    const stored = statisticsOfHistory(this.app.db, hostId, {});
    const ids = (Object.keys(METRICS) as MetricName[]).map((name): [MetricName, number] => {
      const { service, type } = METRICS[name];
      const statistic = stored.find((row) => row.servicename === service && row.type === type);
      if (!statistic) throw new Error(`there is no ${name}`);
      return [name, statistic.id];
    });
    return new Map(ids);
  }
}

/** The last report of each host before the searched hours makes its metrics known. */
async function introduce(site: Site, at: number): Promise<void> {
  for (const host of site.hosts) {
    const [report] = host.reports(at, at + 2 * host.poll + 600);
    if (report) await site.report(host, { ...report, at });
  }
}

export interface TrialOptions {
  /** Nothing moves before the failure. */
  isQuiet?: boolean;
  hosts?: number;
  /** Whether hosts run unplanned jobs, which are not part of any incident. */
  hasJobs?: boolean;
}

/** Stores the earlier days of hosts. Now and then a day is missing. */
function storePast(site: Site, random: Random, failsAt: number, hasJobs: boolean): void {
  for (const [i, host] of site.hosts.entries())
    for (const day of REFERENCE_DAYS) {
      if (random.chance(0.05)) continue;
      const from = failsAt - day * DAY - 3 * HOUR;
      site.storeDay(i + 1, host.reports(from, from + 4 * HOUR, [], hasJobs));
    }
}

/** Lets hosts report until some minutes after the failure, which host 0 reports when it is due. */
async function replay(
  site: Site,
  failsAt: number,
  effects: readonly Effect[],
  hasJobs: boolean,
): Promise<void> {
  const reports = site.hosts
    .flatMap((host) =>
      host
        .reports(failsAt - 2.2 * HOUR, failsAt + ASKED_AFTER, effects, hasJobs)
        .map((report) => ({ host, report })),
    )
    .sort((a, b) => a.report.at - b.report.at);
  const failing = reports.findLast(({ host, report }) => host.number === 0 && report.at <= failsAt);
  const event = { service: "app", id: 32, message: "failed protocol test" };
  for (const entry of reports)
    await site.report(entry.host, entry.report, entry === failing ? { event } : {});
  site.app.clock.step(failsAt + ASKED_AFTER - site.app.clock.now());
}

/** Asks what moved before a failure of host 0. @param seed makes the hosts, and the incident */
export async function tryIncident(
  seed: number,
  { isQuiet = false, hosts = 4, hasJobs = true }: TrialOptions = {},
): Promise<Trial> {
  const random = new Random(seed);
  const failsAt = START + random.below(7 * DAY);
  const made = isQuiet ? null : makeIncident(KINDS[seed % KINDS.length] ?? "disk", random, failsAt);
  const site = new Site(
    Array.from({ length: hosts }, (_, number) => new MadeHost(number, new Random(seed * 100 + number))),
  );
  const { app } = site;
  app.clock.step(failsAt - 3 * HOUR - app.clock.now());
  await introduce(site, app.clock.now());
  storePast(site, random, failsAt, hasJobs);
  await replay(site, failsAt, made?.effects ?? [], hasJobs);
  const admin = await app.admin();
  await group(admin, hosts);
  const [event] = app.rows<{ id: number; date: number }>("select id, date from events where state = 1");
  if (!event) throw new Error("nothing failed");
  const before = process.cpuUsage();
  const { status, json, text } = await admin.get("/api/1/incidents/moved", { id: event.id });
  const { user, system } = process.cpuUsage(before);
  if (status !== 200) throw new Error(text);
  // What users did is not in question.
  const records = json.records.filter(({ kind }: MovedRecord) => kind !== "muster");
  return { made, failsAt: event.date, records, metrics: json.metrics, cpuMs: (user + system) / 1000 };
}

async function group(admin: TestClient, hosts: number): Promise<void> {
  const created = await admin.post("/api/1/admin/groups/create", { name: "rack" });
  const ids = Array.from({ length: hosts }, (_, i) => i + 1);
  const added = await admin.post("/api/1/admin/groups/add", { id: created.json.id, hostid: ids });
  if (added.status !== 200) throw new Error(added.text);
}

/** Whether an entry is about what an effect moved. */
export function isOf(record: MovedRecord, { host, metric }: Effect): boolean {
  const { service, type } = METRICS[metric];
  return record.hostid === host + 1 && record.servicename === service && record.type === type;
}

/** Where in the list the true first mover stands: 1 is the first; undefined if it is missing. */
export function placeOf(trial: Trial): number | undefined {
  const [first] = trial.made?.effects ?? [];
  const index = trial.records.findIndex((record) => first !== undefined && isOf(record, first));
  return index === -1 ? undefined : index + 1;
}

/** The same in lists of the same entries in random order; infinite if it is missing. */
export function placeInRandomOrder(trial: Trial, seed: number, orders: number): number[] {
  const random = new Random(seed);
  const isListed = placeOf(trial) !== undefined;
  return Array.from({ length: orders }, () =>
    isListed ? 1 + random.below(trial.records.length) : Number.POSITIVE_INFINITY,
  );
}
