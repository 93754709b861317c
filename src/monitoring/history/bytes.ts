/** Writes and reads the numbers of blocks as bytes. */

/** Collects the bytes of a block in memory. */
export class ByteWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;

  byte(value: number): void {
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(2 * this.#length);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[this.#length++] = value;
  }

  /** Writes an integer from 0 to 2^53 in as few bytes as it needs (LEB128: 7 bits each, low bits first). */
  unsigned(value: number): void {
    let remaining = value;
    // Not bitwise operators: they truncate to 32 bits.
    for (; remaining >= 0x80; remaining = Math.floor(remaining / 0x80)) this.byte((remaining % 0x80) | 0x80);
    this.byte(remaining);
  }

  /** Writes a signed integer in zigzag encoding: 0, -1, 1, -2, ... become 0, 1, 2, 3, ... */
  signed(value: number): void {
    this.unsigned(value < 0 ? -2 * value - 1 : 2 * value);
  }

  float(value: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    for (const byte of bytes) this.byte(byte);
  }

  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }
}

/**
 * Reads what `ByteWriter` wrote, in the same order. Blocks have no types, so the reader has to know what
 * comes next.
 */
export class ByteReader {
  #at = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Reads one byte. @throws at the end of the input */
  byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new RangeError("a stored block ends too early");
    return byte;
  }

  unsigned(): number {
    let value = this.byte();
    if (value < 0x80) return value;
    value -= 0x80;
    for (let unit = 0x80; ; unit *= 0x80) {
      const byte = this.byte();
      value += (byte & 0x7f) * unit;
      if (byte < 0x80) return value;
    }
  }

  signed(): number {
    const value = this.unsigned();
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  }

  float(): number {
    const { buffer, byteOffset } = this.#bytes;
    const value = new DataView(buffer, byteOffset + this.#at, 8).getFloat64(0, true);
    this.#at += 8;
    return value;
  }

  /** How many bytes have been read. */
  get at(): number {
    return this.#at;
  }

  /** The bytes that have been read since a place. */
  since(at: number): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(this.#bytes.subarray(at, this.#at));
  }

  /** Skips these bytes if they come next. @returns whether they do */
  skipIfEqual(expected: Uint8Array): boolean {
    const bytes = this.#bytes;
    const start = this.#at;
    for (let i = 0; i < expected.length; i++) if (bytes[start + i] !== expected[i]) return false;
    this.#at = start + expected.length;
    return true;
  }

  skip(count: number): void {
    this.#at += count;
  }

  /** Skips integers. @throws at the end of the input */
  skipIntegers(count: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    for (let remaining = count; remaining > 0; ) {
      const byte = bytes[at++];
      if (byte === undefined) throw new RangeError("a stored block ends too early");
      if (byte < 0x80) remaining--;
    }
    this.#at = at;
  }
}
