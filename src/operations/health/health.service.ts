import { EVERYTHING, type ForgottenQueries } from "../../alerting/forgotten/forgotten.queries.ts";
import { HealthAlerts } from "../../alerting/notifications/health-alerts.service.ts";
import { DAY } from "../../platform/clock.ts";
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
export const EVALUATION_SECONDS = 60;
/** Age from which what was read of all hosts is read again, seconds: for an evaluation, and for someone who looks. */
const FLEET_SECONDS = 3600;
const FLEET_SHOWN_SECONDS = 300;

/** What an evaluation found, and what it looked at. */
export interface Evaluation {
  facts: HealthFacts;
  /** Worst first. */
  findings: (Finding & {
    since: number;
    /** Of its row; null while the database cannot be written. */
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
    if (!this.#isFresh(EVALUATION_SECONDS))
      this.evaluate(FLEET_SECONDS).catch((reason: unknown) => {
        this.#error = reason;
      });
    return true;
  }

  /** The last evaluation, or a new one if that is older than a minute. */
  current(): Promise<Evaluation> | Evaluation {
    return this.#last && this.#isFresh(EVALUATION_SECONDS) ? this.#last : this.evaluate(FLEET_SHOWN_SECONDS);
  }

  /** The last evaluation; null if there is none yet. */
  get last(): Evaluation | null {
    return this.#last;
  }

  /** Evaluates now, or joins an evaluation under way. @param fleetAge most seconds since all hosts were read */
  evaluate(fleetAge: number): Promise<Evaluation> {
    this.#underWay ??= this.#evaluate(fleetAge).finally(() => {
      this.#underWay = null;
    });
    return this.#underWay;
  }

  #isFresh(seconds: number): boolean {
    const age = this.dependencies.clock.now() - (this.#last?.facts.now ?? Number.NEGATIVE_INFINITY);
    return age >= 0 && age < seconds;
  }

  async #evaluate(fleetAge: number): Promise<Evaluation> {
    const facts = await this.#gathering.gather(await this.#fleetFacts(fleetAge));
    const findings = findingsOf(facts);
    this.#last = { facts, findings: this.#withSince(findings, facts) };
    return this.#last;
  }

  /** Without a database that can be written, what lasts begins with the first evaluation in memory. */
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
    const age = clock.now() - (this.#fleet?.at ?? Number.NEGATIVE_INFINITY);
    if (this.#fleet && age >= 0 && age < maxAge) return this.#fleet.facts;
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
