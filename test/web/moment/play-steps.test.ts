import { describe, expect, test } from "bun:test";
import {
  eventSteps,
  nextOf,
  playAddress,
  playSpan,
  previousOf,
  stepsOf,
} from "../../../web/moment/play-steps.ts";

const SINCE = 100_000;
const span = playSpan(SINCE, SINCE + 5000);

describe("an incident that is played", () => {
  test("lasts from ten minutes before its beginning to ten after", () => {
    expect(span).toEqual({ from: SINCE - 600, to: SINCE + 600 });
  });

  test("ends now if its ten minutes are not over", () => {
    expect(playSpan(SINCE, SINCE + 42).to).toBe(SINCE + 42);
  });

  test("goes on by a minute, and to the second of each event", () => {
    const steps = stepsOf(span, [SINCE + 90]);
    expect(steps.slice(0, 3)).toEqual([span.from, span.from + 60, span.from + 120]);
    expect(steps).toContain(SINCE + 90);
    expect(steps.at(-1)).toBe(span.to);
    expect(steps).toHaveLength(22);
  });

  test("leaves out a minute that is close to an event", () => {
    const steps = stepsOf(span, [SINCE + 57]);
    expect(steps).toContain(SINCE + 57);
    expect(steps).not.toContain(SINCE + 60);
  });

  test("takes events within ten seconds as one step, the last of them", () => {
    expect(eventSteps(span, [SINCE + 3, SINCE, SINCE + 7, SINCE + 20])).toEqual([SINCE + 7, SINCE + 20]);
  });

  test("leaves out events before and after, and an end that has not come", () => {
    expect(eventSteps(span, [0, span.from - 1, span.to + 1])).toEqual([]);
  });

  test("has a step before and after a moment, unless that is the first or last", () => {
    expect(nextOf([10, 20], 10)).toBe(20);
    expect(nextOf([10, 20], 20)).toBeUndefined();
    expect(previousOf([10, 20], 20)).toBe(10);
    expect(previousOf([10, 20], 10)).toBeUndefined();
  });

  test("begins on the page of its host, whose charts show all of it", () => {
    expect(playAddress({ id: 7, hostid: 3, since: SINCE })).toBe(
      "/hosts/3?play=7&from=99400&to=100600&at=99400",
    );
  });
});
