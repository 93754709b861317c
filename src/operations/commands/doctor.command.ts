import { systemClock } from "../../platform/clock.ts";
import { Settings } from "../../platform/settings/settings.service.ts";
import { keepCopy } from "../../platform/storage/backup.ts";
import { type OpenFolder, withDatabase, withLockedDatabase } from "../../platform/storage/data-folder.ts";
import { sqliteClient } from "../../platform/storage/open.ts";
import { examine, repair } from "../doctor/doctor.ts";
import type { Finding } from "../doctor/finding.ts";
import type { Command, Io } from "./command.ts";

/** Most findings that are printed. */
const SHOWN = 100;

const DAY = 86_400;

function examineOpen({ db, box }: OpenFolder): Finding[] {
  const days = new Settings(db, box).get("eventdays");
  return examine(db, systemClock.now() - days * DAY);
}

function printFindings(findings: readonly Finding[], io: Io): void {
  for (const { sentence } of findings.slice(0, SHOWN)) io.print(sentence);
  if (findings.length > SHOWN) io.print(`... and ${findings.length - SHOWN} more`);
}

export const doctorCommand: Command = {
  name: "doctor",
  onFile: true,
  summary: "check the database; with --repair, rebuild derived data",
  options: [{ flag: "--repair", doc: "back up, then rebuild downtimes, open errors, counters and LEDs" }],
  run: ({ folder, has }, io) => {
    const findings = withDatabase(folder, examineOpen);
    printFindings(findings, io);
    if (findings.length === 0) {
      io.print(`${folder.database} is sound: file, references, downtimes, open errors, counters and LEDs`);
      return 0;
    }
    const repairable = findings.filter((finding) => finding.repair !== null).length;
    if (!has("--repair") || repairable === 0) {
      io.print(`${findings.length} findings; ${repairable} of them muster doctor --repair puts right`);
      return 1;
    }
    return withLockedDatabase(folder, (open) => {
      const now = examineOpen(open);
      const copy = keepCopy(sqliteClient(open.db), folder.backups, "before-repair", new Date());
      io.print(`the database before the repair is kept as ${copy}`);
      const repaired = repair(open.db, now).length;
      const left = examineOpen(open);
      io.print(`${repaired} findings put right, ${left.length} left`);
      printFindings(left, io);
      return left.length === 0 ? 0 : 1;
    });
  },
};
