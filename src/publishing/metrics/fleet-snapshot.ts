import type { FamilyDefinition } from "./fleet-families.ts";
import type { Labels } from "./metrics.ts";

/** One series and its value. */
export interface MetricPoint {
  /** Index into the snapshot's labels. */
  set: number;
  /** "" if the statistic has none. */
  descriptor: string;
  value: number;
}

/** Interns strings: each is stored once. */
class Texts {
  readonly #texts: string[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const next = this.#texts.push(text) - 1;
    this.#numbers.set(text, next);
    return next;
  }

  get(number: number): string {
    return this.#texts[number] ?? "";
  }
}

/**
 * The samples of one metric family, in the order of their labels. Stored as columns of numbers: there can be
 * millions of samples, and numbers cost the garbage collector nothing.
 */
export class FamilySamples {
  readonly #sets: number[] = [];
  readonly #descriptors: number[] = [];
  readonly #values: number[] = [];

  constructor(
    readonly definition: FamilyDefinition,
    private readonly texts: Texts,
  ) {}

  get length(): number {
    return this.#values.length;
  }

  add(set: number, value: number, descriptor: string): void {
    this.#sets.push(set);
    this.#descriptors.push(this.texts.numberOf(descriptor));
    this.#values.push(value);
  }

  *[Symbol.iterator](): Generator<MetricPoint> {
    for (let i = 0; i < this.#values.length; i++)
      yield {
        set: this.#sets[i] ?? 0,
        descriptor: this.texts.get(this.#descriptors[i] ?? 0),
        value: this.#values[i] ?? 0,
      };
  }
}

/** State and statistics of the selected hosts. The samples of one host are consistent with each other. */
export class FleetSnapshot {
  /** Label sets, shared by all series of a host or service. */
  readonly labels: Labels[] = [];
  readonly #descriptors = new Texts();
  readonly #families = new Map<string, FamilySamples>();

  /** Adds a label set. @returns its index */
  label(labels: Labels): number {
    return this.labels.push(labels) - 1;
  }

  add(definition: FamilyDefinition, set: number, value: number, descriptor = ""): void {
    let family = this.#families.get(definition.name);
    if (!family) {
      family = new FamilySamples(definition, this.#descriptors);
      this.#families.set(definition.name, family);
    }
    family.add(set, value, descriptor);
  }

  /** By name. */
  get families(): FamilySamples[] {
    return [...this.#families.values()].sort((a, b) => (a.definition.name < b.definition.name ? -1 : 1));
  }
}
