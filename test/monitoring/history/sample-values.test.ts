import { describe, expect, test } from "bun:test";
import { packValues, unpackValues } from "../../../src/monitoring/history/sample-values.ts";
import { Random } from "../../support/random.ts";

/** Bit for bit, so that -0 differs from 0 and a NaN equals itself. */
const bits = (values: Float64Array) => Buffer.from(values.slice().buffer).toString("hex");

function expectRestored(values: readonly number[]): void {
  const original = Float64Array.from(values);
  expect(bits(unpackValues(packValues(original)))).toBe(bits(original));
}

describe("the stored values of a sample", () => {
  test.each([
    ["no number", []],
    ["zeros of both signs", [0, -0]],
    ["unknown numbers", [-1, -1, -1]],
    ["decimals", [0.1, 99.9, 0.05, 12.34, -273.15, 0.000001, 1234.567891]],
    ["what is no decimal", [Math.PI, 1 / 3, 0.1 + 0.2, 1e-7, Number.MIN_VALUE]],
    ["what is no number", [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]],
    [
      "integers at the bounds of their form",
      [2 ** 27, 2 ** 28, 2 ** 31 - 1, 2 ** 31, 2 ** 32, -(2 ** 48), 2 ** 48],
    ],
    ["integers beyond it", [2 ** 48 + 1, 2 ** 53, 2 ** 53 + 2, Number.MAX_VALUE, -(2 ** 60)]],
  ])("are restored bit for bit: %s", (_, values) => {
    expectRestored(values);
    for (const value of values) expectRestored([value]);
  });

  test("are restored bit for bit whatever their number and kind", () => {
    const random = new Random(7);
    const kinds = [
      () => random.below(100),
      () => random.between(-1000, 1000) / 10,
      () => random.below(2 ** 40),
      () => random.below(10 ** 9) / 10 ** random.below(8),
      () => random.fraction() * 10 ** random.between(-300, 300),
    ];
    const any = () => kinds[random.below(kinds.length)]?.() ?? 0;
    for (let count = 0; count < 400; count++) expectRestored(Array.from({ length: count % 90 }, any));
  });

  test("take a third of the space of doubles when they are what agents report", () => {
    const reported = [
      0.07, 0.12, 0.1, 3.4, 1.2, 0.3, 41.2, 3378192, 0, 12.7, 24.9, 262144, 1834, 755, -1, 92731,
    ];
    expect(packValues(Float64Array.from(reported)).length).toBeLessThan((reported.length * 8) / 3);
  });

  test("are doubles where that is not longer, and rows of doubles are read", () => {
    const values = Float64Array.from([Math.PI, Math.E]);
    const doubles = Buffer.from(values.slice().buffer);
    expect(packValues(values)).toEqual(doubles);
    expect(unpackValues(Buffer.from(Float64Array.from([1, 2.5]).buffer))).toEqual(
      Float64Array.from([1, 2.5]),
    );
  });

  test("that end within a number are an error", () => {
    const whole = packValues(Float64Array.from([1, 2 ** 40, 3, 4]));
    expect(() => unpackValues(whole.subarray(0, 4))).toThrow(RangeError);
  });
});
