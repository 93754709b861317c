import { afterEach, expect, jest, test } from "bun:test";
import { Background } from "../src/background.ts";
import { createLog } from "../src/log.ts";

afterEach(() => void jest.useRealTimers());

test("a step that fails does not end the work, and is logged once until it works again", () => {
  jest.useFakeTimers();
  const lines: string[] = [];
  const failed: string[] = [];
  const background = new Background(
    createLog((line) => void lines.push(line.split("\\n")[0] ?? "")),
    (work) => void failed.push(work),
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
    expect.stringContaining("error background work fails work=sweeping"),
    "info background work goes on work=sweeping",
  ]);
  background.stop();
  jest.advanceTimersByTime(5000);
  expect(steps).toBe(5);
});
