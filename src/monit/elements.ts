/** Access to the children and texts of parsed elements. Nothing here throws. */
import type { XmlElement } from "./xml.ts";

/** Cuts a text to at most `max` UTF-16 code units without splitting a surrogate pair. */
export function truncate(value: string, max: number): string {
  if (value.length <= max) return value;
  const last = value.charCodeAt(max - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return value.slice(0, splitsPair ? max - 1 : max);
}

/** The children with this name: none, one or several. */
export function asArray(parent: XmlElement, name: string): Bun.XML.Value[] {
  const value = parent[name];
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** The text of a parsed element; "" if it has none. */
export function textOf(value: Bun.XML.Value): string {
  if (typeof value === "string") return value;
  const content = value["#text"];
  return typeof content === "string" ? content : "";
}

/**
 * The name of a service as XML reads it in an attribute, where line ends and tabs are spaces. In elements, such as those of
 * events, they are not, and would make it the name of another service.
 */
export function serviceName(text: string): string {
  return text.replace(/[\t\n\r]/g, " ");
}

/** Restores the text of a CDATA section: agents write `]]>` inside it as `]]&gt;`. */
export function cdata(value: string): string {
  return value.includes("]]&gt;") ? value.replaceAll("]]&gt;", "]]>") : value;
}
