/**
 * The content of a saved filter in the addresses of the lists of hosts and of events. The UI uses it too, so it
 * imports nothing.
 */

/** How an address writes a value. Tags are separated by commas. */
type ListKind = "text" | "number" | "tags";

const ORDER = { sort: "text", dir: "text" } as const;

/** The parameters in the address of each list, in this order: its filter and its order, but not its page. */
const ADDRESS = {
  hosts: { text: "text", led: "number", state: "text", group: "number", tag: "tags", ...ORDER },
  events: {
    text: "text",
    active: "number",
    state: "number",
    hostid: "number",
    hostgroupid: "number",
    tag: "tags",
    servicenameid: "number",
    servicegroupid: "number",
    servicetype: "number",
    eventtype: "number",
    datefrom: "number",
    dateto: "number",
    ...ORDER,
  },
} as const satisfies Record<string, Readonly<Record<string, ListKind>>>;

export type Screen = keyof typeof ADDRESS;
type ListFilter = { screen: Screen } & Readonly<Record<string, unknown>>;

function valueIn(kind: ListKind, text: string): unknown {
  if (kind === "text") return text;
  if (kind === "number") return /^\d{1,16}$/.test(text) ? Number(text) : undefined;
  const tags = text.split(",").map((tag) => tag.trim());
  return tags.filter(Boolean).length > 0 ? tags.filter(Boolean) : undefined;
}

/** The filter in an address, without values that are empty, malformed, or not part of the list's filter. */
export function filterIn(screen: Screen, query: URLSearchParams): ListFilter {
  const pairs = Object.entries(ADDRESS[screen]).flatMap(([name, kind]) => {
    const value = valueIn(kind, query.get(name) ?? "");
    return value === undefined || value === "" ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(pairs), screen };
}

/** The query of the address of the list with this filter. */
export function queryOf({ screen, ...filter }: ListFilter): string {
  const query = new URLSearchParams();
  for (const name of Object.keys(ADDRESS[screen])) {
    const value = filter[name];
    if (value !== undefined) query.set(name, Array.isArray(value) ? value.join(", ") : String(value));
  }
  return query.toString();
}

/** The names of the filter's parameters in the address of a list, without its order. */
export type FilterNameOf<S extends Screen> = Exclude<keyof (typeof ADDRESS)[S], keyof typeof ORDER>;

/** Names of the filter's parameters in the address of a screen, without those of its order. */
export function filterNames<S extends Screen>(screen: S): FilterNameOf<S>[] {
  return Object.keys(ADDRESS[screen]).filter((name) => !(name in ORDER)) as FilterNameOf<S>[];
}
