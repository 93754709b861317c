import { expect, test } from "bun:test";
import { spaceNeeded } from "../../../src/operations/backups/space.ts";

const MB = 1024 * 1024;

test("the first backup needs room for a copy, its log, and an archive as large as the database", () => {
  expect(spaceNeeded(1000 * MB, null)).toEqual({ data: (1000 + 100 + 1000 + 64) * MB, place: 1000 * MB });
});

test("later ones need half as much again as the last archive had, but no more than the database", () => {
  expect(spaceNeeded(1000 * MB, 200 * MB)).toEqual({ data: (1000 + 100 + 300 + 64) * MB, place: 300 * MB });
  expect(spaceNeeded(1000 * MB, 900 * MB).place).toBe(1000 * MB);
});
