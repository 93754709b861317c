/** User accounts on the command line. Also the way back in for an administrator who lost their password. */
import { SecondFactor } from "../../accounts/sign-in/second-factor.service.ts";
import { generatePassword } from "../../accounts/users/password.ts";
import { allUsers } from "../../accounts/users/users.repository.ts";
import { newUname, newPassword as passwordSchema } from "../../accounts/users/users.schemas.ts";
import { existingUser, refuseTaken } from "../../accounts/users/users.service.ts";
import { systemClock } from "../../platform/clock.ts";
import { StartupError } from "../../platform/startup-error.ts";
import { withDatabase } from "../../platform/storage/data-folder.ts";
import { checked } from "./checked.ts";
import type { Command, CommandLine, Io } from "./command.ts";
import { printedLine } from "./printed-line.ts";
import { changingUser, nameOf } from "./user-changes.ts";

const OF_PROXY = { flag: "--proxy", doc: "signed in by a reverse proxy; has no password" };
const GENERATE = { flag: "--generate", doc: "generate the password and print it" };

/** The new password: generated, typed, or the first line of standard input. */
async function newPassword(args: CommandLine, io: Io): Promise<string> {
  if (args.has(GENERATE.flag)) return generatePassword();
  return checked("the password", passwordSchema, await io.readSecret("Password"));
}

/** Call this before the change is committed: a generated password that cannot be printed must not be in force. */
function printGenerated(args: CommandLine, io: Io, text: string): void {
  if (args.has(GENERATE.flag)) io.print(`password  ${text}`, true);
}

export const userCommands: Command[] = [
  {
    name: "user list",
    summary: "list the users",
    run: (args, io) => {
      for (const { uname: name, fullname, admin } of withDatabase(args.folder, ({ db }) => allUsers(db)))
        io.print(printedLine(name, admin ? "admin" : "user", fullname));
      return 0;
    },
  },
  {
    name: "user add",
    summary: "add a user; the password is prompted for, or read from standard input",
    operands: ["NAME"],
    options: [{ flag: "--admin", doc: "as an administrator" }, OF_PROXY, GENERATE],
    run: async (args, io) => {
      const name = nameOf(args, newUname);
      const admin = args.has("--admin");
      if (args.has(OF_PROXY.flag)) {
        if (args.has(GENERATE.flag)) throw new StartupError("--proxy and --generate cannot be combined");
        changingUser(args, "command/user/add", name, (users) => users.createForProxy(name, admin));
        io.print(`added the ${admin ? "administrator" : "user"} ${name}, signed in by the proxy`);
        return 0;
      }
      // Nobody should type a password twice for nothing.
      withDatabase(args.folder, ({ db }) => refuseTaken(db, name));
      const secret = await newPassword(args, io);
      changingUser(args, "command/user/add", name, (users) => {
        users.create({ uname: name, fullname: name, password: secret, admin });
        printGenerated(args, io, secret);
      });
      io.print(`added the ${admin ? "administrator" : "user"} ${name}`);
      return 0;
    },
  },
  {
    name: "user passwd",
    summary: "set a user's password, prompted for or read from standard input, and end their sessions",
    operands: ["NAME"],
    options: [GENERATE],
    run: async (args, io) => {
      const name = nameOf(args);
      withDatabase(args.folder, ({ db }) => existingUser(db, name));
      const secret = await newPassword(args, io);
      changingUser(args, "command/user/passwd", name, (users) => {
        users.setPassword(name, secret);
        printGenerated(args, io, secret);
      });
      io.print(`changed the password of ${name} and ended their sessions`);
      return 0;
    },
  },
  {
    name: "user totp-off",
    summary: "turn off a user's second factor",
    operands: ["NAME"],
    run: (args, io) => {
      const name = nameOf(args);
      changingUser(args, "command/user/totp-off", name, (_users, { db, box }) =>
        new SecondFactor(db, box, systemClock).disable(name),
      );
      io.print(`turned off the second factor of ${name}`);
      return 0;
    },
  },
  {
    name: "user delete",
    summary: "delete a user with their sessions and API tokens",
    operands: ["NAME"],
    run: (args, io) => {
      const name = nameOf(args);
      changingUser(args, "command/user/delete", name, (users) => users.delete(name));
      io.print(`deleted the user ${name}`);
      return 0;
    },
  },
];
