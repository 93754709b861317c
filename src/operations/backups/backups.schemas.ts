import * as v from "valibot";
import { described } from "../../platform/http/validate.ts";
import { BACKUP_STATES } from "../../platform/storage/schema/backups.ts";
import { PHASES } from "./job.ts";

const number = v.number();
const string = v.string();

const backup = v.object({
  id: described(number, "id of the backup"),
  name: described(string, "name of its file or object; empty for an attempt that failed"),
  place: described(string, "folder or bucket that has it"),
  created: described(number, "when the copy of the database was made, unix timestamp"),
  ended: described(number, "when it was stored and checked, or failed, unix timestamp"),
  state: described(
    v.picklist(BACKUP_STATES),
    "failed: there is no backup; verified: what was stored is what was sent; proven: it was restored and compared",
  ),
  bytes: described(number, "its size"),
  databasebytes: described(number, "size of the database in it"),
  trouble: described(string, "why it failed or was not proven; empty otherwise"),
});

export const backupsReply = v.object({
  provable: described(
    v.boolean(),
    "whether backups are proven by restoring them: they are not encrypted, or the private key is at hand",
  ),
  next: described(v.nullable(number), "next scheduled time, unix timestamp; null: none are made"),
  running: described(
    v.nullable(
      v.object({
        started: described(number, "when it began, unix timestamp"),
        phase: described(v.picklist(PHASES), "what it is doing"),
        done: described(number, "bytes of this phase that have been processed"),
        total: described(number, "bytes of this phase; 0: not measured"),
      }),
    ),
    "the backup that is being made; null without one",
  ),
  records: described(v.array(backup), "backups that are stored, and attempts that failed, the newest first"),
});
