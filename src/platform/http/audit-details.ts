/** What an entry says beyond who, when and which. One place decides what must not stand in it, and how long it gets. */

export type Details = Record<string, unknown>;

/** Values of these names are never stored, only that they changed. */
const SECRET =
  /password|passwd|md5|secret|csrf|cookie|credential|^token$|^key$|^otlpheaders$|^heartbeaturl$/i;
/** Longer texts and lists are cut. */
const MAX_TEXT = 255;
const MAX_ITEMS = 100;

function bounded(value: unknown): unknown {
  if (typeof value === "string") return value.slice(0, MAX_TEXT).toWellFormed();
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(bounded);
  if (value === null || typeof value !== "object") return value;
  return publicDetails(value as Details);
}

/** Without secrets, and short enough to be kept. What is undefined is left out. */
export function publicDetails(details: Details): Details {
  return Object.fromEntries(
    Object.entries(details)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, SECRET.test(name) ? "(secret)" : bounded(value)]),
  );
}

/** The values that differ, each as [before, after]; of secrets only that they do. */
export function changesBetween(before: Details, after: Details): Details {
  const changed = Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name]);
  return Object.fromEntries(changed.map((name) => [name, [before[name] ?? null, after[name] ?? null]]));
}
