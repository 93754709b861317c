import type { Clock } from "../../platform/clock.ts";
import { type Details, publicDetails } from "../../platform/http/audit-details.ts";
import { pageOf } from "../../platform/http/paging.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { Actor } from "./actor.ts";
import {
  type AuditFilter,
  countEntries,
  deleteAnonymousEntries,
  insertEntry,
  readEntries,
  subjectName,
  updateDetails,
} from "./audit.repository.ts";

/** The most entries of actors who were not signed in. Anyone can cause one with a wrong password. */
const MAX_ANONYMOUS_ENTRIES = 10_000;

export interface AuditEntry {
  /** Path of the operation without its leading slash, followed by the outcome, as in login/failed. */
  operation: string;
  /** What the operation acted on: kind, id, and its name at the time. */
  subject?: string;
  subjectId?: string | number | undefined;
  subjectName?: string;
  details?: Details;
}

/** The audit log. Entries are only ever added, until retention deletes the oldest. */
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
    if (actor.via === "none") deleteAnonymousEntries(this.db, MAX_ANONYMOUS_ENTRIES);
    return id;
  }

  /** Stores the outcome of an action that was still running when its entry was added. */
  complete(id: number, details: Details): void {
    updateDetails(this.db, id, JSON.stringify(publicDetails(details)));
  }

  /** The current name of a subject; "" when it has none. */
  nameOf(subject: string, id: string | number): string {
    return subjectName(this.db, subject, String(id));
  }

  /** Entries matching the filter, newest first. */
  list({ results, startindex, ...filter }: AuditFilter & { results: number; startindex: number }) {
    const rows = readEntries(this.db, filter, results, startindex);
    const records = rows.map(({ subjectId, subjectName, details, ...row }) => ({
      ...row,
      subjectid: subjectId,
      subjectname: subjectName,
      details: JSON.parse(details) as Details,
    }));
    const totalRecords = countEntries(this.db, filter);
    return pageOf(records, { pageSize: results, totalRecords, startIndex: startindex });
  }
}
