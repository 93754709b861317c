import { expect, test } from "bun:test";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { writePrivately } from "../../../src/platform/files/durable-file.ts";
import { temporaryFolder } from "../../e2e/support.ts";

test("a file that cannot be put in place leaves nothing behind, such as a part of a secret", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "key");
  mkdirSync(path);
  expect(() => writePrivately(path, "secret")).toThrow();
  expect(readdirSync(folder.path)).toEqual(["key"]);
});
