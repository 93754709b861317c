/** The body of an operation that takes JSON. Its bounds are checked before it is parsed. */
import { withoutNul } from "../text.ts";
import { errors } from "./errors.ts";

/** Deepest nesting of arrays and objects. */
const MAX_DEPTH = 32;
/** Most values, as in a form. */
const MAX_VALUES = 20_000;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];

/** Counts depth and separators outside of strings. @throws ApiError 400 beyond a bound */
function limitSize(text: string): void {
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
    if (values > MAX_VALUES) throw errors.badRequest(`The JSON has more than ${MAX_VALUES} values`);
  }
}

/**
 * Parses a JSON body. As in a form, the last value of a repeated name counts, and U+0000 in texts is replaced.
 * @throws ApiError 400 if it is not an object, not well-formed or too large
 */
export function parseJsonBody(text: string): Record<string, unknown> {
  limitSize(text);
  const value = parsed(text);
  if (value === null || typeof value !== "object" || Array.isArray(value))
    throw errors.badRequest("The body must be a JSON object");
  return value as Record<string, unknown>;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text, (_name, value) => (typeof value === "string" ? withoutNul(value) : value));
  } catch (error) {
    if (error instanceof SyntaxError) throw errors.badRequest("The body is not well-formed JSON");
    throw error;
  }
}
