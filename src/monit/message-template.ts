/**
 * The template of a message: the document without the numbers that change from cycle to cycle. Most
 * messages of an agent have the template of the previous one, and a decoder for that template replaces
 * parsing. Measured on a document of 6 kB: finding the template takes 4 us, parsing takes 40 us.
 */

import { firstEvent, ROOT_END } from "./event-part.ts";

/**
 * Elements whose text is a number that changes. All other numbers are part of the template and listed in STILL, so that
 * no changing element is forgotten: with one, no message would match its template and every message would be parsed.
 */
export const MOVING: readonly string[] = [
  "usage total count now kilobyte kilobytetotal size avg01 avg05 avg15",
  "pid ppid threads children open opentotal allocated unused access change modify",
  "read write run responsetime valid started",
].flatMap((names) => names.split(" "));
/** Elements with percentages. A negative percentage means that there is no value, and is part of the template. */
export const SHARES: readonly string[] =
  "percent percenttotal user system nice wait hardirq softirq steal guest guestnice".split(" ");
/** Elements whose number must be a non-negative integer. */
export const WHOLE: readonly string[] = ["uptime", "collected_sec", "collected_usec"];
/** Elements whose numbers seldom change: settings, states and identities. */
export const STILL: readonly string[] = [
  "poll startdelay port ssl cpu memory swap number type",
  "status status_hint monitor monitormode onreboot pendingaction id state action",
  "mode uid euid gid hardlink timestamp boottime soft hard maximum speed duplex",
].flatMap((names) => names.split(" "));

/** Largest document that has a template, bytes. */
const MAX_BYTES = 256 * 1024;
const MAX_NUMBERS = 8192;
/** A decimal of up to this many digits is parsed exactly as an integer divided by a power of ten. */
export const MAX_DIGITS = 15;

const [LESS, GREATER, MINUS, POINT, ZERO, NINE] = [60, 62, 45, 46, 48, 57];
/** Only this many trailing letters of an element name are hashed: names account for half the time. */
const TAIL = 6;

/** Byte that stands for a number in the template. */
const NUMBER_MARK = 0;

const DECIMAL_KIND = 1;
const WHOLE_KIND = 2;
const SHARE_KIND = 3;

/** Size of the hash table of element names. Collisions do no harm: the decoder checks what a number is. */
const KINDS = 16_384;

function entryOf(name: string): number {
  let entry = 0;
  for (let i = name.length - 1; i >= Math.max(0, name.length - TAIL); i--)
    entry = (entry * 31 + name.charCodeAt(i)) & (KINDS - 1);
  return entry;
}

function kindTable(): Uint8Array {
  const kinds = new Uint8Array(KINDS);
  for (const name of MOVING) kinds[entryOf(name)] = DECIMAL_KIND;
  for (const name of SHARES) kinds[entryOf(name)] = SHARE_KIND;
  for (const name of WHOLE) kinds[entryOf(name)] = WHOLE_KIND;
  return kinds;
}

const END = Buffer.from(ROOT_END);

/** Finds templates. Its fields describe the last document read, until the next call of `read`. */
export class TemplateReader {
  readonly #kinds = kindTable();
  readonly #kept = new Uint8Array(MAX_BYTES + MAX_NUMBERS + END.byteLength);
  /** Where the events of the document begin, bytes; null if it has none, or no template. */
  eventsAt: number | null = null;
  /** The numbers that are not part of the template, in document order. */
  readonly numbers = new Float64Array(MAX_NUMBERS);
  count = 0;
  /** Byte positions at which each number begins and ends (exclusive). */
  readonly begins = new Uint32Array(MAX_NUMBERS);
  readonly ends = new Uint32Array(MAX_NUMBERS);
  /** 1 for each number that must be a non-negative integer, otherwise 0. */
  readonly wholes = new Uint8Array(MAX_NUMBERS);
  /** 1 for each number that is a percentage, otherwise 0. */
  readonly shares = new Uint8Array(MAX_NUMBERS);

  /**
   * Returns a hash of the document's template, which is the same with and without events. Returns null if the
   * document is too large or contains a zero byte, which marks a number. Other control characters are common in
   * program output and allowed.
   */
  read(bytes: Uint8Array): bigint | null {
    this.count = 0;
    this.eventsAt = null;
    if (bytes.length > MAX_BYTES || bytes.includes(NUMBER_MARK)) return null;
    const cached = this.#kept;
    this.eventsAt = firstEvent(bytes);
    const end = this.eventsAt ?? bytes.length;
    let length = 0;
    for (let i = 0; i < end; i++) {
      const byte = bytes[i] as number;
      cached[length++] = byte;
      if (byte !== GREATER) continue;
      const next = bytes[i + 1] as number;
      if (next > NINE || next < MINUS) continue;
      const numberEnd = this.#number(bytes, i + 1);
      if (numberEnd === i + 1) continue;
      cached[length++] = NUMBER_MARK;
      i = numberEnd - 1;
    }
    if (this.eventsAt !== null) {
      cached.set(END, length);
      length += END.byteLength;
    }
    return BigInt(Bun.hash(cached.subarray(0, length)));
  }

  /**
   * Reads the number that begins at `begin`.
   * @returns its end; `begin` if there is no changing number there
   */
  #number(bytes: Uint8Array, begin: number): number {
    const first = bytes[begin] as number;
    if (first !== MINUS && !(first >= ZERO && first <= NINE)) return begin;
    const kind = this.#kindBefore(bytes, begin - 1);
    if (kind === 0 || (kind !== DECIMAL_KIND && first === MINUS) || this.count === MAX_NUMBERS) return begin;
    let i = first === MINUS ? begin + 1 : begin;
    const wholeAt = i;
    let value = 0;
    let byte = bytes[i] as number;
    for (; byte >= ZERO && byte <= NINE; byte = bytes[++i] as number) value = value * 10 + (byte - ZERO);
    let digits = i - wholeAt;
    if (digits === 0) return begin;
    let scale = 1;
    if (byte === POINT && kind !== WHOLE_KIND) {
      const fractionAt = i + 1;
      for (byte = bytes[++i] as number; byte >= ZERO && byte <= NINE; byte = bytes[++i] as number) {
        value = value * 10 + (byte - ZERO);
        scale *= 10;
      }
      if (i === fractionAt) return begin;
      digits += i - fractionAt;
    }
    if (byte !== LESS || digits > MAX_DIGITS) return begin;
    const n = this.count++;
    this.numbers[n] = (first === MINUS ? -value : value) / scale;
    this.begins[n] = begin;
    this.ends[n] = i;
    this.wholes[n] = kind === WHOLE_KIND ? 1 : 0;
    this.shares[n] = kind === SHARE_KIND ? 1 : 0;
    return i;
  }

  /** The kind of number in the element whose start tag ends before `end`. */
  #kindBefore(bytes: Uint8Array, end: number): number {
    let entry = 0;
    for (let i = end - 1; i >= end - TAIL; i--) {
      const byte = bytes[i] as number;
      if (byte === LESS) break;
      entry = (entry * 31 + byte) & (KINDS - 1);
    }
    return this.#kinds[entry] as number;
  }
}
