/** Commands of a user who may not read the data folder. */
import { expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { CommandFolder, type Outcome } from "./support.ts";

const NOBODY = 65_534;

/** Runs a command as a user who may not enter the folder. */
async function runAsAnother(folder: CommandFolder, command: string): Promise<Outcome> {
  const { path } = folder.folder;
  const isRoot = process.getuid?.() === 0;
  chmodSync(path, 0);
  // Root may enter every folder.
  if (isRoot) process.seteuid?.(NOBODY);
  try {
    return await folder.run(command);
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(path, 0o700);
  }
}

for (const command of ["user list", "doctor", "backup copy.db", "move --to postgres://muster@db/muster"])
  test(`muster ${command} says that this user may not read the folder, not that there is no database`, async () => {
    using folder = new CommandFolder().fill();
    const { code, err } = await runAsAnother(folder, command);
    expect(code).toBe(1);
    expect(err).toEqual([
      expect.stringMatching(/^EACCES.*: run the command as root, or as the user to whom/),
    ]);
  });
