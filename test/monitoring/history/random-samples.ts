/** Numbers as agents send them, and as they should never send them. */
import type { Random } from "../../support/random.ts";
import type { HistoryFixture } from "./history-fixture.ts";

const ODD = [
  0,
  -0,
  1,
  -1,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  Number.MAX_VALUE,
  -Number.MAX_VALUE,
  Number.MIN_VALUE,
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
  2 ** 49,
  2 ** 49 + 1,
  -(2 ** 49),
  2 ** 53,
  0.1,
  0.000001,
  0.0000001,
  1 / 3,
];

/** A statistic over time: each call gives the next value. */
export type Source = () => number;

/** Each kind is told apart by the form in which a column of it is stored. */
export function randomSource(random: Random): Source {
  let state = random.between(-1000, 1000);
  const move = (by: number) => {
    state += by;
    return state;
  };
  const constant = random.pick(ODD);
  return random.pick<Source>([
    () => constant,
    () => random.pick(ODD),
    () => random.between(0, 1000) / 10,
    () => Number((random.fraction() * 10).toFixed(6)),
    () => (random.fraction() - 0.5) * 10 ** random.between(-300, 300),
    () => move(random.between(0, 5000)),
    () => move(30),
    () => move(random.between(-3, 3)) / 1000,
    () => random.between(-1, 1) * Number.MAX_SAFE_INTEGER,
    // There is one NaN: its sign is no part of the language.
    () => (random.chance(0.9) || Number.isNaN(constant) ? constant : -constant),
  ]);
}

/** A host whose statistics come, go and change their order now and then. */
export class RandomHost {
  readonly #sources = new Map<number, Source>();
  #ids: number[] = [];

  constructor(
    readonly id: number,
    private readonly fixture: HistoryFixture,
    private readonly random: Random,
  ) {
    this.#changeLayout();
  }

  #changeLayout(): void {
    const { random } = this;
    const ids = new Set(Array.from({ length: random.below(8) }, () => random.between(1, 20)));
    if (random.chance(0.1)) ids.add(4_000_000_000);
    this.#ids = [...ids];
  }

  /** Samples every now and then from `from` to before `to`. */
  measure(from: number, to: number): void {
    const { random } = this;
    for (let at = from; at < to; at += random.chance(0.02) ? 1500 : random.between(0, 60)) {
      if (random.chance(0.05)) this.#changeLayout();
      if (random.chance(0.1)) this.#ids = this.#ids.toReversed();
      const values = Float64Array.from(this.#ids, (id) => {
        const source = this.#sources.get(id) ?? randomSource(random);
        this.#sources.set(id, source);
        return source();
      });
      this.fixture.addSample(this.id, at, this.#ids, values);
    }
  }
}
