/** What the palette offers besides hosts, services and groups: the screens and some actions. */
import type { SavedFilters, SearchReply } from "../api/types.ts";
import { FILTERS } from "../filters/filters.texts.ts";
import { addressOf } from "../filters/saved-filters.tsx";
import type { Muster } from "../state/muster.ts";
import { counted } from "../text/format.ts";
import type { IconName } from "../ui/icon.tsx";

export interface Entry {
  key: string;
  icon: IconName;
  text: string;
  /** Said in small print beside the text. */
  detail?: string;
  act: () => void;
}

type Screen = readonly [href: string, text: string, icon: IconName, access?: "admin" | "manage"];

const SCREENS: readonly Screen[] = [
  ["/", "Overview", "overview"],
  ["/hosts", "Hosts", "hosts"],
  ["/events", "Events", "events"],
  ["/events?active=2", "Active problems", "events"],
  ["/uptime", "Uptime", "uptime"],
  ["/fleet", "Fleet: hosts by a number", "chart"],
  ["/setup", "Set up: connect an agent", "plus", "admin"],
  ["/alerts", "Alert rules", "bell", "manage"],
  ["/alerts/channels", "Channels", "bell", "admin"],
  ["/alerts/maintenance", "Maintenance", "bell", "manage"],
  ["/alerts/reports", "Reports by mail", "bell", "admin"],
  ["/alerts/deliveries", "Deliveries", "bell", "admin"],
  ["/limits", "Limits", "gauge", "manage"],
  ["/groups", "Groups", "groups", "admin"],
  ["/users", "Users", "users", "admin"],
  ["/status-pages", "Status pages", "page", "manage"],
  ["/settings", "Settings", "settings", "admin"],
  ["/audit", "Audit log", "audit", "admin"],
  ["/account", "Your account", "account"],
  ["/about", "About Muster", "about"],
];

const NEW: readonly Screen[] = [
  ["/alerts/rules/edit", "New rule", "plus", "manage"],
  ["/alerts/channels?new=1", "New channel", "plus", "admin"],
  ["/alerts/maintenance?new=1", "New maintenance", "plus", "manage"],
  ["/alerts/reports?new=1", "New report by mail", "plus", "admin"],
  ["/limits/edit", "New limit", "plus", "manage"],
];

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

/** Whether each word of the search begins a word of the text. */
export function matches(text: string, search: string): boolean {
  const words = wordsOf(text);
  return wordsOf(search).every((word) => words.some((one) => one.startsWith(word)));
}

/** Screens and actions that match the search; all of them for an empty one. */
export function fixedEntries(muster: Muster, search: string, showKeys: () => void): Entry[] {
  const { router, session, theme } = muster;
  const isAdmin = session.user.peek()?.admin === true;
  const screens = [...SCREENS, ...NEW]
    .filter(([, , , access]) => isAdmin || !access || (access === "manage" && session.may("manage")))
    .map(([href, text, icon]) => ({ key: href, icon, text, act: () => router.go(href) }));
  const actions: Entry[] = [
    { key: "light", icon: "sun", text: "Use light colours", act: () => theme.choose("light") },
    { key: "dark", icon: "moon", text: "Use dark colours", act: () => theme.choose("dark") },
    { key: "keys", icon: "about", text: "Keyboard shortcuts", act: showKeys },
    { key: "out", icon: "signout", text: "Sign out", act: () => void session.signOut() },
  ];
  return [...screens, ...actions].filter(({ text }) => matches(text, search));
}

/** Saved filters whose name matches the search. */
export function filterEntries({ router }: Muster, search: string, filters: SavedFilters["records"]): Entry[] {
  return filters
    .filter(({ name }) => matches(name, search))
    .map((filter) => ({
      key: `filter-${filter.id}`,
      icon: filter.screen,
      text: filter.name,
      detail: FILTERS.kinds[filter.screen],
      act: () => router.go(addressOf(filter)),
    }));
}

/** Pages of the first host that was found. */
function hostPages(muster: Muster, { id, name }: { id: number; name: string }): Entry[] {
  const { router, session } = muster;
  const pages = [
    [`/events?hostid=${id}`, "Events of this host", "events"],
    [`/uptime/${id}`, "Uptime of this host", "uptime"],
    ...(session.mayOn("manage", id)
      ? ([[`/hosts/${id}/settings`, "Settings of this host", "settings"]] as const)
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
export function foundEntries(muster: Muster, found: SearchReply): Entry[] {
  const open = (href: string) => ({ key: href, act: () => muster.router.go(href) });
  const [first] = found.hosts;
  return [
    ...found.hosts.map(
      ({ id, name }): Entry => ({ ...open(`/hosts/${id}`), icon: "hosts", text: name, detail: "Host" }),
    ),
    ...(first && found.hosts.length <= 3 ? hostPages(muster, first) : []),
    ...found.services.map(
      ({ id, name, hostid, hostname }): Entry => ({
        ...open(`/hosts/${hostid}/services/${id}`),
        icon: "uptime",
        text: name,
        detail: `Service on ${hostname}`,
      }),
    ),
    ...found.groups.map(
      ({ id, name }): Entry => ({
        ...open(`/hosts?group=${id}`),
        icon: "groups",
        text: name,
        detail: "Group",
      }),
    ),
    ...found.tags.map(
      ({ tag, hosts }): Entry => ({
        ...open(`/hosts?tag=${encodeURIComponent(tag)}`),
        icon: "hosts",
        text: tag,
        detail: `Tag of ${counted(hosts, "host")}`,
      }),
    ),
  ];
}
