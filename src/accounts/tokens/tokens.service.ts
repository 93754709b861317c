import { randomBytes } from "node:crypto";
import type { Clock } from "../../platform/clock.ts";
import type { Account } from "../../platform/http/context.ts";
import { errors } from "../../platform/http/errors.ts";
import { isLastUseOutdated } from "../../platform/last-use.ts";
import { tokenHash } from "../../platform/secrets/token-hash.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { StorageHealth } from "../../platform/storage/storage-health.ts";
import {
  countTokens,
  deleteToken,
  findToken,
  insertToken,
  tokensOf,
  touchToken,
} from "./tokens.repository.ts";
import type { TokenContent } from "./tokens.schemas.ts";

const MAX_TOKENS_PER_USER = 100;
/** Identifies a token to people and secret scanners. */
const PREFIX = "muster_";
const RANDOM_BYTES = 32;

/** API tokens, with which programs authenticate instead of a user's password. */
export class Tokens {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly storage: StorageHealth,
  ) {}

  list(userId: number) {
    const records = tokensOf(this.db, userId);
    return { totalRecords: records.length, records };
  }

  /** Creates a token. This is the only time its text is available. @throws ApiError 400 */
  create(userId: number, { name, scope, expires }: TokenContent): { id: number; token: string } {
    const { db } = this;
    const now = this.clock.now();
    if (expires !== null && expires <= now)
      throw errors.badArgument("expires", "a unix timestamp in the future, in seconds");
    const token = PREFIX + randomBytes(RANDOM_BYTES).toString("base64url");
    return transaction(db, () => {
      if (countTokens(db, userId) >= MAX_TOKENS_PER_USER)
        throw errors.badRequest(`A user has at most ${MAX_TOKENS_PER_USER} API tokens; delete one first`);
      const id = insertToken(db, {
        userId,
        name,
        scope,
        tokenHash: tokenHash(token),
        createdAt: now,
        expiresAt: expires,
      });
      return { id, token };
    });
  }

  /** @throws ApiError 404 unless it is a token of this user */
  delete(userId: number, id: number): void {
    if (!deleteToken(this.db, userId, id)) throw errors.notFound("API token", id);
  }

  /** The caller that a token authenticates; null when it is unknown or has expired. */
  resolve(text: string): Account | null {
    const row = findToken(this.db, tokenHash(text));
    if (!row) return null;
    const { token, user } = row;
    const now = this.clock.now();
    if (token.expiresAt !== null && token.expiresAt <= now) return null;
    if (isLastUseOutdated(token.usedAt, now))
      this.storage.ifPossible(() => touchToken(this.db, token.id, now));
    return { ...user, session: null, token: { name: token.name, scope: token.scope } };
  }
}
