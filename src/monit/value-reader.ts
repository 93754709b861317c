/** Reads single values of a message. A malformed or out-of-range one is noted and treated as missing. */
import { asArray, textOf, truncate } from "./elements.ts";
import type { Unreadable, UnreadableOfService } from "./message.types.ts";
import { MAX_TEXT } from "./message-bounds.ts";
import { decimalOf, integerOf, isNoNumber } from "./numbers.ts";
import type { StatisticUnit } from "./statistic-types.ts";
import type { XmlElement } from "./xml.ts";

// Bounds on the list of unreadable elements, about 6 kB at most. Further ones are only counted.
const MAX_SERVICES_LISTED = 10;
const MAX_ELEMENTS_LISTED = 5;

/** The integers that a value may be, bounds included. */
interface IntegerRange {
  /** 0 if absent. */
  min?: number;
  max: number;
  unit?: StatisticUnit;
}

/** The values of one message. What cannot be read is noted with its service and path, up to a bound. */
export class ValueReader {
  readonly #path: string[] = [];
  #service = "";
  #count = 0;
  readonly #byService = new Map<string, UnreadableOfService>();

  /** Everything noted so far; null if there was nothing. */
  get unreadable(): Unreadable | null {
    return this.#count === 0 ? null : { count: this.#count, services: [...this.#byService.values()] };
  }

  /** Sets the service to which the following values belong; "" for the message itself. */
  ofService(name: string): void {
    this.#service = name;
  }

  /** Runs `read` with `name` prepended to the paths of the elements it notes. */
  within<T>(name: string, read: () => T): T {
    this.#path.push(name);
    const result = read();
    this.#path.pop();
    return result;
  }

  /** Records an element or attribute (`@name`) that cannot be read. */
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

  /** The only child with this name; undefined if it is absent. Several are noted and treated as absent. */
  only(parent: XmlElement, name: string): Bun.XML.Value | undefined {
    const value = parent[name];
    if (!Array.isArray(value)) return value;
    this.note(name);
    return undefined;
  }

  /** The only child element with this name; null if it is absent or empty. */
  element(parent: XmlElement, name: string): XmlElement | null {
    const value = this.only(parent, name);
    if (typeof value !== "string") return value ?? null;
    if (value.trim() !== "") this.note(name);
    return null;
  }

  /**
   * As `element`, but distinguishes a missing element from an unreadable one.
   * @returns {} if it is absent or empty, null if it cannot be read
   */
  section(parent: XmlElement, name: string): XmlElement | null {
    if (parent[name] === undefined) return {};
    const value = this.only(parent, name);
    if (typeof value !== "string") return value ?? null;
    if (value.trim() === "") return {};
    this.note(name);
    return null;
  }

  /** The children with this name that have elements or attributes. */
  elements(parent: XmlElement, name: string): XmlElement[] {
    const elements: XmlElement[] = [];
    for (const value of asArray(parent, name))
      if (typeof value === "string") this.note(name);
      else elements.push(value);
    return elements;
  }

  /** The text of the only child (or attribute, `@name`), cut to `max` code units; "" if it is absent. */
  text(parent: XmlElement, name: string, max = MAX_TEXT): string {
    const value = this.only(parent, name);
    return value === undefined ? "" : truncate(textOf(value), max);
  }

  /** The integer in the only child (or attribute, `@name`) with this name; null if absent, which is noted. */
  integer(parent: XmlElement, name: string, range: IntegerRange): number | null {
    if (parent[name] === undefined) this.note(name);
    return this.optionalInteger(parent, name, range);
  }

  /** As `integer`, but absence is not noted: some agent versions do not send the value. */
  optionalInteger(
    parent: XmlElement,
    name: string,
    { min = 0, max, unit = "none" }: IntegerRange,
  ): number | null {
    const value = this.only(parent, name);
    if (value === undefined) return null;
    const number = integerOf(textOf(value), unit);
    if (number !== null && number >= min && number <= max) return number;
    this.note(name);
    return null;
  }

  /** A decimal number in `unit`; null if it is absent or the agent has none ("nan"). */
  decimal(parent: XmlElement, name: string, unit: StatisticUnit): number | null {
    const value = this.only(parent, name);
    if (value === undefined) return null;
    const text = textOf(value);
    const number = decimalOf(text, unit);
    if (number === null && !isNoNumber(text)) this.note(name);
    return number;
  }
}
