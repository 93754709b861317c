/**
 * Incidents whose order is known, injected into made-up history: hosts with a rhythm of days and weeks, noise, spikes, gaps and
 * different polls. Values come from a seed, so the same seed makes the same incident.
 */
import type { Random } from "../support/random.ts";

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

/** The metrics of a simulated host: service and name, as in `METRICS`. */
export type MetricName = keyof typeof METRICS;

interface Metric {
  /** Name of the service, and code of the type of statistic. */
  service: string;
  type: number;
  /** Typical level, and how much of it the rhythm, the noise and slow drift make. */
  level: number;
  rhythm: number;
  noise: number;
  drift: number;
  /** Share of reports with a spike. */
  spikes: number;
  max: number;
  decimals: number;
}

function metric(
  service: string,
  type: number,
  level: number,
  [rhythm, noise, drift]: readonly [number, number, number],
  { spikes = 0, max = Number.POSITIVE_INFINITY, decimals = 1 } = {},
): Metric {
  return { service, type, level, rhythm, noise, drift, spikes, max, decimals };
}

const SYSTEM = "system";
/** Response times, rates and CPU vary by a share of their level; memory and disks drift slowly. */
export const METRICS = {
  load: metric(SYSTEM, 0, 0.8, [0.5, 0.25, 0.1], { decimals: 2 }),
  cpuUser: metric(SYSTEM, 1, 18, [0.6, 0.25, 0.1], { spikes: 0.005, max: 100 }),
  cpuSystem: metric(SYSTEM, 2, 5, [0.4, 0.25, 0.1], { spikes: 0.005, max: 100 }),
  cpuWait: metric(SYSTEM, 3, 1.2, [0.3, 0.5, 0.2], { spikes: 0.01, max: 100 }),
  memory: metric(SYSTEM, 4, 48, [0.05, 0.004, 0.02], { max: 100 }),
  swap: metric(SYSTEM, 6, 3, [0, 0.001, 0.02], { max: 100 }),
  steal: metric(SYSTEM, 103, 0.4, [0.3, 0.5, 0.2], { max: 100 }),
  data: metric("data", 18, 61, [0, 0.0005, 0.004], { max: 100 }),
  root: metric("rootfs", 18, 34, [0, 0.0003, 0.002], { max: 100 }),
  appCpu: metric("app", 8, 9, [0.6, 0.3, 0.1], { spikes: 0.005, max: 100 }),
  appMemory: metric("app", 10, 14, [0.05, 0.004, 0.03], { max: 100 }),
  appThreads: metric("app", 52, 40, [0.2, 0.03, 0.05], { decimals: 0 }),
  appResponse: metric("app", 15, 0.08, [0.3, 0.3, 0.1], { spikes: 0.01, decimals: 6 }),
  dbCpu: metric("db", 8, 6, [0.6, 0.3, 0.1], { spikes: 0.005, max: 100 }),
  dbMemory: metric("db", 10, 22, [0.02, 0.003, 0.02], { max: 100 }),
  dbFiles: metric("db", 110, 120, [0.2, 0.03, 0.05], { decimals: 0 }),
  dbPid: metric("db", 30, 4711, [0, 0, 0], { decimals: 0 }),
  ping: metric("gateway", 17, 0.002, [0.1, 0.3, 0.1], { spikes: 0.01, decimals: 6 }),
  download: metric("eth0", 152, 400_000, [0.7, 0.3, 0.15], { spikes: 0.01, decimals: 0 }),
  upload: metric("eth0", 162, 250_000, [0.7, 0.3, 0.15], { spikes: 0.01, decimals: 0 }),
  errors: metric("eth0", 154, 0, [0, 0, 0], { decimals: 0 }),
} as const satisfies Record<string, Metric>;
const NAMES = Object.keys(METRICS) as MetricName[];

/** A change of a metric: at once, or up to a time and steady from then on. */
export interface Effect {
  host: number;
  metric: MetricName;
  /** Unix seconds. */
  at: number;
  /** Seconds until it is there in full; 0: at once. */
  ramp: number;
  /** The value is multiplied by this, and then this is added. */
  times: number;
  plus: number;
}

export const KINDS = ["disk", "leak", "restart", "network", "neighbour"] as const;
export type IncidentKind = (typeof KINDS)[number];

export interface MadeIncident {
  kind: IncidentKind;
  /** In the order in which they began; the first is the one to find. */
  effects: readonly Effect[];
}

/** A step, or a ramp over some seconds. */
const effect = (host: number, name: MetricName, at: number, change: Partial<Effect>): Effect => ({
  host,
  metric: name,
  at,
  ramp: 0,
  times: 1,
  plus: 0,
  ...change,
});

/**
 * Makes an incident of hosts 0 to 2. Host 0 fails at `failsAt`, in what the last effect leads to. The first effect begins 8 to 50
 * minutes before, and the later ones follow in this order, some of them within a minute.
 */
export function makeIncident(kind: IncidentKind, random: Random, failsAt: number): MadeIncident {
  const lead = random.between(8, 50) * MINUTE;
  const first = failsAt - lead;
  /** A time between the first effect and the failure, by its share of the lead. */
  const later = (share: number) => first + Math.max(MINUTE, Math.round(lead * share));
  /** From hardly visible to unmistakable. */
  const strength = 0.4 + 0.6 * random.fraction();
  const grows = 1 + 2 * strength;
  switch (kind) {
    case "disk":
      return {
        kind,
        effects: [
          effect(1, "data", first, { ramp: lead, plus: (12 + random.below(22)) * strength }),
          effect(1, "cpuWait", later(0.6), { plus: (12 + random.below(20)) * strength }),
          effect(0, "appResponse", later(0.75), { times: 2 * grows }),
        ],
      };
    case "leak": {
      const plus = (10 + random.below(30)) * strength;
      return {
        kind,
        effects: [
          effect(0, "appMemory", first, { ramp: lead, plus }),
          effect(0, "swap", later(0.5), { ramp: lead / 2, plus: (15 + random.below(30)) * strength }),
          effect(0, "cpuWait", later(0.7), { plus: (12 + random.below(20)) * strength }),
          effect(0, "appResponse", later(0.85), { times: 2 * grows }),
        ],
      };
    }
    case "restart":
      return {
        kind,
        effects: [
          effect(1, "dbPid", first, { plus: 1 + random.below(9000) }),
          effect(1, "dbMemory", first + 2 * MINUTE, { times: 0.8 - 0.5 * strength }),
          effect(1, "cpuWait", later(0.3), { plus: (12 + random.below(20)) * strength }),
          effect(0, "appResponse", later(0.6), { times: 2 * grows }),
          effect(0, "appThreads", later(0.8), { times: 2 }),
        ],
      };
    case "network":
      return {
        kind,
        effects: [
          effect(1, "errors", first, { plus: Math.ceil((5 + random.below(200)) * strength) }),
          effect(1, "download", later(0.3), { times: 0.6 - 0.5 * strength }),
          effect(0, "ping", later(0.4), { times: 3 * grows }),
          effect(2, "ping", later(0.55), { times: 3 * grows }),
          effect(0, "appResponse", later(0.7), { times: 2 * grows }),
        ],
      };
    case "neighbour":
      return {
        kind,
        effects: [
          effect(2, "cpuUser", first, { plus: (30 + random.below(40)) * strength }),
          effect(2, "load", later(0.15), { plus: (2 + random.below(4)) * strength }),
          effect(0, "steal", later(0.3), { plus: (8 + random.below(25)) * strength }),
          effect(0, "appResponse", later(0.6), { times: 2 * grows }),
        ],
      };
  }
}

/** A job that nobody planned: it takes CPU and disk for some minutes, and has nothing to do with any incident. */
function unplannedJob(host: number, random: Random, from: number, to: number): Effect[] {
  if (!random.chance(JOBS_PER_HOUR * ((to - from) / HOUR))) return [];
  const begins = random.between(from, to);
  const ends = begins + random.between(5, 20) * MINUTE;
  const names = random.pick<MetricName[]>([
    ["cpuUser", "load"],
    ["cpuWait", "data"],
    ["download"],
    ["appCpu"],
  ]);
  return names.flatMap((name) => {
    const plus = METRICS[name].level * (name === "data" ? 0.03 : 1 + 2 * random.fraction());
    return [effect(host, name, begins, { plus }), effect(host, name, ends, { plus: -plus })];
  });
}

/** Business hours and a nightly job, from 0 to 1. Weekends are quiet. */
function rhythmAt(at: number, phase: number): number {
  const hour = ((at + phase) % DAY) / HOUR;
  const isWeekend = [0, 6].includes(new Date((at + phase) * 1000).getUTCDay());
  const daytime = Math.exp(-(((hour - 13) / 4) ** 2)) * (isWeekend ? 0.3 : 1);
  const nightly = hour >= 2 && hour < 2.4 ? 0.8 : 0;
  return daytime + nightly;
}

/** A value that returns to 0 within some time, as the last one left it. */
class Wandering {
  #value: number;

  constructor(
    private readonly random: Random,
    private readonly seconds: number,
  ) {
    this.#value = normal(random);
  }

  after(seconds: number): number {
    const kept = Math.exp(-seconds / this.seconds);
    this.#value = this.#value * kept + normal(this.random) * Math.sqrt(1 - kept * kept);
    return this.#value;
  }
}

/** Normally distributed, by the method of Box and Muller. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.fraction())) * Math.cos(2 * Math.PI * random.fraction());
}

/** How often a host runs an unplanned job. */
const JOBS_PER_HOUR = 0.05;
/** Length of time in which the noise and the drift of metrics are forgotten, seconds. */
const NOISE_SECONDS = 45;
const DRIFT_SECONDS = 4 * HOUR;

export interface MadeReport {
  at: number;
  values: Readonly<Record<MetricName, number>>;
}

/** A host that reports at its own moments. */
export class MadeHost {
  /** Seconds between two reports. */
  readonly poll: number;
  readonly #offset: number;
  readonly #phase: number;
  readonly #levels: Record<MetricName, number>;

  constructor(
    readonly number: number,
    private readonly random: Random,
  ) {
    this.poll = random.pick([30, 30, 60, 60, 120, 300]);
    this.#offset = random.below(this.poll);
    this.#phase = random.between(-2, 2) * HOUR;
    const levels = NAMES.map((name) => [name, METRICS[name].level * (0.6 + 0.8 * random.fraction())]);
    this.#levels = { ...Object.fromEntries(levels), dbPid: METRICS.dbPid.level };
  }

  /** What it reports within a span. @param effects what happens to it there */
  reports(from: number, to: number, effects: readonly Effect[] = [], hasJobs = true): MadeReport[] {
    const { random } = this;
    const noises = NAMES.map(
      (name) => [name, new Wandering(random, NOISE_SECONDS), new Wandering(random, DRIFT_SECONDS)] as const,
    );
    const jobs = hasJobs ? unplannedJob(this.number, random, from, to) : [];
    const all = [...effects, ...jobs];
    const reports: MadeReport[] = [];
    // A minute or two are missing now and then, and sometimes ten.
    let missingUntil = 0;
    for (
      let at = from + ((this.#offset - (from % this.poll) + this.poll) % this.poll);
      at < to;
      at += this.poll
    ) {
      const values = noises.map(([name, noise, drift]) => [
        name,
        this.#value(name, at, noise.after(this.poll), drift.after(this.poll), all),
      ]);
      if (random.chance(0.002 * (this.poll / 30))) missingUntil = at + random.pick([90, 150, 150, 600]);
      if (at >= missingUntil) reports.push({ at, values: Object.fromEntries(values) });
    }
    return reports;
  }

  #value(name: MetricName, at: number, noise: number, drift: number, effects: readonly Effect[]): number {
    const { rhythm, noise: noisy, drift: drifting, spikes, max, decimals } = METRICS[name];
    const usual = 1 + rhythm * rhythmAt(at, this.#phase);
    let value = this.#levels[name] * usual * Math.exp(noisy * noise + drifting * drift);
    if (this.random.chance(spikes)) value *= 2 + 4 * this.random.fraction();
    for (const { host, metric: changed, at: begins, ramp, times, plus } of effects) {
      if (host !== this.number || changed !== name || at < begins) continue;
      const share = ramp === 0 ? 1 : Math.min(1, (at - begins) / ramp);
      value = value * (1 + (times - 1) * share) + plus * share;
    }
    return Number(Math.min(max, value).toFixed(decimals));
  }
}
