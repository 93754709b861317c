import type { Clock } from "../../platform/clock.ts";
import { found } from "../../platform/http/errors.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import { type Availability, availability, type Timeline, uptimePercent } from "./availability.ts";
import { durationText } from "./duration.ts";
import { excludedReason } from "./excluded-time.repository.ts";
import type { Interval } from "./intervals.ts";
import { type RangeArguments, reportWindow } from "./range.ts";
import {
  excludedHosts,
  excludedServices,
  failures,
  failuresOfHosts,
  firstFailures,
  hostsOfReport,
  type OwnedInterval,
  offTimes,
  outages,
  type ReportedHosts,
  servicesOfReport,
} from "./uptime.repository.ts";

/** How a host fared within a cell of its heartbeat bar. */
export const BEAT = { excluded: 0, up: 1, failing: 2, down: 3 } as const;

/** A host or service with its timeline. */
interface Subject {
  id: number;
  name: string;
  /** Whether its time is currently counted. */
  active: boolean;
  events: number;
  timeline: Timeline;
}

function byOwner(intervals: readonly OwnedInterval[]): (owner: number) => Interval[] {
  const groups = Map.groupBy(intervals, ({ owner }) => owner);
  return (owner) => groups.get(owner) ?? [];
}

export interface ReportArguments extends RangeArguments {
  /** Number of cells in the timeline of each item; none if undefined. */
  cells?: number | undefined;
  /** Only hosts with these tags. */
  tag?: readonly string[] | undefined;
}

/** Uptime reports. They only read stored intervals, never events or samples. */
export class Uptime {
  constructor(
    private readonly db: Db,
    private readonly settings: SettingsReader,
    private readonly clock: Clock,
  ) {}

  /** Uptime of every host of the scope. */
  list(given: ReportArguments, scope: Scope) {
    return this.#report(given, (window) => this.#hosts(window, scope, { tag: given.tag }));
  }

  /** Uptime of the services of a host. @throws ApiError 404 */
  get(hostId: number, given: ReportArguments, scope: Scope) {
    return this.#report(given, (window) => this.#services(hostId, window, scope));
  }

  /** The availability of a host, or one of its services, in cells of equal length. @throws ApiError 404 */
  bars(
    { hostId, service, scope }: { hostId: number; service: string | undefined; scope: Scope },
    given: RangeArguments,
    cells: number,
  ) {
    const window = this.#window(given);
    const subject =
      service === undefined
        ? found(this.#hosts(window, scope, { ids: [hostId] })[0], "host", hostId)
        : found(
            this.#services(hostId, window, scope).find(({ name }) => name === service),
            "service",
            service,
          );
    const edge = (i: number) => window.from + Math.round(((window.to - window.from) * i) / cells);
    return {
      range: given.range,
      datefrom: window.from,
      dateto: window.to,
      name: subject.name,
      cells: Array.from({ length: cells }, (_, i) => {
        const measured = this.#measure(subject, { from: edge(i), to: edge(i + 1) });
        return { datefrom: edge(i), ...measured };
      }),
    };
  }

  /** Percent of the counted time of the last `seconds`, by host id. A host without any is left out. */
  recent(hostIds: readonly number[], seconds: number): Map<number, number> {
    const now = this.clock.now();
    const window = { from: now - seconds, to: now };
    const measured = this.#hosts(window, "all", { ids: hostIds }).map(
      ({ id, timeline }) => [id, availability(timeline, window)] as const,
    );
    return new Map(
      measured.flatMap(([id, time]) => (time.up + time.down > 0 ? [[id, uptimePercent(time)]] : [])),
    );
  }

  /** How a window was for each host that is in both scopes, by name. */
  timeOfHosts(
    window: Interval,
    scope: Scope,
    within: Scope,
  ): { id: number; name: string; time: Availability }[] {
    const subjects = this.#hosts(window, scope, { within });
    return subjects.map((subject) => ({
      id: subject.id,
      name: subject.name,
      time: this.#measure(subject, window),
    }));
  }

  /**
   * How hosts fared in cells of equal length: 0 not counted, 1 up, 2 services failed, 3 the host was down.
   * @returns by host id
   */
  beats(hostIds: readonly number[], window: Interval, cells: number): Map<number, number[]> {
    const failed = byOwner(failuresOfHosts(this.db, hostIds, window));
    const length = (window.to - window.from) / cells;
    return new Map(
      this.#hosts(window, "all", { ids: hostIds }).map(({ id, timeline }) => {
        const failing = failed(id);
        const beat = (_: unknown, i: number) => {
          const cell = { from: window.from + i * length, to: window.from + (i + 1) * length };
          const { up, down } = availability(timeline, cell);
          if (up + down === 0) return BEAT.excluded;
          if (down > 0) return BEAT.down;
          return failing.some(({ from, to }) => from < cell.to && to > cell.from) ? BEAT.failing : BEAT.up;
        };
        return [id, Array.from({ length: cells }, beat)];
      }),
    );
  }

  #window(given: RangeArguments): Interval {
    return reportWindow(given, this.clock.now(), this.settings.get("timezone"));
  }

  /** Measures a window. Time in the future is not counted. */
  #measure(subject: Subject, window: Interval): Availability {
    const now = this.clock.now();
    const future = Math.max(0, window.to - Math.max(now, window.from));
    const past = availability(subject.timeline, { from: window.from, to: Math.min(window.to, now) });
    return { ...past, excluded: past.excluded + future };
  }

  /** How a subject fared in cells of equal length: see `BEAT`. */
  #timeline(subject: Subject, window: Interval, cells: number): number[] {
    const { knownSince, down, excluded } = subject.timeline;
    const now = this.clock.now();
    const special = [...down, ...excluded];
    const edge = (i: number) => window.from + Math.round(((window.to - window.from) * i) / cells);
    return Array.from({ length: cells }, (_, i) => {
      const cell = { from: edge(i), to: edge(i + 1) };
      // Nearly all cells of a large fleet: to measure 600,000 of them takes most of a second.
      if (knownSince <= cell.from && !special.some(({ from, to }) => from < cell.to && to > cell.from))
        return Math.min(cell.to, now) > cell.from ? BEAT.up : BEAT.excluded;
      const measured = this.#measure(subject, cell);
      if (measured.up + measured.down === 0) return BEAT.excluded;
      return measured.down > 0 ? BEAT.down : BEAT.up;
    });
  }

  #report(given: ReportArguments, subjectsOf: (window: Interval) => Subject[]) {
    const window = this.#window(given);
    const measured = subjectsOf(window).map((subject) => ({ subject, time: this.#measure(subject, window) }));
    const counted = measured.filter(({ time }) => time.up + time.down > 0);
    const mean = (value: (time: Availability) => number, none: number) =>
      counted.length === 0 ? none : counted.reduce((sum, { time }) => sum + value(time), 0) / counted.length;
    return {
      range: given.range,
      datefrom: window.from,
      dateto: window.to,
      uptime: mean(uptimePercent, 100),
      downtime: durationText(mean((time) => time.down, 0)),
      items: measured.map(({ subject, time }) => ({
        id: subject.id,
        active: Number(subject.active),
        name: subject.name,
        uptime: uptimePercent(time),
        downtime: durationText(time.down),
        events: subject.events,
        ...(given.cells !== undefined && { cells: this.#timeline(subject, window, given.cells) }),
      })),
    };
  }

  #hosts(window: Interval, scope: Scope, only: ReportedHosts): Subject[] {
    const past = { from: window.from, to: Math.min(window.to, this.clock.now()) };
    const down = byOwner(outages(this.db, past, only.ids));
    const excluded = byOwner(excludedHosts(this.db, past, only.ids));
    const off = offTimes(this.db, past);
    return hostsOfReport(this.db, scope, only).map(({ id, name, events, createdAt, ...host }) => ({
      ...{ id, name, events, active: excludedReason(host) === null },
      timeline: { knownSince: createdAt, down: down(id), excluded: [...excluded(id), ...off] },
    }));
  }

  /** The present services of a host, and vanished ones with counted time in the window. */
  #services(hostId: number, window: Interval, scope: Scope): Subject[] {
    const past = { from: window.from, to: Math.min(window.to, this.clock.now()) };
    const host = found(hostsOfReport(this.db, scope, { ids: [hostId] })[0], "host", hostId);
    const failed = byOwner(failures(this.db, hostId, past));
    const firstFailed = firstFailures(this.db, hostId);
    const unmonitored = byOwner(excludedServices(this.db, hostId, past));
    const hostExcluded = excludedHosts(this.db, past, [hostId]);
    const hostCounts = excludedReason(host) === null;
    return servicesOfReport(this.db, hostId).flatMap((service) => {
      const { id, nameId, name, createdAt, vanishedAt, monitorState, events } = service;
      const timeline = {
        knownSince: Math.min(createdAt, firstFailed.get(nameId) ?? createdAt),
        down: failed(nameId),
        excluded: [...unmonitored(id), ...hostExcluded],
      };
      if (vanishedAt !== null) {
        const { up, down } = availability(timeline, past);
        if (up + down === 0) return [];
      }
      return [
        { id, name, active: hostCounts && monitorState !== 0 && vanishedAt === null, events, timeline },
      ];
    });
  }
}
