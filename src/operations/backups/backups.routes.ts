import type * as v from "valibot";
import { because, errors } from "../../platform/http/errors.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import { nothing } from "../../platform/http/validate.ts";
import { backupsReply } from "./backups.schemas.ts";
import { type Backups, backupRunning } from "./backups.service.ts";

/** Operations with which administrators see backups and start one. Their place and times are settings. */
export function backupOperations(backups: Backups): Operation[] {
  return [
    read("/admin/backups/list", {
      access: "admin",
      summary: "Scheduled backups, and the one in progress",
      response: backupsReply,
      handle: () => replyOf(backups.overview()),
    }),
    write("/admin/backups/start", {
      access: "admin",
      summary: "Make a backup now",
      request: nothing,
      errors: [because(errors.missingArgument, "No place for backups is set"), backupRunning],
      audit: { subject: "backup" },
      handle: () => backups.start(),
    }),
  ];
}

function replyOf(overview: ReturnType<Backups["overview"]>): v.InferInput<typeof backupsReply> {
  const { isProvable, next, running, backups } = overview;
  return {
    provable: isProvable,
    next,
    running: running && { started: running.started, ...running.progress },
    records: backups.map(({ createdAt, endedAt, databaseBytes, ...backup }) => ({
      ...backup,
      created: createdAt,
      ended: endedAt,
      databasebytes: databaseBytes,
    })),
  };
}
