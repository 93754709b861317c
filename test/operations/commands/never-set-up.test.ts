/** A database whose first start ended before there was an administrator, for example since its port was taken. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { openForService } from "../../../src/platform/storage/data-folder.ts";
import { closeDatabase } from "../../../src/platform/storage/open.ts";
import { CommandFolder } from "./support.ts";

function begin({ folder }: CommandFolder): void {
  const { db } = openForService(folder, () => undefined);
  closeDatabase(db);
}

for (const command of ["user add bob --generate", "rotate-key", "export", "doctor"])
  test(`is left to the next start by muster ${command}`, async () => {
    using folder = new CommandFolder();
    mkdirSync(folder.folder.path);
    begin(folder);
    const { database, key } = folder.folder;
    const err = [`${database} was never set up: muster serve does that`];
    expect(await folder.run(command)).toEqual({ code: 1, out: [], err });
    expect(folder.query("select count(*) as n from users")).toEqual([{ n: 0 }]);
    expect(existsSync(key)).toBe(false);
    // The next start opens it.
    begin(folder);
  });
