/** Shared by commands about users: their names, and changes that are recorded in the audit log. */
import type * as v from "valibot";
import { COMMAND_LINE } from "../../accounts/audit/actor.ts";
import { Audit } from "../../accounts/audit/audit.service.ts";
import { uname } from "../../accounts/users/users.schemas.ts";
import { Users } from "../../accounts/users/users.service.ts";
import { usesOfUser } from "../../alerting/on-call/uses-of-user.ts";
import { systemClock } from "../../platform/clock.ts";
import type { Details } from "../../platform/http/audit-details.ts";
import { type OpenFolder, withDatabase } from "../../platform/storage/data-folder.ts";
import { transaction } from "../../platform/storage/open.ts";
import { checked } from "./checked.ts";
import type { CommandLine } from "./command.ts";

/** The name of the user, which is the first operand. */
export function nameOf(
  { operands: [name = ""] }: CommandLine,
  schema: v.GenericSchema<string, string> = uname,
): string {
  return checked("NAME", schema, name);
}

/**
 * Changes a user and writes the audit log, in one transaction.
 * @param operation its name in the audit log
 * @param work may call its last argument with details for the audit log
 */
export function changingUser(
  { folder }: CommandLine,
  operation: string,
  uname: string,
  work: (users: Users, open: OpenFolder, tell: (details: Details) => void) => void,
): void {
  withDatabase(folder, (open) => {
    const { db, box } = open;
    transaction(db, () => {
      const audit = new Audit(db, systemClock);
      const before = audit.nameOf("user", uname);
      const details: Details = {};
      const users = new Users(db, box, (userId) => usesOfUser(db, userId, systemClock.now()), systemClock);
      work(users, open, (changes) => Object.assign(details, changes));
      const subjectName = before || audit.nameOf("user", uname);
      audit.add(COMMAND_LINE, { operation, subject: "user", subjectId: uname, subjectName, details });
    });
  });
}
