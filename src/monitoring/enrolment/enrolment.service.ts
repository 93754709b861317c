/** How machines get the key of their agent, and learn that they report. */
import { randomBytes } from "node:crypto";
import type * as v from "valibot";
import { type Clock, DAY } from "../../platform/clock.ts";
import { ApiError, declareError, errors, found, withHeaders } from "../../platform/http/errors.ts";
import type { Reach } from "../../platform/http/scope.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import { tokenHash } from "../../platform/secrets/token-hash.ts";
import { sortKey } from "../../platform/sort-key.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { type KeyRow, keyRows } from "../agent-keys/agent-keys.repository.ts";
import type { AgentKeys } from "../agent-keys/agent-keys.service.ts";
import { GUESS_MS, GuessThrottle } from "../agent-keys/guess-throttle.ts";
import { isUnchanged, nameRefusal, refusalOf } from "../agent-keys/host-binding.ts";
import type { KeyRing, SentKey } from "../agent-keys/key-ring.ts";
import { hostOfAgent } from "../hosts/hosts.repository.ts";
import { SHARED_ID } from "../ingest/ingest.ts";
import {
  codesOfKey,
  countCodes,
  countUse,
  deleteCode,
  deleteEndedCodes,
  findCode,
  findCodeByHash,
  insertCode,
} from "./enrolment.repository.ts";
import type { arrivalArguments, createArguments, exchangeArguments } from "./enrolment.schemas.ts";

export const MAX_CODES_PER_KEY = 100;
/** How long a code is listed after its end, seconds. */
const LISTED_AFTER_END = 30 * DAY;
/** Identifies a code to people and secret scanners. */
const PREFIX = "enrol_";
const RANDOM_BYTES = 18;

/** Why a code or a key is refused. */
export const enrolmentErrors = {
  unknownCode: declareError(401, "enrolment.unknown", "There is no such enrolment code, or it was revoked"),
  unknownKey: declareError(
    401,
    "enrolment.key",
    "The name or secret of the key is wrong, or no longer accepted",
    (reason?: string) => reason ?? "The name or secret of the key is wrong",
  ),
  needsHttps: declareError(
    403,
    "enrolment.http",
    "Enrolment codes are accepted over https only; an administrator can allow plain http in the settings",
  ),
  over: declareError(
    410,
    "enrolment.over",
    "The enrolment code or its key has ended, or the code has no uses left",
    (reason: string) => reason,
  ),
  tooManyGuesses: withHeaders(
    declareError(
      429,
      "enrolment.guesses",
      "Too many wrong enrolment codes, or names and secrets of keys, came from this address",
    ),
    () => ({ "Retry-After": String(GUESS_MS / 1000) }),
  ),
};

interface EnrolmentParts {
  db: Db;
  box: SecretBox;
  clock: Clock;
  monotonic: () => number;
  keys: AgentKeys;
  ring: KeyRing;
}

/**
 * Enrolment codes of agent keys, created by those who manage the key. A machine exchanges a code for the name and
 * secret of the key, so that what is pasted into the machine contains neither.
 */
export class Enrolment {
  readonly #parts: EnrolmentParts;
  /** Separate from the throttle of the collector: a wrong code must not slow down agents behind the same address. */
  readonly #throttle: GuessThrottle;

  constructor(parts: EnrolmentParts) {
    this.#parts = parts;
    this.#throttle = new GuessThrottle(parts.monotonic);
  }

  /** The codes of a key, oldest first. @throws ApiError 404 unless the caller manages the key */
  list(keyId: number, reach: Reach) {
    const { db, keys } = this.#parts;
    keys.manageable(keyId, reach);
    const records = codesOfKey(db, keyId).map(({ id, created, ends, uses, used, lastused }) => ({
      id,
      created,
      ends,
      uses,
      left: uses - used,
      lastused,
    }));
    return { totalRecords: records.length, records };
  }

  /** Creates a code. This is the only time its text is available. @throws ApiError 400, 404 */
  create({ id: keyId, uses, lifetime }: v.InferOutput<typeof createArguments>, reach: Reach) {
    const { db, keys, clock } = this.#parts;
    return transaction(db, () => {
      keys.manageable(keyId, reach);
      const created = clock.now();
      deleteEndedCodes(db, keyId, created - LISTED_AFTER_END);
      if (countCodes(db, keyId) >= MAX_CODES_PER_KEY)
        throw errors.badRequest(`A key has at most ${MAX_CODES_PER_KEY} enrolment codes; revoke one first`);
      const code = PREFIX + randomBytes(RANDOM_BYTES).toString("base64url");
      const ends = created + lifetime;
      return { id: insertCode(db, { keyId, codeHash: tokenHash(code), uses, ends, created }), code, ends };
    });
  }

  /** The id of the key of a code; undefined if there is no such code. */
  keyIdOf(id: number): number | undefined {
    return findCode(this.#parts.db, id)?.keyId;
  }

  /**
   * Deletes a code, so that it cannot be used any more.
   * @throws ApiError 404 unless the caller manages the key of the code
   */
  revoke(id: number, reach: Reach): void {
    const { db, keys } = this.#parts;
    transaction(db, () => {
      const { keyId } = found(findCode(db, id), "enrolment code", id);
      try {
        keys.manageable(keyId, reach);
      } catch (error) {
        // A caller who does not manage the key must not learn that the code exists.
        throw error instanceof ApiError ? errors.notFound("enrolment code", id) : error;
      }
      deleteCode(db, id);
    });
  }

  /**
   * Exchanges a code for its key. A machine that proves to have the key already gets it again, even after the code has
   * ended, so that a script can run twice.
   * @param address of the caller
   * @throws ApiError 401, 403, 410, 429
   */
  exchange({ code, name, secret, hostname }: v.InferOutput<typeof exchangeArguments>, address: string) {
    const { db, box, clock } = this.#parts;
    return transaction(db, () => {
      const row = findCodeByHash(db, tokenHash(code));
      if (!row) throw this.#wrong(address) ?? enrolmentErrors.unknownCode();
      const key = found(keyRows.find(db, row.keyId), "key", row.keyId);
      const now = clock.now();
      this.#refuseEnded(key, now);
      const refusal =
        hostname !== "" && nameRefusal({ ...key, hostpattern: sortKey(key.hostpattern) }, hostname);
      if (refusal) throw refusal;
      const holds = name !== "" && this.#heldKey(name, secret)?.id === key.id;
      if (!holds) {
        if (now >= row.ends) throw enrolmentErrors.over("The enrolment code has ended");
        if (!countUse(db, row.id, now))
          throw enrolmentErrors.over("The enrolment code has been used as often as it may be");
      }
      return { key: key.id, name: key.name, secret: box.open(key.secret), code: row.id, counted: !holds };
    });
  }

  /** Whether the host of an agent reports with a key. @param address of the caller @throws ApiError 401, 429 */
  arrival({ name, secret, agentid, hostname }: v.InferOutput<typeof arrivalArguments>, address: string) {
    const { db } = this.#parts;
    const key = this.#sentKey(name, secret);
    if (!key) throw this.#wrong(address) ?? enrolmentErrors.unknownKey();
    const host = hostOfAgent(db, agentid);
    const isOwn = host?.keyId === key.id;
    // Only its own key may learn the name of a host. If that name is kept, the agent may report another one, so the
    // key's rule for names is not applied to it.
    const isNameKnown = hostname !== "" || (isOwn && !host?.keepname);
    const judging = isNameKnown ? key : { ...key, hostpattern: "" };
    const refused = refusalOf(db, judging, host, hostname || (isOwn ? (host?.hostname ?? "") : agentid));
    return {
      arrived: host !== undefined && isUnchanged(host, key),
      reported: isOwn ? (host?.lastmodified ?? null) : null,
      refused: refused?.message ?? null,
      hostname: isOwn ? (host?.hostname ?? null) : null,
      shared: isOwn && host?.conflict === SHARED_ID,
    };
  }

  /** Counts a guess. @returns the error if there were too many */
  #wrong(address: string): ApiError | null {
    return this.#throttle.countWrong(address) ? enrolmentErrors.tooManyGuesses() : null;
  }

  #refuseEnded({ name, ends }: KeyRow, now: number): void {
    if (ends !== null && ends <= now) throw enrolmentErrors.over(`The key ${name} has ended`);
  }

  /** @throws ApiError 401 with the reason if the secret is no longer accepted */
  #sentKey(name: string, secret: string): SentKey | null {
    try {
      return this.#parts.ring.find(Buffer.from(`${name}:${secret}`));
    } catch (error) {
      throw error instanceof ApiError ? enrolmentErrors.unknownKey(error.message) : error;
    }
  }

  #heldKey(name: string, secret: string): SentKey | null {
    try {
      return this.#sentKey(name, secret);
    } catch (error) {
      if (error instanceof ApiError) return null;
      throw error;
    }
  }
}
