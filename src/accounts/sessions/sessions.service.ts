import { randomBytes } from "node:crypto";
import { type Clock, DAY } from "../../platform/clock.ts";
import type { Account } from "../../platform/http/context.ts";
import { CSRF_TOKEN } from "../../platform/http/csrf.ts";
import { errors } from "../../platform/http/errors.ts";
import { isLastUseOutdated } from "../../platform/last-use.ts";
import { equalInConstantTime } from "../../platform/secrets/equal.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import { tokenHash } from "../../platform/secrets/token-hash.ts";
import type { Settings } from "../../platform/settings/settings.service.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { StorageHealth } from "../../platform/storage/storage-health.ts";
import { PendingSessions, putNewSession } from "./pending-sessions.ts";
import {
  deleteAttributes,
  deleteSession,
  deleteUnusedSessions,
  findSession,
  putAttribute,
  readAttribute,
  readAttributes,
  touchSession,
  USED_LATER,
} from "./sessions.repository.ts";

/** Longest life of a session, seconds, regardless of use. */
export const SESSION_MAX_AGE = 30 * DAY;
/** The most ended sessions that a sign-in deletes. */
const SWEPT = 100;
const MAX_USER_AGENT = 255;
const MAX_ATTRIBUTES = 100;
export const MAX_ATTRIBUTE_KEY = 255;
/** Bytes in UTF-8. */
export const MAX_ATTRIBUTE_VALUE = 8192;

const ID_PATTERN = /^[0-9a-f]{32}\.[0-9a-f]{32}$/;

export interface StartedSession {
  /** The cookie's value. */
  id: string;
  csrfToken: string;
}

export interface SessionsDependencies {
  db: Db;
  box: SecretBox;
  settings: Settings;
  clock: Clock;
  storage: StorageHealth;
}

/** A sign-in that begins a session. */
export interface SignIn {
  userId: number;
  /** The session id. An earlier session with the same id is replaced. */
  id: string;
  address: string;
  csrfProtection: boolean;
  /** The User-Agent header; absent if the client sent none. */
  userAgent: string | undefined;
}

/** A session id is 128 random bits and a signature of them. Rows are created at sign-in only. */
export class Sessions {
  readonly #sign: (text: string) => string;
  readonly #pending: PendingSessions;

  constructor(private readonly dependencies: SessionsDependencies) {
    const { db, box, storage } = dependencies;
    this.#pending = new PendingSessions(db, storage);
    this.#sign = box.signer("session id");
  }

  newId(): string {
    const random = randomBytes(16).toString("hex");
    return `${random}.${this.#sign(random)}`;
  }

  /** Whether this server issued the id, signed in or not. */
  isOurs(id: string): boolean {
    const [random = "", signature = ""] = id.split(".");
    return ID_PATTERN.test(id) && equalInConstantTime(signature, this.#sign(random));
  }

  /** Signs a user in under `id`, replacing any session with that id. */
  start({ userId, id, address, csrfProtection, userAgent = "" }: SignIn): StartedSession {
    const now = this.dependencies.clock.now();
    const idHash = tokenHash(id);
    const csrfToken = randomBytes(16).toString("hex");
    const row = {
      idHash,
      userId,
      csrfProtection,
      createdAt: now,
      usedAt: now,
      address,
      userAgent: userAgent.slice(0, MAX_USER_AGENT).toWellFormed(),
    };
    const { db, storage } = this.dependencies;
    try {
      transaction(db, () => {
        deleteUnusedSessions(db, now - this.#idleSeconds(), SWEPT);
        putNewSession(db, row, csrfToken);
      });
    } catch (error) {
      if (!storage.failed(error) || !this.#pending.add(row, csrfToken)) throw error;
    }
    return { id, csrfToken };
  }

  /** The caller signed in under this id; null when the session does not exist or has expired. */
  resolve(id: string): Account | null {
    if (!this.isOurs(id)) return null;
    const { db, storage } = this.dependencies;
    const idHash = tokenHash(id);
    const now = this.dependencies.clock.now();
    const pending = this.#pending.find(idHash, (row) => this.#isExpired(row, now));
    if (pending) {
      const { row, csrfToken, user } = pending;
      const { csrfProtection } = row;
      return { ...user, session: { idHash, csrfProtection, csrfToken }, token: null };
    }
    const row = findSession(db, idHash);
    if (!row) return null;
    const { session, user } = row;
    if (this.#isExpired(session, now)) {
      storage.ifPossible(() => deleteSession(db, idHash));
      return null;
    }
    // If the clock was set back, the session would otherwise stay in use until that time.
    if (isLastUseOutdated(session.usedAt, now)) storage.ifPossible(() => touchSession(db, idHash, now));
    const csrfToken = readAttribute(db, idHash, CSRF_TOKEN) ?? "";
    return {
      ...user,
      session: { idHash, csrfProtection: session.csrfProtection, csrfToken },
      token: null,
    };
  }

  #isExpired({ usedAt, createdAt }: { usedAt: number; createdAt: number }, now: number): boolean {
    return now - usedAt > this.#idleSeconds() + USED_LATER || now - createdAt > SESSION_MAX_AGE;
  }

  end(idHash: string): void {
    this.#pending.remove(idHash);
    deleteSession(this.dependencies.db, idHash);
  }

  /** Attributes of a session by key: all, or these keys in this order. */
  attributes(idHash: string, keys: string[] | undefined): Record<string, string> {
    const stored = new Map(
      readAttributes(this.dependencies.db, idHash, keys).map(({ key, value }) => [key, value]),
    );
    const shownKeys = keys?.filter((key) => stored.has(key)) ?? [...stored.keys()];
    return Object.fromEntries(shownKeys.map((key) => [key, stored.get(key) ?? ""]));
  }

  /**
   * Stores attributes.
   * @throws ApiError with nothing stored: 400 when a limit is exceeded, 503 while the session itself could not be
   *   stored, 401 if it has ended
   */
  putAttributes(idHash: string, pairs: ReadonlyMap<string, string>): void {
    const tooMany = () => errors.badRequest(`A session has at most ${MAX_ATTRIBUTES} attributes`);
    if (pairs.size > MAX_ATTRIBUTES) throw tooMany();
    for (const [key, value] of pairs) {
      if (key === "" || key.length > MAX_ATTRIBUTE_KEY)
        throw errors.badRequest(`An attribute's key must be a text of 1 to ${MAX_ATTRIBUTE_KEY} characters`);
      if (Buffer.byteLength(value) > MAX_ATTRIBUTE_VALUE)
        throw errors.badArgument(key, `a text of at most ${MAX_ATTRIBUTE_VALUE} bytes`);
    }
    const { db } = this.dependencies;
    transaction(db, () => {
      this.#assertStored(idHash);
      for (const [key, value] of pairs) putAttribute(db, idHash, key, value);
      // One attribute is the CSRF token, which does not count.
      if (readAttributes(db, idHash).length > MAX_ATTRIBUTES + 1) throw tooMany();
    });
  }

  /** @throws ApiError unless the session has a row, which its attributes refer to */
  #assertStored(idHash: string): void {
    if (findSession(this.dependencies.db, idHash)) return;
    if (this.#pending.has(idHash)) throw errors.busy("The session could not be stored yet: try again");
    throw errors.signInNeeded();
  }

  deleteAttributes(idHash: string, keys: string[] | undefined): void {
    deleteAttributes(this.dependencies.db, idHash, CSRF_TOKEN, keys);
  }

  #idleSeconds(): number {
    return this.dependencies.settings.get("sessionidle") * 60;
  }
}
