import { generatePassword } from "../../accounts/users/password.ts";
import { assertKeyIsLost } from "../../platform/secrets/key-file.ts";
import { type DataFolder, withLockedDatabase, withoutKey } from "../../platform/storage/data-folder.ts";
import { counted } from "../../platform/text.ts";
import { replaceLostKey, rotateKey } from "../key-rotation/rotate-key.ts";
import type { SecretOwners } from "../key-rotation/sealed.repository.ts";
import type { Command, Io } from "./command.ts";
import { printedLine } from "./printed-line.ts";

/** Prints that the other nodes of the database need the new key, if there can be any. */
function printNodes({ server, key }: DataFolder, io: Io): void {
  if (server) io.print(`Copy ${key} to the data folders of all other nodes before you start them.`);
}

/** Prints what had secrets, with the collector's new password. @throws StartupError if nobody reads it */
function printLost(owners: SecretOwners, collector: string, { key }: DataFolder, io: Io): void {
  const print = (line: string) => io.print(line, true);
  const printNames = (kind: string, consequence: string, names: readonly string[]) => {
    if (names.length > 0) print(printedLine(`  ${kind.padEnd(15)} ${consequence}: ${names.join(", ")}`));
  };
  print(`What the lost ${key} encrypted is emptied, and has to be set again:`);
  print("  users           muster user passwd NAME");
  printNames("second factors", "are off until these users set them up again", owners.secondFactors);
  print(`  agents          post with the password ${collector} (settings)`);
  printNames(
    "agent keys",
    "are refused until each has a new secret: muster key replace NAME",
    owners.agentKeys,
  );
  print("  hosts           the credentials of the agents' HTTP interface (settings of each host)");
  printNames("channels", "have no settings, and are disabled", owners.channels);
  // The collector's passwords have a line of their own.
  const settings = owners.settings.filter((name) => !name.startsWith("collector"));
  printNames("settings", "are empty", settings);
}

function replaceLost(folder: DataFolder, io: Io): number {
  const collector = generatePassword();
  withoutKey(folder, (db) => {
    // A key that leaked must be replaced without --lost, which empties everything that it sealed.
    assertKeyIsLost(folder.key, db.$client);
    replaceLostKey(db, folder.key, collector, (owners) => printLost(owners, collector, folder, io));
  });
  io.print(`${folder.key} is new`);
  printNodes(folder, io);
  return 0;
}

export const rotateKeyCommand: Command = {
  name: "rotate-key",
  summary: "replace secret.key and re-encrypt every secret; not while a server runs",
  options: [
    {
      flag: "--lost",
      doc: "the current key is lost: empty everything encrypted with it, and print what that was",
    },
  ],
  run: ({ folder, has }, io) => {
    if (has("--lost")) return replaceLost(folder, io);
    const count = withLockedDatabase(folder, ({ db, box }) => rotateKey(db, box, folder.key));
    io.print(
      `${folder.key} is new; ${counted(count, "secret was", "secrets were")} encrypted with it, and all logins have ended`,
    );
    printNodes(folder, io);
    io.print("Earlier backups open only with the previous key, if you kept it.");
    return 0;
  },
};
