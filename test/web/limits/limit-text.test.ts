import { expect, test } from "bun:test";
import { limitText } from "../../../web/limits/limit-text.ts";
import { LIMITS } from "../../../web/limits/limits.texts.ts";
import { newLimit } from "../../../web/limits/suggestions.tsx";

const names = { host: String, group: String, channel: String, schedule: String };

test("a limit is described with the values that were typed, however small", () => {
  const limit = newLimit("response", { warning: 0.005, critical: 0.0125, minutes: 0 });
  expect(limitText(limit, names)).toStartWith(
    "Response time of a port above 0.005 s, critical above 0.0125 s.",
  );
});

test("a preview of one host is told of one host", () => {
  expect([1, 2].map(LIMITS.previewExamined)).toEqual([
    "Only 1 host was examined.",
    "Only 2 hosts were examined.",
  ]);
});
