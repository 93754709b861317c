/** The stored results of the benchmarks. Running one benchmark leaves the results of the others as they were. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Figure } from "./figures.ts";
import type { Machine } from "./machine.ts";

export interface Section {
  /** Whether it ran at full length. */
  form: "short" | "long";
  /** ISO, a day. */
  measuredOn: string;
  seconds: number;
  machine: Machine;
  figures: Figure[];
}

/** By the names of the benchmarks. */
export type Results = Readonly<Record<string, Section>>;

export function readResults(path: string): Results {
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Results) : {};
}

/** Rounds numbers to six digits; more would be noise. */
function rounded(_key: string, value: unknown): unknown {
  if (typeof value !== "number") return value;
  return Number.isFinite(value) ? Number(value.toPrecision(6)) : "unknown";
}

export function writeResults(path: string, results: Results): void {
  writeFileSync(path, `${JSON.stringify(results, rounded, 2)}\n`);
}
