/** A host whose numbers move like those of a real one, made from a captured message. */
import { parseAgentMessage } from "../../src/monit/message.ts";
import type { AgentMessage, AgentStatistic } from "../../src/monit/message.types.ts";
import { STATISTIC, type StatisticUnit } from "../../src/monit/statistic-types.ts";
import { captured } from "../support/fixtures.ts";
import type { Random } from "../support/random.ts";

const CAPTURED = "status-of-every-service-type.xml";

const TYPES = new Map(Object.values(STATISTIC).map((type) => [type.code, type]));

type Drift = (value: number) => number;

const CONSTANT: Drift = (value) => value;

/** Rounded as agents print it. */
function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}

/** Moves up and down between bounds, mostly by small steps. */
function walk(random: Random, decimals: number, step: number, max: number): Drift {
  return (value) => {
    const next = value + (random.fraction() + random.fraction() - 1) * step;
    return rounded(Math.min(max, Math.max(0, next)), decimals);
  };
}

/** Differs each time, with occasional spikes. */
function noise(random: Random, decimals: number, base: number): Drift {
  return () => {
    const spike = random.chance(0.01) ? 10 : 1;
    return rounded(base * (0.6 + random.fraction() * 0.8) * spike, decimals);
  };
}

/** Stays the same, with occasional changes. */
function rarely(random: Random, probability: number, change: Drift): Drift {
  return (value) => (random.chance(probability) ? change(value) : value);
}

const DRIFTS: Readonly<Record<StatisticUnit, (random: Random, base: number) => Drift>> = {
  percent: (random, base) =>
    base === 0 ? rarely(random, 0.05, () => random.below(10) / 10) : walk(random, 1, base / 2 + 0.5, 100),
  kB: (random, base) => rarely(random, 0.8, walk(random, 0, base / 100, base * 2)),
  MB: (random, base) => rarely(random, 0.3, walk(random, 1, 4, base * 2)),
  bytes: (random, base) => (base < 100 ? CONSTANT : (value) => value + random.below(2_000_000)),
  "bytes/s": (random, base) => noise(random, 0, base),
  "bit/s": () => CONSTANT,
  packets: (random) => (value) => value + random.below(3000),
  "packets/s": (random, base) => noise(random, 0, base),
  errors: () => CONSTANT,
  "errors/s": () => CONSTANT,
  operations: (random) => (value) => value + random.below(400),
  "operations/s": (random, base) => noise(random, 0, base),
  count: (random, base) => rarely(random, 0.2, walk(random, 0, 3, base * 2 + 1)),
  seconds: (random, base) => noise(random, 6, base),
  ms: (random, base) => noise(random, 3, base),
  "unix seconds": (random) => rarely(random, 0.002, (value) => value + 900),
  days: (random) => rarely(random, 1 / 2880, (value) => value - 1),
  id: () => CONSTANT,
  text: () => CONSTANT,
  none: () => CONSTANT,
};

/** Numbers that never change on an idle machine. */
const FIXED: ReadonlySet<number> = new Set(
  [
    STATISTIC.spaceTotal,
    STATISTIC.inodeTotal,
    STATISTIC.filesMaximum,
    STATISTIC.filesSoftLimit,
    STATISTIC.filesHardLimit,
  ].map(({ code }) => code),
);

function driftOf({ type, value, descriptor, text }: AgentStatistic, random: Random, poll: number): Drift {
  if (text !== null || value < 0 || FIXED.has(type)) return CONSTANT;
  if (type === STATISTIC.load.code) return walk(random, 2, 0.1, 8);
  if (type === STATISTIC.uptime.code || descriptor === "started") return (before) => before + poll;
  const unit = TYPES.get(type)?.unit ?? "none";
  const isIdle = value === 0 && unit !== "percent";
  return isIdle ? CONSTANT : DRIFTS[unit](random, value);
}

export class DriftingHost {
  readonly message: AgentMessage;
  /** Statistics in each message. */
  readonly statistics: number;
  readonly #drifts: { statistic: AgentStatistic; drift: Drift }[];

  /** @param poll seconds between two messages */
  constructor(index: number, random: Random, poll: number) {
    const message = parseAgentMessage(captured(CAPTURED));
    this.message = message;
    message.agentId = `bench-${index}`;
    message.server.hostname = `bench-${index}`;
    message.server.poll = poll;
    const everyStatistic = message.services.flatMap(({ statistics }) => statistics);
    this.statistics = everyStatistic.length;
    this.#drifts = everyStatistic.map((statistic) => ({
      statistic,
      drift: driftOf(statistic, random, poll),
    }));
  }

  /** Number of statistics that ever change. */
  get moving(): number {
    return this.#drifts.filter(({ drift }) => drift !== CONSTANT).length;
  }

  /** The message of its next cycle: always the same object. */
  next(at: number): AgentMessage {
    const { message } = this;
    message.server.uptime = at - message.incarnation;
    for (const service of message.services) service.collectedSec = at;
    for (const drift of this.#drifts) drift.statistic.value = drift.drift(drift.statistic.value);
    return message;
  }
}
