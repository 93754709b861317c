/** JSON from outside. Its bounds are checked before it is parsed: the parser takes a hundred bytes for each open bracket. */
import { withoutNul } from "../text.ts";
import { errors } from "./errors.ts";

/** Deepest nesting of arrays and objects. */
const MAX_DEPTH = 32;
/** The most values in one request, counted before parsing: enough for two lists of the maximum length. */
export const MAX_VALUES = 20_000;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** Counts depth and separators outside of strings. @throws ApiError 400 beyond a bound */
function limitSize(text: string, maxValues: number): void {
  let depth = 0;
  let values = 1;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (inString) {
      if (unit === BACKSLASH) i++;
      else if (unit === QUOTE) inString = false;
      continue;
    }
    if (unit === QUOTE) inString = true;
    else if (unit === 0x5b || unit === 0x7b) depth++;
    else if (unit === 0x5d || unit === 0x7d) depth--;
    else if (unit === 0x2c || unit === 0x3a) values++;
    if (depth > MAX_DEPTH) throw errors.badRequest(`The JSON is nested more than ${MAX_DEPTH} levels deep`);
    if (values > maxValues) throw errors.badRequest(`The JSON has more than ${maxValues} values`);
  }
}

/**
 * Parses the body of an operation. As in a form, the last value of a repeated name counts.
 * @throws ApiError 400 if it is not an object, not well-formed or too large
 */
export function parseJsonBody(text: string): Record<string, unknown> {
  const value = parseJson(text, "body", MAX_VALUES);
  if (value === null || typeof value !== "object" || Array.isArray(value))
    throw errors.badRequest("The body must be a JSON object");
  return value as Record<string, unknown>;
}

/**
 * Parses JSON, and replaces U+0000 in texts.
 * @param what it is, for the error
 * @throws ApiError 400 if it is not well-formed, nested too deep, or has too many values
 */
export function parseJson(
  text: string,
  what: "body" | "file",
  maxValues = Number.POSITIVE_INFINITY,
): unknown {
  limitSize(text, maxValues);
  try {
    // A reviver rebuilds every object, so it is used only if it is needed.
    if (!text.includes("\\u0000")) return JSON.parse(text);
    return JSON.parse(text, (_name, value) => (typeof value === "string" ? withoutNul(value) : value));
  } catch (error) {
    if (error instanceof SyntaxError) throw errors.badRequest(`The ${what} is not well-formed JSON`);
    throw error;
  }
}
