import { expect, test } from "bun:test";
import { Bodies } from "../../../src/platform/http/bodies.ts";

const LIMITS = { maxBytes: 100, maxBytesPerSource: 50 };
const bytes = (length: number) => new Uint8Array(length).fill(7);

test("a body is assembled from short and long pieces, and counts while it arrives", () => {
  const bodies = new Bodies();
  const lengths = [1, 2, 20, 40_000, 5, ...Array<number>(2000).fill(30), 16_384, 3, 7];
  const content = new Uint8Array(lengths.reduce((sum, length) => sum + length)).map((_, i) => i % 251);
  const body = bodies.open("192.0.2.1", content.length);
  let at = 0;
  for (const length of lengths) {
    body.add(content.slice(at, at + length));
    at += length;
  }
  expect(Buffer.from(body.whole()).equals(content)).toBe(true);
  // Not a multiple of its length, however short its pieces are.
  expect(bodies.bytes).toBeGreaterThanOrEqual(content.length);
  expect(bodies.bytes).toBeLessThan(1.6 * content.length);
  expect(() => body.add(bytes(1))).toThrow(`The body is larger than ${content.length} bytes`);
  bodies.close(body);
  bodies.close(body);
  expect(bodies.bytes).toBe(0);
});

test("a body with an account counts for it, and not for its source", () => {
  const bodies = new Bodies(LIMITS);
  const cut: string[] = [];
  const send = (name: string, account?: string) => {
    const body = bodies.open("192.0.2.1", 40, account);
    body.onCut = () => cut.push(name);
    body.add(bytes(15));
  };
  send("without");
  for (let i = 1; i <= 4; i++) send(`flood ${i}`, "key 1");
  send("other", "key 2");
  expect(cut).toEqual(["flood 1"]);
});

test("a source that sends too much loses its oldest body, others lose none", () => {
  const bodies = new Bodies(LIMITS);
  const cut: string[] = [];
  const open = (name: string, address: string) => {
    const body = bodies.open(address, 40);
    body.onCut = () => cut.push(name);
    body.add(bytes(20));
    return body;
  };
  open("other", "192.0.2.9");
  const first = open("first", "192.0.2.1");
  open("second", "192.0.2.1");
  const third = open("third", "192.0.2.1");
  expect(cut).toEqual(["first"]);
  expect(() => first.add(bytes(1))).toThrow("Too much is being sent at the moment");
  expect(() => first.whole()).toThrow("Too much is being sent at the moment");
  expect(third.whole()).toEqual(bytes(20));
  expect(bodies.bytes).toBe(60);
});

test("of all bodies together the oldest one goes, this machine's too", () => {
  const bodies = new Bodies(LIMITS);
  const cut: number[] = [];
  for (let i = 0; i < 7; i++) {
    const body = bodies.open("127.0.0.1", 40);
    body.onCut = () => cut.push(i);
    body.add(bytes(20));
  }
  expect(cut).toEqual([0, 1]);
  expect(bodies.bytes).toBe(100);
});

test("long bodies are read a few in each turn of the event loop, in their order; short ones do not wait", async () => {
  const bodies = new Bodies();
  const read: number[] = [];
  for (let i = 0; i < 20; i++) {
    const body = bodies.open("192.0.2.1", 100_000);
    body.add(bytes(65_536));
    expect(body.isLong).toBe(false);
    body.add(bytes(1));
    expect(body.isLong).toBe(true);
    body.readInTurn(() => read.push(i));
  }
  const turns = [read.length];
  while (read.length < 20) {
    await new Promise(setImmediate);
    turns.push(read.length);
  }
  expect(turns).toEqual([8, 16, 20]);
  expect(read).toEqual(Array.from({ length: 20 }, (_, i) => i));
});
