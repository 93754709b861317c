/**
 * The state of a host, calculated slowly: all inputs are recorded, and every answer is derived from them again. It
 * follows the rules in the documentation and shares nothing with the code that maintains intervals.
 */
import { endsOf, insertAt, isWithin, type Period, type Segment, segments, Timeline } from "./timeline.ts";

const UNKNOWN = 0;
const UP = 1;
const DOWN = 2;
const EXCLUDED = 3;
export type State = typeof UNKNOWN | typeof UP | typeof DOWN | typeof EXCLUDED;

/** Of a service as an agent lists it. */
export interface ReportedService {
  name: string;
  monitor: number | null;
  status: number | null;
  statusHint: number;
  collectedSec: number;
  /** Numbers of it by the code of their statistic type, as far as a model asks for them. */
  values?: Readonly<Record<number, number>>;
  /** What a program printed. */
  output?: string;
}

/** What an agent reports about itself and its machine. */
export interface AgentDetails {
  version: string;
  startDelay: number;
  /** `cpu` counts processors; memory and swap in kB. */
  platform: Record<"name" | "release" | "version" | "machine", string> &
    Record<"cpu" | "memory" | "swap", number>;
  /** `isHere`: the address leads nowhere but to the agent's own machine, or says nothing. */
  httpd: { address: string; isHere: boolean; port: number; ssl: boolean };
  /** Names of services by group. */
  serviceGroups: Record<string, string[]>;
}

export interface ReportedEvent {
  service: string;
  eventType: number;
  state: number;
  action: number;
  collectedSec: number | null;
  collectedUsec: number;
}

/** What of a message matters here. */
export interface Report {
  incarnation: number;
  /** `cpu` and `mem` in percent, of those that say so. */
  server: { uptime: number; poll: number; cpu?: number; mem?: number };
  services: readonly ReportedService[];
  events: readonly ReportedEvent[];
  hostGroups?: readonly string[] | null;
  details?: AgentDetails;
}

/** An event that was stored. Times are unix seconds. */
export interface StoredEvent extends ReportedEvent {
  collectedSec: number;
  date: number;
  receivedAt: number;
  /** The limit whose failure it tells of; none for events of agents. */
  limit?: LimitOfCheck;
}

/** As far as a check has to know of a limit. */
export interface LimitOfCheck {
  id: number;
  /** Whether its failures count as downtime. */
  downtime: boolean;
}

/** The state of a host before a message, or before it was found down. */
export interface Before {
  stopped: boolean;
  /** When the message before was received; 0: there is none. */
  lastMessage: number;
  deadline: number;
}

/** Compares the values of a host with limits. */
export interface Judge {
  message(host: HostModel, message: Report, at: number, before: Before): void;
  /** The host was found down at `at`. */
  silent(host: HostModel, deadline: number, at: number): void;
}

/** Receives all inputs, in order. */
export interface Listener {
  stored(event: StoredEvent): void;
  /** A check was found to be well, as of `date`. */
  ended(check: CheckModel, date: number): void;
}

const HEARTBEAT = 1_048_576;
const MONIT = "Monit";
/** Classes of events that are about the agent itself: its instance, an action, its heartbeat. */
const ABOUT_AGENT = [65_536, 131_072, HEARTBEAT];
/** All other classes that have a name. */
const CLASSES = Array.from({ length: 31 }, (_, i) => 2 ** i).filter((bit) => !ABOUT_AGENT.includes(bit));
/** Cycles without a report after which a host is down. */
const PATIENCE = 3;

export interface Point {
  date: number;
  failing: boolean;
  /** Orders points of one second: recoveries first, then events by the agent's stamp. */
  rank: number;
  collectedSec: number;
  /** Null for a recovery that no event tells of. */
  event: StoredEvent | null;
}

/** One event class of one service name. */
export class CheckModel {
  /** In order. */
  readonly points: Point[] = [];
  incarnation = 0;
  clearCount = 0;
  clearSince = 0;
  clearCollected = 0;
  #spans: Period[] | null = null;

  constructor(
    readonly service: string,
    readonly eventType: number,
    readonly limit: LimitOfCheck | null = null,
  ) {}

  add(point: Point): void {
    insertAt(this.points, point, (a, b) => a.date - b.date || a.rank - b.rank);
    this.#spans = null;
  }

  get isFailing(): boolean {
    return this.points.at(-1)?.failing === true;
  }

  /** The error with which the last failure began, whether that lasts or not; null: it never failed. */
  get began(): Point | null {
    let [last, before]: [Point | null, Point | null] = [null, null];
    let isOpen = false;
    for (const point of this.points) {
      if (point.failing && !isOpen) [last, before] = [point, last];
      // A failure that ends within its second is none.
      else if (!point.failing && isOpen && point.date === last?.date) last = before;
      isOpen = point.failing;
    }
    return last;
  }

  /** Whether what a user did about a failure that began with a point, as was known then, is about the last one. */
  isLast(point: Point): boolean {
    const { began } = this;
    return began !== null && this.points.indexOf(began) <= this.points.indexOf(point);
  }

  /** The event that stands for the open failure: the agent's newest or, if the agent sent none, Muster's own. */
  get active(): StoredEvent | null {
    if (!this.isFailing) return null;
    const began = this.points.findLastIndex(({ failing }) => !failing) + 1;
    const errors = this.points.slice(began).flatMap(({ event }) => event ?? []);
    return errors.findLast(({ collectedUsec }) => collectedUsec >= 0) ?? errors.at(-1) ?? null;
  }

  /** When it was failing, oldest first; an open failure has no end. */
  spans(): readonly Period[] {
    this.#spans ??= this.#findSpans();
    return this.#spans;
  }

  #findSpans(): Period[] {
    const spans: Period[] = [];
    for (const { date, failing } of this.points) {
      const last = spans.at(-1);
      const isOpen = last !== undefined && last.to === null;
      if (failing && !isOpen) spans.push({ from: date, to: null });
      else if (!failing && isOpen) last.to = date;
    }
    return spans.filter(({ from, to }) => from !== to);
  }

  /** An event arrived: counting towards a silent recovery starts again. */
  settle(incarnation: number): void {
    this.incarnation = incarnation;
    this.clearCount = 0;
    this.clearCollected = this.points.at(-1)?.collectedSec ?? 0;
  }

  /**
   * When the open failure ended according to a status message; null: it did not.
   * @param agentNow the agent's time, from which `offset` leads to Muster's
   */
  ends(
    service: ReportedService | undefined,
    message: Report,
    { agentNow, offset }: { agentNow: number; offset: number },
    at: number,
  ) {
    if (!service || service.monitor === 0) return at;
    if (((service.status ?? 0) & ~service.statusHint & this.eventType) !== 0) {
      this.clearCount = 0;
      this.incarnation = message.incarnation;
      return null;
    }
    if (service.collectedSec === 0) return null;
    if (this.incarnation !== message.incarnation && service.monitor === 1)
      return Math.min(at, service.collectedSec + offset);
    const { collectedSec } = service;
    const isOlder = collectedSec < this.clearCollected && this.clearCollected <= agentNow;
    if (isOlder || collectedSec === this.clearCollected) return null;
    if (this.clearCount++ === 0) this.clearSince = Math.min(at, collectedSec + offset);
    this.clearCollected = collectedSec;
    return this.clearCount === 3 ? this.clearSince : null;
  }
}

/** A class that the last status of a service reported as failed, though no failure was open. */
interface SuspectModel {
  since: number;
  collectedSec: number;
  receivedAt: number;
}

/** A service that was listed at some time. */
export interface ServiceModel {
  name: string;
  createdAt: number;
  present: boolean;
  monitor: number;
  /** 1 while it is monitored and listed. */
  counted: Timeline;
}

/** Muster did not look for silent hosts for so long. */
export interface Stall {
  seconds: number;
  /** When all hosts last had their full time again. */
  lastRearmed: number;
}

/** Whether the agent's clock was set back since it started. An uptime of -1 is unknown. */
function wasSetBack({ server }: Report): boolean {
  return server.uptime < -1;
}

export class HostModel {
  readonly services = new Map<string, ServiceModel>();
  readonly #checks = new Map<string, CheckModel>();
  readonly #seen = new Map<string, number>();
  readonly #eventsOf = new Map<string, number>();
  readonly #counted = new Timeline();
  readonly #silent = new Timeline();
  /** By service and class. */
  readonly #suspects = new Map<string, SuspectModel>();
  events = 0;
  status = 0;
  stopped = false;
  heartbeat = 1;
  lastMessage = 0;
  deadline = 0;
  /** What its agent last sent. */
  last: Report;
  #incarnation: number;
  #earlierIncarnation: number | null = null;
  /** When the agent said that it stops, by its clock; null: it did not, or it was stopped by hand. */
  #toldAt: number | null = null;
  #agentNow = 0;
  #offset = 0;
  poll = 0;
  readonly createdAt: number;

  constructor(
    readonly name: string,
    first: Report,
    at: number,
    private readonly listener: Listener | null = null,
    private readonly judge: Judge | null = null,
  ) {
    this.createdAt = at;
    this.last = first;
    this.#incarnation = first.incarnation;
  }

  get counts(): boolean {
    return this.status !== 2 && !this.stopped;
  }

  get groups(): readonly string[] {
    return this.last.hostGroups ?? [];
  }

  /** Listed services of a service group, by their names. */
  membersOf(group: string): readonly string[] {
    const listed = new Set(this.last.services.map(({ name }) => name));
    return (this.last.details?.serviceGroups[group] ?? []).filter((name) => listed.has(name));
  }

  /** Seconds to add to its agent's dates. */
  get clockOffset(): number {
    return this.#offset;
  }

  eventsOf(service: string): number {
    return this.#eventsOf.get(service) ?? 0;
  }

  /** Every event that is stored, by service, type, state and the agent's stamp, with its date. */
  get stamps(): ReadonlyMap<string, number> {
    return this.#seen;
  }

  get checks(): readonly CheckModel[] {
    return [...this.#checks.values()];
  }

  receive(message: Report, at: number): void {
    const { stopped, lastMessage, deadline } = this;
    this.last = message;
    this.#takeClock(message, at);
    const { incarnation, server } = message;
    const isFirst = this.lastMessage === 0 || incarnation !== this.#incarnation;
    const isNew = incarnation !== this.#incarnation && incarnation !== this.#earlierIncarnation;
    if (this.#toldAt !== null && (isNew || incarnation + server.uptime > this.#toldAt)) {
      this.stopped = false;
      this.#toldAt = null;
    }
    if (incarnation !== this.#incarnation) this.#earlierIncarnation = this.#incarnation;
    this.#incarnation = incarnation;
    this.poll = message.server.poll;
    if (this.heartbeat === 0) this.#return(at);
    if (this.status === 1 && !this.stopped) this.status = 0;
    this.#takeServices(message, at);
    for (const event of message.events) this.#takeEvent(event, message, at, isFirst);
    this.#recoverSilently(message, at);
    this.#suspect(message, at);
    if (this.status !== 2) this.judge?.message(this, message, at, { stopped, lastMessage, deadline });
    this.lastMessage = at;
    this.deadline = at + PATIENCE * this.poll;
    this.#record(at);
  }

  #return(at: number): void {
    this.heartbeat = 1;
    const outage = this.check(MONIT, HEARTBEAT);
    const began = outage.spans().at(-1)?.from ?? 0;
    if (this.status !== 2) this.#heartbeatEvent(0, Math.max(at, began), at);
    else if (outage.isFailing) this.#end(outage, at);
  }

  #heartbeatEvent(state: number, date: number, receivedAt: number): void {
    const stamp = { collectedSec: date, collectedUsec: 0, date, receivedAt };
    this.#store({ service: MONIT, eventType: HEARTBEAT, state, action: 1, ...stamp }, 0);
  }

  #takeClock(message: Report, at: number): void {
    const told = message.incarnation + message.server.uptime;
    // Checks of before the clock was set back are dated later.
    const collected = wasSetBack(message) ? [] : message.services.map((service) => service.collectedSec);
    this.#agentNow = Math.max(told, ...collected);
    const off = at - this.#agentNow;
    if (this.#offset !== 0 && Math.abs(off - this.#offset) <= 5) return;
    this.#offset = Math.abs(off) <= 60 ? 0 : off;
  }

  #takeServices(message: Report, at: number): void {
    for (const service of this.services.values()) service.present = false;
    for (const { name, monitor: reported } of message.services) {
      const monitor = reported ?? 1;
      const service = this.services.get(name);
      if (service) Object.assign(service, { present: true, monitor });
      else this.services.set(name, { name, createdAt: at, present: true, monitor, counted: new Timeline() });
    }
  }

  check(service: string, bit: number, limit: LimitOfCheck | null = null): CheckModel {
    const key = `${service} ${bit} ${limit?.id ?? 0}`;
    const check = this.#checks.get(key) ?? new CheckModel(service, bit, limit);
    this.#checks.set(key, check);
    return check;
  }

  /** Stores an event of a limit. Microseconds keep the order of events of one check and second. */
  storeOfLimit(event: Omit<StoredEvent, "collectedUsec">): void {
    const { service, eventType, date, limit } = event;
    const { points } = this.check(service, eventType, limit);
    const collectedUsec = points.filter((point) => point.date === date).length;
    this.#store({ ...event, collectedUsec }, 0);
  }

  /** @returns false when it was stored before */
  #store(event: StoredEvent, incarnation: number): boolean {
    const { service, eventType, state, date, collectedSec, collectedUsec, limit = null } = event;
    const stamp = [service, eventType, state, collectedSec, collectedUsec];
    const key = [...stamp, ...(limit ? ["limit", limit.id] : [])].join(" ");
    if (this.#seen.has(key)) return false;
    this.#seen.set(key, date);
    this.events++;
    this.#eventsOf.set(service, this.eventsOf(service) + 1);
    if (state !== 2) {
      const check = this.check(service, eventType, limit);
      const rank = collectedSec * 1e6 + collectedUsec;
      check.add({ date, failing: state === 1, rank, collectedSec, event });
      check.settle(incarnation);
      if (!check.isFailing) this.listener?.ended(check, date);
    }
    this.listener?.stored(event);
    return true;
  }

  #takeEvent(event: ReportedEvent, message: Report, at: number, isFirst: boolean): void {
    const { incarnation, server } = message;
    if (this.status === 2 || event.state === 4) return;
    const { service, eventType, action } = event;
    const collectedSec = event.collectedSec ?? at;
    const state = event.state === 3 ? 0 : event.state;
    const date = Math.min(collectedSec + this.#offset, at);
    if (!this.#store({ ...event, state, collectedSec, date, receivedAt: at }, incarnation)) return;
    const suspect = `${service} ${eventType}`;
    if (state === 0 && (this.#suspects.get(suspect)?.since ?? Number.POSITIVE_INFINITY) <= date)
      this.#suspects.delete(suspect);
    // A run that began at a time that the agent's clock has yet to reach is told from others by the last minute.
    const began = wasSetBack(message) ? incarnation + server.uptime - 60 : incarnation;
    const isOfThisRun = isFirst ? collectedSec > began : collectedSec >= began;
    const isAhead = collectedSec > this.#agentNow + Math.max(60, server.poll);
    if (service === MONIT && eventType === 65_536 && action === 3 && isOfThisRun && !isAhead) {
      const isByHand = this.stopped && this.#toldAt === null;
      if (!isByHand) this.#toldAt = Math.max(collectedSec, this.#toldAt ?? 0);
      this.stopped = true;
      this.status = 1;
    }
  }

  #recoverSilently(message: Report, at: number): void {
    for (const check of this.#checks.values()) {
      if (!check.isFailing || check.limit) continue;
      const service = message.services.find((service) => service.name === check.service);
      const clock = { agentNow: this.#agentNow, offset: this.#offset };
      const end = check.ends(service, message, clock, at);
      if (end !== null) this.#end(check, end);
    }
  }

  /** What is reported as failed twice in a row is a failure, even if its event was lost. */
  #suspect({ incarnation, server, services }: Report, at: number): void {
    const names = new Set(services.map(({ name }) => name));
    for (const key of this.#suspects.keys())
      if (!names.has(key.slice(0, key.lastIndexOf(" ")))) this.#suspects.delete(key);
    for (const { name, monitor, status, statusHint, collectedSec } of services) {
      if (monitor === null || status === null || (status === 0 && this.#suspects.size === 0)) continue;
      for (const bit of CLASSES) {
        const key = `${name} ${bit}`;
        const isReported = this.counts && monitor === 1 && (status & ~statusHint & bit) !== 0;
        const isOpen = () =>
          this.checks.some(
            (check) =>
              check.service === name && (check.eventType & bit) !== 0 && !check.limit && check.isFailing,
          );
        const first = this.#suspects.get(key);
        if (!isReported || isOpen()) this.#suspects.delete(key);
        else if (!first) {
          const since = collectedSec === 0 ? at : Math.min(collectedSec + this.#offset, at);
          this.#suspects.set(key, { since, collectedSec, receivedAt: at });
        } else if (collectedSec > first.collectedSec || at >= first.receivedAt + PATIENCE * server.poll) {
          this.#suspects.delete(key);
          this.#openUnreported(name, bit, first, at, incarnation);
        }
      }
    }
  }

  /** It began when it was first reported, unless the service was well after that. */
  #openUnreported(service: string, eventType: number, first: SuspectModel, at: number, incarnation: number) {
    const { since, collectedSec } = first;
    const newest = this.check(service, eventType).points.at(-1)?.date ?? 0;
    const date = newest >= since ? newest + 1 : since;
    const event = { service, eventType, state: 1, action: 1, collectedSec, date, receivedAt: at };
    let collectedUsec = -1;
    while (!this.#store({ ...event, collectedUsec }, incarnation)) collectedUsec--;
  }

  /** A failure is over of which no event says so: at the earliest a second after its newest error. */
  #end(check: CheckModel, at: number): void {
    const date = Math.max(at, (check.points.at(-1)?.date ?? 0) + 1);
    check.add({ date, failing: false, rank: Number.NEGATIVE_INFINITY, collectedSec: 0, event: null });
    this.listener?.ended(check, date);
  }

  /** Whether the host has not reported for too long. */
  isOverdue(at: number): boolean {
    return this.status === 0 && this.deadline < at;
  }

  tick(at: number): void {
    if (!this.isOverdue(at)) return;
    this.status = 1;
    const wasHeard = this.heartbeat === 1;
    this.heartbeat = 0;
    if (wasHeard) {
      this.#heartbeatEvent(1, at, at);
      this.judge?.silent(this, Math.min(this.deadline, at), at);
    }
    this.#record(at);
  }

  /** Muster was off, or stood still, until now. */
  resume(at: number, stall: Stall | null = null): void {
    if (this.status !== 0) return;
    const full = at + PATIENCE * this.poll;
    const wasHeard = stall === null || this.lastMessage >= stall.lastRearmed;
    this.deadline = wasHeard ? full : Math.min(full, this.deadline + stall.seconds);
  }

  setStatus(status: number, at: number): void {
    if (status === 0) {
      this.deadline = at + PATIENCE * this.poll;
      this.stopped = false;
      this.#toldAt = null;
    } else if (status !== this.status) {
      this.stopped = status === 1;
      this.#toldAt = null;
    }
    this.status = status;
    this.#record(at);
  }

  /** Records the present state from the second that begins at `at`. */
  #record(at: number): void {
    this.#counted.set(at, Number(this.counts));
    this.#silent.set(at, Number(this.heartbeat === 0));
    for (const service of this.services.values())
      service.counted.set(at, Number(service.present && service.monitor !== 0));
  }

  /** The host's states until now. @param off when Muster was off */
  states(now: number, off: readonly Period[]): Segment<State>[] {
    const changes = [...this.#counted.changes, ...this.#silent.changes, ...endsOf(off)];
    return segments<State>(this.createdAt, now, changes, (at) => {
      if (!this.#counted.valueAt(at)) return EXCLUDED;
      if (isWithin(off, at)) return UNKNOWN;
      return this.#silent.valueAt(at) ? DOWN : UP;
    });
  }

  /** A service's states until now. */
  statesOf(service: ServiceModel, now: number): Segment<State>[] {
    const { name, createdAt, counted } = service;
    const failures = this.checks
      .filter((check) => check.service === name && check.limit?.downtime !== false)
      .flatMap((check) => check.spans());
    const since = Math.min(createdAt, ...failures.map(({ from }) => from));
    const changes = [createdAt, this.createdAt, ...endsOf(failures), ...counted.changes];
    return segments<State>(since, now, [...changes, ...this.#counted.changes], (at) => {
      // Replayed events are older than the first message; before that nobody knows of a reason not to count.
      const hostCounts = at < this.createdAt || this.#counted.valueAt(at) === 1;
      const serviceCounts = at < createdAt || counted.valueAt(at) === 1;
      if (!hostCounts || !serviceCounts) return EXCLUDED;
      return isWithin(failures, at) ? DOWN : UP;
    });
  }
}

/** Counts the seconds of a window by state; those of which nothing is known count neither way. */
export function countStates(states: readonly Segment<State>[], from: number, to: number) {
  const { up, down } = secondsOf(states, from, to);
  return { up, down, excluded: to - from - up - down };
}

/** The seconds in which something was up, down and not monitored; nothing is known of the others. */
export function secondsOf(states: readonly Segment<State>[], from: number, to: number) {
  const seconds = { [UNKNOWN]: 0, [UP]: 0, [DOWN]: 0, [EXCLUDED]: 0 };
  for (const state of states)
    seconds[state.state] += Math.max(0, Math.min(state.to, to) - Math.max(state.from, from));
  return { up: seconds[UP], down: seconds[DOWN], excluded: seconds[EXCLUDED] };
}
