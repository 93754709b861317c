import { findGroup } from "../../monitoring/groups/groups.repository.ts";
import type { MuteLookup } from "../../monitoring/health/muted.ts";
import { isOfGroups } from "../../monitoring/scope/filter-scope.ts";
import { Uptime } from "../../monitoring/uptime/uptime.service.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Reach, Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import { CollectionReads } from "../../platform/resources/collection-reads.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import { overallStatusOf, type Tone, toneOf } from "./overall-status.ts";
import { PublicStatuses } from "./public-statuses.ts";
import { PAGES_PATH, statusPageHtml } from "./status.page.ts";
import { type StatusPage, statusPageRows } from "./status-pages.repository.ts";
import { statusPage } from "./status-pages.schemas.ts";

/** A state as a badge shows it. */
interface Badge {
  name: string;
  tone: Tone;
  text: string;
}

/** A page ready to send, and what its badges show. */
export interface ShownPage {
  html: string;
  overall: Badge;
  hosts: Badge[];
}

/** Status pages as callers see them: those of groups whose hosts they manage. */
export class StatusPageReads extends CollectionReads<typeof statusPage, StatusPage> {
  constructor(db: Db) {
    super(db, statusPage, statusPageRows, "name");
  }

  protected override nameOf({ title }: StatusPage): string {
    return title;
  }

  override visible(rows: StatusPage[], scope: Scope): StatusPage[] {
    return rows.filter(({ hostgroup }) => isOfGroups({ hostgroups: [hostgroup] }, scope));
  }

  protected derived() {
    return ({ slug, hostgroup, createdAt }: StatusPage) => ({
      manage: true,
      path: `${PAGES_PATH}/${slug}`,
      groupname: findGroup(this.db, hostgroup)?.name ?? "",
      created: createdAt,
    });
  }
}

/** Queries of status pages, and the one behind public pages and badges, for a query worker. */
export function statusPageQueries(db: Db, settings: SettingsReader, clock: Clock, mutes: () => MuteLookup) {
  const reads = new StatusPageReads(db);
  const uptime = new Uptime(db, settings, clock);
  const statuses = new PublicStatuses(db, clock, uptime, mutes, () => settings.get("timezone"));
  return {
    statusPageList: (reach: Reach) => reads.list(reach),
    /** @throws ApiError 404 */
    statusPage: (id: number, reach: Reach) => reads.get(id, reach),
    publicPage: (page: StatusPage, renews: boolean): ShownPage => {
      const status = statuses.of(page);
      return {
        html: statusPageHtml(status, renews),
        overall: { name: status.title, ...overallStatusOf(status) },
        hosts: status.hosts.map(({ name, led, status: text }) => ({ name, tone: toneOf(led), text })),
      };
    },
  };
}

export type StatusPageQueries = AsyncQueries<ReturnType<typeof statusPageQueries>>;
