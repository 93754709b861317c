/** An interrupted first start or restore must leave a folder on which every later start works. */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EXECUTABLE, Muster, PASSWORDS, run, temporaryFolder } from "./support.ts";

/** Milliseconds after which the process is killed: the first start of a slow machine takes longer than all of them. */
const KILLED_AFTER = [5, 15, 25, 35, 45, 55, 65, 80, 100, 130, 170, 250];
/** Sizes that no file may exceed, in blocks of 512 bytes: from nothing to more than an empty database has. */
const FILE_LIMITS = [0, 1, 8, 32, 64, 128, 256, 400, 600, 800];

/** Runs a shell command in the folder, and kills it after some milliseconds. */
async function runAndKill(cwd: string, command: string, milliseconds: number): Promise<void> {
  const child = Bun.spawn(["/bin/sh", "-c", `exec ${command}`], {
    cwd,
    env: { PATH: "/usr/bin:/bin", HOME: cwd, TMPDIR: cwd, ...PASSWORDS },
    stdio: ["ignore", "ignore", "ignore"],
  });
  await Promise.race([child.exited, Bun.sleep(milliseconds)]);
  child.kill("SIGKILL");
  await child.exited;
}

const SERVE = `${EXECUTABLE} serve --data data --listen 127.0.0.1:0`;

/** A start on the folder works, and the server does its job. */
async function expectGoodStart(cwd: string): Promise<void> {
  await using muster = await Muster.start({ cwd });
  expect((await muster.report({ id: "web" })).status).toBe(200);
  await muster.admin();
  expect(await muster.stop()).toBe(0);
  const left = readdirSync(join(cwd, "data")).filter((name) => /creating|restoring|journal|\.new/.test(name));
  expect(left).toEqual([]);
}

describe("a start works", () => {
  for (const milliseconds of KILLED_AFTER)
    test(`after a first start that was killed after ${milliseconds} ms`, async () => {
      using folder = temporaryFolder();
      await runAndKill(folder.path, SERVE, milliseconds);
      await expectGoodStart(folder.path);
    });

  test("after many first starts that were killed, on one folder", async () => {
    using folder = temporaryFolder();
    for (const milliseconds of KILLED_AFTER) await runAndKill(folder.path, SERVE, milliseconds);
    await expectGoodStart(folder.path);
  });

  for (const blocks of FILE_LIMITS)
    test(`after a first start that could write files of ${blocks * 512} bytes only`, async () => {
      using folder = temporaryFolder();
      await runAndKill(folder.path, `/bin/sh -c 'ulimit -f ${blocks}; exec ${SERVE}'`, 2000);
      await expectGoodStart(folder.path);
    });
});

/** A folder that was set up, and a backup of it beside it. */
async function withBackup(cwd: string): Promise<void> {
  await expectGoodStart(cwd);
  expect(await run(["backup", "copy.db", "--data", "data"], { cwd })).toMatchObject({ code: 0 });
}

describe("a restore that is killed leaves either database", () => {
  const RESTORE = `${EXECUTABLE} restore copy.db --force --data data`;

  test("at whatever moment", async () => {
    using folder = temporaryFolder();
    await withBackup(folder.path);
    for (const milliseconds of KILLED_AFTER) {
      await runAndKill(folder.path, RESTORE, milliseconds);
      await expectGoodStart(folder.path);
    }
  });

  test("and one that could not write it whole, too", async () => {
    using folder = temporaryFolder();
    await withBackup(folder.path);
    for (const blocks of FILE_LIMITS) {
      await runAndKill(folder.path, `/bin/sh -c 'ulimit -f ${blocks}; exec ${RESTORE}'`, 5000);
      await expectGoodStart(folder.path);
    }
  });
});

describe("a database that was lost beside its key does not count as a first start:", () => {
  const LOST: [what: string, lose: (database: string) => void][] = [
    ["deleted", (database) => rmSync(database)],
    ["emptied", (database) => truncateSync(database)],
  ];
  for (const [title, lose] of LOST)
    test(title, async () => {
      using folder = temporaryFolder();
      await expectGoodStart(folder.path);
      const data = join(folder.path, "data");
      lose(join(data, "muster.db"));
      const { code, stderr } = await run(["serve", "--data", "data", "--listen", "127.0.0.1:0"], {
        cwd: folder.path,
      });
      expect([code, stderr]).toEqual([1, expect.stringContaining("secret.key is there")]);
      expect(existsSync(join(data, "secret.key"))).toBe(true);
      rmSync(join(data, "secret.key"));
      await expectGoodStart(folder.path);
    });

  test("its log deleted right after the first start", async () => {
    using folder = temporaryFolder();
    const muster = await Muster.start({ cwd: folder.path });
    await muster.kill();
    const data = join(folder.path, "data");
    for (const ending of ["wal", "shm"]) rmSync(join(data, `muster.db-${ending}`), { force: true });
    const { code, stderr } = await run(["serve", "--data", "data", "--listen", "127.0.0.1:0"], {
      cwd: folder.path,
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining("its log may be lost")]);
  });

  test("a log without its database", async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, "data"), { mode: 0o700 });
    writeFileSync(join(folder.path, "data/muster.db-wal"), "log");
    const { code, stderr } = await run(["serve", "--data", "data", "--listen", "127.0.0.1:0"], {
      cwd: folder.path,
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining("muster.db-wal is there")]);
  });
});
