import { expect, test } from "bun:test";
import { barsOf } from "../../../web/events/histogram.tsx";

test("bars sum three samples of ten minutes, by label", () => {
  const samples = (...counts: number[]) => counts.map((count, i): [number, number] => [i * 600, count]);
  const bars = barsOf({
    datefrom: 0,
    dateto: 3600,
    events: [
      { label: "Failed", data: samples(1, 0, 2, 0, 0, 5) },
      { label: "Changed", data: samples(0, 1, 0, 0, 0, 0) },
    ],
  });
  expect(bars).toEqual([
    {
      at: 0,
      total: 4,
      counts: [
        { label: "Failed", count: 3 },
        { label: "Changed", count: 1 },
      ],
    },
    {
      at: 1800,
      total: 5,
      counts: [
        { label: "Failed", count: 5 },
        { label: "Changed", count: 0 },
      ],
    },
  ]);
});
