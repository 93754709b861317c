import { expect, test } from "bun:test";
import { Bodies } from "../../src/http/bodies.ts";

const LIMITS = { maxBytes: 100, maxBytesPerSource: 50 };
const bytes = (length: number) => new Uint8Array(length).fill(7);

test("a body is put together of its pieces, and counts while it comes in", () => {
  const bodies = new Bodies(LIMITS);
  const body = bodies.open("192.0.2.1", 30);
  for (const length of [1, 2, 20, 7]) body.add(bytes(length));
  expect(body.whole()).toEqual(bytes(30));
  expect(bodies.bytes).toBe(30);
  expect(() => body.add(bytes(1))).toThrow("The body is larger than 30 bytes");
  bodies.close(body);
  bodies.close(body);
  expect(bodies.bytes).toBe(0);
});

test("a source that sends too much loses the body it began first, others lose none", () => {
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
