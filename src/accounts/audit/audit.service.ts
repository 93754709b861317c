import type { Clock } from "../../platform/clock.ts";
import { type Details, publicDetails } from "../../platform/http/audit-details.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { Actor } from "./actor.ts";
import {
  type AuditFilter,
  countEntries,
  deleteStrangersEntries,
  insertEntry,
  readEntries,
  subjectName,
  updateDetails,
} from "./audit.repository.ts";

/** Entries of people who are not signed in: anyone can cause one by a wrong password, so their number is bounded. */
export const MAX_STRANGERS_ENTRIES = 10_000;

export interface AuditEntry {
  /** Path of the operation, without its first slash; below it what became of it, as in login/failed. */
  operation: string;
  /** What it was done to: kind, id, and name at that time. */
  subject?: string;
  subjectId?: string | number | undefined;
  subjectName?: string;
  details?: Details;
}

/** The log of who did what. It is only ever added to, until retention takes the oldest away. */
export class Audit {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
  ) {}

  /** @returns the entry's id */
  add(actor: Actor, { operation, subject = "", subjectId = "", details = {}, ...entry }: AuditEntry): number {
    const id = insertEntry(this.db, {
      ...actor,
      date: this.clock.now(),
      operation,
      subject,
      subjectId: String(subjectId),
      subjectName: entry.subjectName ?? subjectName(this.db, subject, String(subjectId)),
      details: JSON.stringify(publicDetails(details)),
    });
    if (actor.via === "none") deleteStrangersEntries(this.db, MAX_STRANGERS_ENTRIES);
    return id;
  }

  /** Stores what became of something that was not over when its entry was made. */
  complete(id: number, details: Details): void {
    updateDetails(this.db, id, JSON.stringify(publicDetails(details)));
  }

  /** What a subject is called now; "" when it has no name. */
  nameOf(subject: string, id: string | number): string {
    return subjectName(this.db, subject, String(id));
  }

  /** Newest first. */
  list({ results, startindex, ...filter }: AuditFilter & { results: number; startindex: number }) {
    const rows = readEntries(this.db, filter, results, startindex);
    return {
      recordsReturned: rows.length,
      pageSize: results,
      totalRecords: countEntries(this.db, filter),
      startIndex: startindex,
      records: rows.map(({ subjectId, subjectName, details, ...row }) => ({
        ...row,
        subjectid: subjectId,
        subjectname: subjectName,
        details: JSON.parse(details) as Details,
      })),
    };
  }
}
