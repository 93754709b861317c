import { isShown } from "../../alerting/public-notes/public-note.ts";
import { notesOfHosts, type PublicNote } from "../../alerting/public-notes/public-notes.repository.ts";
import { BEATS } from "../../monitoring/glance/glance.service.ts";
import { LED } from "../../monitoring/health/health.ts";
import type { MuteLookup } from "../../monitoring/health/muted.ts";
import { acknowledgedServices, isAcknowledged } from "../../monitoring/uptime/acknowledged-services.ts";
import type { Uptime } from "../../monitoring/uptime/uptime.service.ts";
import { type Clock, DAY } from "../../platform/clock.ts";
import { zonedMinuteText } from "../../platform/date-text.ts";
import type { Db } from "../../platform/storage/open.ts";
import { handledWords, hostWords, isReporting, serviceWords, type TimeText } from "./public-words.ts";
import { hostsOfPage, ledsOfPage, type StatusPage, servicesOfHosts } from "./status-pages.repository.ts";

/** The most hosts that a page names. The rest are only counted. */
const MAX_HOSTS = 500;
/** The most services that a page names: those of the first hosts, up to this number. */
const MAX_SERVICES = 5000;
/** Longest time that uptimes and heartbeat bars are cached, seconds; they change slowly. */
const UPTIME_FRESH_SECONDS = 60;
/** Days of which earlier notes are shown. */
const NOTE_DAYS = 14;
/** The most current notes that a page shows, and the most earlier ones; and the most that are read to find them. */
const MAX_NOTES = 50;
const MAX_NOTES_READ = 2000;
/** Period of the uptime that is shown, days. */
export const UPTIME_DAYS = 30;

/** A note, without its author. */
export interface PublicNoteText {
  text: string;
  /** When it was written. */
  when: string;
  /** Name of the host. */
  host: string;
  /** Service that failed; empty if the note is about the host, or the page shows hosts only. */
  service: string;
  /** When the failure ended; empty while it lasts. */
  ended: string;
}

export interface PublicHost {
  name: string;
  led: number;
  status: string;
  /** Maintenance or acknowledgement; empty if there is none. */
  handled: string;
  /** Percent of the counted time of the period; null if no time was counted. */
  uptime: number | null;
  /** Half hours of the last 24 hours: see `BEAT`. */
  beats: readonly number[];
  /** Empty if the page shows hosts only. */
  services: { name: string; led: number; status: string; handled: string }[];
}

/** Everything that the public sees. It contains no message of an agent and no statistics. */
export interface PublicStatus {
  title: string;
  /** Number of hosts per LED. */
  leds: Readonly<Record<keyof typeof LED, number>>;
  total: number;
  /** What people say about hosts and incidents now, newest first. */
  notes: PublicNoteText[];
  /** What they said before, newest first. */
  earlierNotes: PublicNoteText[];
  /** Worst first. */
  hosts: PublicHost[];
  /** Unix seconds. */
  at: number;
  /** The same in the time zone of reports. */
  atText: string;
}

/** Values that are cached longer than the current status, by host id. */
interface PublicPast {
  at: number;
  /** The hosts that it covers, as a key. */
  of: string;
  uptimes: ReadonlyMap<number, number>;
  beats: ReadonlyMap<number, readonly number[]>;
}

type PageHost = ReturnType<typeof hostsOfPage>[number];
type PageService = ReturnType<typeof servicesOfHosts>[number];

/** A service as last reported. If its host does not report, its state is unknown. */
function publicService(service: PageService, host: PageHost, handled: string, timeText: TimeText) {
  const { name, led } = service;
  if (isReporting(host)) return { name, led, status: serviceWords(service), handled };
  return { name, led: LED.gray, status: `No data since ${timeText(host.lastmodified)}`, handled };
}

/** The first hosts that together have no more services than a page names. */
function namedWithServices(hosts: readonly PageHost[]): PageHost[] {
  let total = 0;
  return hosts.filter(({ servicesTotal }) => {
    total += servicesTotal;
    return total <= MAX_SERVICES;
  });
}

/** Reads what public pages show. It takes many rows, and so runs on a query worker. */
export class PublicStatuses {
  /** By page id. */
  readonly #past = new Map<number, PublicPast>();

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly uptime: Uptime,
    private readonly mutes: () => MuteLookup,
    /** IANA name of the time zone in which times are shown. */
    private readonly timeZone: () => string,
  ) {}

  #isFresh({ at }: { at: number }, seconds: number): boolean {
    return Math.abs(this.clock.now() - at) < seconds;
  }

  #pastOf(pageId: number, hostIds: readonly number[]): PublicPast {
    const cached = this.#past.get(pageId);
    const of = hostIds.join();
    if (cached?.of === of && this.#isFresh(cached, UPTIME_FRESH_SECONDS)) return cached;
    const at = this.clock.now();
    const past = {
      at,
      of,
      uptimes: this.uptime.recent(hostIds, UPTIME_DAYS * DAY),
      beats: this.uptime.beats(hostIds, { from: at - DAY, to: at }, BEATS),
    };
    this.#past.set(pageId, past);
    return past;
  }

  /** The content of a page now. */
  of(page: StatusPage): PublicStatus {
    const countByLed = new Map(ledsOfPage(this.db, page).map(({ led, n }) => [led, n]));
    const hosts = hostsOfPage(this.db, page, MAX_HOSTS);
    const ids = hosts.map(({ id }) => id);
    const { uptimes, beats } = this.#pastOf(page.id, ids);
    const hostIds = page.services ? namedWithServices(hosts).map(({ id }) => id) : [];
    const shownServices = servicesOfHosts(this.db, hostIds);
    const services = Map.groupBy(shownServices, ({ hostId }) => hostId);
    const [now, timeZone] = [this.clock.now(), this.timeZone()];
    const timeText = (at: number) => zonedMinuteText(at, now, timeZone);
    const names = new Map(hosts.map(({ id, hostname }) => [id, hostname]));
    const noteText = ({ text, createdAt, hostId, service, incidentEnd }: PublicNote): PublicNoteText => ({
      text,
      when: timeText(createdAt),
      host: names.get(hostId) ?? "",
      service: page.services ? service : "",
      ended: incidentEnd === null ? "" : timeText(incidentEnd),
    });
    const since = now - NOTE_DAYS * DAY;
    const notes = notesOfHosts(this.db, ids, since, MAX_NOTES_READ);
    const current = notes.filter((note) => isShown(note, now));
    const earlier = notes.filter((note) => !isShown(note, now) && note.createdAt >= since);
    return {
      title: page.title,
      leds: {
        red: countByLed.get(LED.red) ?? 0,
        orange: countByLed.get(LED.orange) ?? 0,
        green: countByLed.get(LED.green) ?? 0,
        gray: countByLed.get(LED.gray) ?? 0,
      },
      notes: current.slice(0, MAX_NOTES).map(noteText),
      earlierNotes: earlier.slice(0, MAX_NOTES).map(noteText),
      total: [...countByLed.values()].reduce((sum, n) => sum + n, 0),
      hosts: this.#withHandling(hosts, services, timeText).map(({ host, handled, services: ofHost }) => ({
        name: host.hostname,
        led: host.led,
        status: hostWords(host, timeText),
        handled,
        uptime: uptimes.get(host.id) ?? null,
        beats: beats.get(host.id) ?? [],
        services: ofHost,
      })),
      at: now,
      atText: timeText(now),
    };
  }

  /** Adds maintenance and acknowledgements to hosts and services. */
  #withHandling(
    hosts: readonly PageHost[],
    services: ReadonlyMap<number, PageService[]>,
    timeText: TimeText,
  ) {
    const now = this.clock.now();
    const muted = this.mutes();
    return hosts.map((host) => {
      const hostMuted = muted(host.id, null);
      const isFailing = host.led === LED.red || host.led === LED.orange;
      const acknowledged = isFailing ? acknowledgedServices(this.db, host.id, now) : null;
      return {
        host,
        handled: handledWords(hostMuted, isFailing && isAcknowledged(this.db, host.id, now), timeText),
        services: (services.get(host.id) ?? []).map((service) => {
          const handled = handledWords(
            hostMuted ? null : muted(host.id, service.name),
            acknowledged?.has(service.nameId) ?? false,
            timeText,
          );
          return publicService(service, host, handled, timeText);
        }),
      };
    });
  }
}
