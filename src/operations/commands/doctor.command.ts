import { systemClock } from "../../platform/clock.ts";
import { Settings } from "../../platform/settings/settings.service.ts";
import { keepCopy } from "../../platform/storage/backup.ts";
import {
  type DataFolder,
  type OpenFolder,
  withDatabase,
  withLockedDatabase,
} from "../../platform/storage/data-folder.ts";
import { activeNode } from "../../platform/storage/lease.postgres.ts";
import { type Db, sqliteClient } from "../../platform/storage/open.ts";
import { describe } from "../../platform/storage/postgres/database-url.ts";
import { examine, repair } from "../doctor/doctor.ts";
import type { DoctorFinding } from "../doctor/finding.ts";
import type { Command, Io } from "./command.ts";

/** Most findings that are printed. */
const SHOWN = 100;

const DAY = 86_400;

const CHECKED = "references, secrets, downtimes, open errors, counters and LEDs";

function examineOpen({ db, box }: OpenFolder): DoctorFinding[] {
  const days = new Settings(db, box).get("eventdays");
  return examine(db, systemClock.now() - days * DAY, box);
}

function printFindings(findings: readonly DoctorFinding[], io: Io): void {
  for (const { sentence } of findings.slice(0, SHOWN)) io.print(sentence);
  if (findings.length > SHOWN) io.print(`... and ${findings.length - SHOWN} more`);
}

/** Prints the differences for a database on a server. */
function printServer(db: Db, io: Io): void {
  const node = activeNode(db);
  io.print(node === "" ? "no node is active" : `the node ${node} is active`);
  io.print("not checked: pages and indexes, which pg_amcheck checks");
}

function printSound({ server, database }: DataFolder, io: Io): void {
  if (server) io.print(`${describe(server)} is sound: ${CHECKED}`);
  else io.print(`${database} is sound: file, ${CHECKED}`);
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
  summary: "check the database; with --repair, rebuild derived data",
  options: [{ flag: "--repair", doc: "back up, then rebuild downtimes, open errors, counters and LEDs" }],
  run: ({ folder, has }, io) => {
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
        `${findings.length} findings; ${repairable} of them can be repaired with muster doctor --repair`,
      );
      return 1;
    }
    return withLockedDatabase(folder, (open) => {
      const now = examineOpen(open);
      keepBeforeRepair(open, folder, io);
      const repaired = repair(open.db, now).length;
      const remaining = examineOpen(open);
      io.print(`${repaired} findings repaired, ${remaining.length} left`);
      printFindings(remaining, io);
      return remaining.length === 0 ? 0 : 1;
    });
  },
};
