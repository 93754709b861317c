/** Commands of a user who may not read the data folder, and a start of one who may not write the database. */
import { expect, test } from "bun:test";
import { chmodSync, chownSync } from "node:fs";
import { dataFolder, openForService, withDatabase } from "../../../src/platform/storage/data-folder.ts";
import { closeDatabase } from "../../../src/platform/storage/open.ts";
import { CommandFolder, type Outcome } from "./support.ts";

const NOBODY = 65_534;

const isRoot = process.getuid?.() === 0;

/** Does something without the rights of root, who may do everything. */
async function asAnother<T>(work: () => T | Promise<T>): Promise<T> {
  if (isRoot) process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

/** Runs a command as a user who may not enter the folder. */
async function runAsAnother(folder: CommandFolder, command: string): Promise<Outcome> {
  const { path } = folder.folder;
  chmodSync(path, 0);
  try {
    return await asAnother(() => folder.run(command));
  } finally {
    chmodSync(path, 0o700);
  }
}

test("a service that may read its database, and not write it, names the file", async () => {
  using folder = new CommandFolder().fill();
  const { path, database, key } = folder.folder;
  const start = () => closeDatabase(openForService(folder.folder, () => undefined).db);
  start();
  chmodSync(database, 0o444);
  if (isRoot) for (const file of [folder.path, path, key]) chownSync(file, NOBODY, NOBODY);
  await expect(asAnother(start)).rejects.toThrow(`${database}: it cannot be written`);
});

for (const command of ["user list", "doctor", "backup copy.db", "move --to postgres://muster@db/muster"])
  test(`muster ${command} says that this user may not read the folder, not that there is no database`, async () => {
    using folder = new CommandFolder().fill();
    const { code, err } = await runAsAnother(folder, command);
    expect(code).toBe(1);
    expect(err).toEqual([
      expect.stringMatching(
        /^\/.*: permission denied \(EACCES\): run the command as root, or as the user to whom/,
      ),
    ]);
  });

test("a file in place of the data folder has no database, and asks for no other user", () => {
  using folder = new CommandFolder().fill();
  const { database } = folder.folder;
  expect(() => withDatabase(dataFolder(database), () => undefined)).toThrow(
    `there is no database in ${database}`,
  );
});
