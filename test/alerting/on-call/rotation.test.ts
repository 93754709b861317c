import { describe, expect, test } from "bun:test";
import {
  gapsIn,
  type OnCallSchedule,
  type Override,
  onCallAt,
  type Rotation,
  type Shift,
  shiftsIn,
} from "../../../src/alerting/on-call/rotation.ts";

const PEOPLE = ["nobody", "anna", "ben", "cleo", "dirk"];
const [ANNA, BEN, CLEO, DIRK] = [1, 2, 3, 4] as const;
const BERLIN = "Europe/Berlin";

/** Unix seconds of a time with its offset, as in 2026-10-25T02:30+02:00. */
const at = (text: string) => Temporal.Instant.from(text).epochMilliseconds / 1000;

/** A local time with its offset, and so the hour that occurs twice told apart. */
function local(seconds: number, timezone = BERLIN): string {
  const time = Temporal.Instant.fromEpochMilliseconds(seconds * 1000).toZonedDateTimeISO(timezone);
  const weekday = time.toLocaleString("en", { weekday: "short" });
  return `${weekday} ${time.toPlainDate()} ${time.toPlainTime().toString({ smallestUnit: "minute" })}${time.offset}`;
}

/** One line a shift. */
function ledger(shifts: readonly Shift[], timezone = BERLIN): string[] {
  return shifts.map(({ from, userId, rotation, override }) => {
    const source =
      override !== null ? `override ${override}` : rotation === null ? "gap" : `rotation ${rotation}`;
    return `${local(from, timezone)} ${PEOPLE[userId ?? 0]} (${source})`;
  });
}

const rotation = (changes: Partial<Rotation>): Rotation => ({
  name: "",
  users: [ANNA],
  start: "2026-01-01",
  handover: "09:00",
  unit: "day",
  every: 1,
  hours: null,
  ...changes,
});

const schedule = (...rotations: Rotation[]): OnCallSchedule => ({ timezone: BERLIN, rotations });

describe("a week with two rotations, an override and the change to winter time", () => {
  // Anna and Ben alternate weekly in office hours; Cleo and Dirk share the nights, two days each. Nobody has the night
  // that begins on Friday, nor the days of the weekend. Ben takes the hour that occurs twice, both times.
  const office = rotation({
    name: "Office hours",
    users: [ANNA, BEN],
    start: "2026-10-12",
    unit: "week",
    hours: { days: [1, 2, 3, 4, 5], from: "09:00", to: "17:00" },
  });
  const nights = rotation({
    name: "Nights",
    users: [CLEO, DIRK],
    start: "2026-10-19",
    handover: "17:00",
    every: 2,
    hours: { days: [0, 1, 2, 3, 4, 6], from: "17:00", to: "09:00" },
  });
  const both = schedule(office, nights);
  const week = { from: at("2026-10-21T12:00+02:00"), to: at("2026-10-28T12:00+01:00") };
  const overrides: Override[] = [
    { id: 7, userId: BEN, from: at("2026-10-25T01:30+02:00"), to: at("2026-10-25T02:30+01:00") },
  ];

  test("is this ledger", () => {
    expect(ledger(shiftsIn(both, overrides, week))).toEqual([
      "Wed 2026-10-21 12:00+02:00 ben (rotation 0)",
      "Wed 2026-10-21 17:00+02:00 dirk (rotation 1)",
      "Thu 2026-10-22 09:00+02:00 ben (rotation 0)",
      "Thu 2026-10-22 17:00+02:00 dirk (rotation 1)",
      "Fri 2026-10-23 09:00+02:00 ben (rotation 0)",
      "Fri 2026-10-23 17:00+02:00 nobody (gap)",
      "Sat 2026-10-24 17:00+02:00 cleo (rotation 1)",
      "Sun 2026-10-25 01:30+02:00 ben (override 7)",
      "Sun 2026-10-25 02:30+01:00 cleo (rotation 1)",
      "Sun 2026-10-25 09:00+01:00 nobody (gap)",
      "Sun 2026-10-25 17:00+01:00 dirk (rotation 1)",
      "Mon 2026-10-26 09:00+01:00 anna (rotation 0)",
      "Mon 2026-10-26 17:00+01:00 dirk (rotation 1)",
      "Tue 2026-10-27 09:00+01:00 anna (rotation 0)",
      "Tue 2026-10-27 17:00+01:00 cleo (rotation 1)",
      "Wed 2026-10-28 09:00+01:00 anna (rotation 0)",
    ]);
  });
});

describe("turns", () => {
  const span = (from: string, to: string) => ({ from: at(from), to: at(to) });
  const shown = (of: OnCallSchedule, from: string, to: string, overrides: Override[] = []) =>
    ledger(shiftsIn(of, overrides, span(from, to)), of.timezone);

  test("of a day begin at the same local time before and after the change to summer time", () => {
    const daily = schedule(rotation({ users: [ANNA, BEN], start: "2026-03-27", handover: "02:30" }));
    expect(shown(daily, "2026-03-28T12:00+01:00", "2026-03-31T00:00+02:00")).toEqual([
      "Sat 2026-03-28 12:00+01:00 ben (rotation 0)",
      // 02:30 is skipped: the turn begins with the change.
      "Sun 2026-03-29 03:00+02:00 anna (rotation 0)",
      "Mon 2026-03-30 02:30+02:00 ben (rotation 0)",
    ]);
  });

  test("of a day change once in the night in which their hour occurs twice", () => {
    const daily = schedule(rotation({ users: [ANNA, BEN], start: "2026-10-23", handover: "02:30" }));
    expect(shown(daily, "2026-10-24T12:00+02:00", "2026-10-26T12:00+01:00")).toEqual([
      "Sat 2026-10-24 12:00+02:00 ben (rotation 0)",
      "Sun 2026-10-25 02:30+02:00 anna (rotation 0)",
      "Mon 2026-10-26 02:30+01:00 ben (rotation 0)",
    ]);
  });

  test("of some hours keep to the wall clock", () => {
    const hourly = schedule(
      rotation({ users: [ANNA, BEN, CLEO], start: "2026-10-24", handover: "06:00", unit: "hour", every: 8 }),
    );
    expect(shown(hourly, "2026-10-24T22:00+02:00", "2026-10-25T14:00+01:00")).toEqual([
      "Sat 2026-10-24 22:00+02:00 cleo (rotation 0)",
      "Sun 2026-10-25 06:00+01:00 anna (rotation 0)",
    ]);
  });

  test("have nobody before the first one", () => {
    const later = schedule(rotation({ users: [ANNA, BEN], start: "2026-07-02" }));
    expect(shown(later, "2026-07-01T00:00+02:00", "2026-07-03T00:00+02:00")).toEqual([
      "Wed 2026-07-01 00:00+02:00 nobody (gap)",
      "Thu 2026-07-02 09:00+02:00 anna (rotation 0)",
    ]);
  });

  test("follow the schedule's time zone, not that of Muster", () => {
    const of = { ...schedule(rotation({ users: [ANNA, BEN] })), timezone: "America/New_York" };
    expect(shown(of, "2026-07-01T12:00Z", "2026-07-01T14:00Z")).toEqual([
      "Wed 2026-07-01 08:00-04:00 anna (rotation 0)",
      "Wed 2026-07-01 09:00-04:00 ben (rotation 0)",
    ]);
  });

  test("yield to the override that was made last", () => {
    const single = schedule(rotation({}));
    const overrides = [
      { id: 2, userId: CLEO, ...span("2026-07-01T14:00+02:00", "2026-07-01T16:00+02:00") },
      { id: 1, userId: BEN, ...span("2026-07-01T12:00+02:00", "2026-07-01T18:00+02:00") },
    ];
    expect(shown(single, "2026-07-01T00:00+02:00", "2026-07-02T00:00+02:00", overrides)).toEqual([
      "Wed 2026-07-01 00:00+02:00 anna (rotation 0)",
      "Wed 2026-07-01 12:00+02:00 ben (override 1)",
      "Wed 2026-07-01 14:00+02:00 cleo (override 2)",
      "Wed 2026-07-01 16:00+02:00 ben (override 1)",
      "Wed 2026-07-01 18:00+02:00 anna (rotation 0)",
    ]);
  });

  test("without anybody are a gap", () => {
    const shifts = shiftsIn(schedule(), [], span("2026-07-01T00:00Z", "2026-07-02T00:00Z"));
    expect(gapsIn(shifts)).toEqual([span("2026-07-01T00:00Z", "2026-07-02T00:00Z")]);
  });
});

const DAY = 86_400;

test("shifts agree with who is on call at each quarter of an hour of two months with both changes of the clock", () => {
  const ruleless = schedule(
    rotation({ users: [ANNA, BEN, CLEO], unit: "hour", every: 7, start: "2026-03-01", handover: "02:30" }),
    rotation({ users: [DIRK], hours: { days: [0, 6], from: "02:30", to: "02:30" } }),
  );
  const [first] = ruleless.rotations;
  if (first) first.hours = { days: [1, 3, 6], from: "22:15", to: "04:45" };
  const overrides = [{ id: 1, userId: BEN, from: at("2026-03-29T00:00Z"), to: at("2026-03-29T01:30Z") }];
  for (const start of [at("2026-03-15T00:00Z"), at("2026-10-11T00:00Z")]) {
    const shifts = shiftsIn(ruleless, overrides, { from: start, to: start + 30 * DAY });
    expect(shifts[0]?.from).toBe(start);
    expect(shifts.at(-1)?.to).toBe(start + 30 * DAY);
    for (const [i, shift] of shifts.entries()) if (i > 0) expect(shift.from).toBe(shifts[i - 1]?.to ?? 0);
    for (let now = start; now < start + 30 * DAY; now += 900)
      expect(shifts.find(({ from, to }) => from <= now && now < to)?.userId ?? null).toBe(
        onCallAt(ruleless, overrides, now),
      );
  }
});
