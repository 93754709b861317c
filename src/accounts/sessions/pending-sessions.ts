import { isDeepStrictEqual } from "node:util";
import { CSRF_TOKEN } from "../../platform/http/csrf.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { StorageHealth } from "../../platform/storage/storage-health.ts";
import { findSessionUser, type NewSession, putAttribute, putSession } from "./sessions.repository.ts";

/** The most sessions waiting to be stored. Beyond that, sign-ins are rejected during a storage outage. */
const MAX_PENDING = 100;

export type SessionRow = NewSession & { usedAt: number; createdAt: number; csrfProtection: boolean };

interface Pending {
  row: SessionRow;
  csrfToken: string;
  /** What was stored at sign-in. A changed password or second factor ends the session. */
  secrets: Secrets;
}

type Secrets = NonNullable<ReturnType<typeof findSessionUser>>["secrets"];

/**
 * Sessions of users who signed in during a storage outage, for example on a full disk, so that administrators can see
 * what is wrong. They are kept in memory and stored with the first request after the outage. A restart ends them.
 */
export class PendingSessions {
  readonly #pending = new Map<string, Pending>();

  constructor(
    private readonly db: Db,
    private readonly storage: StorageHealth,
  ) {}

  /** Adds a session. @returns false when there are too many */
  add(row: SessionRow, csrfToken: string): boolean {
    const account = findSessionUser(this.db, row.userId);
    if (!account || this.#pending.size >= MAX_PENDING) return false;
    this.#pending.set(row.idHash, { row, csrfToken, secrets: account.secrets });
    return true;
  }

  has(idHash: string): boolean {
    return this.#pending.has(idHash);
  }

  remove(idHash: string): void {
    this.#pending.delete(idHash);
  }

  /** Finds an unstored session with its user; null if there is none, or if it has been stored. */
  find(idHash: string, isExpired: (row: SessionRow) => boolean) {
    const pending = this.#pending.get(idHash);
    if (!pending) return null;
    const account = findSessionUser(this.db, pending.row.userId);
    if (!account || !isDeepStrictEqual(account.secrets, pending.secrets) || isExpired(pending.row)) {
      this.#pending.delete(idHash);
      return null;
    }
    const { row, csrfToken } = pending;
    const store = () => putNewSession(this.db, row, csrfToken);
    if (this.storage.isAvailable() && this.storage.ifPossible(store)) {
      this.#pending.delete(idHash);
      return null;
    }
    return { row, csrfToken, user: account.user };
  }
}

/** The most sessions of a user. A new one ends the least recently used. */
const MAX_SESSIONS = 200;

/** Stores a session with its CSRF token, replacing any session with the same id. */
export function putNewSession(db: Db, row: SessionRow, csrfToken: string): void {
  transaction(db, () => {
    putSession(db, row, MAX_SESSIONS);
    putAttribute(db, row.idHash, CSRF_TOKEN, csrfToken);
  });
}
