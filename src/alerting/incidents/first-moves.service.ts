import type { Clock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { FirstMove } from "../notifications/moved-text.ts";
import { alertedErrorsAfter, newestAlert } from "./first-moves.repository.ts";
import type { IncidentQueries } from "./incidents.queries.ts";

/** Milliseconds between two steps. */
export const FIRST_MOVES_STEP_MS = 1000;
/** The most new alerts that a step looks at. */
const BATCH = 20;
/** Seconds after which an alert is too old: its message is on its way. */
const FRESH = 30;
/** The most failures that are remembered, for reminders and escalations too. */
const MAX_REMEMBERED = 500;
/** The caller that the queries count for. */
const TURN = "notifications";

interface FirstMovesParts {
  db: Db;
  clock: Clock;
  log: Log;
  queries: Pick<IncidentQueries, "incidentFirstMoves">;
}

/**
 * Finds in advance, for messages, what moved before a failure. An alert waits some seconds for others before it is
 * sent, which is enough for a query. A message never waits for the answer: if there is none yet, or many alerts come at
 * once, it goes without. Nothing is stored, so after a restart only new failures have it.
 */
export class FirstMoves {
  /** Id of the last alert that was looked at; null before the first step. */
  #seen: number | null = null;
  readonly #moves = new Map<number, readonly FirstMove[]>();
  #work: Promise<void> | null = null;

  constructor(private readonly parts: FirstMovesParts) {}

  /** What moved before the failure that an error event belongs to; none if that is not known by now. */
  of(eventId: number): readonly FirstMove[] {
    return this.#moves.get(eventId) ?? [];
  }

  /** Begins with alerts that are new since the last step, unless the last ones are still in progress. */
  step(): void {
    if (this.#work) return;
    const { db, clock } = this.parts;
    const newest = newestAlert(db);
    const alerts = alertedErrorsAfter(db, this.#seen ?? newest, BATCH);
    // With fewer errors than a batch, all alerts up to the newest one have been looked at.
    this.#seen = alerts[BATCH - 1]?.id ?? newest;
    const fresh = alerts.filter(({ createdAt }) => createdAt >= clock.now() - FRESH);
    const eventIds = [...new Set(fresh.map(({ eventId }) => eventId))];
    if (eventIds.length === 0) return;
    this.#work = this.#find(eventIds).finally(() => {
      this.#work = null;
    });
  }

  /** Resolves when no search is under way. */
  async idle(): Promise<void> {
    await this.#work;
  }

  async #find(eventIds: readonly number[]): Promise<void> {
    for (const eventId of eventIds)
      try {
        const { value } = await this.parts.queries.incidentFirstMoves(TURN, eventId);
        this.#remember(eventId, value.moves);
      } catch (error) {
        // The event may be deleted by now, or queries are busy.
        this.parts.log.warn("what moved before a failure is not known", { event: eventId, error });
      }
  }

  #remember(eventId: number, moves: readonly FirstMove[]): void {
    this.#moves.set(eventId, moves);
    const [oldest] = this.#moves.keys();
    if (this.#moves.size > MAX_REMEMBERED && oldest !== undefined) this.#moves.delete(oldest);
  }
}
