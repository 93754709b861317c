import { randomBytes } from "node:crypto";
import { existingGroups } from "../../monitoring/groups/groups.repository.ts";
import { isOfGroups } from "../../monitoring/scope/filter-scope.ts";
import type { Clock } from "../../platform/clock.ts";
import { declareError, errors, found } from "../../platform/http/errors.ts";
import { replaced } from "../../platform/http/list-arguments.ts";
import type { Scope } from "../../platform/http/scope.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { ShownPages } from "./shown-pages.ts";
import type { ShownPage, StatusPageQueries } from "./status-pages.queries.ts";
import {
  deleteStatusPage,
  findStatusPage,
  findStatusPageBySlug,
  insertStatusPage,
  type StatusPage,
  updateStatusPage,
} from "./status-pages.repository.ts";
import type { Creation, Update } from "./status-pages.schemas.ts";

export const slugTaken = declareError(
  409,
  "statuspage.exists",
  "Another status page has this slug",
  (slug: string) => `There is already a status page at "${slug}"`,
);

/** Random bytes in a generated slug: enough that nobody can guess it. */
const SLUG_BYTES = 16;

/** Public pages, each about hosts of one group, readable by anyone with the address. They reveal nothing else. */
export class StatusPages {
  readonly #shown: ShownPages;

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    queries: StatusPageQueries,
  ) {
    this.#shown = new ShownPages(clock, queries);
  }

  /** Creates a page; without a slug it gets a random one. @throws ApiError 404 group, 409 slug taken */
  create(
    { title, groupid, tag, slug, services = true }: Creation,
    scope: Scope,
  ): { id: number; slug: string } {
    return transaction(this.db, () => {
      this.#findGroup(groupid, scope);
      const address = slug ?? randomBytes(SLUG_BYTES).toString("hex");
      this.#refuseTaken(address);
      const createdAt = this.clock.now();
      const tags = replaced(tag, []) ?? [];
      const page = { title, groupId: groupid, tags, slug: address, services, createdAt };
      const id = insertStatusPage(this.db, page);
      return { id, slug: address };
    });
  }

  /** Changes the given properties. @throws ApiError 404, 409 if the slug is taken */
  update({ id, title, groupid, tag, slug, services }: Update, scope: Scope): void {
    transaction(this.db, () => {
      const page = this.#find(id, scope);
      if (groupid !== undefined) this.#findGroup(groupid, scope);
      if (slug !== undefined && slug !== page.slug) this.#refuseTaken(slug);
      const tags = tag && (replaced(tag, page.tags) ?? []);
      const changes = { title, groupId: groupid, tags, slug, services };
      if (Object.values(changes).some((value) => value !== undefined)) updateStatusPage(this.db, id, changes);
    });
    this.#shown.forget();
  }

  /** @throws ApiError 404 */
  delete(id: number, scope: Scope): void {
    transaction(this.db, () => {
      this.#find(id, scope);
      deleteStatusPage(this.db, id);
    });
    this.#shown.forget();
  }

  /**
   * The page with this slug as the public sees it; null if there is none.
   * @param renews whether the browser refreshes the page by itself
   */
  async show(slug: string, renews: boolean): Promise<ShownPage | null> {
    const page = findStatusPageBySlug(this.db, slug);
    return page ? await this.#shown.of(page, renews) : null;
  }

  /** Pages of other groups do not exist for a manager. */
  #find(id: number, scope: Scope): StatusPage {
    const page = findStatusPage(this.db, id);
    const isOwn = page && isOfGroups({ hostgroups: [page.groupId] }, scope);
    return found(isOwn ? page : undefined, "status page", id);
  }

  #findGroup(id: number, scope: Scope): void {
    if (!existingGroups(this.db, [id], scope).has(id)) throw errors.notFound("group", id);
  }

  #refuseTaken(slug: string): void {
    if (findStatusPageBySlug(this.db, slug)) throw slugTaken(slug);
  }
}
