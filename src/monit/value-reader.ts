/**
 * Reads single values out of a parsed message. Whatever is odd or out of range costs that one value or element, never
 * the message: it is noted, and the caller goes on with what stands for a missing one.
 */
import { asArray, textOf, truncate } from "./elements.ts";
import type { Unreadable, UnreadableOfService } from "./message.types.ts";
import { decimalOf, integerOf, isNoNumber } from "./numbers.ts";
import type { StatisticUnit } from "./statistic-types.ts";
import type { XmlElement } from "./xml.ts";

/** Of what could not be read so much is listed, the rest only counted: about 6 kB with the longest names. */
const MAX_SERVICES_LISTED = 10;
const MAX_ELEMENTS_LISTED = 5;

export class ValueReader {
  readonly #path: string[] = [];
  #service = "";
  #count = 0;
  readonly #byService = new Map<string, UnreadableOfService>();

  /** What was noted; null when everything could be read. */
  get unreadable(): Unreadable | null {
    return this.#count === 0 ? null : { count: this.#count, services: [...this.#byService.values()] };
  }

  /** What is read from now on belongs to this service; "" for the message itself. */
  ofService(name: string): void {
    this.#service = name;
  }

  /** Runs `read`, in which elements are named by their place within `name`. */
  within<T>(name: string, read: () => T): T {
    this.#path.push(name);
    const result = read();
    this.#path.pop();
    return result;
  }

  /** Notes an element or attribute (`@name`) that cannot be read. */
  note(name: string): void {
    this.#count++;
    let entry = this.#byService.get(this.#service);
    if (!entry) {
      if (this.#byService.size === MAX_SERVICES_LISTED) return;
      entry = { service: this.#service, count: 0, elements: [] };
      this.#byService.set(this.#service, entry);
    }
    entry.count++;
    const element = [...this.#path, name.replace("@", "")].join("/");
    if (entry.elements.length < MAX_ELEMENTS_LISTED && !entry.elements.includes(element))
      entry.elements.push(element);
  }

  /** The only child of that name; undefined when it is absent. Of several nobody knows which one is right. */
  only(parent: XmlElement, name: string): Bun.XML.Value | undefined {
    const value = parent[name];
    if (!Array.isArray(value)) return value;
    this.note(name);
    return undefined;
  }

  /** The only child of that name; null when it is absent or empty. */
  element(parent: XmlElement, name: string): XmlElement | null {
    const value = this.only(parent, name);
    if (typeof value !== "string") return value ?? null;
    if (value.trim() !== "") this.note(name);
    return null;
  }

  /**
   * As `element`, where it matters whether something is missing or unreadable.
   * @returns {} when it is absent or empty, null when it cannot be read
   */
  section(parent: XmlElement, name: string): XmlElement | null {
    if (parent[name] === undefined) return {};
    const value = this.only(parent, name);
    if (typeof value !== "string") return value ?? null;
    if (value.trim() === "") return {};
    this.note(name);
    return null;
  }

  /** The children of that name that hold elements or attributes. */
  elements(parent: XmlElement, name: string): XmlElement[] {
    const found: XmlElement[] = [];
    for (const value of asArray(parent, name))
      if (typeof value === "string") this.note(name);
      else found.push(value);
    return found;
  }

  /** The text of the only child (or attribute, `@name`) of that name, cut to `max`; "" when it is absent. */
  text(parent: XmlElement, name: string, max: number): string {
    const value = this.only(parent, name);
    return value === undefined ? "" : truncate(textOf(value), max);
  }

  /** The whole number in the only child (or attribute, `@name`) of that name; null when it is not there, which is noted. */
  integer(parent: XmlElement, name: string, min: number, max: number, unit: StatisticUnit = "none") {
    if (parent[name] === undefined) this.note(name);
    return this.optionalInteger(parent, name, min, max, unit);
  }

  /** As `integer`, for what agents of some versions do not send. */
  optionalInteger(
    parent: XmlElement,
    name: string,
    min: number,
    max: number,
    unit: StatisticUnit = "none",
  ): number | null {
    const value = this.only(parent, name);
    if (value === undefined) return null;
    const number = integerOf(textOf(value), unit);
    if (number !== null && number >= min && number <= max) return number;
    this.note(name);
    return null;
  }

  /** A decimal number in `unit`; null when it is absent, or the agent itself has none ("nan"). */
  decimal(parent: XmlElement, name: string, unit: StatisticUnit): number | null {
    const value = this.only(parent, name);
    if (value === undefined) return null;
    const text = textOf(value);
    const number = decimalOf(text, unit);
    if (number === null && !isNoNumber(text)) this.note(name);
    return number;
  }
}
