/** Checks of the database, its disk and its backups. */

import type { HealthFacts } from "./facts.ts";
import type { Finding, HealthCheck, Severity } from "./finding.ts";
import { days, size } from "./words.ts";

/** Days until the disk is full at the present growth. */
const FULL_SOON = 30;
const FULL_NOW = 7;
/** Free shares of the disk. */
const LITTLE_FREE = 0.05;
const HARDLY_FREE = 0.01;
const DAY = 86_400;

const unwritable: HealthCheck = ({ writable }) =>
  writable
    ? []
    : [
        {
          code: "storage.unwritable",
          subject: "",
          severity: "critical",
          text: "The database cannot be written: messages of agents are refused.",
          advice: "Free space on its disk, or see in the log what keeps Muster from writing.",
        },
      ];

/** Days until the disk of the data folder is full if the database goes on growing; null if that is not known. */
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
  if (disk === null || disk.total === 0) return [];
  const daysLeft = daysUntilFull(database);
  const severity = fillingSeverity(daysLeft, disk.free / disk.total);
  if (severity === null) return [];
  const isByGrowth = daysLeft !== null && daysLeft <= FULL_SOON;
  const finding: Finding = {
    code: "disk.filling",
    subject: "",
    severity,
    text: isByGrowth
      ? `The disk of the data folder is full in ${days(daysLeft)} if the database goes on growing.`
      : `Only ${size(disk.free)} are free on the disk of the data folder.`,
    advice: "Give it more space, or keep history and events for fewer days in the settings.",
  };
  return [finding];
};

const backupMissing: HealthCheck = ({ now, backup, database }) => {
  if (!backup.possible || backup.days === 0 || database.days < backup.days) return [];
  const age = backup.last === null ? null : Math.floor((now - backup.last) / DAY);
  if (age !== null && age < backup.days) return [];
  const finding: Finding = {
    code: "backup.missing",
    subject: "",
    severity: "warning",
    text: age === null ? "No backup was made with muster backup." : `The last backup is ${days(age)} old.`,
    advice:
      "Run muster backup regularly, from cron or a systemd timer. If something else makes backups, turn the reminder off in the settings.",
  };
  return [finding];
};

export const storageChecks: readonly HealthCheck[] = [unwritable, diskFilling, backupMissing];
