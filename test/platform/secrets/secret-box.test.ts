import { describe, expect, test } from "bun:test";
import { SecretBox } from "../../../src/platform/secrets/secret-box.ts";

const box = new SecretBox(Buffer.alloc(32, 1));

for (const text of ["secret", "æøå 日本 \u{1F600}", " ", "x".repeat(10_000), "v1.abc"])
  test(`"${text.slice(0, 20)}" reads back, and looks otherwise each time it is sealed`, () => {
    const sealed = box.seal(text);
    expect(box.open(sealed)).toBe(text);
    expect(box.seal(text)).not.toBe(sealed);
    expect(sealed).not.toContain(text);
  });

test("the empty text stays empty", () => {
  expect([box.seal(""), box.open("")]).toEqual(["", ""]);
});

test("another secret does not open it", () => {
  const other = new SecretBox(Buffer.alloc(32, 2));
  expect(() => other.open(box.seal("secret"))).toThrow();
});

describe("a secret that changed since is not opened", () => {
  const bytes = Buffer.from(box.seal("secret").slice(3), "base64");
  for (let i = 0; i < bytes.length; i++)
    test(`byte ${i}`, () => {
      const changed = Buffer.from(bytes);
      changed[i] = (changed[i] ?? 0) ^ 1;
      expect(() => box.open(`v1.${changed.toString("base64")}`)).toThrow();
    });

  for (const sealed of [
    "v2.AAAA",
    "v1.",
    "v1",
    "secret",
    "v1.AAAA",
    `v1.${bytes.subarray(0, 20).toString("base64")}`,
  ])
    test(`"${sealed}"`, () => {
      expect(() => box.open(sealed)).toThrow();
    });
});

test("a signature is the same for the same text, purpose and secret, and no other", () => {
  const sign = box.signer("one");
  expect(sign("a")).toMatch(/^[0-9a-f]{32}$/);
  expect(box.signer("one")("a")).toBe(sign("a"));
  const others = [sign("b"), box.signer("two")("a"), new SecretBox(Buffer.alloc(32, 2)).signer("one")("a")];
  expect(new Set([sign("a"), ...others]).size).toBe(4);
});
