import { CSRF_TOKEN } from "../../platform/http/csrf.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { StorageHealth } from "../../platform/storage/storage-health.ts";
import { findSessionUser, type NewSession, putAttribute, putSession } from "./sessions.repository.ts";

/** Sessions that wait to be stored; more sign-ins are refused while nothing can be stored. */
const MAX_PENDING = 100;

/** A session as it is to be stored. */
export type SessionRow = NewSession & { usedAt: number; createdAt: number; csrfProtection: boolean };

interface Pending {
  row: SessionRow;
  csrfToken: string;
  /** As it was at the sign-in: a change of the password ends the session. */
  passwordMd5: string;
}

/**
 * Sessions of people who signed in while nothing could be stored, as on a full disk: somebody has to look. They are kept in
 * memory, and stored with the first request after the database can be written again. A restart ends them.
 */
export class PendingSessions {
  readonly #pending = new Map<string, Pending>();

  constructor(
    private readonly db: Db,
    private readonly storage: StorageHealth,
  ) {}

  /** @returns whether there was room for it */
  add(row: SessionRow, csrfToken: string): boolean {
    const user = findSessionUser(this.db, row.userId);
    if (!user || this.#pending.size >= MAX_PENDING) return false;
    this.#pending.set(row.idHash, { row, csrfToken, passwordMd5: user.passwordMd5 });
    return true;
  }

  remove(idHash: string): void {
    this.#pending.delete(idHash);
  }

  /**
   * The session of this hash with its user, as long as it cannot be stored; null when there is none, or once it is stored.
   * @param isExpired whether a session is too old
   */
  find(idHash: string, isExpired: (row: SessionRow) => boolean) {
    const pending = this.#pending.get(idHash);
    if (!pending) return null;
    const user = findSessionUser(this.db, pending.row.userId);
    if (!user || user.passwordMd5 !== pending.passwordMd5 || isExpired(pending.row)) {
      this.#pending.delete(idHash);
      return null;
    }
    if (this.storage.isAvailable() && this.#store(pending)) return null;
    const { passwordMd5: _, ...caller } = user;
    return { ...pending, user: caller };
  }

  #store({ row, csrfToken }: Pending): boolean {
    try {
      putNewSession(this.db, row, csrfToken);
      this.#pending.delete(row.idHash);
      return true;
    } catch (error) {
      if (!this.storage.failed(error)) throw error;
      return false;
    }
  }
}

/** Stores a session with its token; whatever was under its id before is gone. */
export function putNewSession(db: Db, row: SessionRow, csrfToken: string): void {
  transaction(db, () => {
    putSession(db, row);
    putAttribute(db, row.idHash, CSRF_TOKEN, csrfToken);
  });
}
