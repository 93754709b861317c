import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { allUsers } from "../../../src/accounts/users/users.repository.ts";
import { assemble } from "../../../src/muster.ts";
import { runCommand } from "../../../src/operations/commands/run.ts";
import { transferCommands } from "../../../src/operations/commands/transfer.commands.ts";
import { offlineRuntime } from "../../../src/runtime.ts";
import { CommandFolder } from "./support.ts";

test("an export is of one moment, also while a server changes what it names", async () => {
  using folder = new CommandFolder().fill();
  /** What a running server does between two parts of the export. */
  const deleteUser = () => {
    const server = new Database(folder.folder.database);
    server.run("delete from users where uname = 'user'");
    server.close();
  };
  const commands = transferCommands(({ db, box }) => {
    const parts = assemble(offlineRuntime(db, box));
    const exportAll = parts.transfer.export.bind(parts.transfer);
    parts.transfer.export = (withSecrets, now) => {
      expect(allUsers(db)).toHaveLength(2);
      deleteUser();
      return exportAll(withSecrets, now);
    };
    return parts;
  });
  const printed: string[] = [];
  const io = {
    print: (line: string) => printed.push(line),
    complain: expect.unreachable,
    readSecret: async () => "",
  };
  expect(await runCommand(commands, ["export", "--data", folder.folder.path], {}, io)).toBe(0);
  const { users } = JSON.parse(printed.join("\n")) as { users: { uname: string }[] };
  expect(users.map(({ uname }) => uname)).toEqual(["admin", "user"]);
});
