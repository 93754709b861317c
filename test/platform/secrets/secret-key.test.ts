import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadSecretKey } from "../../../src/platform/secrets/secret-key.ts";

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "muster-key-"));
  path = join(folder, "secret.key");
});
afterEach(() => rmSync(folder, { recursive: true }));

test("the first start makes a key that only the owner reads, later ones read it", () => {
  const key = loadSecretKey(path);
  expect(key).toHaveLength(32);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(loadSecretKey(path)).toEqual(key);
  expect(readFileSync(path, "utf8")).toBe(`${key.toString("hex")}\n`);
});

test("two installations have two keys", () => {
  expect(loadSecretKey(path)).not.toEqual(loadSecretKey(join(folder, "other.key")));
});

for (const mode of [0o604, 0o644, 0o620, 0o660])
  test(`a key that others can get at (${mode.toString(8)}) is refused, with what to do`, () => {
    loadSecretKey(path);
    chmodSync(path, mode);
    expect(() => loadSecretKey(path)).toThrow(`chmod 600 ${path}`);
  });

describe("a file that is not a key is refused, and not changed", () => {
  for (const text of ["", "short", "z".repeat(64), "a".repeat(63), "a".repeat(66)])
    test(`"${text.slice(0, 10)}" of ${text.length} characters`, () => {
      writeFileSync(path, text, { mode: 0o600 });
      expect(() => loadSecretKey(path)).toThrow("not a key of Muster");
      expect(readFileSync(path, "utf8")).toBe(text);
    });
});

test("a folder that is not there is an error, not a new folder", () => {
  expect(() => loadSecretKey(join(folder, "missing", "secret.key"))).toThrow();
});
