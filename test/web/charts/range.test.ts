import { expect, test } from "bun:test";
import { chartWindow, fittedStart } from "../../../web/charts/range.ts";

test("a range that is mostly empty begins with the first value; a full one stays", () => {
  const day = { from: 0, to: 86_400 };
  expect(fittedStart(day, 86_400 - 7200)).toBeCloseTo(86_400 - 7560);
  expect(fittedStart(day, 86_300)).toBe(86_400 - 600);
  expect(fittedStart(day, 3600)).toBe(0);
  expect(fittedStart(day, undefined)).toBe(0);
});

test("a span in the address is shown, unless no date is for it", () => {
  const windowOf = (query: string) => chartWindow(new URLSearchParams(query), 1_795_547_611);
  expect(windowOf("from=100&to=400")).toEqual({ from: 100, to: 400, range: null });
  for (const query of ["from=400&to=100", "from=1e300&to=1e301", "from=100&to=9007199254740991"])
    expect(windowOf(query).range).toBe("24h");
});
