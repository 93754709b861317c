/** Makes a browser's screenshots small: 256 colours are plenty for a user interface. */
import { deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
const COLOURS = 256;

interface Image {
  width: number;
  height: number;
  /** Red, green, blue of each pixel in one number. */
  pixels: Uint32Array;
}

function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner;
  const [toLeft, toAbove, toCorner] = [left, above, corner].map((value) => Math.abs(guess - value));
  if (toLeft === undefined || toAbove === undefined || toCorner === undefined) return 0;
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}

/** Reads a PNG of 8 bits a channel, without interlacing, as Chromium writes it. */
function decode(png: Buffer): Image {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const channels = { 2: 3, 6: 4 }[png[25] ?? 0];
  if (!channels || png[24] !== 8) throw new Error("a screenshot is of an unexpected kind");
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const data = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  let before = new Uint8Array(stride);
  const pixels = new Uint32Array(width * height);
  for (let y = 0; y < height; y++) {
    const start = y * (stride + 1);
    const filter = data[start] ?? 0;
    const row = new Uint8Array(stride);
    for (let x = 0; x < stride; x++) {
      const left = x >= channels ? (row[x - channels] ?? 0) : 0;
      const above = before[x] ?? 0;
      const corner = x >= channels ? (before[x - channels] ?? 0) : 0;
      const predicted = [0, left, above, (left + above) >> 1, filter === 4 ? paeth(left, above, corner) : 0];
      row[x] = (data[start + 1 + x] ?? 0) + (predicted[filter] ?? 0);
    }
    for (let x = 0; x < width; x++) {
      const at = x * channels;
      pixels[y * width + x] = ((row[at] ?? 0) << 16) | ((row[at + 1] ?? 0) << 8) | (row[at + 2] ?? 0);
    }
    before = row;
  }
  return { width, height, pixels };
}

function distance(a: number, b: number): number {
  const part = (shift: number) => ((a >> shift) & 255) - ((b >> shift) & 255);
  return part(16) ** 2 + part(8) ** 2 + part(0) ** 2;
}

/** The most frequent colours, and the place of the nearest one for every colour. */
function paletteOf({ pixels }: Image): { palette: number[]; places: Map<number, number> } {
  const counts = new Map<number, number>();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const byFrequency = [...counts].sort((a, b) => b[1] - a[1]).map(([colour]) => colour);
  const palette = byFrequency.slice(0, COLOURS);
  const nearest = (colour: number) => {
    const distances = palette.map((one) => distance(one, colour));
    return distances.indexOf(Math.min(...distances));
  };
  return { palette, places: new Map(byFrequency.map((colour) => [colour, nearest(colour)])) };
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(Bun.hash.crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** The same picture with at most 256 colours. */
export function smallPng(png: Buffer): Buffer {
  const image = decode(png);
  const { palette, places } = paletteOf(image);
  const { width, height, pixels } = image;
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      rows[y * (width + 1) + 1 + x] = places.get(pixels[y * width + x] ?? 0) ?? 0;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3], 8);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", colours),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}
