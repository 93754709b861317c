import { randomBytes } from "node:crypto";
import { BEATS } from "../../monitoring/glance/glance.service.ts";
import { existingGroups } from "../../monitoring/groups/groups.repository.ts";
import { LED } from "../../monitoring/health/health.ts";
import type { MuteLookup } from "../../monitoring/health/muted.ts";
import { isOfGroups } from "../../monitoring/scope/filter-scope.ts";
import { acknowledgedServices, isAcknowledged } from "../../monitoring/uptime/acknowledged-services.ts";
import { zonedMinuteText } from "../../monitoring/uptime/date-text.ts";
import type { Uptime } from "../../monitoring/uptime/uptime.service.ts";
import type { Clock } from "../../platform/clock.ts";
import { declareError, errors, found } from "../../platform/http/errors.ts";
import { replaced } from "../../platform/http/list-arguments.ts";
import type { Scope } from "../../platform/http/scope.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { careWords, hostWords, isReporting, serviceWords, type TimeText } from "./public-words.ts";
import {
  allStatusPages,
  deleteStatusPage,
  findStatusPage,
  findStatusPageBySlug,
  hostsOfPage,
  insertStatusPage,
  ledsOfPage,
  type StatusPage,
  servicesOfHosts,
  updateStatusPage,
} from "./status-pages.repository.ts";
import type { Creation, Update } from "./status-pages.schemas.ts";

export const slugTaken = declareError(
  409,
  "statuspage.exists",
  "Another status page has this slug",
  (slug: string) => `There is already a status page at "${slug}"`,
);

/** Path below which the pages are served. */
export const PAGES_PATH = "/s";
/** Most hosts that a page names; of the others it shows the number. */
const MAX_HOSTS = 500;
/** Longest time that a page is cached, seconds. It bounds the load that anonymous requests can cause. */
const FRESH_SECONDS = 10;
/** Longest time that uptimes and heartbeat bars are cached, seconds; they change slowly. */
const UPTIME_FRESH_SECONDS = 60;
/** Period of the uptime that is shown, days. */
export const UPTIME_DAYS = 30;
const DAY = 86_400;
/** Random bytes in a generated slug: enough that nobody can guess it. */
const SLUG_BYTES = 16;

export interface PublicHost {
  name: string;
  led: number;
  status: string;
  /** Maintenance or acknowledgement; empty if there is none. */
  care: string;
  /** False: how it and its services are is not known. */
  reporting: boolean;
  /** Percent of the counted time of the period; null if no time was counted. */
  uptime: number | null;
  /** Half hours of the last 24 hours: see `BEAT`. */
  beats: readonly number[];
  /** Empty if the page shows hosts only. */
  services: { name: string; led: number; status: string; care: string }[];
}

/** Everything that the public sees. It contains no message of an agent and no statistics. */
export interface PublicStatus {
  title: string;
  /** Number of hosts per LED. */
  leds: Readonly<Record<keyof typeof LED, number>>;
  total: number;
  /** Worst first. */
  hosts: PublicHost[];
  /** Unix seconds. */
  at: number;
  /** The same in the time zone of reports. */
  atText: string;
}

/** What is cached longer than the current status, by host id. */
interface Past {
  at: number;
  uptimes: ReadonlyMap<number, number>;
  beats: ReadonlyMap<number, readonly number[]>;
}

type HostRow = ReturnType<typeof hostsOfPage>[number];
type ServiceRow = ReturnType<typeof servicesOfHosts>[number];

/** A service as last reported; of a host that does not report, nobody knows how its services are. */
function publicService(service: ServiceRow, host: HostRow, care: string, timeText: TimeText) {
  const { name, led } = service;
  if (isReporting(host)) return { name, led, status: serviceWords(service), care };
  return { name, led: LED.gray, status: `Unknown since ${timeText(host.lastmodified)}`, care };
}

/** Public pages, each about hosts of one group, readable by anyone with the address. They reveal nothing else. */
export class StatusPages {
  readonly #fresh = new Map<string, PublicStatus>();
  /** By page id. */
  readonly #past = new Map<number, Past>();

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly uptime: Uptime,
    private readonly mutes: () => MuteLookup,
    /** IANA name of the time zone in which times are shown. */
    private readonly timeZone: () => string,
  ) {}

  /** The pages of groups of a scope by title. */
  list(scope: Scope) {
    const own = allStatusPages(this.db).filter(({ groupid }) =>
      isOfGroups({ hostgroupids: [groupid] }, scope),
    );
    return {
      records: own.map((page) => ({ ...page, path: `${PAGES_PATH}/${page.slug}` })),
    };
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
    this.#forget();
  }

  /** @throws ApiError 404 */
  delete(id: number, scope: Scope): void {
    transaction(this.db, () => {
      this.#find(id, scope);
      deleteStatusPage(this.db, id);
    });
    this.#forget();
  }

  #forget(): void {
    this.#fresh.clear();
    this.#past.clear();
  }

  /** The content of the page with this slug, at most 10 s old; null if there is none. */
  show(slug: string): PublicStatus | null {
    const page = findStatusPageBySlug(this.db, slug);
    if (!page) return null;
    const known = this.#fresh.get(slug);
    if (known && this.#isFresh(known, FRESH_SECONDS)) return known;
    const shown = this.#read(page);
    this.#fresh.set(slug, shown);
    return shown;
  }

  #isFresh({ at }: { at: number }, seconds: number): boolean {
    return Math.abs(this.clock.now() - at) < seconds;
  }

  #pastOf(pageId: number, hostIds: readonly number[]): Past {
    const known = this.#past.get(pageId);
    if (known && this.#isFresh(known, UPTIME_FRESH_SECONDS)) return known;
    const at = this.clock.now();
    const past = {
      at,
      uptimes: this.uptime.recent(hostIds, UPTIME_DAYS * DAY),
      beats: this.uptime.beats(hostIds, { from: at - DAY, to: at }, BEATS),
    };
    this.#past.set(pageId, past);
    return past;
  }

  #read(page: StatusPage): PublicStatus {
    const counted = new Map(ledsOfPage(this.db, page).map(({ led, n }) => [led, n]));
    const hosts = hostsOfPage(this.db, page, MAX_HOSTS);
    const ids = hosts.map(({ id }) => id);
    const { uptimes, beats } = this.#pastOf(page.id, ids);
    const shown = page.services ? servicesOfHosts(this.db, ids) : [];
    const services = Map.groupBy(shown, ({ hostId }) => hostId);
    const [now, timeZone] = [this.clock.now(), this.timeZone()];
    const timeText = (at: number) => zonedMinuteText(at, now, timeZone);
    return {
      title: page.title,
      leds: {
        red: counted.get(LED.red) ?? 0,
        orange: counted.get(LED.orange) ?? 0,
        green: counted.get(LED.green) ?? 0,
        gray: counted.get(LED.gray) ?? 0,
      },
      total: [...counted.values()].reduce((sum, n) => sum + n, 0),
      hosts: this.#withCare(hosts, services, timeText).map(({ host, care, services: ofHost }) => ({
        name: host.hostname,
        led: host.led,
        status: hostWords(host, timeText),
        care,
        reporting: isReporting(host),
        uptime: uptimes.get(host.id) ?? null,
        beats: beats.get(host.id) ?? [],
        services: ofHost,
      })),
      at: now,
      atText: timeText(now),
    };
  }

  /** Adds to hosts and services whether they are in maintenance, or somebody takes care of their failures. */
  #withCare(hosts: readonly HostRow[], services: ReadonlyMap<number, ServiceRow[]>, timeText: TimeText) {
    const now = this.clock.now();
    const muted = this.mutes();
    return hosts.map((host) => {
      const hostMuted = muted(host.id, null);
      const isFailing = host.led === LED.red || host.led === LED.orange;
      const acknowledged = isFailing ? acknowledgedServices(this.db, host.id, now) : null;
      return {
        host,
        care: careWords(hostMuted, isFailing && isAcknowledged(this.db, host.id, now), timeText),
        services: (services.get(host.id) ?? []).map((service) => {
          const care = careWords(
            hostMuted ? null : muted(host.id, service.name),
            acknowledged?.has(service.nameId) ?? false,
            timeText,
          );
          return publicService(service, host, care, timeText);
        }),
      };
    });
  }

  /** Pages of other groups do not exist for a manager. */
  #find(id: number, scope: Scope): StatusPage {
    const page = findStatusPage(this.db, id);
    const isOwn = page && isOfGroups({ hostgroupids: [page.groupId] }, scope);
    return found(isOwn ? page : undefined, "status page", id);
  }

  #findGroup(id: number, scope: Scope): void {
    if (!existingGroups(this.db, [id], scope).has(id)) throw errors.notFound("group", id);
  }

  #refuseTaken(slug: string): void {
    if (findStatusPageBySlug(this.db, slug)) throw slugTaken(slug);
  }
}
