import { describe, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../src/platform/clock.ts";
import { lastBackup } from "../../../src/platform/storage/last-backup.ts";
import { lockFolder } from "../../../src/platform/storage/lock.ts";
import { TestApp } from "../../support/app.ts";
import { Random } from "../../support/random.ts";
import { CommandFolder, rowsOf } from "./support.ts";

async function filled(): Promise<CommandFolder> {
  const app = new TestApp();
  await app.report({ hostname: "kept.example.org", event: { service: "app" }, services: [{ name: "app" }] });
  return new CommandFolder().fill(app);
}

/** Spoils the content beyond the first page. */
function spoil(file: string): void {
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0xaa, 8192, bytes.length - 4096));
}

describe("muster backup", () => {
  test("writes all rows into one file that only its owner reads, and says what is not in it", async () => {
    using folder = await filled();
    const file = join(folder.path, "copy.db");
    const { code, out } = await folder.run(`backup ${file}`);
    expect(code).toBe(0);
    expect(out.join("\n")).toContain("secret.key");
    expect(rowsOf(folder, file)).toEqual(rowsOf(folder));
    expect(folder.query("pragma journal_mode", file)).toEqual([{ journal_mode: "delete" }]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder.path).sort()).toEqual(["copy.db", "data"]);
  });

  test("notes when it made a backup, and only then", async () => {
    using folder = await filled();
    const file = join(folder.path, "copy.db");
    expect(lastBackup(folder.folder.path)).toBeNull();
    const before = systemClock.now();
    await folder.run(`backup ${file}`);
    const at = lastBackup(folder.folder.path);
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(systemClock.now());
    writeFileSync(join(folder.folder.path, "last-backup"), "1000");
    await folder.run(`backup ${file}`);
    expect(lastBackup(folder.folder.path)).toBe(1000);
    for (const text of ["", "x", "-1"]) {
      writeFileSync(join(folder.folder.path, "last-backup"), text);
      expect(lastBackup(folder.folder.path)).toBeNull();
    }
  });

  test("writes a backup even if it cannot be noted", async () => {
    using folder = await filled();
    mkdirSync(join(folder.folder.path, "last-backup.partial"));
    const { code, out } = await folder.run(`backup ${join(folder.path, "copy.db")}`);
    expect([code, out.join("\n")]).toEqual([
      0,
      expect.stringContaining("Muster could not record that this backup was made: "),
    ]);
    expect(existsSync(join(folder.path, "copy.db"))).toBe(true);
  });

  test("never overwrites", async () => {
    using folder = await filled();
    const file = join(folder.path, "copy.db");
    writeFileSync(file, "something else");
    expect(await folder.run(`backup ${file}`)).toMatchObject({
      code: 1,
      err: [`${file} exists already; nothing was written`],
    });
    expect(readFileSync(file, "utf8")).toBe("something else");
  });

  test("is made of the file where the variable for a server is empty, as the service uses the file then", async () => {
    using folder = await filled();
    const env = { MUSTER_DATABASE_FILE: "" };
    expect(await folder.run("user list", undefined, env)).toMatchObject({ code: 0 });
    expect(await folder.run(`backup ${join(folder.path, "copy.db")}`, undefined, env)).toMatchObject({
      code: 0,
    });
  });

  test("leaves alone what another one is writing under the same name", async () => {
    using folder = await filled();
    const file = join(folder.path, "copy.db");
    const ofAnother = `${file}.partial`;
    writeFileSync(ofAnother, "written by another");
    expect(await folder.run(`backup ${file}`)).toMatchObject({ code: 0, err: [] });
    expect(rowsOf(folder, file)).toEqual(rowsOf(folder));
    expect(readFileSync(ofAnother, "utf8")).toBe("written by another");
  });

  test("of a damaged database is refused and leaves no file", async () => {
    using folder = await filled();
    spoil(folder.folder.database);
    const { code, err } = await folder.run(`backup ${join(folder.path, "copy.db")}`);
    expect(code).toBe(1);
    expect(err).toEqual([expect.stringContaining("damaged")]);
    expect(readdirSync(folder.path)).toEqual(["data"]);
  });

  test("into a folder that is not there is refused", async () => {
    using folder = await filled();
    const { code, err } = await folder.run(`backup ${join(folder.path, "missing/copy.db")}`);
    expect([code, err.length]).toEqual([1, 1]);
  });
});

describe("muster restore", () => {
  test("puts a backup in place of an empty folder's database", async () => {
    using folder = await filled();
    const file = join(folder.path, "copy.db");
    await folder.run(`backup ${file}`);
    const rows = rowsOf(folder);
    for (const ending of ["", "-wal", "-shm"]) rmSync(folder.folder.database + ending, { force: true });
    expect(await folder.run(`restore ${file}`)).toMatchObject({ code: 0, err: [] });
    expect(rowsOf(folder)).toEqual(rows);
    expect(rowsOf(folder, file)).toEqual(rows);
    expect(await folder.run("doctor")).toMatchObject({ code: 0 });
  });

  test("replaces a database only with --force, and keeps it", async () => {
    using folder = await filled();
    const file = join(folder.path, "copy.db");
    await folder.run(`backup ${file}`);
    const backedUp = rowsOf(folder);
    await folder.run("user add later", "x");
    const later = rowsOf(folder);
    expect(await folder.run(`restore ${file}`)).toMatchObject({
      code: 1,
      err: [expect.stringContaining("--force")],
    });
    expect(rowsOf(folder)).toEqual(later);
    expect(await folder.run(`restore ${file} --force`)).toMatchObject({ code: 0 });
    expect(rowsOf(folder)).toEqual(backedUp);
    const [kept = ""] = readdirSync(folder.folder.backups);
    expect(rowsOf(folder, join(folder.folder.backups, kept))).toEqual(later);
  });

  test("replaces what a link in the data folder leads to, and leaves the link", async () => {
    using folder = await filled();
    const { database, path } = folder.folder;
    const backup = join(folder.path, "backup.db");
    await folder.run(`backup ${backup}`);
    const before = rowsOf(folder);
    const elsewhere = join(folder.path, "elsewhere");
    mkdirSync(elsewhere);
    renameSync(database, join(elsewhere, "real.db"));
    symlinkSync(join(elsewhere, "real.db"), database);
    folder.query("delete from hosts");
    expect(await folder.run(`restore ${backup} --force`)).toMatchObject({ code: 0 });
    expect(readlinkSync(database)).toBe(join(elsewhere, "real.db"));
    expect(rowsOf(folder)).toEqual(before);
    expect(readdirSync(path).sort()).toEqual([
      "backups",
      "last-backup",
      "muster.db",
      "muster.lock",
      "secret.key",
    ]);
    expect(readdirSync(elsewhere).sort()).toEqual(["muster.lock", "real.db"]);
  });

  test("replaces a damaged database, too", async () => {
    using folder = await filled();
    const file = join(folder.path, "copy.db");
    await folder.run(`backup ${file}`);
    const rows = rowsOf(folder);
    writeFileSync(folder.folder.database, "no database at all");
    expect(await folder.run(`restore ${file} --force`)).toMatchObject({ code: 0 });
    expect(rowsOf(folder)).toEqual(rows);
  });

  const BAD: readonly [what: string, spoilIt: (file: string, folder: CommandFolder) => void, said: string][] =
    [
      ["is not there", (file) => rmSync(file), "is not there"],
      ["is empty", (file) => truncateSync(file), "is empty"],
      ["is no database", (file) => writeFileSync(file, "x".repeat(10_000)), "not a database at all"],
      ["is damaged", spoil, "damaged"],
      [
        "is another program's database",
        (file, folder) => {
          rmSync(file);
          folder.query("create table t (x)", file);
        },
        "is not a database of Muster",
      ],
      [
        "is from a newer version",
        (file, folder) =>
          folder.query(
            "insert into __drizzle_migrations (hash, created_at) values ('later', 9999999999999)",
            file,
          ),
        "newer Muster",
      ],
      [
        "has another key",
        (_file, folder) => {
          writeFileSync(folder.folder.key, `${"1".repeat(64)}\n`);
        },
        "is another key",
      ],
      [
        "was never set up",
        (file, folder) => {
          // A copy made by hand has no checksum.
          copyFileSync(folder.folder.database, file);
          folder.query("delete from settings where key = 'collectorpassword'", file);
        },
        "never set up",
      ],
      ["has no key", (_file, folder) => rmSync(folder.folder.key), "secret.key is missing"],
    ];
  for (const [title, spoilIt, said] of BAD)
    test(`of a file that ${title} is refused, and the database stays`, async () => {
      using folder = await filled();
      const file = join(folder.path, "copy.db");
      await folder.run(`backup ${file}`);
      const before = readFileSync(folder.folder.database);
      spoilIt(file, folder);
      const { code, err } = await folder.run(`restore ${file} --force`);
      expect({ code, err }).toEqual({ code: 1, err: [expect.stringContaining(said)] });
      expect(readFileSync(folder.folder.database).equals(before)).toBe(true);
      expect(existsSync(folder.folder.backups)).toBe(false);
    });

  test("of a backup with three flipped bytes is refused, wherever they are", async () => {
    using folder = await filled();
    const file = join(folder.path, "copy.db");
    await folder.run(`backup ${file}`);
    const sound = readFileSync(file);
    const before = readFileSync(folder.folder.database);
    const random = new Random(1);
    for (let round = 0; round < 60; round++) {
      const spoilt = Buffer.from(sound);
      for (let i = 0; i < 3; i++) {
        const at = random.below(spoilt.length);
        spoilt.writeUInt8(spoilt.readUInt8(at) ^ (1 << random.below(8)), at);
      }
      writeFileSync(file, spoilt);
      expect((await folder.run(`restore ${file} --force`)).code).toBe(1);
    }
    expect(readFileSync(folder.folder.database).equals(before)).toBe(true);
    writeFileSync(file, sound);
    const { code, out } = await folder.run(`restore ${file} --force`);
    expect([code, out.join("\n").includes("checksum")]).toEqual([0, false]);
  });

  test("of a copy that Muster did not make says that only its structure was checked", async () => {
    using folder = await filled();
    const file = join(folder.path, "copy.db");
    copyFileSync(folder.folder.database, file);
    const { code, out } = await folder.run(`restore ${file} --force`);
    expect([code, out.join("\n").includes("has no checksum")]).toEqual([0, true]);
  });

  test("of a backup on a full disk leaves the database and its log as they were", async () => {
    using folder = await filled();
    const file = join(folder.path, "copy.db");
    await folder.run(`backup ${file}`);
    const rows = rowsOf(folder);
    // The folder of the copies cannot be made.
    writeFileSync(folder.folder.backups, "");
    expect((await folder.run(`restore ${file} --force`)).code).toBe(1);
    expect(rowsOf(folder)).toEqual(rows);
    expect(readdirSync(folder.folder.path).filter((name) => name.includes("restoring"))).toEqual([]);
  });

  test("is refused while the folder is in use", async () => {
    using folder = await filled();
    const file = join(folder.path, "copy.db");
    copyFileSync(folder.folder.database, file);
    const lock = lockFolder(folder.folder);
    expect(await folder.run(`restore ${file} --force`)).toMatchObject({
      code: 1,
      err: [expect.stringContaining("another Muster is running")],
    });
    lock.close();
    expect(await folder.run(`restore ${file} --force`)).toMatchObject({ code: 0 });
  });
});

test("every restore keeps the database before it, also within a second", async () => {
  using folder = await filled();
  const file = join(folder.path, "copy.db");
  await folder.run(`backup ${file}`);
  const replaced: (unknown[] | undefined)[] = [];
  for (const name of ["ann", "bob", "eve"]) {
    await folder.run(`user add ${name}`, "a password");
    replaced.push(rowsOf(folder).users);
    expect(await folder.run(`restore ${file} --force`)).toMatchObject({ code: 0 });
  }
  const kept = readdirSync(folder.folder.backups).sort();
  expect(kept.map((name) => rowsOf(folder, join(folder.folder.backups, name)).users)).toEqual(replaced);
});

test("a new copy is kept, also if the clock was set back since others were made", async () => {
  using folder = await filled();
  const file = join(folder.path, "copy.db");
  await folder.run(`backup ${file}`);
  mkdirSync(folder.folder.backups, { recursive: true });
  for (const day of [11, 12, 13, 14, 15, 16])
    writeFileSync(join(folder.folder.backups, `before-restore-299901${day}T000000Z.db`), "");
  await folder.run(`restore ${file} --force`);
  const [kept, ...others] = readdirSync(folder.folder.backups).sort();
  expect(kept).not.toContain("2999");
  expect(others).toHaveLength(4);
});

test("of the copies of one kind the newest five are kept", async () => {
  using folder = await filled();
  const file = join(folder.path, "copy.db");
  await folder.run(`backup ${file}`);
  await folder.run(`restore ${file} --force`);
  for (const day of [11, 12, 13, 14, 15, 16])
    writeFileSync(join(folder.folder.backups, `before-restore-202001${day}T000000Z.db`), "");
  writeFileSync(join(folder.folder.backups, "before-upgrade-20200101T000000Z.db"), "");
  // As processes that were killed leave them.
  for (const ending of [".partial", ".partial-journal", "-wal.partial"])
    writeFileSync(join(folder.folder.backups, `before-restore-20200117T000000Z.db${ending}`), "");
  await folder.run(`restore ${file} --force`);
  const kept = readdirSync(folder.folder.backups);
  expect(kept.filter((name) => name.startsWith("before-restore")).length).toBe(5);
  expect(kept).toContain("before-upgrade-20200101T000000Z.db");
  expect(kept).not.toContain("before-restore-20200111T000000Z.db");
  expect(kept.filter((name) => name.includes("partial"))).toEqual([]);
});
