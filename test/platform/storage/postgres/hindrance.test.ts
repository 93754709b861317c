import { expect, test } from "bun:test";
import { hindrance } from "../../../../src/platform/storage/database-server.postgres.ts";

test("servers older than 14 are refused, and users who may create no tables", () => {
  for (const [version, major] of [
    [130_014, 13],
    [90_624, 9],
  ] as const)
    expect(hindrance(version, true, "muster")).toBe(
      `PostgreSQL ${major} is too old: Muster needs 14 or newer`,
    );
  for (const version of [140_000, 150_006, 180_001]) expect(hindrance(version, true, "muster")).toBeNull();
  expect(hindrance(150_006, false, "poor")).toBe("the user poor has no right to create tables there");
});
