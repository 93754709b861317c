/**
 * The numbers of one message as bytes, before their hour is packed into a block. Agents report integers and decimals
 * with few digits: these need a third of the space of doubles, and most of what a message writes are its numbers.
 *
 * Each number is an integer, 8 times its scaled value in zigzag encoding plus the exponent of its scale, in groups of
 * 7 bits, low bits first. A number that is no short decimal is `PLAIN` followed by its double. The first byte says
 * where the first number begins. The length is never divisible by 8, except for a row of plain doubles. Those are
 * stored where this form is not shorter, and were stored before it existed.
 */
import { SCALES } from "./column.ts";

const BYTES = Float64Array.BYTES_PER_ELEMENT;
/** In place of an exponent: a double follows. */
const PLAIN = 7;
const FORMS = 8;
/** Largest scaled value: the integer that is written stays below 2^53. */
const MAX_SCALED = 2 ** 48;
/** The most bytes of a number. */
const MAX_BYTES = 1 + BYTES;
/** Converts doubles to bytes. A view of each array itself would give it a buffer, which costs more than the array. */
const SCRATCH = new DataView(new ArrayBuffer(BYTES));

/** The smallest exponent whose scale makes an integer that restores the value bit for bit; `PLAIN` if there is none. */
function exponentOf(value: number): number {
  // A number that a failed service lacks is NaN. No scale restores that, nor -0.
  if (Number.isNaN(value) || Object.is(value, -0)) return PLAIN;
  for (let exponent = 0; exponent < SCALES.length; exponent++) {
    const scale = SCALES[exponent] ?? 1;
    const scaled = Math.round(value * scale);
    if (scaled / scale === value && Math.abs(scaled) <= MAX_SCALED) return exponent;
  }
  return PLAIN;
}

/** @returns where the next number begins */
function writeInteger(bytes: Uint8Array, start: number, value: number): number {
  let at = start;
  let remaining = value;
  // Bitwise operators truncate to 32 bits.
  for (; remaining >= 2 ** 31; remaining = Math.floor(remaining / 128)) bytes[at++] = (remaining % 128) | 128;
  for (; remaining >= 128; remaining >>>= 7) bytes[at++] = (remaining & 127) | 128;
  bytes[at++] = remaining;
  return at;
}

/** @returns where the next number begins */
function writeDouble(bytes: Uint8Array, at: number, value: number): number {
  SCRATCH.setFloat64(0, value, true);
  for (let i = 0; i < BYTES; i++) bytes[at + i] = SCRATCH.getUint8(i);
  return at + BYTES;
}

/** @returns where the next number begins */
function writeNumber(bytes: Uint8Array, at: number, value: number): number {
  const exponent = exponentOf(value);
  if (exponent === PLAIN) return writeDouble(bytes, writeInteger(bytes, at, PLAIN), value);
  const scaled = Math.round(value * (SCALES[exponent] ?? 1));
  return writeInteger(bytes, at, (scaled < 0 ? -2 * scaled - 1 : 2 * scaled) * FORMS + exponent);
}

/** The values of a sample as they are stored. */
export function packValues(values: Float64Array): Uint8Array {
  const bytes = new Uint8Array(2 + values.length * MAX_BYTES);
  let end = 2;
  for (let i = 0; i < values.length; i++) end = writeNumber(bytes, end, values[i] ?? 0);
  // Two bytes precede the numbers only where one would make the length divisible by 8.
  const begin = (end - 1) % BYTES === 0 ? 0 : 1;
  bytes[1] = 1;
  if (begin === 0) bytes[0] = 2;
  // A copy, as a part of the array would share its buffer.
  return end - begin < values.byteLength ? bytes.slice(begin, end) : doublesOf(values);
}

function doublesOf(values: Float64Array): Uint8Array {
  const bytes = new Uint8Array(values.byteLength);
  for (const [i, value] of values.entries()) writeDouble(bytes, i * BYTES, value);
  return bytes;
}

/** The values of a stored sample. @throws RangeError if it ends within a number */
export function unpackValues(stored: Uint8Array): Float64Array {
  const view = new DataView(stored.buffer, stored.byteOffset, stored.byteLength);
  if (stored.length % BYTES === 0)
    return Float64Array.from({ length: stored.length / BYTES }, (_, i) => view.getFloat64(i * BYTES, true));
  const values = new Float64Array(stored.length);
  let count = 0;
  for (let at = stored[0] ?? 1; at < stored.length; ) {
    let number = 0;
    let byte = 128;
    for (let unit = 1; byte >= 128; unit *= 128) {
      byte = view.getUint8(at++);
      number += (byte & 127) * unit;
    }
    const form = number % FORMS;
    if (form === PLAIN) {
      values[count++] = view.getFloat64(at, true);
      at += BYTES;
    } else {
      const zigzag = (number - form) / FORMS;
      values[count++] = (zigzag % 2 === 1 ? -(zigzag + 1) / 2 : zigzag / 2) / (SCALES[form] ?? 1);
    }
  }
  return values.slice(0, count);
}
