import { afterEach, expect, jest, test } from "bun:test";
import { Background } from "../../../src/platform/background/background.ts";
import { createLog } from "../../../src/platform/log.ts";

afterEach(() => void jest.useRealTimers());

test("a step that fails does not end the work, and is logged once until it works again", () => {
  jest.useFakeTimers();
  const lines: string[] = [];
  const failed: string[] = [];
  const background = new Background(
    createLog((line) => void lines.push(line.split("\\n")[0] ?? "")),
    (work) => void failed.push(work),
    () => Date.now(),
  );
  let steps = 0;
  background.every(1000, "sweeping", () => {
    steps++;
    if (steps === 2 || steps === 3) throw new Error("no broom");
    return true;
  });
  jest.advanceTimersByTime(5000);
  expect(steps).toBe(5);
  expect(failed).toEqual(["sweeping", "sweeping"]);
  expect(lines).toEqual([
    expect.stringContaining("error background work failed work=sweeping"),
    "info background work recovered work=sweeping",
  ]);
  background.stop();
  jest.advanceTimersByTime(5000);
  expect(steps).toBe(5);
});

test("work of every second is done at the same moments, no matter when it began, and no less often", () => {
  jest.useFakeTimers({ now: 0 });
  const times: Record<string, number[]> = { first: [], second: [], often: [] };
  const background = new Background(
    createLog(() => undefined),
    () => undefined,
    () => Date.now(),
  );
  const note = (work: string) => () => {
    times[work]?.push(Date.now());
    return true;
  };
  background.every(1000, "first", note("first"));
  jest.advanceTimersByTime(300);
  background.every(1000, "second", note("second"));
  background.every(250, "often", note("often"));
  jest.advanceTimersByTime(3000);
  background.stop();
  expect(times.first).toEqual([1000, 2000, 3000]);
  expect(times.second).toEqual([1000, 2000, 3000]);
  expect(times.often?.slice(0, 3)).toEqual([550, 800, 1050]);
});

test("after a long step the others have their turn before the next one", () => {
  jest.useFakeTimers({ now: 0 });
  const times: number[] = [];
  let now = 0;
  const background = new Background(
    createLog(() => undefined),
    () => undefined,
    () => now,
  );
  background.every(1000, "slow", () => {
    times.push(Date.now());
    now += 1700;
    return true;
  });
  jest.advanceTimersByTime(1000);
  expect(times).toEqual([1000]);
  // 700 ms into a second, 300 ms would be too short a pause.
  jest.advanceTimersByTime(999);
  expect(times).toEqual([1000]);
  jest.advanceTimersByTime(1);
  expect(times).toEqual([1000, 2000]);
  background.stop();
});

test("work in quick steps that fails is tried again once a second, and then goes on as quickly as before", () => {
  jest.useFakeTimers({ now: 0 });
  const times: number[] = [];
  const background = new Background(
    createLog(() => undefined),
    () => undefined,
    () => Date.now(),
  );
  background.every(20, "quick", () => {
    times.push(Date.now());
    if (times.length < 3) throw new Error("not yet");
    return true;
  });
  jest.advanceTimersByTime(2060);
  background.stop();
  expect(times).toEqual([20, 1000, 2000, 2020, 2040, 2060]);
});
