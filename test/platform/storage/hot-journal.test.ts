/** A database whose writer was killed within a transaction that had partly reached the file. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { closing } from "../../../src/platform/storage/closing.ts";
import {
  type DataFolder,
  openForService,
  withLockedDatabase,
} from "../../../src/platform/storage/data-folder.ts";
import { lockFolder } from "../../../src/platform/storage/lock.ts";
import { closeDatabase } from "../../../src/platform/storage/open.ts";
import { CommandFolder, rowsOf } from "../../operations/commands/support.ts";

/** Writes more pages than fit in the cache, so that they reach the file, and dies without a commit. */
const BREAK_OFF = `
  import { Database } from "bun:sqlite";
  const db = new Database(process.argv[1]);
  db.run("PRAGMA journal_mode = DELETE");
  db.run("PRAGMA cache_size = 5");
  db.run("BEGIN");
  db.run("DROP TABLE samples");
  db.run("UPDATE settings SET value = 'broken off'");
  db.run("CREATE TABLE half (x)");
  for (let row = 0; row < 500; row++) db.run("INSERT INTO half VALUES (randomblob(4000))");
  process.kill(process.pid, "SIGKILL");`;

/** A data folder as a killed migration leaves it, and what was committed before. */
function brokenOff() {
  const folder = new CommandFolder().fill();
  const { database } = folder.folder;
  const rows = rowsOf(folder);
  expect(rows.settings).not.toEqual([]);
  const before = readFileSync(database);
  const { signalCode } = Bun.spawnSync([process.execPath, "-e", BREAK_OFF, database]);
  expect(signalCode).toBe("SIGKILL");
  expect(existsSync(`${database}-journal`)).toBe(true);
  expect(readFileSync(database).equals(before)).toBe(false);
  return { folder, rows };
}

test("the unfinished write of a killed process keeps a read-only connection out", () => {
  using folder = brokenOff().folder;
  const client = new Database(folder.folder.database, { readonly: true });
  expect(() => client.query("select * from settings").all()).toThrow("readonly");
  client.close();
});

const OPENED: [string, (folder: DataFolder) => void][] = [
  [
    "a start",
    (folder) =>
      closing(lockFolder(folder), () => closeDatabase(openForService(folder, () => expect.unreachable()).db)),
  ],
  ["a command that locks the folder", (folder) => withLockedDatabase(folder, () => null)],
];

test.each(OPENED)("%s rolls it back, and finds what was committed before", (_who, open) => {
  const { folder, rows } = brokenOff();
  using kept = folder;
  open(kept.folder);
  expect(existsSync(`${kept.folder.database}-journal`)).toBe(false);
  expect(rowsOf(kept)).toEqual(rows);
});

test("it stays as it is while another process has the folder", () => {
  using folder = brokenOff().folder;
  const { database } = folder.folder;
  const left = readFileSync(database);
  closing(lockFolder(folder.folder), () =>
    expect(() => withLockedDatabase(folder.folder, () => null)).toThrow("another Muster is running"),
  );
  expect(existsSync(`${database}-journal`)).toBe(true);
  expect(readFileSync(database).equals(left)).toBe(true);
});
