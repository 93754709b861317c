import { randomBytes } from "node:crypto";
import type { Clock } from "../../platform/clock.ts";
import { declareError, declareTaken, errors, found } from "../../platform/http/errors.ts";
import { tokenHash } from "../../platform/secrets/token-hash.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { StorageHealth } from "../../platform/storage/storage-health.ts";
import {
  allTokens,
  countViews,
  deleteToken,
  deleteView,
  findToken,
  findView,
  findViewByName,
  insertToken,
  insertView,
  type SavedView,
  touchToken,
  updateView,
} from "./views.repository.ts";
import type { Creation } from "./views.schemas.ts";

export const viewExists = declareTaken("view.exists", "view");
/** A wall whose token was revoked learns no more than one that never had one. */
export const noSuchWall = declareError(
  404,
  "view.unknown",
  "The token of the view is missing, unknown or was revoked",
);

export const MAX_VIEWS = 200;
export const MAX_VIEW_TOKENS = 200;
/** Identifies a token to people and secret scanners. */
const PREFIX = "mustwall_";
const RANDOM_BYTES = 32;
/** The time of last use is stored at most this often, seconds. */
const TOUCH_INTERVAL = 3600;

/** Saved views of the fleet, and the tokens with which a wall shows one without a user. */
export class Views {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly storage: StorageHealth,
  ) {}

  /** @returns the id @throws ApiError 400, 409 if the name is taken */
  create({ name, ...content }: Creation): number {
    return transaction(this.db, () => {
      if (findViewByName(this.db, name)) throw viewExists(name);
      if (countViews(this.db) >= MAX_VIEWS)
        throw errors.badRequest(`There are at most ${MAX_VIEWS} views; delete one first`);
      return insertView(this.db, { name, content, createdAt: this.clock.now() });
    });
  }

  /** Renames a view, which keeps its walls. @throws ApiError 404, 409 if another view has the name */
  rename(id: number, name: string): void {
    transaction(this.db, () => {
      found(findView(this.db, id), "view", id);
      const other = findViewByName(this.db, name);
      if (other && other.id !== id) throw viewExists(name);
      updateView(this.db, id, { name });
    });
  }

  /** Changes what a view shows. @throws ApiError 404 */
  replace(id: number, { name: _, ...content }: Creation): void {
    found(findView(this.db, id), "view", id);
    updateView(this.db, id, { content });
  }

  /** Deletes a view; walls that show it stop. @throws ApiError 404 */
  delete(id: number): void {
    transaction(this.db, () => {
      found(findView(this.db, id), "view", id);
      deleteView(this.db, id);
    });
  }

  tokens() {
    const records = allTokens(this.db);
    return { totalRecords: records.length, records };
  }

  /** Creates a token that shows one view and can do nothing else. @throws ApiError 400, 404 */
  createToken(viewId: number, name: string): { id: number; token: string } {
    const token = PREFIX + randomBytes(RANDOM_BYTES).toString("base64url");
    return transaction(this.db, () => {
      found(findView(this.db, viewId), "view", viewId);
      if (allTokens(this.db).length >= MAX_VIEW_TOKENS)
        throw errors.badRequest(`There are at most ${MAX_VIEW_TOKENS} tokens; revoke one first`);
      const createdAt = this.clock.now();
      return { id: insertToken(this.db, { viewId, name, tokenHash: tokenHash(token), createdAt }), token };
    });
  }

  /** @throws ApiError 404 */
  revoke(id: number): void {
    if (!deleteToken(this.db, id)) throw errors.notFound("token of a view", id);
  }

  /** The view that a token shows. @throws ApiError 404 */
  viewOf(token: string | undefined): SavedView {
    const known = token === undefined ? undefined : findToken(this.db, tokenHash(token));
    if (!known) throw noSuchWall();
    const now = this.clock.now();
    const { id, usedAt } = known.token;
    if (usedAt === null || now - usedAt >= TOUCH_INTERVAL)
      this.storage.ifPossible(() => touchToken(this.db, id, now));
    return known.view;
  }
}
