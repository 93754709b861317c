/** All benchmarks, in the order in which they run and are reported. */
import { benchBackupKills } from "./backup-kills.ts";
import { benchBackups } from "./backups.ts";
import { benchBurst } from "./burst.ts";
import { benchCluster } from "./cluster.ts";
import { benchCostly } from "./costly.ts";
import { benchCostlyChanges } from "./costly-changes.ts";
import { benchCostlyReads } from "./costly-reads.ts";
import { benchFirstStart } from "./first-start.ts";
import { benchFleet, benchLargeFleet } from "./fleet.ts";
import { benchFleetMetrics } from "./fleet-metrics.ts";
import { benchFloods } from "./floods.ts";
import { benchFuzz } from "./fuzz.ts";
import { benchGrowth } from "./growth.ts";
import type { BenchContext } from "./harness/context.ts";
import type { Figure } from "./harness/figures.ts";
import type { Described } from "./harness/report.ts";
import { benchHistory } from "./history.ts";
import { benchIdle } from "./idle.ts";
import { benchIngest, type IngestRow } from "./ingest.ts";
import { benchKill } from "./kill.ts";
import { benchMoved } from "./moved.ts";
import { benchPostgres } from "./postgres.ts";
import { queryFigures } from "./query-figures.ts";
import { benchMoments, benchScreens } from "./screens.ts";
import { benchSoak } from "./soak.ts";
import { benchStartup } from "./startup.ts";
import { benchStates } from "./states.ts";
import { benchUi } from "./ui.ts";
import { benchUptime } from "./uptime.ts";

export interface Benchmark extends Described {
  /** @throws when a reply or the stored data is wrong; a missed target is a result, not an error */
  run(context: BenchContext): Figure[] | Promise<Figure[]>;
}

function ingestFigures(row: IngestRow): Figure[] {
  const of = row.mode === "close" ? "a connection per message:" : "connections kept:";
  return [
    { what: `${of} accepted`, value: row.rate, unit: "/s" },
    { what: `${of} ceiling`, value: row.ceiling, unit: "/s" },
    {
      what: `${of} share of the ceiling`,
      value: row.share * 100,
      unit: "%",
      target: { atLeast: row.target * 100 },
    },
    { what: `${of} time to the answer, median`, value: row.p50, unit: "ms" },
    { what: `${of} time to the answer, p99`, value: row.p99, unit: "ms" },
    { what: `${of} CPU per 1,000 messages`, value: row.cpuPerThousand, unit: "s" },
    { what: `${of} CPU of the load generator per 1,000`, value: row.generatorCpuPerThousand, unit: "s" },
    { what: `${of} resident memory`, value: row.residentMb, unit: "MB" },
  ];
}

export const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  ingest: {
    title: "Messages a second",
    about:
      "500 agents with 7 to 14 services and 45 to 90 numbers each post as fast as they are answered, over 50 connections at a time. " +
      "The ceiling is what a bare HTTP listener of the same kind answers to the same load without doing anything. Every " +
      "message is on the disk before it is answered.",
    run: async ({ long }) => (await benchIngest(long ? 8 : 5)).flatMap(ingestFigures),
  },
  states: {
    title: "Messages in each state of a host",
    about:
      "1,000 hosts that differ in services, texts and numbers post over 16 connections at a time, a new one for each message, " +
      "beside the floor, which commits one row for each message and parses nothing: hosts whose numbers alone change, hosts " +
      "with a failure that lasts, hosts that send an event with every message, and 10,000 hosts that are not known yet. Cold " +
      "is in the first seconds after a start, warm after 100,000 messages. Medians of several rounds.",
    run: ({ long }) => benchStates(long ? 5 : 1, long),
  },
  backups: {
    title: "Backups",
    about:
      "A backup of 2,000 hosts with 300,000 events (long: 10 million) and a day of history of 20 of them to a folder, compressed, " +
      "encrypted and proven, while 1,000 agents report every 10 s, and the same agents without it.",
    run: benchBackups,
  },
  growth: {
    title: "Growth of the fleet",
    about:
      "What a message costs against the number of known hosts, in the closed loop of 50 connections, each host having " +
      "reported twice before.",
    run: benchGrowth,
  },
  fleet: {
    title: "Fleet of 10,000 agents",
    about:
      "Each agent reports every 30 s at its own moment, over a connection of its own; some services fail and recover. " +
      "Times count from the moment when a message was due, so that a pause is not hidden.",
    run: benchFleet,
  },
  "fleet-large": {
    title: "Fleet of 100,000 agents",
    about: "The same with 100,000 agents (20,000 in short), beside the load generator on the same machine.",
    run: benchLargeFleet,
  },
  startup: {
    title: "Start",
    about:
      "From the start of the executable until it accepted a first message: the median of five starts. Files are in the " +
      "memory of the machine, as after any restart but one of the machine itself.",
    run: benchStartup,
  },
  soak: {
    title: "Endurance",
    about:
      "At half of the messages a second that it can take, for 30 minutes (half a minute in short). Compared are the medians " +
      "of minutes 10 to 15 and 25 to 30, or the same parts of a shorter run.",
    run: benchSoak,
  },
  idle: {
    title: "Idle",
    about: "20 agents that report every 30 s, after a warm-up.",
    run: benchIdle,
  },
  queries: {
    title: "Queries",
    about:
      "What the API answers about 100,000 hosts and 10,000,000 events (a tenth of that in short) while 3,333 messages a " +
      "second (200 in short) come in: 99 of 100 answers are complete within that time. At full length, some of it also " +
      "against less that is stored, without load.",
    run: queryFigures,
  },
  screens: {
    title: "Calls of the screens",
    about:
      "10,000 hosts with 148 numbers each, 1,000,000 events, and a month of history of 200 hosts (2,000, 200,000 and 20 in short). " +
      "Each call that a screen makes over HTTP, as Chromium records it: the longest of five times after a new start, while no messages come in. " +
      "The ranking of hosts is measured by the first call and by those after it. Previews of limits are made once.",
    run: benchScreens,
  },
  moments: {
    title: "Calls of the screens about the past",
    about:
      "2,000 hosts, 10,000,000 events (200,000 in short). Each call that a screen makes about a moment 13 days and a year ago, " +
      "each about another second, so that each composes its moment anew.",
    run: benchMoments,
  },
  "fleet-metrics": {
    title: "Metrics of the fleet",
    about:
      "What it takes to tell Prometheus of 10,000 hosts, and for how long everything else waits meanwhile.",
    run: () => benchFleetMetrics(10_000),
  },
  history: {
    title: "History",
    about: "A day of statistics of hosts that report every 30 s: what it takes to keep, to pack and to draw.",
    run: ({ hosts, long }) => benchHistory(hosts ?? (long ? 200 : 20)),
  },
  moved: {
    title: "What moved first",
    about:
      "Incidents whose order is known, injected into made-up history with a rhythm of days and weeks, noise, spikes, gaps and polls " +
      "of 30 s to 5 min, and quiet fleets, each through the collector and the API of a Muster of its own: 200 incidents (20 in short).",
    run: ({ long }) => benchMoved(long ? 200 : 20),
  },
  uptime: {
    title: "Uptime",
    about: "1,000 hosts over a year with weekly silences, daily failures and restarts of Muster.",
    run: () => benchUptime(),
  },
  burst: {
    title: "Everyone at once",
    about:
      "10,000 agents post in the same instant, right after Muster was off for ten minutes. Who is not accepted comes again " +
      "a cycle later, as agents do.",
    run: () => benchBurst(),
  },
  fuzz: {
    title: "Hostile messages",
    about:
      "Messages that no agent sends, at random: each is answered as it should be, and memory stays bounded.",
    run: ({ long }) => benchFuzz(long ? 100_000 : 10_000),
  },
  costly: {
    title: "Costly messages and forms",
    about:
      "Messages that someone who knows the collector's password makes to cost much, and forms of too many keys by a user, 20 " +
      "of each at the same time: how long a request for `/healthz` waits meanwhile, and how much memory they take. Then messages " +
      "and files that change very much, and reads that touch very much, one at a time.",
    run: async () => [
      ...(await benchCostly()),
      ...(await benchCostlyChanges()),
      ...(await benchCostlyReads()),
    ],
  },
  floods: {
    title: "Floods",
    about:
      "Attacks by clients that are not signed in, 15 s of each: how long a health check waits beside it, and whether an " +
      "agent's messages are accepted.",
    run: () => benchFloods(),
  },
  kill: {
    title: "Kills",
    about:
      "Muster is killed under load again and again on one data folder: nothing acknowledged is lost or there twice, and " +
      "`muster doctor` finds nothing.",
    run: ({ long }) => benchKill(long ? 100 : 5),
  },
  "backup-kills": {
    title: "Kills of backups",
    about:
      "Muster is killed at a moment of chance while it makes a backup, stores it in a bucket or a folder, or restores it into a new " +
      "folder or over a database. After the next backup everything at its place is recorded and proven, and `muster doctor` finds " +
      "nothing in what was restored.",
    run: ({ long }) => benchBackupKills(long ? 200 : 10),
  },
  "first-start": {
    title: "Killed first starts",
    about:
      "The first start on an empty PostgreSQL database is killed at a moment of chance, every other time two nodes at once. The " +
      "next start serves, the administrator can sign in, and `muster doctor` finds nothing.",
    run: ({ long }) => benchFirstStart(long ? 50 : 6),
  },
  postgres: {
    title: "On PostgreSQL",
    about:
      "1,000 agents post over 50 connections at a time, a new one for each message, to Muster on a PostgreSQL server of the same " +
      "machine, with fsync, and on the database file: hosts whose numbers alone change, and hosts that send an event with every " +
      "message. Then a day of statistics of hosts that report every 30 s.",
    run: ({ hosts, long }) => benchPostgres(hosts ?? (long ? 100 : 20), long ? 20 : 8),
  },
  cluster: {
    title: "Loss of each part of a cluster",
    about:
      "Two Musters behind HAProxy on a PostgreSQL primary with a synchronous standby; 12 agents that post without end, and a " +
      "real one. In each round every part is killed, stopped or cut off, the active Muster for longer than its lease, and what " +
      "is stored is held to what was acknowledged.",
    run: ({ long }) => benchCluster(long ? { rounds: 20, hang: 15_000 } : { rounds: 3, hang: 12_000 }),
  },
  ui: {
    title: "Web UI",
    about: "The list of 10,000 hosts in Chromium.",
    run: () => benchUi(),
  },
};
