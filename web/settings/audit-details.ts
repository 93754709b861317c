/** Details of the audit log as lines for people. */
import { AUDIT } from "./settings.texts.ts";

/** Last parts of the operations of whose objects the log has pairs of what was before and after. */
const CHANGING: ReadonlySet<string> = new Set(["update", "set", "move", "delete", "takeover"]);
/** In place of a secret, of which only the change is logged. */
const SECRET = "(secret)";

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A single value as text. */
function valueText(value: unknown): string {
  if (value === null || value === "") return AUDIT.nothing;
  return String(value);
}

/** The single values within a value by their place: "rotations 1 › users" is "anna, ben". */
function flatten(name: string, value: unknown, into = new Map<string, string>()): Map<string, string> {
  if (isObject(value))
    for (const [part, inner] of Object.entries(value)) flatten(AUDIT.within(name, part), inner, into);
  else if (Array.isArray(value) && value.some(isObject))
    for (const [i, inner] of value.entries()) flatten(`${name} ${i + 1}`, inner, into);
  else if (Array.isArray(value)) into.set(name, value.map(valueText).join(", ") || AUDIT.nothing);
  else into.set(name, valueText(value));
  return into;
}

function changeLines(name: string, [before, after]: readonly [unknown, unknown]): string[] {
  const [old, present] = [flatten(name, before), flatten(name, after)];
  // An object that was not there, or is not any more, is told by its values.
  if (isObject(before) !== isObject(after)) (isObject(before) ? present : old).delete(name);
  return [...new Set([...old.keys(), ...present.keys()])]
    .filter((place) => old.get(place) !== present.get(place))
    .map((place) =>
      AUDIT.change(place, old.get(place) ?? AUDIT.nothing, present.get(place) ?? AUDIT.nothing),
    );
}

/** What an entry of the log says, one line for each value: "skew: 3 → 5". @param operation its path */
export function detailLines(operation: string, details: Readonly<Record<string, unknown>>): string[] {
  const isChange = CHANGING.has(operation.split("/").at(-1) ?? "");
  return Object.entries(details).flatMap(([name, value]) => {
    if (value === SECRET) return [AUDIT.changed(name)];
    if (isChange && Array.isArray(value) && value.length === 2)
      return changeLines(name, [value[0] as unknown, value[1] as unknown]);
    return [...flatten(name, value)].map(([place, text]) => AUDIT.value(place, text));
  });
}
