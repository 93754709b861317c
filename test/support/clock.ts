import type { Clock } from "../../src/platform/clock.ts";

/** 2026-01-05 12:00:00 UTC, a Monday. */
export const START = 1_767_614_400;

/** A clock that stands still until a test steps it. Seconds. */
export class TestClock implements Clock {
  constructor(private time = START) {}

  now(): number {
    return this.time;
  }

  step(seconds: number): void {
    this.time += seconds;
  }
}
