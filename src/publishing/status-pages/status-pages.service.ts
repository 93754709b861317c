import { randomBytes } from "node:crypto";
import { isOfGroups } from "../../monitoring/scope/filter-scope.ts";
import type { Clock } from "../../platform/clock.ts";
import { declareError } from "../../platform/http/errors.ts";
import type { Scope } from "../../platform/http/scope.ts";
import { Collection } from "../../platform/resources/collection.ts";
import type { References } from "../../platform/resources/references.ts";
import type { ContentOf } from "../../platform/resources/resource.ts";
import type { Db } from "../../platform/storage/open.ts";
import { ShownPages } from "./shown-pages.ts";
import { type ShownPage, type StatusPageQueries, StatusPageReads } from "./status-pages.queries.ts";
import { type StatusPage, statusPageRows } from "./status-pages.repository.ts";
import type { statusPage } from "./status-pages.schemas.ts";

export const slugTaken = declareError(
  409,
  "statuspage.exists",
  "Another status page has this slug",
  (slug: string) => `There is already a status page at "${slug}"`,
);

/** The most pages in all. */
const MAX_PAGES = 500;
/** Random bytes in a generated slug: enough that nobody can guess it. */
const SLUG_BYTES = 16;

type PageContent = ContentOf<typeof statusPage>;

/**
 * Public pages, each about hosts of one group, readable by anyone with the address. They reveal nothing else. Pages of
 * other groups do not exist for a manager of groups.
 */
export class StatusPages extends Collection<typeof statusPage, StatusPage> {
  readonly #db: Db;
  readonly #shown: ShownPages;

  constructor(
    db: Db,
    references: References,
    private readonly clock: Clock,
    queries: StatusPageQueries,
  ) {
    super({ reads: new StatusPageReads(db), references, taken: slugTaken, maxObjects: MAX_PAGES });
    this.#db = db;
    this.#shown = new ShownPages(clock, queries);
  }

  protected columnsOf(content: PageContent, before: StatusPage | null): Omit<StatusPage, "id"> {
    return {
      ...content,
      slug: content.slug ?? randomBytes(SLUG_BYTES).toString("hex"),
      createdAt: before?.createdAt ?? this.clock.now(),
    };
  }

  protected override mayChange({ hostgroup }: PageContent, scope: Scope): boolean {
    return isOfGroups({ hostgroups: [hostgroup] }, scope);
  }

  protected override isKnown(): boolean {
    return false;
  }

  /** Without the address, which the audit log must not reveal. */
  override audited(id: number): object {
    return { ...this.content(id), slug: null };
  }

  /** A change is shown at once. */
  protected override changing<T>(change: () => T): T {
    const result = super.changing(change);
    this.#shown.forget();
    return result;
  }

  /** Shows what changed on pages, such as a note, at once. */
  forgetShown(): void {
    this.#shown.forget();
  }

  /**
   * The page with this slug as the public sees it; null if there is none.
   * @param renews whether the browser refreshes the page automatically
   */
  async show(slug: string, renews: boolean): Promise<ShownPage | null> {
    const page = statusPageRows.findByKey(this.#db, slug);
    return page ? await this.#shown.of(page, renews) : null;
  }
}
