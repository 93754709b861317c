import { generatePassword } from "../../accounts/users/password.ts";
import { type DataFolder, withLockedDatabase, withoutKey } from "../../platform/storage/data-folder.ts";
import { replaceLostKey, rotateKey } from "../key-rotation/rotate-key.ts";
import type { Command, Io } from "./command.ts";

/** Lists the nodes of the database, which do not start with the previous key. */
function printNodes({ server, key }: DataFolder, io: Io): void {
  if (server) io.print(`Copy ${key} to the data folders of all other nodes before you start them.`);
}

function replaceLost(folder: DataFolder, io: Io): number {
  const collector = generatePassword();
  withoutKey(folder, (db) => replaceLostKey(db, folder.key, collector));
  io.print(`${folder.key} is new; what the lost key encrypted is gone and has to be set again:`);
  io.print("  users      muster user passwd NAME");
  io.print(`  agents     post with the password ${collector} (settings)`);
  io.print("  hosts      the credentials of the agents' HTTP interface (administration, hosts)");
  printNodes(folder, io);
  return 0;
}

export const rotateKeyCommand: Command = {
  name: "rotate-key",
  summary: "replace secret.key and re-encrypt every secret; not while a server runs",
  options: [{ flag: "--lost", doc: "the current key is lost: empty everything encrypted with it" }],
  run: ({ folder, has }, io) => {
    if (has("--lost")) return replaceLost(folder, io);
    const count = withLockedDatabase(folder, ({ db, box }) => rotateKey(db, box, folder.key));
    io.print(`${folder.key} is new; ${count} secrets were encrypted with it, and all logins have ended`);
    printNodes(folder, io);
    io.print("Earlier backups open only with the previous key, if you kept it.");
    return 0;
  },
};
