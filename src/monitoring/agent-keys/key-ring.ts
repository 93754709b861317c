/** The keys in memory: every message looks one up. */
import type { Clock } from "../../platform/clock.ts";
import { equalInConstantTime } from "../../platform/secrets/equal.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import { sortKey } from "../../platform/sort-key.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { type KeyRow, keyRows, noteUse } from "./agent-keys.repository.ts";
import { keyErrors } from "./key-errors.ts";

/** How often the times of last use are stored, milliseconds. */
export const KEY_USE_STEP_MS = 300_000;

/** The key with which a message was sent. */
export interface SentKey extends Pick<KeyRow, "id" | "name" | "hostgroups" | "tags"> {
  /** Number of the secret. */
  secret: number;
  /** The host names that may use the key, as a pattern of sort keys; empty for any name. */
  hostpattern: string;
}

interface Secret {
  bytes: Buffer;
  /** Unix seconds. */
  until: number;
  key: SentKey;
}

const COLON = 58;

/**
 * Finds the key with which a message was sent. Code that changes keys calls `forget`; the next message loads them
 * again.
 */
export class KeyRing {
  /** Secrets by key name, the present one first; null until the next message loads them. */
  #secrets: ReadonlyMap<string, readonly Secret[]> | null = null;
  /** When keys were last used, unix seconds, until that is stored. */
  readonly #used = new Map<number, number>();

  constructor(
    private readonly db: Db,
    private readonly box: SecretBox,
    private readonly clock: Clock,
  ) {}

  /** Forgets the keys, because they changed. The next message reads them again. */
  forget(): void {
    this.#secrets = null;
  }

  /**
   * The key that a message came with; null if name and secret are not those of a key.
   * @param login NAME:SECRET @throws ApiError 401 for a secret that is no longer accepted
   */
  find(login: Buffer): SentKey | null {
    this.#secrets ??= this.#load();
    if (this.#secrets.size === 0) return null;
    const colon = login.indexOf(COLON);
    const secrets = this.#secrets.get(login.toString("latin1", 0, Math.max(colon, 0)));
    const sent = login.subarray(colon + 1);
    const secret = secrets?.find(({ bytes }) => equalInConstantTime(sent, bytes));
    if (!secret) return null;
    const { key, until } = secret;
    const now = this.clock.now();
    if (now >= until)
      throw keyErrors.ended(
        secret === secrets?.[0]
          ? `The key ${key.name} has ended`
          : `The secret of the key ${key.name} was replaced: put the new one into the agent's control file`,
      );
    this.#used.set(key.id, now);
    return key;
  }

  /** Stores when keys were last used. @returns whether there is more to do */
  storeUse(): boolean {
    if (this.#used.size === 0) return false;
    transaction(this.db, () => {
      for (const [id, at] of this.#used) noteUse(this.db, id, at);
    });
    this.#used.clear();
    return false;
  }

  #load(): ReadonlyMap<string, readonly Secret[]> {
    return new Map(keyRows.all(this.db).map((row) => [row.name, this.#secretsOf(row)]));
  }

  #secretsOf(row: KeyRow): Secret[] {
    const { id, name, hostgroups, tags, secretNumber } = row;
    const ends = row.ends ?? Number.POSITIVE_INFINITY;
    const hostpattern = sortKey(row.hostpattern);
    const secret = (sealed: string, number: number, until: number): Secret[] => {
      // If the encryption key was lost, the secret is empty or cannot be opened, and no login matches it.
      if (sealed === "" || !this.box.opens(sealed)) return [];
      const key = { id, name, hostgroups, tags, hostpattern, secret: number };
      return [{ bytes: Buffer.from(this.box.open(sealed)), until, key }];
    };
    return [
      ...secret(row.secret, secretNumber, ends),
      ...secret(row.previous, secretNumber - 1, Math.min(row.previousuntil, ends)),
    ];
  }
}
