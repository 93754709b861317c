/** Failures caused by other failures: "One cause, one message" of docs/alerts.md. Times are unix seconds. */
import type { Period } from "../monitoring/uptime/timeline.ts";
import type { CheckModel, HostModel } from "../monitoring/uptime/uptime-model.ts";
import type { AlertModel } from "./notification-model.ts";

const HEARTBEAT = 1_048_576;
/** Seconds after the end of a cause until its dependents are notified. */
const GRACE = 120;
/** Seconds after which Muster reconsiders what waits for a cause to end, or for a host to be no longer ignored. */
export const RECHECK = 60;

/** A host or one of its services. */
export interface Place {
  host: HostModel;
  /** Empty for the whole host. */
  service: string;
}

export interface Dependency {
  dependent: Place;
  cause: Place;
}

/** A failure that is a cause. */
interface Failure {
  check: CheckModel;
  span: Period;
}

/** A failure that may have a cause. */
interface Dependent extends Place {
  /** When it began. */
  failedAt: number;
  /** Seconds in which messages of its kind are grouped. */
  hold: number;
}

const holdOf = (eventType: number) => (eventType === HEARTBEAT ? 60 : 5);

const includes = (outer: Place, inner: Place) =>
  outer.host === inner.host && (outer.service === "" || outer.service === inner.service);

export class CauseModel {
  /** In the order in which they were made. */
  dependencies: Dependency[] = [];
  /**
   * For each check, by name of the rule: until when the rule had an alert about it. Infinity: it still has one,
   * which is about the last failure. Any later time: it still has one, about an earlier failure.
   */
  readonly #alerted = new WeakMap<CheckModel, Map<string, number>>();

  /** Called when a rule has matched an error of a check. */
  opened(check: CheckModel, rule: string): void {
    const alertedAt = this.#alerted.get(check) ?? new Map<string, number>();
    this.#alerted.set(check, alertedAt.set(rule, Number.POSITIVE_INFINITY));
  }

  /** Called when a rule has only the end of an earlier failure of a check left to tell. */
  ended(check: CheckModel, rule: string): void {
    this.#alerted.get(check)?.set(rule, Number.MAX_SAFE_INTEGER);
  }

  closed(check: CheckModel, rule: string, now: number): void {
    this.#alerted.get(check)?.set(rule, now);
  }

  forget(host: HostModel): void {
    this.dependencies = this.dependencies.filter(
      ({ dependent, cause }) => dependent.host !== host && cause.host !== host,
    );
  }

  /** Until when an alert that nobody was notified of waits because of a cause. Null if it has no cause. */
  waitsUntil({ rule, host, event, check }: AlertModel, now: number): number | null {
    const hold = holdOf(check.eventType);
    const failed = { host, service: event.service, failedAt: event.date, hold };
    for (const { cause } of this.#above(failed))
      for (const failure of this.#failures(cause, failed, now)) {
        if (!this.#isTaken(failure, rule.name) || this.#isDependent(cause, failure, rule.name, now)) continue;
        const { to } = failure.span;
        return to === null || to > now ? now + RECHECK : to + GRACE;
      }
    return null;
  }

  /** A failure that has a cause of its own does not count as a cause. */
  #isDependent(place: Place, { check, span }: Failure, rule: string, now: number): boolean {
    const failed = { ...place, failedAt: span.from, hold: holdOf(check.eventType) };
    return this.#above(failed).some(({ cause }) =>
      this.#failures(cause, failed, now).some((failure) => this.#isTaken(failure, rule)),
    );
  }

  /** What a place depends on. */
  #above(place: Place): Dependency[] {
    return this.dependencies.filter(({ dependent }) => includes(dependent, place));
  }

  /** The outages of a host, or all failures of a service, oldest first. */
  #failures({ host, service }: Place, { failedAt, hold }: Dependent, now: number): Failure[] {
    if (host.status === 2) return [];
    const latest = Math.min(now, failedAt + hold);
    return host.checks
      .filter((check) => (service === "" ? check.eventType === HEARTBEAT : check.service === service))
      .flatMap((check) => check.spans().map((span) => ({ check, span })))
      .filter(({ span: { from, to } }) => from <= latest && (to === null || to + GRACE > now))
      .sort((a, b) => a.span.from - b.span.from);
  }

  /** Whether the rule also matches a failure, and has followed it to its end. */
  #isTaken({ check, span }: Failure, rule: string): boolean {
    return (this.#alerted.get(check)?.get(rule) ?? 0) >= (span.to ?? Number.POSITIVE_INFINITY);
  }
}
