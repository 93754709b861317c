import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { toLocalInput } from "../../../web/text/format.ts";
import { chosenUntil } from "../../../web/ui/until-choice.tsx";

const HOUR = 3600;

/** Unix seconds. */
const at = (text: string) => Date.parse(text) / 1000;

/** The end of a form in which a custom time was typed. @param opened when the form was opened, if not just now */
function customEnd(typed: string, now: number, opened = now): number | null {
  const values = new FormData();
  values.set("until", "custom");
  values.set("untildate", typed);
  return chosenUntil(values, now, opened);
}

describe("a custom end in Berlin, on the day when clocks go back at 03:00", () => {
  const zone = process.env.TZ;
  beforeAll(() => {
    process.env.TZ = "Europe/Berlin";
  });
  afterAll(() => {
    process.env.TZ = zone ?? "UTC";
  });

  test("is two hours after the form was opened if it was not changed, also when the form is sent later", () => {
    const opened = at("2026-10-25T01:15:20+02:00");
    expect(toLocalInput(opened + 2 * HOUR)).toBe("2026-10-25T02:15");
    for (const later of [0, 300])
      expect(customEnd("2026-10-25T02:15", opened + later, opened)).toBe(opened + 2 * HOUR);
  });

  test("is the first of two times of the same name, or the second once the first is over", () => {
    const first = at("2026-10-25T02:40+02:00");
    const second = at("2026-10-25T02:40+01:00");
    expect(customEnd("2026-10-25T02:40", at("2026-10-25T01:15+02:00"))).toBe(first);
    expect(customEnd("2026-10-25T02:40", at("2026-10-25T02:30+02:00"))).toBe(first);
    expect(customEnd("2026-10-25T02:40", at("2026-10-25T02:50+02:00"))).toBe(second);
    expect(customEnd("2026-10-25T02:40", at("2026-10-25T02:30+01:00"))).toBe(second);
  });

  test("that is over stays what was typed", () => {
    const now = at("2026-10-25T12:00+01:00");
    expect(customEnd("2026-10-25T11:30", now)).toBe(at("2026-10-25T11:30+01:00"));
    expect(customEnd("2026-10-25T11:00", now)).toBe(at("2026-10-25T11:00+01:00"));
  });
});
