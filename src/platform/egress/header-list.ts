/** Headers as one line of text, in the format of OTEL_EXPORTER_OTLP_HEADERS: `name=value,name=value`. */
import { percentDecoded } from "../net/percent-encoding.ts";

const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
/** Characters allowed in a value. A line end would start another header. */
const VALUE = /^[\t\x20-\x7e]*$/;

/** Headers that describe the connection or the length of a request, which the client sets itself. */
const OF_CLIENT = /^(host|connection|content-length|transfer-encoding|upgrade|te|trailer|expect)$/i;

/** Whether only the client that makes the request may set the header. */
export function isOfClient(name: string): boolean {
  return OF_CLIENT.test(name);
}

/** Parses such a line. @returns the values by name; null if the text has another format */
export function readHeaders(text: string): Record<string, string> | null {
  const headers: Record<string, string> = {};
  for (const pair of text.split(",")) {
    if (pair.trim() === "") continue;
    const at = pair.indexOf("=");
    const name = pair.slice(0, Math.max(0, at)).trim();
    const value = percentDecoded(pair.slice(at + 1).trim());
    if (!NAME.test(name) || value === null || !VALUE.test(value)) return null;
    headers[name] = value;
  }
  return headers;
}
