/** Adds failures and events to a moment database, with their acknowledgements, notes and messages. */
import {
  acknowledgements,
  deliveries,
  deliveryEvents,
  downtimeIntervals,
  eventNotes,
  events,
  eventWords,
} from "../../platform/storage/schema.ts";
import { idsIn } from "../../platform/storage/words.ts";
import { addRows, asParameter, asTheyWere, rowsWith, type StoredRow } from "./moment-rows.ts";
import type { Composition } from "./moment-scope.ts";
import type { MomentNames } from "./moment-services.ts";
import { acknowledgementsBy, endedBy, lastErrors, messagesBy, notesBy } from "./past-events.repository.ts";
import { type PastContent, revisionsAfter } from "./revisions.repository.ts";

/**
 * Adds rows that are dated at or before the moment, as they were then. Rows that were added before are not read again.
 */
export class MomentEvents {
  /** Failures, events, and events with their notes and messages, that were added. */
  readonly #failures = new Set<number>();
  readonly #events = new Set<number>();
  readonly #messages = new Set<number>();
  #past: ReadonlyMap<number, PastContent> | undefined;

  constructor(
    private readonly moment: Composition,
    private readonly names: MomentNames,
  ) {}

  /** Adds intervals that began by the moment, with their last errors and their acknowledgements. */
  addFailures(ids: readonly number[]): void {
    const { db, history, at } = this.moment;
    const missing = ids.filter((id) => !this.#failures.has(id));
    for (const id of missing) this.#failures.add(id);
    if (missing.length === 0) return;
    const rows = rowsWith(history, downtimeIntervals, "id", missing)
      .filter(({ started_at }) => Number(started_at) <= at)
      .map((row): StoredRow => ({ ...row, ended_at: endedBy(row.ended_at, at) }));
    const open = new Set(rows.filter(({ ended_at }) => ended_at === null).map(({ id }) => Number(id)));
    addRows(db, downtimeIntervals, rows);
    this.names.add(rows.map(({ name_id }) => Number(name_id)));
    const last = lastErrors(history, missing, at);
    this.add(
      [...last.values()],
      new Set([...last].filter(([failure]) => open.has(failure)).map(([, event]) => event)),
    );
    const made = acknowledgementsBy(history, missing, at);
    addRows(
      db,
      acknowledgements,
      made.map(({ failure_id, ...row }) => ({
        ...row,
        event_id: last.get(Number(failure_id)) ?? row.event_id ?? 0,
      })),
    );
  }

  /** Adds events that are dated by the moment. @param active the active errors among them */
  add(ids: readonly number[], active: ReadonlySet<number> = new Set()): void {
    const { db, history, at, recorded, hostIds } = this.moment;
    const missing = ids.filter((id) => !this.#events.has(id));
    for (const id of missing) this.#events.add(id);
    if (missing.length === 0) return;
    this.#past ??= revisionsAfter(history, "events", at, hostIds);
    const rows = rowsWith(history, events, "id", missing).filter(({ date }) => Number(date) <= at);
    const present = new Set(rows.map(({ id }) => Number(id)));
    const changed = new Map([...this.#past].filter(([id]) => present.has(id)));
    const isKnown = (id: number) => at >= recorded && changed.get(id) !== "unknown";
    addRows(
      db,
      events,
      asTheyWere(events, rows, changed).map((row) => ({
        ...row,
        active: Number(active.has(Number(row.id))),
        ...(!isKnown(Number(row.id)) && { dismissed: 0, dismissed_from: null }),
        noted: 0,
      })),
    );
    this.names.add(rows.map(({ name_id }) => Number(name_id)));
    const sets = new Set(rows.map(({ word_set_id }) => Number(word_set_id)));
    addRows(db, eventWords, rowsWith(history, eventWords, "set_id", sets));
  }

  /** Adds the notes on events, and the messages about them, that existed at the moment. */
  addNotesAndMessages(eventIds: readonly number[]): void {
    const { db, history, at } = this.moment;
    const missing = eventIds.filter((id) => !this.#messages.has(id));
    for (const id of missing) this.#messages.add(id);
    if (missing.length === 0) return;
    const notes = notesBy(history, missing, at);
    addRows(db, eventNotes, notes);
    db.$client
      .prepare(`update events set noted = 1 where id in ${idsIn("?")}`)
      .run(asParameter(notes.map(({ event_id }) => Number(event_id))));
    const { links, messages } = messagesBy(history, missing, at);
    addRows(db, deliveries, messages);
    addRows(db, deliveryEvents, links);
  }
}
