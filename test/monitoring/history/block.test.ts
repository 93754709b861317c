import { describe, expect, test } from "bun:test";
import {
  type BlockColumns,
  type BlockRow,
  decodeBlock,
  decodeColumns,
  encodeBlock,
  LayoutMemo,
  sameRows,
} from "../../../src/monitoring/history/block.ts";
import { ByteReader, ByteWriter } from "../../../src/monitoring/history/bytes.ts";
import { START } from "../../support/clock.ts";
import { Random } from "../../support/random.ts";
import { bitsOf } from "./history-fixture.ts";
import { randomSource, type Source } from "./random-samples.ts";

function row(at: number, ids: number[], values: number[]): BlockRow {
  return { at, ids: Uint32Array.from(ids), values: Float64Array.from(values) };
}

function expectRoundTrip(rows: readonly BlockRow[]): void {
  expect(decodeBlock(encodeBlock(rows)).map(bitsOf)).toEqual(rows.map(bitsOf));
}

function randomRows(random: Random): BlockRow[] {
  const layouts = Array.from({ length: random.between(1, 4) }, () =>
    Array.from(new Set(Array.from({ length: random.below(12) }, () => random.between(1, 30)))),
  );
  const sources = new Map<number, Source>();
  let at = START;
  return Array.from({ length: random.between(1, 150) }, () => {
    at += random.pick([0, 1, 30, 30, 30, 31, 900]);
    const ids = random.pick(layouts);
    const values = ids.map((id) => {
      const source = sources.get(id) ?? randomSource(random);
      sources.set(id, source);
      return source();
    });
    return row(at, ids, values);
  });
}

describe("what goes into a block comes out of it, bit for bit", () => {
  for (let seed = 1; seed <= 20; seed++)
    test(`random rows, seed ${seed}`, () => {
      const random = new Random(seed);
      for (let round = 0; round < 40; round++) expectRoundTrip(randomRows(random));
    });

  for (let seed = 1; seed <= 5; seed++)
    test(`only the wanted columns are read, seed ${seed}`, () => {
      const random = new Random(seed);
      for (let round = 0; round < 40; round++) {
        const rows = randomRows(random);
        const wanted = new Set(Array.from({ length: random.below(8) }, () => random.between(1, 40)));
        const expected = rows.map(({ at, ids, values }) => {
          const kept = [...ids.keys()].filter((i) => wanted.has(ids[i] ?? 0));
          return row(
            at,
            kept.map((i) => ids[i] ?? 0),
            kept.map((i) => values[i] ?? 0),
          );
        });
        expect(decodeBlock(encodeBlock(rows), wanted).map(bitsOf)).toEqual(expected.map(bitsOf));
      }
    });

  for (let seed = 1; seed <= 5; seed++)
    test(`columns have the values of the rows, and none where a row lacks them, seed ${seed}`, () => {
      const random = new Random(seed);
      for (let round = 0; round < 40; round++) {
        const rows = randomRows(random);
        const wanted = [...new Set(Array.from({ length: random.below(8) }, () => random.between(1, 40)))];
        const { times, columns } = decodeColumns(encodeBlock(rows), new Map(wanted.map((id, i) => [id, i])));
        const ofColumns = Array.from(times, (at, r) =>
          row(
            at,
            wanted,
            wanted.map((_, i) => columns[i]?.[r] ?? 0),
          ),
        );
        const expected = rows.map(({ at, ids, values }) =>
          row(
            at,
            wanted,
            wanted.map((id) => values[ids.indexOf(id)] ?? Number.NaN),
          ),
        );
        expect(ofColumns.map(bitsOf)).toEqual(expected.map(bitsOf));
      }
    });

  for (let seed = 1; seed <= 5; seed++)
    test(`columns are read the same after blocks of any layouts, seed ${seed}`, () => {
      const random = new Random(seed);
      const blocks = Array.from({ length: 6 }, () => encodeBlock(randomRows(random)));
      const positions = new Map([3, 17, 8, 29, 1].map((id, position) => [id, position]));
      const memo = new LayoutMemo();
      for (let round = 0; round < 200; round++) {
        const block = random.pick(blocks);
        const bits = ({ times, columns }: BlockColumns) =>
          [times, ...columns].map((each) => Buffer.from(each.buffer).toString("hex"));
        expect(bits(decodeColumns(block, positions, memo))).toEqual(bits(decodeColumns(block, positions)));
      }
    });

  const CASES: readonly [why: string, rows: BlockRow[]][] = [
    ["no row", []],
    ["one row", [row(START, [7], [1.5])]],
    ["rows without statistics", [row(START, [], []), row(START + 30, [], [])]],
    ["a statistic that only the last row has", [row(START, [1], [1]), row(START, [1, 2], [1, 2])]],
    ["the same statistics in another order", [row(START, [1, 2], [1, 2]), row(START, [2, 1], [3, 4])]],
    ["both zeros", [row(START, [1], [0]), row(START, [1], [-0])]],
    ["negative zero throughout", [row(START, [1], [-0]), row(START, [1], [-0])]],
    ["the largest ids", [row(START, [0xffff_ffff, 0, 0xffff_fffe], [1, 2, 3])]],
    ["times that go back", [row(START, [1], [1]), row(START - 3600, [1], [2])]],
    [
      "steps from one end of the whole numbers to the other",
      [2 ** 49, -(2 ** 49), 2 ** 49, -(2 ** 49)].map((n, i) => row(START + i, [1], [n])),
    ],
    ["numbers too large to be scaled", [0.1, 2 ** 52, 0.3].map((n, i) => row(START + i, [1], [n]))],
  ];
  for (const [why, rows] of CASES) test(why, () => expectRoundTrip(rows));
});

describe("a block that is damaged", () => {
  const whole = encodeBlock([row(START, [1, 2], [1, 2]), row(START + 30, [1, 2], [5, 2])]);

  test("in its version is refused", () => {
    const other = Buffer.from(whole);
    other[0] = 9;
    expect(() => decodeBlock(other)).toThrow("version 9");
  });

  test("anywhere, or cut, is refused or differs: it never hangs", () => {
    for (let length = 0; length < whole.length; length++)
      expect(() => decodeBlock(whole.subarray(0, length))).toThrow();
  });
});

test("rows differ by time, by statistic and by any bit of a value", () => {
  const rows = [row(START, [1, 2], [0, 5])];
  expect(sameRows(rows, [row(START, [1, 2], [0, 5])])).toBe(true);
  expect(sameRows(rows, [row(START + 1, [1, 2], [0, 5])])).toBe(false);
  expect(sameRows(rows, [row(START, [1, 3], [0, 5])])).toBe(false);
  expect(sameRows(rows, [row(START, [1, 2], [-0, 5])])).toBe(false);
  expect(sameRows(rows, [row(START, [1], [0])])).toBe(false);
  expect(sameRows(rows, [])).toBe(false);
  expect(sameRows([], rows)).toBe(false);
  expect(sameRows([row(START, [1], [Number.NaN])], [row(START, [1], [Number.NaN])])).toBe(true);
});

test("whole numbers of up to 53 bits and either sign pass through bytes", () => {
  const numbers = [0, 1, 127, 128, 16_383, 16_384, 2 ** 31, 2 ** 32, 2 ** 48, 2 ** 52 - 1];
  const writer = new ByteWriter();
  for (const n of numbers) {
    writer.unsigned(n);
    writer.signed(n);
    writer.signed(-n - 1);
  }
  const reader = new ByteReader(writer.finish());
  for (const n of numbers)
    expect([reader.unsigned(), reader.signed(), reader.signed()]).toEqual([n, n, -n - 1]);
  expect(() => reader.byte()).toThrow();
  expect(() => reader.byte()).toThrow();
});

test("a block with any single bit flipped is recognised as damaged", () => {
  const block = encodeBlock(randomRows(new Random(1)));
  for (let at = 0; at < block.length; at++) {
    const damaged = Buffer.from(block);
    damaged.writeUInt8(block.readUInt8(at) ^ (1 << (at % 8)), at);
    expect(() => decodeBlock(damaged)).toThrow(/damaged|version/);
  }
});
