/** Strict reading of single values out of parsed elements. Everything here throws `MessageRefused` and nothing else. */
import { MessageRefused } from "./message-refused.ts";
import type { XmlElement } from "./xml.ts";

/** Cuts a text to at most `max` UTF-16 units, never through a surrogate pair. */
export function cut(value: string, max: number): string {
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

/** The children of that name, each of which must hold elements or attributes. */
export function elements(parent: XmlElement, name: string): XmlElement[] {
  return asArray(parent, name).map((value) => (typeof value === "string" ? notStructured(name) : value));
}

/** The only child of that name, or null when it is absent or empty. */
export function optionalElement(parent: XmlElement, name: string): XmlElement | null {
  const value = only(parent, name);
  if (typeof value !== "string") return value ?? null;
  return value.trim() === "" ? null : notStructured(name);
}

/** The only child of that name. */
export function element(parent: XmlElement, name: string): XmlElement {
  const value = optionalElement(parent, name);
  return value ?? notStructured(name);
}

/** As `element`, but null when it is empty. */
export function elementOrEmpty(parent: XmlElement, name: string): XmlElement | null {
  if (parent[name] === undefined) throw new MessageRefused(`Element ${name} is required.`);
  return optionalElement(parent, name);
}

function notStructured(name: string): never {
  throw new MessageRefused(`Element ${name} must be there and hold further elements.`);
}

/** The text of an element as parsed. */
export function textOf(value: Bun.XML.Value): string {
  if (typeof value === "string") return value;
  const content = value["#text"];
  return typeof content === "string" ? content : "";
}

/** The text of the only child (or attribute, `@name`) of that name, cut to `max`; null when absent. */
export function optionalText(parent: XmlElement, name: string, max: number): string | null {
  const value = only(parent, name);
  return value === undefined ? null : cut(textOf(value), max);
}

/** As `optionalText`, but required. It may be empty. */
export function text(parent: XmlElement, name: string, max: number): string {
  const value = optionalText(parent, name, max);
  if (value === null) throw new MessageRefused(`${label(name)} is required.`);
  return value;
}

/** As `text`, but not empty. */
export function nonEmptyText(parent: XmlElement, name: string, max: number): string {
  const value = text(parent, name, max);
  if (value === "") throw new MessageRefused(`${label(name)} must not be empty.`);
  return value;
}

/** What an agent meant by the text of a CDATA section, where it writes `]]>` as `]]&gt;`. */
export function cdata(value: string): string {
  return value.includes("]]&gt;") ? value.replaceAll("]]&gt;", "]]>") : value;
}

const WHOLE_NUMBER = /^-?\d{1,16}$/;

/** The whole number in the only child (or attribute, `@name`) of that name. */
export function integer(parent: XmlElement, name: string, min: number, max: number): number {
  const value = only(parent, name);
  const digits = value === undefined ? "" : textOf(value);
  const number = WHOLE_NUMBER.test(digits) ? Number(digits) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new MessageRefused(`${label(name)} must be a whole number from ${min} to ${max}.`);
}

const DECIMAL_NUMBER = /^-?\d{1,30}(?:\.\d{1,30})?$/;
/** What C prints for a division by zero, as it happens with an empty file system. */
const NO_NUMBER = /^[-+]?(?:nan|inf|infinity)$/i;

/** A decimal number; null when the agent itself has none ("nan"). */
export function decimal(value: Bun.XML.Value, name: string): number | null {
  const digits = textOf(value);
  if (DECIMAL_NUMBER.test(digits)) return Number(digits);
  if (NO_NUMBER.test(digits)) return null;
  throw new MessageRefused(`Element ${name} must be a number.`);
}

/** The only child (or attribute) of that name. */
export function only(parent: XmlElement, name: string): Bun.XML.Value | undefined {
  const value = parent[name];
  if (Array.isArray(value)) throw new MessageRefused(`Element ${name} must not be repeated.`);
  return value;
}

function label(name: string): string {
  return name.startsWith("@") ? `Attribute ${name.slice(1)}` : `Element ${name}`;
}
