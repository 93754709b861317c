/** Levels of users in host groups on the command line. */
import { grantsOf } from "../../accounts/grants/grants.repository.ts";
import { Grants } from "../../accounts/grants/grants.service.ts";
import { existingUser } from "../../accounts/users/users.service.ts";
import { findGroup } from "../../monitoring/groups/groups.repository.ts";
import { hostGroupsOf } from "../../monitoring/groups/groups.service.ts";
import { isNothing, LEVELS } from "../../platform/http/scope.ts";
import { oneOf } from "../../platform/http/validate.ts";
import { Settings } from "../../platform/settings/settings.service.ts";
import { type OpenFolder, withDatabase } from "../../platform/storage/data-folder.ts";
import { checked } from "./checked.ts";
import type { Command, CommandLine } from "./command.ts";
import { printedLine } from "./printed-line.ts";
import { changingUser, nameOf } from "./user-changes.ts";

const level = oneOf(LEVELS);

function grantsFor({ db, box }: OpenFolder): Grants {
  return new Grants(db, new Settings(db, box), hostGroupsOf(db));
}

/** The rights of a user, as lines: the level in each group, or one sentence if there is none. */
function linesOf(open: OpenFolder, name: string): string[] {
  const { db } = open;
  const user = existingUser(db, name);
  if (user.admin) return [`${name} is an administrator and may do everything`];
  const lines = grantsOf(db, user.id).map((grant) =>
    printedLine(findGroup(db, grant.groupid)?.name ?? String(grant.groupid), grant.level),
  );
  if (lines.length > 0) return lines;
  const { view } = grantsFor(open).rightsOf(user);
  return [isNothing(view) ? `${name} sees no host` : `${name} sees all hosts`];
}

/** Changes a level and records the old and the new one. */
function changingLevel(
  args: CommandLine,
  operation: string,
  change: (grants: Grants, name: string) => void,
): string {
  const name = nameOf(args);
  changingUser(args, operation, name, (_users, open, tell) => {
    const before = linesOf(open, name).join(", ");
    change(grantsFor(open), name);
    tell({ grants: [before, linesOf(open, name).join(", ")] });
  });
  return name;
}

export const grantCommands: Command[] = [
  {
    name: "user grants",
    summary: "list the levels of a user in host groups",
    operands: ["NAME"],
    run: (args, io) => {
      for (const line of withDatabase(args.folder, (open) => linesOf(open, nameOf(args)))) io.print(line);
      return 0;
    },
  },
  {
    name: "user grant",
    summary:
      "grant a user a level in a host group: view, operate or manage; the user then sees only the hosts of such groups",
    operands: ["NAME", "GROUP", "LEVEL"],
    run: (args, io) => {
      const [, group = "", text = ""] = args.operands;
      const newLevel = checked("LEVEL", level, text);
      const name = changingLevel(args, "command/user/grant", (grants, user) =>
        grants.grant(user, group, newLevel),
      );
      io.print(`granted ${name} the level ${newLevel} in ${group}`);
      return 0;
    },
  },
  {
    name: "user revoke",
    summary: "revoke the level of a user in a host group; without any level, the user sees no host",
    operands: ["NAME", "GROUP"],
    run: (args, io) => {
      const [, group = ""] = args.operands;
      const name = changingLevel(args, "command/user/revoke", (grants, user) => grants.revoke(user, group));
      io.print(`revoked the level of ${name} in ${group}`);
      return 0;
    },
  },
];
