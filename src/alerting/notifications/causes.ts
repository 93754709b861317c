import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import {
  allDependencies,
  type Dependency,
  listDependencies,
} from "../dependencies/dependencies.repository.ts";
import { causeOf, type DependencyEnd, dependentOf, includes } from "../dependencies/dependency-ends.ts";
import { type FailureOfCause, failuresOf } from "./causes.repository.ts";
import { holdOf, RECHECK, type Suppression } from "./decide.ts";

/**
 * Seconds after the end of a cause in which its dependents stay suppressed: the agents behind a gateway need a cycle
 * or two to report again.
 */
const RECOVERY_GRACE = 120;

const CAUSED_BY = "caused by ";

/** Why an alert is suppressed, for people. */
function reasonOf({
  causeHostname: host,
  causeService: service,
}: Pick<Dependency, "causeHostname" | "causeService">): string {
  return CAUSED_BY + (service === "" ? host : `${service} on ${host}`);
}

/** A function that hides names of causes that a scope does not see from stored reasons of alerts about a host. */
export function visibleReasons(db: Db, hostId: number, scope: Scope): (reason: string) => string {
  if (scope === "all") return (reason) => reason;
  const causes = listDependencies(db, hostId, scope).filter((dependency) => dependency.hostId === hostId);
  const visible = new Set(causes.map(reasonOf));
  return (reason) =>
    reason.startsWith(CAUSED_BY) && !visible.has(reason) ? `${CAUSED_BY}another failure` : reason;
}

/** A failure that may be due to another one. */
export interface Dependent extends DependencyEnd {
  eventType: number;
  /** When it began, unix seconds. */
  failedAt: number;
}

/** Whether the rule in question matched a failure of a cause, so that its recipients were notified of it. */
export type IsMatched = (failure: FailureOfCause) => boolean;

/**
 * Finds the cause of a failure: a failure of a host or service that the failed one depends on. Used by the dispatcher
 * and by the preview. Each instance reads failures of causes once.
 */
export class Causes {
  readonly #dependencies: Map<number, Dependency[]>;
  readonly #failures = new Map<string, FailureOfCause[]>();

  /** @param since the earliest time that `of` is asked about, unix seconds */
  constructor(
    private readonly db: Db,
    private readonly since: number,
  ) {
    this.#dependencies = Map.groupBy(allDependencies(db), ({ hostId }) => hostId);
  }

  /** Whether this host, or a service of it, depends on anything. */
  mayHave(hostId: number): boolean {
    return this.#dependencies.has(hostId);
  }

  /**
   * Why the alert about a failure is suppressed at a time, unix seconds; null if the failure has no cause. A failure
   * that began before its cause triggers a message, unless the difference is within the seconds of grouping: agents
   * report at different times.
   */
  of(dependent: Dependent, isMatched: IsMatched, at: number): Suppression | null {
    for (const dependency of this.#causesOf(dependent)) {
      const failure = this.#failureOf(causeOf(dependency), dependent, at).find(
        (failure) => isMatched(failure) && !this.#isDependent(dependency, failure, isMatched, at),
      );
      if (!failure) continue;
      const isLasting = failure.endedAt === null || failure.endedAt > at;
      return {
        until: isLasting ? at + RECHECK : (failure.endedAt ?? at) + RECOVERY_GRACE,
        reason: reasonOf(dependency),
      };
    }
    return null;
  }

  /** Only one level: a failure that is itself suppressed by a third one suppresses nothing. */
  #isDependent(dependency: Dependency, failure: FailureOfCause, isMatched: IsMatched, at: number): boolean {
    const cause = { ...causeOf(dependency), eventType: failure.eventType, failedAt: failure.startedAt };
    return this.#causesOf(cause).some((next) => this.#failureOf(causeOf(next), cause, at).some(isMatched));
  }

  #causesOf(place: DependencyEnd): Dependency[] {
    const ofHost = this.#dependencies.get(place.hostId) ?? [];
    return ofHost.filter((dependency) => includes(dependentOf(dependency), place));
  }

  /** The failures of a cause that can explain a failure of a dependent at a time. */
  #failureOf(cause: DependencyEnd, { eventType, failedAt }: Dependent, at: number): FailureOfCause[] {
    const latest = Math.min(at, failedAt + holdOf(eventType));
    return this.#read(cause).filter(
      ({ startedAt, endedAt }) => startedAt <= latest && (endedAt === null || endedAt + RECOVERY_GRACE > at),
    );
  }

  #read(cause: DependencyEnd): FailureOfCause[] {
    const key = `${cause.hostId} ${cause.service}`;
    const failures = this.#failures.get(key) ?? failuresOf(this.db, cause, this.since - RECOVERY_GRACE);
    this.#failures.set(key, failures);
    return failures;
  }
}
