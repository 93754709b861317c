import type { MuteLookup } from "../../monitoring/health/muted.ts";
import { Uptime } from "../../monitoring/uptime/uptime.service.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import { overallStatusOf, type Tone, toneOf } from "./overall-status.ts";
import { PublicStatuses } from "./public-statuses.ts";
import { statusPage } from "./status.page.ts";
import { statusPageList } from "./status-page-list.ts";
import type { StatusPage } from "./status-pages.repository.ts";

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

/** The query behind public pages and badges, for a query worker. */
export function statusPageQueries(db: Db, settings: SettingsReader, clock: Clock, mutes: () => MuteLookup) {
  const uptime = new Uptime(db, settings, clock);
  const statuses = new PublicStatuses(db, clock, uptime, mutes, () => settings.get("timezone"));
  return {
    statusPageList: (scope: Scope) => statusPageList(db, scope),
    publicPage: (page: StatusPage, renews: boolean): ShownPage => {
      const status = statuses.of(page);
      return {
        html: statusPage(status, renews),
        overall: { name: status.title, ...overallStatusOf(status) },
        hosts: status.hosts.map(({ name, led, status: text }) => ({ name, tone: toneOf(led), text })),
      };
    },
  };
}

export type StatusPageQueries = AsyncQueries<ReturnType<typeof statusPageQueries>>;
