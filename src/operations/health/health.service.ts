import { EVERYTHING, type ForgottenQueries } from "../../alerting/forgotten/forgotten.queries.ts";
import { HealthAlerts } from "../../alerting/notifications/health-alerts.service.ts";
import { DAY, HOUR, MINUTE } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import { reasonOf } from "../../platform/text.ts";
import { canTell, findingsOf } from "./checks.ts";
import { FactGathering, type FactSources } from "./facts.service.ts";
import type { FleetFacts, HealthFacts } from "./facts.ts";
import type { Finding } from "./finding.ts";
import { Findings } from "./findings.service.ts";
import type { HealthQueries } from "./health.queries.ts";

/** Interval between two steps, milliseconds. */
export const HEALTH_STEP_MS = 10_000;
/** Seconds between two evaluations. */
export const EVALUATION_SECONDS = MINUTE;
/** Age from which what was read of all hosts is read again, seconds. */
const FLEET_SECONDS = HOUR;
/** The same while someone looks, and for this long after they last did. */
const FLEET_SHOWN_SECONDS = 5 * MINUTE;

/** What an evaluation found, and what it looked at. */
export interface Evaluation {
  facts: HealthFacts;
  /** Worst first. */
  findings: (Finding & {
    since: number;
    /** Id of its row; null while the database cannot be written. */
    id: number | null;
  })[];
}

export interface HealthDependencies extends FactSources {
  log: Log;
  queries: Pick<HealthQueries, "agentFacts"> & Pick<ForgottenQueries, "forgottenList">;
}

/** Evaluates once a minute how Muster itself is. */
export class Health {
  readonly #gathering: FactGathering;
  readonly #findings: Findings;
  #last: Evaluation | null = null;
  #fleet: { facts: FleetFacts; at: number } | null = null;
  /** When someone last looked, unix seconds. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  #underWay: Promise<Evaluation> | null = null;
  /** Why the last evaluation of a step failed. */
  #error: unknown = null;

  constructor(private readonly dependencies: HealthDependencies) {
    this.#gathering = new FactGathering(dependencies);
    this.#findings = new Findings(dependencies.db, new HealthAlerts(dependencies.db));
  }

  /** Begins an evaluation if one is due. @throws what the last one threw */
  step(): boolean {
    const error = this.#error;
    this.#error = null;
    if (error !== null) throw error;
    if (!this.#isEvaluated) {
      const isWatched = this.#isWithin(FLEET_SHOWN_SECONDS, this.#lookedAt);
      this.evaluate(isWatched ? FLEET_SHOWN_SECONDS : FLEET_SECONDS).catch((reason: unknown) => {
        this.#error = reason;
      });
    }
    return true;
  }

  /** The last evaluation, or a new one if that is older than a minute, for someone who looks. */
  current(): Promise<Evaluation> | Evaluation {
    this.#lookedAt = this.dependencies.clock.now();
    return this.#last && this.#isEvaluated ? this.#last : this.evaluate(FLEET_SHOWN_SECONDS);
  }

  /** The last evaluation; null if there is none yet. */
  get last(): Evaluation | null {
    return this.#last;
  }

  /** Evaluates now, or joins an evaluation under way. @param fleetAge the most seconds since all hosts were read */
  evaluate(fleetAge: number): Promise<Evaluation> {
    this.#underWay ??= this.#evaluate(fleetAge).finally(() => {
      this.#underWay = null;
    });
    return this.#underWay;
  }

  /** Whether the last evaluation is less than a minute old. */
  get #isEvaluated(): boolean {
    return this.#isWithin(EVALUATION_SECONDS, this.#last?.facts.now);
  }

  /** Whether a time was less than so many seconds ago. */
  #isWithin(seconds: number, at = Number.NEGATIVE_INFINITY): boolean {
    const age = this.dependencies.clock.now() - at;
    return age >= 0 && age < seconds;
  }

  async #evaluate(fleetAge: number): Promise<Evaluation> {
    const facts = await this.#gathering.gather(await this.#fleetFacts(fleetAge));
    const findings = findingsOf(facts);
    this.#last = { facts, findings: this.#withSince(findings, facts) };
    return this.#last;
  }

  /** While the database cannot be written, a finding counts from the first evaluation in memory that has it. */
  #withSince(findings: readonly Finding[], facts: HealthFacts): Evaluation["findings"] {
    const { now } = facts;
    let stored: Evaluation["findings"] | null = null;
    this.dependencies.storage.ifPossible(() => {
      stored = this.#findings.store(findings, now, (code) => canTell(code, facts));
    });
    if (stored) return stored;
    const before = this.#last?.findings ?? [];
    return findings.map((finding) => {
      const previous = before.find(
        ({ code, subject }) => code === finding.code && subject === finding.subject,
      );
      return { ...finding, id: previous?.id ?? null, since: previous?.since ?? now };
    });
  }

  /** Since when an expected host is overdue; null if none ever is. */
  #expectedBefore(): number | null {
    const { settings, clock } = this.dependencies;
    const days = settings.get("expecteddays");
    return days === 0 ? null : clock.now() - days * DAY;
  }

  async #fleetFacts(maxAge: number): Promise<FleetFacts | null> {
    const { queries, clock, log } = this.dependencies;
    if (this.#fleet && this.#isWithin(maxAge, this.#fleet.at)) return this.#fleet.facts;
    try {
      const agents = (await queries.agentFacts("health", this.#expectedBefore())).value;
      const forgotten = (await queries.forgottenList("health", EVERYTHING)).value;
      this.#fleet = { facts: { agents, forgotten }, at: clock.now() };
    } catch (error) {
      log.warn("hosts cannot be read for the health of Muster", { reason: reasonOf(error) });
    }
    return this.#fleet?.facts ?? null;
  }
}
