/** The details of an audit entry: secrets are masked and long values are truncated here, and nowhere else. */

import { isDeepStrictEqual } from "node:util";
import { cut } from "../text.ts";

export type Details = Record<string, unknown>;

/** Names of secret values. Only the fact that such a value changed is stored. */
const SECRET =
  /password|passwd|md5|secret|csrf|cookie|credential|^token$|^key$|^otlpheaders$|^heartbeaturl$/i;
/** Longer texts are truncated to this length. */
const MAX_TEXT = 255;
/** Longer lists are truncated to this length. */
export const MAX_AUDITED_ITEMS = 100;

function bounded(value: unknown): unknown {
  if (typeof value === "string") return cut(value, MAX_TEXT);
  if (Array.isArray(value)) return value.slice(0, MAX_AUDITED_ITEMS).map(bounded);
  if (value === null || typeof value !== "object") return value;
  return publicDetails(value as Details);
}

/** Masks secrets and truncates long values. Undefined values are dropped. */
export function publicDetails(details: Details): Details {
  return Object.fromEntries(
    Object.entries(details)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, SECRET.test(name) ? "(secret)" : bounded(value)]),
  );
}

/** The values that changed, each as [before, after]. Secrets are not masked here: `publicDetails` does that. */
export function changesBetween(before: Details, after: Details): Details {
  const changed = Object.keys({ ...before, ...after }).filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  );
  return Object.fromEntries(changed.map((name) => [name, [before[name] ?? null, after[name] ?? null]]));
}
