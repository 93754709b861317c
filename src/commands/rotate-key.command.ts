import { migrationsFolder } from "../assets.ts";
import { dataFolder, withLockedDatabase } from "../database/data-folder.ts";
import { rotateKey } from "../secrets/rotate-key.ts";
import type { Command } from "./command.ts";

export const rotateKeyCommand: Command = {
  name: "rotate-key",
  summary: "replace secret.key and seal everything anew; refused while a server runs",
  run: (given, io) => {
    const folder = dataFolder(given.setting("data"));
    const count = withLockedDatabase(folder, migrationsFolder(), ({ db, box }) =>
      rotateKey(db, box, folder.key),
    );
    io.print(`${folder.key} is new; ${count} secrets were sealed anew, and all logins have ended`);
    io.print("Backups made before now open with the key before, should you have kept it.");
    return 0;
  },
};
