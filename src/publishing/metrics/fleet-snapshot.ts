import { FAMILIES, type FamilyDefinition } from "./fleet-families.ts";
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

/** Part of a snapshot as plain data, for another thread. */
export interface SnapshotPage {
  labels: readonly Labels[];
  descriptors: readonly string[];
  families: readonly { name: string; sets: number[]; descriptors: number[]; values: number[] }[];
}

/** State and statistics of the selected hosts. The samples of one host are consistent with each other. */
export class FleetSnapshot {
  /** Label sets, shared by all series of a host or service. */
  readonly labels: Labels[] = [];
  /** Each descriptor once, with its index. */
  readonly #indexes = new Map<string, number>();
  readonly #descriptors: string[] = [];
  readonly #families = new Map<string, FamilySamples>();
  #size = 0;

  /** Number of samples. */
  get size(): number {
    return this.#size;
  }

  /** Adds a label set. @returns its index */
  label(labels: Labels): number {
    return this.labels.push(labels) - 1;
  }

  /** @param descriptor "" if the statistic has none */
  add(definition: FamilyDefinition, set: number, value: number, descriptor = ""): void {
    const family = this.#familyOf(definition);
    family.sets.push(set);
    family.descriptors.push(this.#indexOf(descriptor));
    family.values.push(value);
    this.#size++;
  }

  /** The whole snapshot as plain data. */
  page(): SnapshotPage {
    const families = [...this.#families.values()].map(({ definition, ...samples }) => ({
      name: definition.name,
      ...samples,
    }));
    return { labels: this.labels, descriptors: this.#descriptors, families };
  }

  /** Appends a page. */
  addPage(page: SnapshotPage): void {
    const before = this.labels.length;
    for (const labels of page.labels) this.labels.push(labels);
    const indexes = page.descriptors.map((descriptor) => this.#indexOf(descriptor));
    for (const { name, sets, descriptors, values } of page.families) {
      const definition = FAMILIES.get(name);
      if (!definition) throw new Error(`there is no metric family ${name}`);
      const family = this.#familyOf(definition);
      for (const set of sets) family.sets.push(before + set);
      for (const descriptor of descriptors) family.descriptors.push(indexes[descriptor] ?? 0);
      for (const value of values) family.values.push(value);
      this.#size += values.length;
    }
  }

  #familyOf(definition: FamilyDefinition): FamilySamples {
    const family = this.#families.get(definition.name) ?? new FamilySamples(definition);
    this.#families.set(definition.name, family);
    return family;
  }

  #indexOf(descriptor: string): number {
    const index = this.#indexes.get(descriptor) ?? this.#descriptors.push(descriptor) - 1;
    this.#indexes.set(descriptor, index);
    return index;
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
