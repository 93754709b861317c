/**
 * Encodes the values of one statistic within a block. Agents report decimals with few digits, so most
 * columns become integers when scaled by a power of ten. Their differences are small and compress well.
 * Other columns are stored as raw doubles.
 */
import type { ByteReader, ByteWriter } from "./bytes.ts";

/** Factors that may turn decimals into integers, the smallest first. */
export const SCALES = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000] as const;

/** Largest scaled number whose second differences are still exact. */
const MAX_SCALED = 2 ** 49;

const FLOATS = 0;
const CONSTANT = 1;
/** PLAIN + n: the column is stored as nth differences, n from 0 to 2. */
const PLAIN = 2;
const MAX_ORDER = 2;

/** Scales values to integers; null unless scaling back restores every value bit for bit. */
export function scaled(values: Float64Array, scale: number): Float64Array | null {
  const scaledValues = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? 0;
    const n = Math.round(value * scale);
    if (n / scale !== value || Math.abs(n) > MAX_SCALED || Object.is(value, -0)) return null;
    scaledValues[i] = n;
  }
  return scaledValues;
}

function differences(numbers: Float64Array): Float64Array {
  const result = new Float64Array(numbers.length);
  let previous = 0;
  for (let i = 0; i < numbers.length; i++) {
    const n = numbers[i] ?? 0;
    result[i] = n - previous;
    previous = n;
  }
  return result;
}

/** Replaces each number by the sum of those up to it. */
function sumUp(numbers: Float64Array): void {
  let sum = 0;
  for (let i = 0; i < numbers.length; i++) {
    sum += numbers[i] ?? 0;
    numbers[i] = sum;
  }
}

/** Estimated size of `numbers` in bytes. Runs of zeros compress to almost nothing. */
function cost(numbers: Float64Array): number {
  let bytes = 0;
  for (let i = 0; i < numbers.length; i++) {
    const n = numbers[i] ?? 0;
    bytes += n === 0 ? 0.5 : 1;
    for (let remaining = Math.abs(n); remaining >= 64; remaining /= 128) bytes++;
  }
  return bytes;
}

/** Whether all values are the same. The two zeros differ. */
function isConstant(values: Float64Array): boolean {
  const first = values[0] ?? 0;
  for (let i = 0; i < values.length; i++) if (!Object.is(values[i], first)) return false;
  return true;
}

function writeFloats(writer: ByteWriter, values: Float64Array): void {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  writer.byte(FLOATS);
  // Grouped by byte position: similar bytes, such as signs and exponents, compress better next to each other.
  for (let plane = 0; plane < 8; plane++)
    for (let i = plane; i < bytes.length; i += 8) writer.byte(bytes[i] ?? 0);
}

/** Writes a column, from which `readColumn` restores every value bit for bit. */
export function writeColumn(writer: ByteWriter, values: Float64Array): void {
  if (isConstant(values)) {
    writer.byte(CONSTANT);
    writer.float(values[0] ?? 0);
    return;
  }
  for (const [exponent, scale] of SCALES.entries()) {
    const scaledValues = scaled(values, scale);
    if (!scaledValues) continue;
    const orders = [scaledValues];
    for (let order = 1; order <= MAX_ORDER; order++) orders.push(differences(orders.at(-1) ?? scaledValues));
    const costs = orders.map(cost);
    const best = costs.indexOf(Math.min(...costs));
    writer.byte(PLAIN + best + exponent * 16);
    const numbers = orders[best] ?? scaledValues;
    for (let i = 0; i < numbers.length; i++) writer.signed(numbers[i] ?? 0);
    return;
  }
  writeFloats(writer, values);
}

/** Decodes a column. @param length number of values */
export function readColumn(reader: ByteReader, length: number): Float64Array {
  const head = reader.byte();
  const form = head % 16;
  const values = new Float64Array(length);
  if (form === FLOATS) {
    const bytes = new Uint8Array(values.buffer);
    for (let plane = 0; plane < 8; plane++)
      for (let i = plane; i < bytes.length; i += 8) bytes[i] = reader.byte();
    return values;
  }
  if (form === CONSTANT) return values.fill(reader.float());
  const scale = SCALES[(head - form) / 16];
  if (scale === undefined || form > PLAIN + MAX_ORDER)
    throw new Error(`a stored column has an unknown form ${head}`);
  for (let i = 0; i < length; i++) values[i] = reader.signed();
  for (let order = PLAIN; order < form; order++) sumUp(values);
  if (scale !== 1) for (let i = 0; i < length; i++) values[i] = (values[i] ?? 0) / scale;
  return values;
}

/** Skips a column, which is cheaper than decoding it. */
export function skipColumn(reader: ByteReader, length: number): void {
  const form = reader.byte() % 16;
  if (form === FLOATS) reader.skip(length * 8);
  else if (form === CONSTANT) reader.skip(8);
  else reader.skipIntegers(length);
}
