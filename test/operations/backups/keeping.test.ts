import { expect, test } from "bun:test";
import { type KeptBackup, outdated } from "../../../src/operations/backups/keeping.ts";

const at = (text: string) => Date.parse(text) / 1000;
const backup = (text: string, isProven = true): KeptBackup => ({ name: text, created: at(text), isProven });
const daily = (from: string, days: number) =>
  Array.from({ length: days }, (_, i) => {
    const [date = ""] = new Date(Date.parse(from) + i * 86_400_000).toISOString().split("T");
    return backup(`${date}T03:00Z`);
  });
const names = (backups: readonly KeptBackup[]) => backups.map(({ name }) => name).sort();

/** What stays of backups. */
function kept(backups: KeptBackup[], keeping: Parameters<typeof outdated>[1], timezone = "UTC"): string[] {
  const gone = new Set(names(outdated(backups, keeping, timezone)));
  return names(backups).filter((name) => !gone.has(name));
}

test("the newest of each of the last days, weeks and months is kept", () => {
  const year = daily("2026-01-01T03:00Z", 365);
  expect(kept(year, { days: 3, weeks: 2, months: 3 })).toEqual([
    "2026-10-31T03:00Z",
    "2026-11-30T03:00Z",
    // The Sunday of the week before.
    "2026-12-27T03:00Z",
    "2026-12-29T03:00Z",
    "2026-12-30T03:00Z",
    "2026-12-31T03:00Z",
  ]);
});

test("of several backups a day the newest stays, by the day of the time zone", () => {
  const backups = [backup("2026-03-01T03:00Z"), backup("2026-03-01T22:00Z"), backup("2026-03-02T22:30Z")];
  expect(kept(backups, { days: 2, weeks: 0, months: 0 })).toEqual(["2026-03-01T22:00Z", "2026-03-02T22:30Z"]);
  // In Kiritimati, 14 hours ahead, the last two are of the second and the third of March.
  expect(kept(backups, { days: 2, weeks: 0, months: 0 }, "Pacific/Kiritimati")).toEqual([
    "2026-03-01T22:00Z",
    "2026-03-02T22:30Z",
  ]);
});

test("days without a backup do not count", () => {
  const backups = [backup("2026-01-01T03:00Z"), backup("2026-05-01T03:00Z")];
  expect(kept(backups, { days: 2, weeks: 0, months: 0 })).toEqual(names(backups));
});

test("the newest stays, and the newest that was proven, however old", () => {
  const backups = [
    backup("2026-01-01T03:00Z"),
    backup("2026-02-01T03:00Z"),
    ...daily("2026-03-01T03:00Z", 3).map((kept) => ({ ...kept, isProven: false })),
  ];
  expect(kept(backups, { days: 1, weeks: 0, months: 0 })).toEqual(["2026-02-01T03:00Z", "2026-03-03T03:00Z"]);
  expect(outdated([], { days: 1, weeks: 0, months: 0 }, "UTC")).toEqual([]);
});
