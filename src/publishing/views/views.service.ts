import { randomBytes } from "node:crypto";
import type { Clock } from "../../platform/clock.ts";
import { declareError, declareTaken, errors, found } from "../../platform/http/errors.ts";
import { isLastUseOutdated } from "../../platform/last-use.ts";
import { Collection } from "../../platform/resources/collection.ts";
import type { References } from "../../platform/resources/references.ts";
import type { ContentOf } from "../../platform/resources/resource.ts";
import { tokenHash } from "../../platform/secrets/token-hash.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { StorageHealth } from "../../platform/storage/storage-health.ts";
import { ViewReads } from "./views.queries.ts";
import {
  allTokens,
  deleteToken,
  findToken,
  insertToken,
  type SavedView,
  touchToken,
  viewRows,
} from "./views.repository.ts";
import type { view } from "./views.schemas.ts";

export const viewExists = declareTaken("view.exists", "view");
/** A revoked token gets the same answer as one that never existed. */
export const noSuchWall = declareError(
  404,
  "view.unknown",
  "The token of the view is missing or unknown, or was revoked",
);

const MAX_VIEWS = 200;
export const MAX_VIEW_TOKENS = 200;
/** Identifies a token to people and secret scanners. */
const PREFIX = "mustwall_";
const RANDOM_BYTES = 32;
/** How often the last use of a token is stored, seconds: a wall asks all day. */
const WALL_USE_INTERVAL = 3600;

/** Saved views of the fleet, and the tokens with which a wall shows one without a user. */
export class Views extends Collection<typeof view, SavedView> {
  readonly #db: Db;

  constructor(
    db: Db,
    references: References,
    private readonly clock: Clock,
    private readonly storage: StorageHealth,
  ) {
    super({ reads: new ViewReads(db), references, taken: viewExists, maxObjects: MAX_VIEWS });
    this.#db = db;
  }

  protected columnsOf({ name, ...content }: ContentOf<typeof view>, before: SavedView | null) {
    return { name, content, createdAt: before?.createdAt ?? this.clock.now() };
  }

  tokens() {
    const records = allTokens(this.#db);
    return { totalRecords: records.length, records };
  }

  /** Creates a token that shows one view and can do nothing else. @throws ApiError 400, 404 */
  createToken(viewId: number, name: string): { id: number; token: string } {
    const token = PREFIX + randomBytes(RANDOM_BYTES).toString("base64url");
    return transaction(this.#db, () => {
      found(viewRows.find(this.#db, viewId), "view", viewId);
      if (allTokens(this.#db).length >= MAX_VIEW_TOKENS)
        throw errors.badRequest(`There are at most ${MAX_VIEW_TOKENS} tokens; revoke one first`);
      const createdAt = this.clock.now();
      return { id: insertToken(this.#db, { viewId, name, tokenHash: tokenHash(token), createdAt }), token };
    });
  }

  /** @throws ApiError 404 */
  revoke(id: number): void {
    if (!deleteToken(this.#db, id)) throw errors.notFound("token of a view", id);
  }

  /** The view that a token shows. @throws ApiError 404 */
  viewOf(token: string | undefined): SavedView {
    const wall = token === undefined ? undefined : findToken(this.#db, tokenHash(token));
    if (!wall) throw noSuchWall();
    const now = this.clock.now();
    const { id, usedAt } = wall.token;
    if (isLastUseOutdated(usedAt, now, WALL_USE_INTERVAL))
      this.storage.ifPossible(() => touchToken(this.#db, id, now));
    return wall.view;
  }
}
