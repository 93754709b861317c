/** Counters, gauges, histograms and the Prometheus text format (version 0.0.4). */

/** Content type of the text format. */
export const TEXT_FORMAT = "text/plain; version=0.0.4; charset=utf-8";

export type Labels = Readonly<Record<string, string>>;

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

/** Labels as written between the braces. */
export function labelPairs(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(",");
}

function labelText(labels: Labels): string {
  const pairs = labelPairs(labels);
  return pairs && `{${pairs}}`;
}

/** A line of the text format. Labels are escaped; the name is written as it is. */
export function sample(name: string, labels: Labels, value: number): string {
  return `${name}${labelText(labels)} ${value}`;
}

/**
 * Key of a label set among those with the same names. Every request needs one; an escaped text would cost five times as
 * much.
 */
function keyOf(labels: Labels): string {
  let key = "";
  for (const name in labels) key += `${labels[name]}\n`;
  return key;
}

/** A metric family: help, type and samples. */
export function family(
  name: string,
  type: "counter" | "gauge" | "histogram",
  help: string,
  samples: string[],
) {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples];
}

/** A gauge with one sample; none if there is no value. */
export function gauge(name: string, help: string, value: number | null, labels: Labels = {}): string[] {
  return value === null ? [] : family(name, "gauge", help, [sample(name, labels, value)]);
}

/** A value that only grows, per label set. */
export class MetricCounter {
  /** By the values of the labels, whose names are the same for the whole family. */
  readonly #counts = new Map<string, { labels: Labels; count: number }>();

  /** @param known label sets that count from 0, so that Prometheus sees their first increase */
  constructor(
    private readonly name: string,
    private readonly help: string,
    known: readonly Labels[] = [],
  ) {
    for (const labels of known) this.#counts.set(keyOf(labels), { labels, count: 0 });
  }

  add(labels: Labels = {}): void {
    const key = keyOf(labels);
    const entry = this.#counts.get(key);
    if (entry) entry.count++;
    else this.#counts.set(key, { labels, count: 1 });
  }

  /** The sum over all label sets. */
  get total(): number {
    return this.#counts.values().reduce((sum, { count }) => sum + count, 0);
  }

  lines(): string[] {
    const samples = [...this.#counts.values()].map(({ labels, count }) => sample(this.name, labels, count));
    return family(this.name, "counter", this.help, samples);
  }
}

interface Series {
  labels: Labels;
  /** Number of values per bucket; the last bucket is for values above all bounds. */
  counts: number[];
  sum: number;
}

/** Distribution of durations, per label set. */
export class Histogram {
  readonly #series = new Map<string, Series>();

  /** @param bounds upper bounds of the buckets, ascending */
  constructor(
    private readonly name: string,
    private readonly help: string,
    private readonly bounds: readonly number[],
  ) {}

  observe(labels: Labels, value: number): void {
    const key = keyOf(labels);
    let series = this.#series.get(key);
    if (!series) {
      series = { labels, counts: new Array(this.bounds.length + 1).fill(0), sum: 0 };
      this.#series.set(key, series);
    }
    const index = this.bounds.findIndex((bound) => value <= bound);
    const bucket = index === -1 ? this.bounds.length : index;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.sum += value;
  }

  lines(): string[] {
    const samples = [...this.#series.values()].flatMap(({ labels, counts, sum }) => {
      let total = 0;
      const buckets = counts.map((count, i) => {
        total += count;
        const le = String(this.bounds[i] ?? "+Inf");
        return sample(`${this.name}_bucket`, { ...labels, le }, total);
      });
      return [
        ...buckets,
        sample(`${this.name}_sum`, labels, sum),
        sample(`${this.name}_count`, labels, total),
      ];
    });
    return family(this.name, "histogram", this.help, samples);
  }
}
