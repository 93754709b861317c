/** Accounts, from the command line: also the way back in for administrators who lost their password. */
import * as v from "valibot";
import { migrationsFolder } from "../assets.ts";
import { dataFolder, withDatabase } from "../database/data-folder.ts";
import { ApiError } from "../http/errors.ts";
import { Refusal } from "../refusal.ts";
import { generatePassword } from "../users/password.ts";
import { PictureFiles } from "../users/pictures.files.ts";
import { password, uname } from "../users/users.schemas.ts";
import { Users } from "../users/users.service.ts";
import type { Command, Given, Io } from "./command.ts";

const GENERATE = { flag: "--generate", doc: "make up the password and print it" };

function withUsers<T>(given: Given, work: (users: Users) => T): T {
  const folder = dataFolder(given.setting("data"));
  return withDatabase(folder, migrationsFolder(), ({ db, box }) => {
    try {
      return work(new Users(db, box, new PictureFiles(folder.uploads)));
    } catch (error) {
      throw error instanceof ApiError ? new Refusal(error.message) : error;
    }
  });
}

function checked(what: string, schema: v.GenericSchema<string, string>, text: string): string {
  const result = v.safeParse(schema, text);
  if (!result.success) throw new Refusal(`${what} must be ${v.getDescription(schema) ?? "a text"}`);
  return result.output;
}

const nameOf = ({ operands: [name = ""] }: Given) => checked("NAME", uname, name);

/** The new password: made up, typed, or the first line of what is piped in. */
async function newPassword(given: Given, io: Io): Promise<string> {
  if (given.has(GENERATE.flag)) return generatePassword();
  return checked("the password", password, await io.readSecret("Password"));
}

function announce(given: Given, io: Io, done: string, text: string): void {
  io.print(done);
  if (given.has(GENERATE.flag)) io.print(`password  ${text}`);
}

export const userCommands: Command[] = [
  {
    name: "user list",
    summary: "list the users",
    run: (given, io) => {
      for (const { uname: name, fullname, admin } of withUsers(given, (users) => users.listWithRoles()))
        io.print([name, admin ? "admin" : "user", fullname].join("\t"));
      return 0;
    },
  },
  {
    name: "user add",
    summary: "add a user; the password is asked for, or read from standard input",
    operands: ["NAME"],
    options: [{ flag: "--admin", doc: "as an administrator" }, GENERATE],
    run: async (given, io) => {
      const name = nameOf(given);
      const secret = await newPassword(given, io);
      const admin = given.has("--admin");
      withUsers(given, (users) => users.create({ uname: name, fullname: name, password: secret, admin }));
      announce(given, io, `added the ${admin ? "administrator" : "user"} ${name}`, secret);
      return 0;
    },
  },
  {
    name: "user passwd",
    summary: "set a user's password and end his logins; asked for, or read from standard input",
    operands: ["NAME"],
    options: [GENERATE],
    run: async (given, io) => {
      const name = nameOf(given);
      withUsers(given, (users) => users.get(name, false));
      const secret = await newPassword(given, io);
      withUsers(given, (users) => users.setPassword(name, secret));
      announce(given, io, `changed the password of ${name} and ended his logins`, secret);
      return 0;
    },
  },
  {
    name: "user delete",
    summary: "delete a user with his logins and API tokens",
    operands: ["NAME"],
    run: (given, io) => {
      const name = nameOf(given);
      withUsers(given, (users) => users.delete(name));
      io.print(`deleted the user ${name}`);
      return 0;
    },
  },
];
