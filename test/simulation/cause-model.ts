/** Failures that are due to others: "One cause, one message" of docs/alerts.md. Times are unix seconds. */
import type { Period } from "../monitoring/uptime/timeline.ts";
import type { CheckModel, HostModel } from "../monitoring/uptime/uptime-model.ts";
import type { AlertModel } from "./notification-model.ts";

const HEARTBEAT = 1_048_576;
/** Seconds after the end of a cause until its dependents are notified. */
const GRACE = 120;
/** Seconds after which Muster looks again at what waits for the end of a cause, or of ignoring a host. */
export const RECHECK = 60;

/** A host, or a service of it. */
export interface Place {
  host: HostModel;
  /** "": the whole host. */
  service: string;
}

export interface Dependency {
  dependent: Place;
  cause: Place;
}

/** A failure of a cause. */
interface Failure {
  check: CheckModel;
  span: Period;
}

/** A failure that may be due to another one. */
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
  /** By check, until when rules have had an alert of it, by their names; Infinity: they have one. */
  readonly #alerted = new WeakMap<CheckModel, Map<string, number>>();

  /** A rule took an error of a check. */
  opened(check: CheckModel, rule: string): void {
    const known = this.#alerted.get(check) ?? new Map<string, number>();
    this.#alerted.set(check, known.set(rule, Number.POSITIVE_INFINITY));
  }

  closed(check: CheckModel, rule: string, now: number): void {
    this.#alerted.get(check)?.set(rule, now);
  }

  forget(host: HostModel): void {
    this.dependencies = this.dependencies.filter(
      ({ dependent, cause }) => dependent.host !== host && cause.host !== host,
    );
  }

  /** Until when an alert of which nobody was notified waits because of a cause; null: it is due to none. */
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

  /** What depends on a third thing that fails is no cause itself. */
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

  /** Of a host its outages, of a service all of its failures, the oldest first. */
  #failures({ host, service }: Place, { failedAt, hold }: Dependent, now: number): Failure[] {
    if (host.status === 2) return [];
    const latest = Math.min(now, failedAt + hold);
    return host.checks
      .filter((check) => (service === "" ? check.eventType === HEARTBEAT : check.service === service))
      .flatMap((check) => check.spans().map((span) => ({ check, span })))
      .filter(({ span: { from, to } }) => from <= latest && (to === null || to + GRACE > now))
      .sort((a, b) => a.span.from - b.span.from);
  }

  /** Whether the rule takes a failure too, and has followed it to its end. */
  #isTaken({ check, span }: Failure, rule: string): boolean {
    return (this.#alerted.get(check)?.get(rule) ?? 0) >= (span.to ?? Number.POSITIVE_INFINITY);
  }
}
