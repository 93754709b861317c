/** What every reader of parsed elements needs: their children and their texts. Nothing here throws. */
import type { XmlElement } from "./xml.ts";

/** Cuts a text to at most `max` UTF-16 units, never through a surrogate pair. */
export function truncate(value: string, max: number): string {
  if (value.length <= max) return value;
  const last = value.charCodeAt(max - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return value.slice(0, splitsPair ? max - 1 : max);
}

/** All children of that name: none, one or several. */
export function asArray(parent: XmlElement, name: string): Bun.XML.Value[] {
  const value = parent[name];
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** The text of an element as parsed. */
export function textOf(value: Bun.XML.Value): string {
  if (typeof value === "string") return value;
  const content = value["#text"];
  return typeof content === "string" ? content : "";
}

/** What an agent meant by the text of a CDATA section, where it writes `]]>` as `]]&gt;`. */
export function cdata(value: string): string {
  return value.includes("]]&gt;") ? value.replaceAll("]]&gt;", "]]>") : value;
}
