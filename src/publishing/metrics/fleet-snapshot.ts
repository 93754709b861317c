import type { FamilyDefinition } from "./fleet-families.ts";
import type { Labels } from "./metrics.ts";

/**
 * The samples of one metric family, in the order of their labels. Stored as columns of numbers: there can be
 * millions of samples, and numbers cost the garbage collector nothing.
 */
export class FamilySamples {
  /** Indexes into the snapshot's labels. */
  readonly sets: number[] = [];
  /** Indexes into the snapshot's descriptors. */
  readonly descriptors: number[] = [];
  readonly values: number[] = [];

  constructor(readonly definition: FamilyDefinition) {}
}

/** State and statistics of the selected hosts. The samples of one host are consistent with each other. */
export class FleetSnapshot {
  /** Label sets, shared by all series of a host or service. */
  readonly labels: Labels[] = [];
  /** Each descriptor once, with its index. */
  readonly #indexes = new Map<string, number>();
  readonly #descriptors: string[] = [];
  readonly #families = new Map<string, FamilySamples>();

  /** Adds a label set. @returns its index */
  label(labels: Labels): number {
    return this.labels.push(labels) - 1;
  }

  /** @param descriptor "" if the statistic has none */
  add(definition: FamilyDefinition, set: number, value: number, descriptor = ""): void {
    const family = this.#families.get(definition.name) ?? new FamilySamples(definition);
    this.#families.set(definition.name, family);
    const index = this.#indexes.get(descriptor) ?? this.#descriptors.push(descriptor) - 1;
    this.#indexes.set(descriptor, index);
    family.sets.push(set);
    family.descriptors.push(index);
    family.values.push(value);
  }

  /** By name. */
  get families(): FamilySamples[] {
    return [...this.#families.values()].sort((a, b) => (a.definition.name < b.definition.name ? -1 : 1));
  }

  /** The series of a family and their values. */
  *pointsOf({ sets, descriptors, values }: FamilySamples) {
    for (let i = 0; i < values.length; i++)
      yield {
        set: sets[i] ?? 0,
        descriptor: this.#descriptors[descriptors[i] ?? 0] ?? "",
        value: values[i] ?? 0,
      };
  }
}
