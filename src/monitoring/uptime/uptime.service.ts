import type { Clock } from "../../platform/clock.ts";
import { found } from "../../platform/http/errors.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import { historyOf, pastOf } from "../past/past.ts";
import { type Availability, availability, type Timeline, uptimePercent } from "./availability.ts";
import { durationText } from "./duration.ts";
import { excludedReason } from "./excluded-time.repository.ts";
import { cellsOf, clip, type Interval, measure, union } from "./intervals.ts";
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
  pastFailuresOfHosts,
  type SelectedHosts,
  servicesOfReport,
} from "./uptime.repository.ts";

/** The state of a host within a cell of its heartbeat bar. */
export const BEAT = { excluded: 0, up: 1, failing: 2, down: 3 } as const;

/** A host or service with its timeline. */
interface MeasuredSubject {
  id: number;
  name: string;
  /** Whether its time is currently counted. */
  active: boolean;
  events: number;
  timeline: Timeline;
}

/** A host with its timeline. */
interface MeasuredHost extends MeasuredSubject {
  /** When it was stopped or ignored: a part of the excluded time. */
  unmonitored: readonly Interval[];
}

/** The seconds of a period, which may still be running. They add up to its length. */
export interface PeriodTime {
  up: number;
  down: number;
  /** Not monitored, including the future part of the period if the host is not monitored now. */
  excluded: number;
  /**
   * Before the first report of the host, while Muster was not running, or before the end of failures that retention has
   * deleted.
   */
  unknown: number;
  /** The future part of the period, if the host is monitored now. */
  remaining: number;
}

function byOwner(intervals: readonly OwnedInterval[]): (owner: number) => Interval[] {
  const groups = Map.groupBy(intervals, ({ owner }) => owner);
  return (owner) => groups.get(owner) ?? [];
}

/** What an uptime report is about. */
export interface ReportArguments extends RangeArguments {
  /** Number of cells in the timeline of each item; none if undefined. */
  cells?: number | undefined;
  /** Only members of these host groups. */
  hostgroupid?: readonly number[] | undefined;
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
  list(request: ReportArguments, scope: Scope) {
    return this.#report(request, (window) =>
      this.#hosts(window, scope, { tag: request.tag, groups: request.hostgroupid }),
    );
  }

  /** Uptime of the services of a host. @throws ApiError 404 */
  get(hostId: number, request: ReportArguments, scope: Scope) {
    return this.#report(request, (window) => this.#services(hostId, window, scope));
  }

  /** The availability of a host, or one of its services, in cells of equal length. @throws ApiError 404 */
  bars(
    { hostId, service, scope }: { hostId: number; service: string | undefined; scope: Scope },
    request: RangeArguments,
    cells: number,
  ) {
    const window = this.#window(request);
    const subject =
      service === undefined
        ? found(this.#hosts(window, scope, { ids: [hostId] })[0], "host", hostId)
        : found(
            this.#services(hostId, window, scope).find(({ name }) => name === service),
            "service",
            service,
          );
    return {
      range: request.range,
      datefrom: window.from,
      dateto: window.to,
      name: subject.name,
      cells: cellsOf(window, cells).map((cell) => ({ datefrom: cell.from, ...this.#measure(subject, cell) })),
    };
  }

  /** Uptime over the last `seconds`, percent, by host id. A host without counted time is left out. */
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

  /** Hosts by name, with their seconds of a period. @param cells number of cells in their timelines */
  hostsOfPeriod(period: Interval, scope: Scope, only: SelectedHosts, cells: number | undefined) {
    return this.#hosts(period, scope, only).map((host) => ({
      id: host.id,
      active: Number(host.active),
      name: host.name,
      events: host.events,
      ...this.#timeOfPeriod(host, period),
      cells: cells === undefined ? undefined : this.#timeline(host, period, cells),
    }));
  }

  /** The availability within a window of each host that is in both scopes, by name. */
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
   * The states of hosts in cells of equal length: 0 not counted, 1 up, 2 services failed, 3 the host was down.
   * @returns by host id
   */
  beats(hostIds: readonly number[], window: Interval, cells: number): Map<number, number[]> {
    const failuresIn = pastOf(this.db) ? pastFailuresOfHosts : failuresOfHosts;
    const failed = byOwner(failuresIn(this.db, hostIds, window));
    return new Map(
      this.#hosts(window, "all", { ids: hostIds }).map(({ id, timeline }) => {
        const failing = failed(id);
        const beats = cellsOf(window, cells).map((cell) => {
          const { up, down } = availability(timeline, cell);
          if (up + down === 0) return BEAT.excluded;
          if (down > 0) return BEAT.down;
          return failing.some(({ from, to }) => from < cell.to && to > cell.from) ? BEAT.failing : BEAT.up;
        });
        return [id, beats];
      }),
    );
  }

  /**
   * Since when uptime is complete, unix seconds. Retention has deleted failures and excluded time from before, so it is
   * not known whether that time was up.
   */
  get #completeSince(): number {
    return this.settings.get("uptimesince");
  }

  #window(request: RangeArguments): Interval {
    return reportWindow(request, this.clock.now(), this.settings.get("timezone"));
  }

  /** Measures a window. Time in the future is not counted. */
  #measure(subject: MeasuredSubject, window: Interval): Availability {
    const now = this.clock.now();
    const future = Math.max(0, window.to - Math.max(now, window.from));
    const past = availability(subject.timeline, { from: window.from, to: Math.min(window.to, now) });
    return { ...past, excluded: past.excluded + future };
  }

  #timeOfPeriod({ timeline, unmonitored, active }: MeasuredHost, period: Interval): PeriodTime {
    const now = Math.min(Math.max(this.clock.now(), period.from), period.to);
    const past = { from: period.from, to: now };
    const { up, down, excluded } = availability(timeline, past);
    const existing = { from: Math.max(timeline.knownSince, past.from), to: now };
    const unmonitoredTime = measure(union(clip(unmonitored, existing)));
    const future = period.to - now;
    return {
      up,
      down,
      excluded: unmonitoredTime + (active ? 0 : future),
      unknown: excluded - unmonitoredTime,
      remaining: active ? future : 0,
    };
  }

  /** The states of a subject in cells of equal length: see `BEAT`. */
  #timeline(subject: MeasuredSubject, window: Interval, cells: number): number[] {
    const { knownSince, down, excluded } = subject.timeline;
    const now = this.clock.now();
    const special = [...down, ...excluded];
    return cellsOf(window, cells).map((cell) => {
      // A shortcut for cells without down or excluded time, nearly all of a large fleet: measuring 600,000 of them
      // takes most of a second.
      if (knownSince <= cell.from && !special.some(({ from, to }) => from < cell.to && to > cell.from))
        return Math.min(cell.to, now) > cell.from ? BEAT.up : BEAT.excluded;
      const measured = this.#measure(subject, cell);
      if (measured.up + measured.down === 0) return BEAT.excluded;
      return measured.down > 0 ? BEAT.down : BEAT.up;
    });
  }

  #report(request: ReportArguments, subjectsOf: (window: Interval) => MeasuredSubject[]) {
    const window = this.#window(request);
    const measured = subjectsOf(window).map((subject) => ({ subject, time: this.#measure(subject, window) }));
    const withTime = measured.filter(({ time }) => time.up + time.down > 0);
    const mean = (value: (time: Availability) => number, initial: number) =>
      withTime.length === 0
        ? initial
        : withTime.reduce((sum, { time }) => sum + value(time), 0) / withTime.length;
    return {
      range: request.range,
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
        ...(request.cells !== undefined && { cells: this.#timeline(subject, window, request.cells) }),
        downseconds: time.down,
      })),
      timezone: this.settings.get("timezone"),
    };
  }

  #hosts(window: Interval, scope: Scope, only: SelectedHosts): MeasuredHost[] {
    const past = { from: window.from, to: Math.min(window.to, this.clock.now()) };
    const down = byOwner(outages(historyOf(this.db), past, only.ids));
    const excluded = byOwner(excludedHosts(historyOf(this.db), past, only.ids));
    const off = offTimes(historyOf(this.db), past);
    const completeSince = this.#completeSince;
    return hostsOfReport(this.db, scope, only).map(({ id, name, events, createdAt, ...host }) => {
      const unmonitored = excluded(id);
      return {
        id,
        name,
        events,
        active: excludedReason(host) === null,
        timeline: {
          knownSince: Math.max(createdAt, completeSince),
          down: down(id),
          excluded: [...unmonitored, ...off],
        },
        unmonitored,
      };
    });
  }

  /** The present services of a host, and vanished ones with counted time in the window. */
  #services(hostId: number, window: Interval, scope: Scope): MeasuredSubject[] {
    const past = { from: window.from, to: Math.min(window.to, this.clock.now()) };
    const host = found(hostsOfReport(this.db, scope, { ids: [hostId] })[0], "host", hostId);
    const failed = byOwner(failures(this.db, hostId, past));
    const firstFailed = firstFailures(this.db, hostId);
    const unmonitored = byOwner(excludedServices(historyOf(this.db), hostId, past));
    const hostExcluded = excludedHosts(historyOf(this.db), past, [hostId]);
    const hostCounts = excludedReason(host) === null;
    const completeSince = this.#completeSince;
    return servicesOfReport(this.db, hostId).flatMap((service) => {
      const { id, nameId, name, createdAt, vanishedAt, monitorState, events } = service;
      const timeline = {
        knownSince: Math.max(Math.min(createdAt, firstFailed.get(nameId) ?? createdAt), completeSince),
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
