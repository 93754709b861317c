/** Starts that are refused in one line, because the data folder is not as Muster left it. */
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expectRefusal, LINE, SERVE, setUp } from "./serving.ts";
import { EXECUTABLE, Muster, temporaryFolder } from "./support.ts";

describe("a start is refused in one line", () => {
  const files = (cwd: string) => join(cwd, "data", "muster.db");

  test("when the database is damaged or no database", async () => {
    using folder = temporaryFolder();
    await setUp(folder.path);
    const file = files(folder.path);
    const bytes = readFileSync(file);
    writeFileSync(file, "no database at all".repeat(100));
    await expectRefusal(SERVE, folder.path, "muster.db: it is damaged, or not a database at all");
    writeFileSync(file, bytes.fill(0xff, 100, 4096));
    await expectRefusal(SERVE, folder.path, "damaged");
  });

  test("when another program has locked the database", async () => {
    using folder = temporaryFolder();
    await setUp(folder.path);
    const other = new Database(files(folder.path));
    other.run("PRAGMA locking_mode = EXCLUSIVE");
    other.run("BEGIN EXCLUSIVE");
    await expectRefusal(SERVE, folder.path, "another program has locked it");
    other.run("ROLLBACK");
    other.close();
  });

  test("when the key is missing or another one, and nothing was written", async () => {
    using folder = temporaryFolder();
    await setUp(folder.path);
    const key = join(folder.path, "data/secret.key");
    const [before, right] = [readFileSync(files(folder.path)), readFileSync(key)];
    rmSync(key);
    await expectRefusal(SERVE, folder.path, "secret.key is missing");
    expect(existsSync(key)).toBe(false);
    writeFileSync(key, `${"3".repeat(64)}\n`, { mode: 0o600 });
    await expectRefusal(SERVE, folder.path, "secret.key is not the key of the database");
    expect(readFileSync(files(folder.path)).equals(before)).toBe(true);
    writeFileSync(key, right);
    await using muster = await Muster.start({ cwd: folder.path, env: {} });
    await muster.admin();
  });

  test("when the certificate cannot be used, and nothing was made", async () => {
    using folder = temporaryFolder();
    const tls = ["--tls-cert", "cert.pem", "--tls-key", "key.pem"];
    await expectRefusal([...SERVE, ...tls], folder.path, ": there is no such file or folder (ENOENT)");
    writeFileSync(join(folder.path, "cert.pem"), "no certificate");
    await expectRefusal([...SERVE, ...tls], folder.path, "contains no certificate");
    expect(existsSync(join(folder.path, "data"))).toBe(false);
  });

  test("when the private key of backups cannot be used, and nothing was made", async () => {
    using folder = temporaryFolder();
    const identity = ["--backup-identity", "id.key"];
    await expectRefusal([...SERVE, ...identity], folder.path, "--backup-identity: id.key is not there");
    writeFileSync(join(folder.path, "id.key"), "no key", { mode: 0o600 });
    await expectRefusal([...SERVE, ...identity], folder.path, "--backup-identity: id.key has no private key");
    expect(existsSync(join(folder.path, "data"))).toBe(false);
  });

  test("when the data folder is a file, or would be below one", async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, "file"), "");
    for (const [data, reason] of [
      ["file", "it is no folder"],
      ["file/data", "a part of its path is not a folder (ENOTDIR)"],
    ] as const)
      await expectRefusal(
        ["serve", "--data", data],
        folder.path,
        `the data folder ${data} cannot be created: ${reason}`,
      );
  });

  test("when the data folder cannot be written", async () => {
    using folder = temporaryFolder();
    const cwd = folder.path;
    mkdirSync(join(cwd, "data"));
    chmodSync(join(cwd, "data"), 0o555);
    chmodSync(cwd, 0o755);
    // Root can write anywhere, so another account tries.
    const isRoot = process.getuid?.() === 0;
    copyFileSync(EXECUTABLE, join(cwd, "muster"));
    chmodSync(join(cwd, "muster"), 0o755);
    const asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    const child = Bun.spawnSync([...(isRoot ? asNobody : []), join(cwd, "muster"), ...SERVE], {
      cwd,
      env: { PATH: "/usr/bin:/bin", HOME: cwd },
      stdin: "ignore",
    });
    expect(child.exitCode).toBe(1);
    expect(child.stderr.toString()).toMatch(LINE);
    expect(child.stderr.toString()).toContain("the data folder data cannot be used");
  });
});
