import { expect, test } from "bun:test";
import { type Figure, isMet, medianOf, targetText, valueText } from "./figures.ts";
import { renderReport } from "./report.ts";
import type { Section } from "./results.ts";

const machine = {
  cpu: "Example CPU",
  cores: 2,
  memoryGb: 24,
  kernel: "Linux 6.1",
  muster: "1.0.0",
  bun: "1.4.5",
  sqlite: "3.50",
};
const section = (figures: Figure[], more: Partial<Section> = {}): Section => ({
  form: "short",
  measuredOn: "2026-01-02",
  seconds: 3,
  machine,
  figures,
  ...more,
});
const described = {
  fleet: { title: "Fleet", about: "Many agents." },
  idle: { title: "Idle", about: "Few." },
};

test("a target is met up to its very bound", () => {
  const figure = (value: number, target: Figure["target"]): Figure => ({
    what: "time",
    value,
    ...(target && { target }),
  });
  expect(isMet(figure(15, { atMost: 15 }))).toBe(true);
  expect(isMet(figure(15.1, { atMost: 15 }))).toBe(false);
  expect(isMet(figure(60, { atLeast: 60 }))).toBe(true);
  expect(isMet(figure(59, { atLeast: 60 }))).toBe(false);
  expect(isMet(figure(1, undefined))).toBeNull();
});

test("what could not be measured meets no target", () => {
  expect(isMet({ what: "time", value: Number.NaN, target: { atMost: 1 } })).toBe(false);
});

test("figures are written with the digits that count", () => {
  const text = (value: number, unit?: string) => valueText({ what: "x", value, ...(unit && { unit }) });
  expect([text(1_234_567), text(12.345, "ms"), text(1.5, "s"), text(0.01234), text(0), text(100)]).toEqual([
    "1,234,567",
    "12.3 ms",
    "1.5 s",
    "0.012",
    "0",
    "100",
  ]);
  expect(targetText({ what: "x", value: 1, unit: "MB", target: { atMost: 2000 } })).toBe("at most 2,000 MB");
});

test("the report shows each figure beside its target, and lists the missed targets", () => {
  const report = renderReport(
    {
      fleet: section([
        { what: "p99", value: 300, unit: "ms", target: { atMost: 250 } },
        { what: "resident memory", value: 399, unit: "MB", target: { atMost: 400 } },
        { what: "agents", value: 10_000 },
      ]),
      idle: section([{ what: "CPU", value: 0.4, unit: "%", target: { atMost: 0.3 } }], { form: "long" }),
    },
    described,
  );
  expect(report).toContain("| p99 | 300 ms | at most 250 ms | **no** |");
  expect(report).toContain("| resident memory | 399 MB | at most 400 MB | yes |");
  expect(report).toContain("| agents | 10,000 |  |  |");
  expect(report).toContain("1 of 3 targets are met. Missed:");
  expect(report).toContain("- **Fleet: p99**: 300 ms instead of at most 250 ms.\n");
  expect(report).toContain("- **Idle: CPU**: 0.4 % instead of at most 0.3 %.\n");
  expect(report).toContain("Measured in short on 2026-01-02.");
  expect(report).toContain("Measured at full length on 2026-01-02.");
  expect(report).toContain("| CPU | 2 × Example CPU |");
});

test("a section measured on another machine or with another version says so", () => {
  const report = renderReport(
    {
      fleet: section([], {
        measuredOn: "2026-01-01",
        machine: { ...machine, muster: "0.9.0", cores: 4 },
      }),
      idle: section([]),
    },
    described,
  );
  expect(report).toContain("Measured in short on 2026-01-01, cores 4, muster 0.9.0.");
});

test("the median of an even number of values is one of them", () => {
  expect(medianOf([5, 1, 3])).toBe(3);
  expect(medianOf([4, 1, 3, 2])).toBe(3);
  expect(medianOf([])).toBeNaN();
});
