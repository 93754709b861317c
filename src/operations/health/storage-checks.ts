/** Checks of the database, its disk and its backups. */

import { DAY, HOUR } from "../../platform/clock.ts";
import type { HealthFacts } from "./facts.ts";
import type { Found, HealthCheck, Severity } from "./finding.ts";
import { days, size } from "./words.ts";

/** Days until the disk is full at the present growth. */
const FULL_SOON = 30;
const FULL_NOW = 7;
/** Free shares of the disk. */
const LITTLE_FREE = 0.05;
const HARDLY_FREE = 0.01;

const unwritable: HealthCheck = ({ writable }) =>
  writable
    ? null
    : {
        code: "storage.unwritable",
        severity: "critical",
        text: "The database cannot be written: messages of agents are refused.",
        advice: "Free up space on its disk, or see in the log what keeps Muster from writing.",
      };

/** Days until the disk of the database is full if the database goes on growing; null if that is not known. */
export function daysUntilFull({ growth, disk }: HealthFacts["database"]): number | null {
  return growth === null || growth <= 0 || disk === null ? null : disk.free / growth;
}

function fillingSeverity(daysLeft: number | null, freeShare: number): Severity | null {
  const within = (limit: number) => daysLeft !== null && daysLeft <= limit;
  if (within(FULL_NOW) || freeShare < HARDLY_FREE) return "critical";
  return within(FULL_SOON) || freeShare < LITTLE_FREE ? "warning" : null;
}

const diskFilling: HealthCheck = ({ database }) => {
  const { disk } = database;
  if (disk === null || disk.total === 0) return null;
  const daysLeft = daysUntilFull(database);
  const severity = fillingSeverity(daysLeft, disk.free / disk.total);
  if (severity === null) return null;
  const isByGrowth = daysLeft !== null && daysLeft <= FULL_SOON;
  const text = isByGrowth
    ? `The disk of the database will be full in ${days(daysLeft)} if the database keeps growing as it does.`
    : `Only ${size(disk.free)} is free on the disk of the database.`;
  const advice = "Give it more space, or keep history and events for fewer days in the settings.";
  return { code: "disk.filling", severity, text, advice };
};

const ofBackup = (code: string, text: string, advice: string): Found => ({
  code: `backup.${code}`,
  severity: "warning",
  text,
  advice,
});

const backupMissing: HealthCheck = ({ now, backup, database }) => {
  if (!backup.possible || backup.days === 0) return null;
  const age = backup.last === null ? null : Math.floor((now - backup.last) / DAY);
  if ((age ?? database.days) < backup.days) return null;
  const text = age === null ? "No backup was made." : `The last backup is ${days(age)} old.`;
  const advice =
    "Name a place for backups under Settings, Backups, and Muster makes them automatically. If something else makes backups, turn the reminder off in the settings.";
  return ofBackup("missing", text, advice);
};

/** Seconds after the scheduled time until a backup is overdue. */
const OVERDUE = 6 * HOUR;
/** Bytes of a database below which shrinking says nothing. */
const SMALL = 10_000_000;

const backupFailed: HealthCheck = ({ backup: { automatic } }) => {
  if (!automatic || automatic.failure === null) return null;
  const advice = "Muster tries again. Earlier backups are as they were. See Settings, Backups.";
  return ofBackup("failed", `The last backup failed: ${automatic.failure}`, advice);
};

const backupOverdue: HealthCheck = ({ now, backup: { automatic } }) => {
  if (!automatic || automatic.failure !== null || automatic.due === null) return null;
  if (now - automatic.due < OVERDUE) return null;
  const advice = "See under Settings, Backups, what it is doing, and whether its rate limit is too low.";
  return ofBackup("overdue", "The scheduled backup has not been completed.", advice);
};

const backupUnproven: HealthCheck = ({ backup: { automatic } }) => {
  const trouble = automatic?.last?.trouble ?? "";
  if (trouble === "") return null;
  return ofBackup("trouble", `The last backup is stored, but ${trouble}`, "See Settings, Backups.");
};

const backupShrunk: HealthCheck = ({ backup: { automatic } }) => {
  const { last, before } = automatic ?? {};
  if (!last || !before || before.databaseBytes < SMALL || last.bytes * 2 >= before.bytes) return null;
  const text = `The last backup has ${size(last.bytes)}, and the one before had ${size(before.bytes)}.`;
  return ofBackup("shrunk", text, "Find out what was deleted before older backups are removed.");
};

export const storageChecks: readonly HealthCheck[] = [
  unwritable,
  diskFilling,
  backupMissing,
  backupFailed,
  backupOverdue,
  backupUnproven,
  backupShrunk,
];
