/** What the palette offers besides hosts, services and groups: the screens and some actions. */
import { sortKey } from "../../src/platform/sort-key.ts";
import { asApiError } from "../api/client.ts";
import type { SavedFilters, SearchReply } from "../api/types.ts";
import { FILTERS } from "../filters/filters.texts.ts";
import { addressOf } from "../filters/saved-filters.tsx";
import { showMoment } from "../state/moment.ts";
import type { Muster } from "../state/muster.ts";
import type { IconName } from "../ui/icon.tsx";
import { controlsOfPage } from "./item-keys.ts";
import { PALETTE } from "./palette.texts.ts";

export interface Entry {
  key: string;
  icon: IconName;
  text: string;
  /** Small print beside the text. */
  detail?: string;
  act: () => void;
}

type Screen = readonly [href: string, text: string, icon: IconName, access?: "admin" | "manage"];

const SCREENS: readonly Screen[] = [
  ["/", PALETTE.screens.overview, "overview"],
  ["/hosts", PALETTE.screens.hosts, "hosts"],
  ["/incidents", PALETTE.screens.incidents, "incidents"],
  ["/events", PALETTE.screens.events, "events"],
  ["/events?active=2", PALETTE.screens.problems, "events"],
  ["/uptime", PALETTE.screens.uptime, "uptime"],
  ["/fleet", PALETTE.screens.fleet, "chart"],
  ["/on-call", PALETTE.screens.onCall, "phone"],
  ["/setup", PALETTE.screens.setup, "plus", "admin"],
  ["/alerts", PALETTE.screens.rules, "bell", "manage"],
  ["/alerts/channels", PALETTE.screens.channels, "bell", "admin"],
  ["/alerts/maintenance", PALETTE.screens.maintenance, "bell", "manage"],
  ["/alerts/reports", PALETTE.screens.reports, "bell", "admin"],
  ["/alerts/rehearsals", PALETTE.screens.rehearsals, "bell", "manage"],
  ["/alerts/deliveries", PALETTE.screens.deliveries, "bell", "admin"],
  ["/limits", PALETTE.screens.limits, "gauge", "manage"],
  ["/groups", PALETTE.screens.groups, "groups", "admin"],
  ["/users", PALETTE.screens.users, "users", "admin"],
  ["/status-pages", PALETTE.screens.statusPages, "page", "manage"],
  ["/keys", PALETTE.screens.keys, "key", "manage"],
  ["/settings", PALETTE.screens.settings, "settings", "admin"],
  ["/settings/backups", PALETTE.screens.backups, "settings", "admin"],
  ["/health", PALETTE.screens.health, "health", "admin"],
  ["/audit", PALETTE.screens.audit, "audit", "admin"],
  ["/account", PALETTE.screens.account, "account"],
  ["/about", PALETTE.screens.about, "about"],
];

const NEW: readonly Screen[] = [
  ["/alerts/rules/edit", PALETTE.actions.newRule, "plus", "manage"],
  ["/alerts/channels?new=1", PALETTE.actions.newChannel, "plus", "admin"],
  ["/alerts/maintenance?new=1", PALETTE.actions.newMaintenance, "plus", "manage"],
  ["/alerts/reports?new=1", PALETTE.actions.newReport, "plus", "admin"],
  ["/alerts/rehearsals?new=1", PALETTE.actions.newRehearsal, "plus", "manage"],
  ["/limits/edit", PALETTE.actions.newLimit, "plus", "manage"],
];

/** Icons of controls that the palette offers, by their key. */
const ICONS: Readonly<Record<string, IconName>> = { A: "check", M: "mute" };

/** Offered lengths of a mute, hours. */
const MUTE_HOURS = [1, 4];

function wordsOf(text: string): string[] {
  return sortKey(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

/** Whether each word of the search begins a word of the text. One without letters and digits may be anywhere in it. */
function matches(text: string, search: string): boolean {
  const [words, searched] = [wordsOf(text), wordsOf(search)];
  if (searched.length === 0) return sortKey(text).includes(sortKey(search.trim()));
  return searched.every((word) => words.some((candidate) => candidate.startsWith(word)));
}

/** The actions on the page: its controls that have a key and open a dialog. Others would act at once, unasked. */
export function pageEntries(search: string): Entry[] {
  const entries = controlsOfPage().flatMap((control, i): Entry[] => {
    const icon = ICONS[control.getAttribute("aria-keyshortcuts") ?? ""];
    const text = control.getAttribute("aria-label") ?? control.textContent;
    if (!icon || control.getAttribute("aria-haspopup") !== "dialog") return [];
    return [{ key: `page-${i}`, icon, text, detail: PALETTE.onPage, act: () => control.click() }];
  });
  return entries.filter(({ text }) => matches(text, search));
}

/** Functions that open other dialogs. */
export interface Dialogs {
  showKeys: () => void;
  showClock: () => void;
}

async function signOut({ notice, session }: Muster): Promise<void> {
  try {
    await session.signOut();
  } catch (error) {
    notice.value = { text: asApiError(error).message, kind: "failure" };
  }
}

/** Screens and actions that match the search; all of them for an empty one. */
export function fixedEntries(muster: Muster, search: string, { showKeys, showClock }: Dialogs): Entry[] {
  const { at, present, router, session, theme } = muster;
  const isAdmin = session.user.peek()?.admin === true;
  const screens = [...SCREENS, ...(session.isPast.peek() ? [] : NEW)]
    .filter(([, , , access]) => isAdmin || !access || (access === "manage" && session.has("manage")))
    .map(([href, text, icon]) => ({ key: href, icon, text, act: () => router.go(href) }));
  const toNow = () => showMoment(router, null, present.peek());
  const actions: Entry[] = [
    { key: "moment", icon: "clock", text: PALETTE.actions.moment, act: showClock },
    ...(at.peek() === null
      ? []
      : [{ key: "now", icon: "clock", text: PALETTE.actions.now, act: toNow } as const]),
    { key: "light", icon: "sun", text: PALETTE.actions.light, act: () => theme.choose("light") },
    { key: "dark", icon: "moon", text: PALETTE.actions.dark, act: () => theme.choose("dark") },
    { key: "keys", icon: "about", text: PALETTE.actions.keys, act: showKeys },
    { key: "docs", icon: "page", text: PALETTE.actions.documentation, act: () => location.assign("/docs") },
    { key: "out", icon: "signout", text: PALETTE.actions.signOut, act: () => void signOut(muster) },
  ];
  return [...screens, ...actions].filter(({ text }) => matches(text, search));
}

/** A heading of the documentation. */
export interface Heading {
  text: string;
  /** Title of its page. */
  page: string;
  href: string;
}

/** The most headings to offer. */
const MAX_HEADINGS = 8;

/** Headings of the documentation that match the search; those that begin with it first. None for an empty one. */
export function headingEntries(search: string, headings: readonly Heading[]): Entry[] {
  if (search.trim() === "") return [];
  const matching = headings.filter(({ text, page }) => matches(`${text} ${page}`, search));
  const [titles, others] = [matching.filter(({ text }) => matches(text, search)), matching];
  return [...new Set([...titles, ...others])].slice(0, MAX_HEADINGS).map(({ text, page, href }) => ({
    key: href,
    icon: "page",
    text,
    detail: PALETTE.documentation(page),
    act: () => location.assign(href),
  }));
}

/** Saved filters whose name matches the search. */
export function filterEntries({ router }: Muster, search: string, filters: SavedFilters["records"]): Entry[] {
  return filters
    .filter(({ name }) => matches(name, search))
    .map((filter) => ({
      key: `filter-${filter.id}`,
      icon: filter.filter.screen,
      text: filter.name,
      detail: FILTERS.kinds[filter.filter.screen],
      act: () => router.go(addressOf(filter)),
    }));
}

interface FoundHost {
  id: number;
  name: string;
}

/** Mutes a host for some hours, and offers to undo it. */
async function muteHost({ api, notice }: Muster, { id, name }: FoundHost, hours: number): Promise<void> {
  try {
    const mute = await api.send<{ id: number }>("/mutes/create", {
      filter: { hosts: [id] },
      minutes: 60 * hours,
    });
    const undo = () => api.post("/mutes/delete", { id: mute.id });
    notice.value = { text: PALETTE.muted(name), undo };
  } catch (error) {
    notice.value = { text: asApiError(error).message, kind: "failure" };
  }
}

/** Actions on the first host that was found. */
function hostActions(muster: Muster, host: FoundHost): Entry[] {
  const { router, session } = muster;
  const mutes = MUTE_HOURS.map(
    (hours): Entry => ({
      key: `mute-${host.id}-${hours}`,
      icon: "mute",
      text: PALETTE.muteHost(host.name, hours),
      act: () => void muteHost(muster, host, hours),
    }),
  );
  const limit: Entry = {
    key: `limit-${host.id}`,
    icon: "gauge",
    text: PALETTE.setLimit(host.name),
    act: () => router.go(`/limits/edit?host=${host.id}`),
  };
  return [...(session.mayOn("operate", host.id) ? mutes : []), ...(session.isAdmin ? [limit] : [])];
}

/** Pages of the first host that was found. */
function hostPages(muster: Muster, { id, name }: FoundHost): Entry[] {
  const { router, session } = muster;
  const pages = [
    [`/events?hostid=${id}`, PALETTE.ofHost.events, "events"],
    [`/uptime/${id}`, PALETTE.ofHost.uptime, "uptime"],
    ...(session.mayOn("manage", id)
      ? ([[`/hosts/${id}/settings`, PALETTE.ofHost.settings, "settings"]] as const)
      : []),
  ] as const;
  return pages.map(([href, text, icon]) => ({
    key: href,
    icon,
    text,
    detail: name,
    act: () => router.go(href),
  }));
}

/** Hosts, services and groups that the service has found. */
export function foundEntries(muster: Muster, result: SearchReply): Entry[] {
  const open = (href: string) => ({ key: href, act: () => muster.router.go(href) });
  const [first] = result.hosts;
  return [
    ...result.hosts.map(
      ({ id, name }): Entry => ({ ...open(`/hosts/${id}`), icon: "hosts", text: name, detail: PALETTE.host }),
    ),
    ...(first && result.hosts.length <= 3
      ? [...hostPages(muster, first), ...hostActions(muster, first)]
      : []),
    ...result.services.map(
      ({ id, name, hostid, hostname }): Entry => ({
        ...open(`/hosts/${hostid}/services/${id}`),
        icon: "uptime",
        text: name,
        detail: PALETTE.serviceOn(hostname),
      }),
    ),
    ...result.groups.map(
      ({ id, name }): Entry => ({
        ...open(`/hosts?group=${id}`),
        icon: "groups",
        text: name,
        detail: PALETTE.group,
      }),
    ),
    ...result.tags.map(
      ({ tag, hosts }): Entry => ({
        ...open(`/hosts?tag=${encodeURIComponent(tag)}`),
        icon: "hosts",
        text: tag,
        detail: PALETTE.tagOf(hosts),
      }),
    ),
  ];
}
