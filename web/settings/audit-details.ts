/** Details of the audit log as readable lines. */
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

const SETTING_LABELS: Readonly<Record<string, string>> = Object.fromEntries(
  [...SETTING_GROUPS, ...BACKUP_GROUPS].flatMap(({ settings }) =>
    Object.entries(settings).map(([name, { label }]) => [name, label] as const),
  ),
);

/** The label of a field of the API. */
const labelOf = (field: string) => AUDIT.labels[field] ?? SETTING_LABELS[field] ?? field;

/** A single value as text. @param field its name in the API */
function valueText(field: string, value: unknown): string {
  if (value === null || value === "") return AUDIT.nothing;
  if (TIMES.has(field) && typeof value === "number" && value >= FIRST_TIME) return formatMinute(value);
  return String(value);
}

/** The single values within a value by their path: "rotations 1 › users" is "anna, ben". */
function flatten(field: string, value: unknown, name = labelOf(field)): Map<string, string> {
  if (isObject(value))
    return joined(
      Object.entries(value).map(([part, inner]) => flatten(part, inner, AUDIT.within(name, labelOf(part)))),
    );
  if (Array.isArray(value) && value.some(isObject))
    return joined(value.map((inner, i) => flatten(field, inner, `${name} ${i + 1}`)));
  const texts = Array.isArray(value)
    ? value.map((inner) => valueText(field, inner))
    : [valueText(field, value)];
  return new Map([[name, texts.join(", ") || AUDIT.nothing]]);
}

function joined(parts: readonly ReadonlyMap<string, string>[]): Map<string, string> {
  return new Map(parts.flatMap((part) => [...part]));
}

function changeLines(field: string, [before, after]: readonly [unknown, unknown]): string[] {
  const [old, present] = [flatten(field, before), flatten(field, after)];
  // An object that was added or removed is described by its values.
  if (isObject(before) !== isObject(after)) (isObject(before) ? present : old).delete(labelOf(field));
  return [...new Set([...old.keys(), ...present.keys()])]
    .filter((place) => old.get(place) !== present.get(place))
    .map((place) =>
      AUDIT.change(place, old.get(place) ?? AUDIT.nothing, present.get(place) ?? AUDIT.nothing),
    );
}

/** An entry of the log, one line for each value: "missed reports until down: 3 → 5". @param operation its path */
export function detailLines(operation: string, details: Readonly<Record<string, unknown>>): string[] {
  const isChange = !OF_HOSTS.has(operation) && CHANGING.has(operation.split("/").at(-1) ?? "");
  return Object.entries(details).flatMap(([name, value]) => {
    if (value === SECRET) return [AUDIT.changed(labelOf(name))];
    if (isChange && Array.isArray(value) && value.length === 2)
      return changeLines(name, [value[0] as unknown, value[1] as unknown]);
    return [...flatten(name, value)].map(([place, text]) => AUDIT.value(place, text));
  });
}
