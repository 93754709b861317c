/** A database whose first start ended before there was an administrator, for example since its port was taken. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { openForService } from "../../../src/platform/storage/data-folder.ts";
import { closeDatabase } from "../../../src/platform/storage/open.ts";
import { CommandFolder } from "./support.ts";

function begin({ folder }: CommandFolder): void {
  const { db } = openForService(folder, () => undefined);
  closeDatabase(db);
}

test("that is a link which leads nowhere is called so", async () => {
  using folder = new CommandFolder();
  mkdirSync(folder.folder.path);
  symlinkSync("/nonexistent/muster.db", folder.folder.database);
  const { code, err } = await folder.run("user list");
  expect([code, err]).toEqual([1, [expect.stringContaining("is a link to a file that is not there")]]);
  expect(await folder.run("doctor")).toEqual({ code, out: [], err });
});

for (const command of ["user add bob --generate", "rotate-key", "export", "doctor"])
  test(`is left to the next start by muster ${command}`, async () => {
    using folder = new CommandFolder();
    mkdirSync(folder.folder.path);
    begin(folder);
    const { database, key } = folder.folder;
    const err = [`${database} was never set up: run muster serve first`];
    expect(await folder.run(command)).toEqual({ code: 1, out: [], err });
    expect(folder.query("select count(*) as n from users")).toEqual([{ n: 0 }]);
    expect(existsSync(key)).toBe(false);
    // The next start opens it.
    begin(folder);
  });

for (const command of ["user list", "doctor", "doctor --repair", "rotate-key --lost"])
  test(`that is empty is called so by muster ${command}, and lost if its key is there`, async () => {
    using folder = new CommandFolder();
    const { path, database, key } = folder.folder;
    mkdirSync(path);
    writeFileSync(database, "");
    const unset = [`${database} was never set up: run muster serve first`];
    expect(await folder.run(command)).toEqual({ code: 1, out: [], err: unset });
    writeFileSync(key, `${"0".repeat(64)}\n`, { mode: 0o600 });
    const lost = [expect.stringContaining(`${database} is missing or empty, but ${key} is there: put the`)];
    expect(await folder.run(command)).toEqual({ code: 1, out: [], err: lost });
    expect(statSync(database).size).toBe(0);
  });
