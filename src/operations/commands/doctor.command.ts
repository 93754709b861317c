import { knownSince } from "../../monitoring/moment/known-moments.ts";
import { systemClock } from "../../platform/clock.ts";
import {
  DEFINITIONS,
  type Definition,
  EDITABLE,
  type SettingName,
  type SettingValue,
} from "../../platform/settings/settings.definitions.ts";
import { allSettings, putSetting } from "../../platform/settings/settings.repository.ts";
import { faultOfStored, type SettingsReader } from "../../platform/settings/settings.service.ts";
import { StoredSettings } from "../../platform/settings/stored-settings.ts";
import { keepCopy } from "../../platform/storage/backup.ts";
import {
  type DataFolder,
  type OpenFolder,
  withDatabase,
  withLockedDatabase,
} from "../../platform/storage/data-folder.ts";
import { activeNode } from "../../platform/storage/lease.postgres.ts";
import { type FileFaults, faultsOfOlderFile } from "../../platform/storage/older-file.ts";
import { type Db, sqliteClient, transaction } from "../../platform/storage/open.ts";
import { describe } from "../../platform/storage/postgres/database-url.ts";
import { counted } from "../../platform/text.ts";
import { examine, findingsOfOlderFile, repair } from "../doctor/doctor.ts";
import type { DoctorFinding } from "../doctor/finding.ts";
import type { Command, Io } from "./command.ts";
import { printedLine } from "./printed-line.ts";

/** The most findings that are printed. */
const SHOWN = 100;

const CHECKED = "references, secrets, past values, downtimes, open errors, counters and LEDs";

/** Settings with which Muster does not start, and what is wrong with each. */
function unusableSettings({ db, box }: OpenFolder): Map<SettingName, string> {
  const stored = allSettings(db);
  const names = Object.keys(DEFINITIONS) as SettingName[];
  const faults = names.map((name) => {
    const raw = stored.get(name);
    return [name, raw === undefined ? null : faultOfStored(name, raw, box)] as const;
  });
  return new Map(faults.flatMap(([name, fault]) => (fault === null ? [] : [[name, fault]])));
}

/** The repair gives an unusable setting its initial value: nobody can set it in the UI until Muster starts. */
function settingFinding(db: Db, name: SettingName, fault: string): DoctorFinding {
  const problem = `The setting ${name} ${fault}, so that Muster does not start`;
  const { initial, secret }: Definition = DEFINITIONS[name];
  // Without the collector's password the database counts as one that was never set up. What Muster stores for itself,
  // besides secrets, records how far its work has come: an initial value would be wrong.
  if (name === "collectorpassword" || !(name in EDITABLE || secret))
    return { sentence: `${problem}. Restore a backup.`, repair: null };
  // The initial value of secrets is empty, and the empty text is not sealed.
  const repair = () => putSetting(db, name, String(initial));
  return { sentence: `${problem}. muster doctor --repair gives it its initial value.`, repair };
}

function examineOpen(open: OpenFolder): DoctorFinding[] {
  const { db, box } = open;
  const unusable = unusableSettings(open);
  const stored = new StoredSettings(db);
  // `Settings` does not load while one of them cannot be used.
  const settings: SettingsReader = {
    get: <K extends SettingName>(name: K) =>
      (unusable.has(name) ? DEFINITIONS[name].initial : stored.get(name)) as SettingValue<K>,
  };
  return [
    ...[...unusable].map(([name, fault]) => settingFinding(db, name, fault)),
    ...examine(db, knownSince(settings, systemClock.now()), box),
  ];
}

function printFindings(findings: readonly DoctorFinding[], io: Io): void {
  for (const { sentence } of findings.slice(0, SHOWN)) io.print(printedLine(sentence));
  if (findings.length > SHOWN) io.print(`... and ${findings.length - SHOWN} more`);
}

/** Repairs what can be repaired, and then what only that repair brought up: a deleted row may have been counted. */
function repairAll(open: OpenFolder): { repaired: number; remaining: DoctorFinding[] } {
  return transaction(open.db, () => {
    const first = repair(open.db, examineOpen(open));
    const findings = examineOpen(open);
    const second = repair(open.db, findings);
    const remaining = second.length === 0 ? findings : examineOpen(open);
    return { repaired: first.length + second.length, remaining };
  });
}

/** Prints what a database on a server has in addition: which node is active, and what is not checked. */
function printServer(db: Db, io: Io): void {
  const node = activeNode(db);
  io.print(node === "" ? "no node is active" : `the node ${node} is active`);
  io.print("not checked: pages and indexes, which pg_amcheck checks");
}

function printSound({ server, database }: DataFolder, io: Io): void {
  if (server) io.print(`${describe(server)} is sound: ${CHECKED}`);
  else io.print(`${database} is sound: file, ${CHECKED}`);
}

function conclusionOfOlder({ damage, dangling }: FileFaults): string {
  if (damage.length > 0) return ", and cannot be upgraded with these findings";
  return dangling.length > 0
    ? ". muster serve upgrades it with these rows, and muster doctor --repair then deletes those that belong to what is missing"
    : ", and sound: file, references. The rest can be checked when muster serve has upgraded it";
}

/** Prints what can be said of a file that muster serve has yet to upgrade. @returns the exit code */
function printOlder(faults: FileFaults, { database }: DataFolder, io: Io): number {
  const findings = findingsOfOlderFile(faults);
  printFindings(findings, io);
  io.print(`${database} is from an earlier version${conclusionOfOlder(faults)}`);
  return findings.length === 0 ? 0 : 1;
}

function keepBeforeRepair({ db }: OpenFolder, { backups, server }: DataFolder, io: Io): void {
  if (server) {
    io.print("no copy is made before the repair, which is one transaction; pg_dump makes one");
    return;
  }
  const copy = keepCopy(sqliteClient(db), backups, "before-repair", new Date());
  io.print(`the database before the repair is kept as ${copy}`);
}

export const doctorCommand: Command = {
  name: "doctor",
  summary: "check the database; with --repair, repair it",
  options: [
    {
      flag: "--repair",
      doc: "back up, then delete rows that belong to missing ones and damaged past values, rebuild downtimes, open errors, counters and LEDs, empty secrets that do not open, and reset settings that cannot be used",
    },
  ],
  run: ({ folder, has }, io) => {
    const older = folder.server ? null : faultsOfOlderFile(folder);
    if (older) return printOlder(older, folder, io);
    const findings = withDatabase(folder, (open) => {
      if (folder.server) printServer(open.db, io);
      return examineOpen(open);
    });
    printFindings(findings, io);
    if (findings.length === 0) {
      printSound(folder, io);
      return 0;
    }
    const repairable = findings.filter((finding) => finding.repair !== null).length;
    if (!has("--repair") || repairable === 0) {
      io.print(
        `${counted(findings.length, "finding")}; ${repairable} of them can be repaired with muster doctor --repair`,
      );
      return 1;
    }
    return withLockedDatabase(folder, (open) => {
      keepBeforeRepair(open, folder, io);
      const { repaired, remaining } = repairAll(open);
      io.print(`${counted(repaired, "finding")} repaired, ${remaining.length} left`);
      printFindings(remaining, io);
      return remaining.length === 0 ? 0 : 1;
    });
  },
};
