/** Details of the audit log as readable lines. */
import type { Names } from "../alerting/descriptions.ts";
import { formatMinute } from "../text/format.ts";
import { BACKUP_GROUPS, SETTING_GROUPS } from "./setting-texts.ts";
import { AUDIT } from "./settings.texts.ts";

/** Last parts of the operations that are logged with values before and after. */
const CHANGING: ReadonlySet<string> = new Set([
  ...["update", "updated", "set", "target", "move", "delete", "takeover"],
  ...["grant", "revoke"],
]);
/** They are logged with what they set on which hosts, which may be two. */
const OF_HOSTS: ReadonlySet<string> = new Set(["admin/hosts/bulk/update", "admin/keys/move"]);
/** Shown instead of a secret: the log contains only the fact that it changed. */
const SECRET = "(secret)";

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Fields with a time in unix seconds; in some objects, they contain a time of day instead. */
const TIMES: ReadonlySet<string> = new Set(["from", "to", "until", "ends", "datefrom", "dateto", "expires"]);
/** Smaller numbers are not unix times. */
const FIRST_TIME = 1_000_000_000;

/** Fields with ids, and what these identify. */
const REFERENCES: ReadonlyMap<string, keyof Names> = new Map([
  ...["host", "hosts", "hostid", "hostids"].map((field) => [field, "host"] as const),
  ...["group", "hostgroup", "hostgroups", "groupid"].map((field) => [field, "group"] as const),
  ...["channel", "channels"].map((field) => [field, "channel"] as const),
  ...["schedule", "schedules"].map((field) => [field, "schedule"] as const),
]);

const SETTING_LABELS: Readonly<Record<string, string>> = Object.fromEntries(
  [...SETTING_GROUPS, ...BACKUP_GROUPS].flatMap(({ settings }) =>
    Object.entries(settings).map(([name, { label }]) => [name, label] as const),
  ),
);

/** The label of a field of the API. */
const labelOf = (field: string) => AUDIT.labels[field] ?? SETTING_LABELS[field] ?? field;

/** Access to groups, with the names of those: "1 view, 2 manage". */
const grantsText = (grants: string, { group }: Names) =>
  grants.replaceAll(
    /(^|, )(\d+)(?= )/g,
    (_all, separator: string, id: string) => separator + group(Number(id)),
  );

/** A single value as text. @param field its name in the API */
function valueText(field: string, value: unknown, names: Names | null): string {
  if (value === null || value === "") return AUDIT.nothing;
  const kind = REFERENCES.get(field);
  if (names && kind && typeof value === "number") return names[kind](value);
  if (names && field === "grants" && typeof value === "string") return grantsText(value, names);
  if (TIMES.has(field) && typeof value === "number" && value >= FIRST_TIME) return formatMinute(value);
  return String(value);
}

/** The single values within a value by their path: "rotations 1 › users" is "anna, ben". */
function flatten(
  field: string,
  value: unknown,
  names: Names | null,
  name = labelOf(field),
): Map<string, string> {
  if (isObject(value))
    return joined(
      Object.entries(value).map(([part, inner]) =>
        flatten(part, inner, names, AUDIT.within(name, labelOf(part))),
      ),
    );
  if (Array.isArray(value) && value.some(isObject))
    return joined(value.map((inner, i) => flatten(field, inner, names, `${name} ${i + 1}`)));
  const texts = Array.isArray(value)
    ? value.map((inner) => valueText(field, inner, names))
    : [valueText(field, value, names)];
  return new Map([[name, texts.join(", ") || AUDIT.nothing]]);
}

function joined(parts: readonly ReadonlyMap<string, string>[]): Map<string, string> {
  return new Map(parts.flatMap((part) => [...part]));
}

function changeLines(
  field: string,
  [before, after]: readonly [unknown, unknown],
  names: Names | null,
): string[] {
  const [old, present] = [flatten(field, before, names), flatten(field, after, names)];
  // An object that was added or removed is described by its values.
  if (isObject(before) !== isObject(after)) (isObject(before) ? present : old).delete(labelOf(field));
  return [...new Set([...old.keys(), ...present.keys()])]
    .filter((place) => old.get(place) !== present.get(place))
    .map((place) =>
      AUDIT.change(place, old.get(place) ?? AUDIT.nothing, present.get(place) ?? AUDIT.nothing),
    );
}

/**
 * An entry of the log, one line for each value: "missed reports until down: 3 → 5".
 * @param operation its path
 * @param names the present ones of what it refers to; null: its ids are shown
 */
export function detailLines(
  operation: string,
  details: Readonly<Record<string, unknown>>,
  names: Names | null = null,
): string[] {
  const isChange = !OF_HOSTS.has(operation) && CHANGING.has(operation.split("/").at(-1) ?? "");
  return Object.entries(details).flatMap(([name, value]) => {
    if (value === SECRET) return [AUDIT.changed(labelOf(name))];
    if (isChange && Array.isArray(value) && value.length === 2)
      return changeLines(name, [value[0] as unknown, value[1] as unknown], names);
    return [...flatten(name, value, names)].map(([place, text]) => AUDIT.value(place, text));
  });
}
