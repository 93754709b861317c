import { expect, test } from "bun:test";
import { assertSpace, spaceNeeded } from "../../../src/operations/backups/space.ts";

const MB = 1024 * 1024;

test("the first backup needs room for a copy, its log, and an archive as large as the database", () => {
  expect(spaceNeeded(1000 * MB, null)).toEqual({ data: (1000 + 100 + 1000 + 64) * MB, place: 1000 * MB });
});

test("later ones need half as much again as the last archive had, but no more than the database", () => {
  expect(spaceNeeded(1000 * MB, 200 * MB)).toEqual({ data: (1000 + 100 + 300 + 64) * MB, place: 300 * MB });
  expect(spaceNeeded(1000 * MB, 900 * MB).place).toBe(1000 * MB);
});

test("what is free and what is needed are never said to be the same", () => {
  expect(() => assertSpace(300_000, 700_000, "the disk")).toThrow(
    "the disk has 0 MB free, and 1 MB are needed",
  );
  expect(() => assertSpace(2_000_000, 2_000_001, "the disk")).toThrow("has 2 MB free, and 3 MB are needed");
});
