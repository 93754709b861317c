/**
 * Makes the past of the demonstration. The last day is replayed message by message through the real ingest and
 * heartbeat. Of the time before it, only the messages that change a state are replayed; its numbers are stored as
 * compaction would leave them.
 */

import { STATISTIC_TYPES } from "../monit/statistic-types.ts";
import { Heartbeat, type HeartbeatDependencies } from "../monitoring/heartbeat/heartbeat.service.ts";
import { type BlockRow, encodeBlock } from "../monitoring/history/block.ts";
import { newestLooseSample, putBlock } from "../monitoring/history/history.repository.ts";
import { FIVE_MINUTES, HOURLY, RAW, type Resolution, startOf } from "../monitoring/history/resolutions.ts";
import { columnsOf } from "../monitoring/history/rollup.ts";
import type { HostCache } from "../monitoring/ingest/host-cache.ts";
import type { Ingest } from "../monitoring/ingest/ingest.ts";
import { deleteUnpackedSamples } from "../monitoring/retention/retention.repository.ts";
import type { Interval } from "../monitoring/uptime/intervals.ts";
import { type Clock, DAY, HOUR } from "../platform/clock.ts";
import { transaction } from "../platform/storage/open.ts";
import { servicesOf } from "./demo-figures.ts";
import { type DemoHost, isUp, withWholeSeconds } from "./demo-hosts.ts";
import { agentIdOf, messagesOf } from "./demo-messages.ts";

/** Seconds between two simulated ticks of the heartbeat, which takes a longer time for a gap. */
const TICK = 3;
/** Cycles without a report after which a new host is down. */
const MISSED_CYCLES = 3;
/** Simulated seconds in one transaction. */
const BATCH = HOUR;
/** Days before the replayed ones that charts show by five minutes. */
const RECENT_DAYS = 7;
const SAMPLES_AT_ONCE = 1000;
/** Address from which the agents report, of a range that is reserved for documentation (RFC 5737). */
export const SOURCE = "198.51.100.7";

/** Since when charts show five minutes. @param replayed where the replayed part begins, unix seconds */
function recentSince(replayed: number): number {
  return startOf(replayed, HOURLY.blockSpan) - RECENT_DAYS * DAY;
}

/** A clock that shows what it is set to. */
export class SetClock implements Clock {
  constructor(private time: number) {}

  now(): number {
    return this.time;
  }

  set(time: number): void {
    this.time = time;
  }
}

/** The parts of Muster that take in messages. Their clock is the one that the history sets. */
export interface DemoParts extends Omit<HeartbeatDependencies, "clock" | "monotonic" | "hostCache"> {
  clock: SetClock;
  hostCache: HostCache;
  ingest: Ingest;
}

/** The fleet whose history is made. */
export interface DemoFleet {
  hosts: readonly DemoHost[];
  /** End of the history, unix seconds. */
  end: number;
  /** Seconds between two reports of an agent. */
  poll: number;
}

/**
 * Fills the database of the demonstration, once. It sets the clock of the other parts. The work is done in steps,
 * between which the caller can end it.
 */
export class DemoHistory {
  readonly #hosts: readonly (readonly [host: DemoHost, number: number])[];

  constructor(
    private readonly parts: DemoParts,
    private readonly fleet: DemoFleet,
  ) {
    this.#hosts = fleet.hosts.map((host, number) => [withWholeSeconds(host), number]);
  }

  /**
   * Makes the time before the replayed part: hosts, events, outages and numbers.
   * @param from first report of every host, unix seconds
   * @param to where the replayed part begins, unix seconds
   */
  *makePast(from: number, to: number): Generator<void> {
    const { db, settings } = this.parts;
    const { end } = this.fleet;
    transaction(db, () => {
      for (const [host, number] of this.#hosts) this.#report(host, number, from);
    });
    for (const [host, number] of this.#hosts) {
      yield;
      transaction(db, () => this.#storeNumbers(host, number, from, to));
    }
    const changes = this.#hosts.flatMap(([host, number]) => {
      const reports = [...(host.incidents ?? []), ...(host.outages ?? [])]
        .flatMap(({ from: begin, to: finish }) => (finish === undefined ? [begin] : [begin, finish]))
        .map((ago) => ({ at: end - ago, work: () => this.#report(host, number, end - ago) }));
      const outages = (host.outages ?? []).map(({ from: ago }) => ({
        at: end - ago - 1,
        work: () => this.#goSilent(host, end - ago - 1),
      }));
      return [...reports, ...outages];
    });
    const past = changes.filter(({ at }) => at > from && at < to).sort((a, b) => a.at - b.at);
    for (const { work } of past) {
      yield;
      transaction(db, work);
    }
    // The numbers stored above stand for these messages, too.
    transaction(db, () => {
      while (deleteUnpackedSamples(db, to, SAMPLES_AT_ONCE) > 0);
    });
    settings.set(RAW.since, to);
    settings.set(FIVE_MINUTES.since, recentSince(to));
    settings.set("rolledthrough", startOf(to, HOURLY.blockSpan));
    this.parts.clock.set(to);
  }

  /**
   * Replays every message of a time, with the heartbeat beside them.
   * @param fromOf first report of a host, by its number, unix seconds
   */
  *replay(fromOf: (number: number) => number): Generator<void> {
    const { db } = this.parts;
    const { end, poll } = this.fleet;
    const reports = this.#hosts
      .flatMap(([host, number]) => {
        const first = fromOf(number) + number * 7;
        const count = Math.max(0, Math.ceil((end - first) / poll));
        return Array.from({ length: count }, (_, i) => ({ host, number, at: first + i * poll }));
      })
      .sort((a, b) => a.at - b.at);
    const start = reports[0]?.at ?? end;
    const heartbeat = this.#heartbeatAt(start);
    let next = 0;
    for (let begin = start; begin <= end; begin += BATCH) {
      yield;
      transaction(db, () => {
        for (let at = begin; at <= Math.min(end, begin + BATCH - 1); at += TICK) {
          for (let report = reports[next]; report && report.at <= at; report = reports[++next])
            this.#report(report.host, report.number, report.at);
          this.parts.clock.set(at);
          heartbeat.tick();
        }
      });
    }
    this.parts.clock.set(end);
    heartbeat.stop();
  }

  /** A heartbeat that knows of no gap before this time. */
  #heartbeatAt(at: number): Heartbeat {
    const { clock, settings } = this.parts;
    clock.set(at);
    settings.set("aliveat", at);
    const heartbeat = new Heartbeat({ ...this.parts, monotonic: () => clock.now() * 1000 });
    heartbeat.start();
    return heartbeat;
  }

  /** The agent posts what it has to say at this time, unless the host is down. */
  #report(host: DemoHost, number: number, at: number): void {
    const { clock, ingest } = this.parts;
    const { end, poll } = this.fleet;
    if (!isUp(host, end - at)) return;
    clock.set(at);
    for (const message of messagesOf(host, number, { at, end, poll }))
      ingest.applyAll([{ message, receivedAt: at, source: SOURCE }]);
  }

  /** All hosts report once more, and then all but one, until the heartbeat has noticed that. */
  #goSilent(silent: DemoHost, at: number): void {
    const { poll } = this.fleet;
    for (const [host, number] of this.#hosts) this.#report(host, number, at);
    const heartbeat = this.#heartbeatAt(at);
    const others = this.#hosts.filter(([host]) => host !== silent);
    for (const [host, number] of others) this.#report(host, number, at + 1);
    for (let now = at + 1; now <= at + MISSED_CYCLES * poll + 2 * TICK; now += TICK) {
      if ((now - at) % poll < TICK) for (const [host, number] of others) this.#report(host, number, now);
      this.parts.clock.set(now);
      heartbeat.tick();
    }
  }

  /** Stores the numbers of a host between these times, as if its messages had been rolled up. */
  #storeNumbers(host: DemoHost, number: number, from: number, to: number): void {
    const { db, hostCache } = this.parts;
    const stored = hostCache.find(agentIdOf(number));
    const sample = stored && newestLooseSample(db, stored.row.id);
    if (!sample) throw new Error(`${host.name} has not reported`);
    const past = new PastNumbers(host, number, sample.ids, this.fleet);
    const storeBlocks = (resolution: Resolution, begin: number, finish: number) => {
      for (let start = startOf(begin, resolution.blockSpan); start < finish; start += resolution.blockSpan) {
        const span = { from: Math.max(start, begin), to: Math.min(start + resolution.blockSpan, finish) };
        const rows = past.rows(resolution, span);
        if (rows.length === 0) continue;
        putBlock(db, { hostId: stored.row.id, resolution, start, payload: encodeBlock(rows) });
      }
    };
    storeBlocks(HOURLY, from, startOf(to, HOURLY.blockSpan));
    storeBlocks(FIVE_MINUTES, Math.max(from, recentSince(to)), to);
  }
}

/** The numbers of a host in the past, as aggregates. */
class PastNumbers {
  /** Places of the charted numbers in a message. */
  readonly #charted: readonly number[];
  readonly #columns: Uint32Array;
  readonly #host: DemoHost;

  /** @param ids of the statistics, in the order of a message */
  constructor(
    host: DemoHost,
    private readonly number: number,
    ids: Uint32Array,
    private readonly fleet: DemoFleet,
  ) {
    this.#host = { ...host, incidents: [] };
    this.#charted = this.#statisticsAt(fleet.end).flatMap(({ type, text }, i) =>
      text === null && STATISTIC_TYPES.get(type)?.charted ? [i] : [],
    );
    this.#columns = Uint32Array.from(this.#charted.flatMap((i) => columnsOf(ids[i] ?? 0)));
  }

  #statisticsAt(at: number) {
    const services = servicesOf(this.#host, this.number, at, this.fleet.end - at);
    return services.flatMap(({ statistics }) => statistics);
  }

  /** The rows of a block: one for each period at whose start the host was up. */
  rows({ seconds }: Resolution, { from, to }: Interval): BlockRow[] {
    const { end, poll } = this.fleet;
    const count = seconds / poll;
    const rows: BlockRow[] = [];
    for (let at = startOf(from + seconds - 1, seconds); at < to; at += seconds) {
      if (!isUp(this.#host, end - at)) continue;
      const first = this.#statisticsAt(at);
      const second = this.#statisticsAt(at + seconds / 2);
      const values = new Float64Array(this.#columns.length);
      let next = 0;
      for (const i of this.#charted) {
        const a = first[i]?.value ?? 0;
        const b = second[i]?.value ?? 0;
        // In the order of `columnsOf`: minimum, sum, maximum, count.
        values[next++] = Math.min(a, b);
        values[next++] = ((a + b) / 2) * count;
        values[next++] = Math.max(a, b);
        values[next++] = count;
      }
      rows.push({ at, ids: this.#columns, values });
    }
    return rows;
  }
}
