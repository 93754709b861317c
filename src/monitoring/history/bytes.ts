/** Writes and reads the numbers of blocks as bytes. */

export class ByteWriter {
  readonly #bytes: number[] = [];

  byte(value: number): void {
    this.#bytes.push(value);
  }

  /** Writes an integer from 0 to 2^53 in as few bytes as it needs (LEB128: 7 bits each, low bits first). */
  unsigned(value: number): void {
    let rest = value;
    // Not bitwise operators: they truncate to 32 bits.
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.byte((rest % 0x80) | 0x80);
    this.byte(rest);
  }

  /** Writes a signed integer in zigzag encoding: 0, -1, 1, -2, ... become 0, 1, 2, 3, ... */
  signed(value: number): void {
    this.unsigned(value < 0 ? -2 * value - 1 : 2 * value);
  }

  float(value: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    this.#bytes.push(...bytes);
  }

  finish(): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(this.#bytes);
  }
}

export class ByteReader {
  #at = 0;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Reads one byte. @throws at the end of the input */
  byte(): number {
    return this.#view.getUint8(this.#at++);
  }

  unsigned(): number {
    let value = 0;
    let unit = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte & 0x7f) * unit;
      if (byte < 0x80) return value;
      unit *= 0x80;
    }
  }

  signed(): number {
    const value = this.unsigned();
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  }

  float(): number {
    const value = this.#view.getFloat64(this.#at, true);
    this.#at += 8;
    return value;
  }

  skip(count: number): void {
    this.#at += count;
  }
}
