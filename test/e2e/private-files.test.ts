/** Who can read the files that Muster writes, and how it treats secrets that others can read. */
import { expect, test } from "bun:test";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PostgresServer } from "../support/postgres-server.ts";
import { needing } from "../support/programs.ts";
import { expectRefusal, SERVE } from "./serving.ts";
import { Muster, run, temporaryFolder } from "./support.ts";

/** Files that anyone but their owner can access. */
function exposed(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => {
    const status = statSync(join(folder, name));
    return status.isFile() && (status.mode & 0o077) !== 0;
  });
}

/** Runs commands one after the other. Each must succeed and leave no file that others can read. */
async function expectPrivate(cwd: string, commands: readonly string[], env: Record<string, string> = {}) {
  for (const command of commands) {
    const { code, stderr } = await run(command.split(" "), { cwd, env });
    expect({ command, code, stderr, exposed: exposed(cwd) }).toEqual({
      command,
      code: 0,
      stderr: "",
      exposed: [],
    });
  }
}

/** A folder that anyone can read, like one that an administrator made. */
function openFolder(path: string): void {
  mkdirSync(path);
  chmodSync(path, 0o755);
}

test("no command leaves a file that others can read, even in a folder that they can", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  openFolder(join(cwd, "data"));
  const muster = await Muster.start({ cwd, env: {} });
  expect(await muster.stop()).toBe(0);
  expect(readdirSync(join(cwd, "data"))).toContain("first-login.txt");
  expect(exposed(cwd)).toEqual([]);
  const commands = ["backup copy", "user list", "doctor", "export", "restore copy --force", "rotate-key"];
  await expectPrivate(
    cwd,
    commands.map((command) => `${command} --data data`),
  );
});

needing("postgres").test("nor does a move to a server and back", async () => {
  await using server = await PostgresServer.start();
  server.query("create database private");
  const url = server.url("private");
  using folder = temporaryFolder();
  const cwd = folder.path;
  openFolder(join(cwd, "data"));
  openFolder(join(cwd, "back"));
  const muster = await Muster.start({ cwd });
  await muster.stop();
  await expectPrivate(cwd, [`move --data data --to ${url}`]);
  cpSync(join(cwd, "data/secret.key"), join(cwd, "back/secret.key"));
  await expectPrivate(cwd, [`move --data back --from ${url}`, "doctor --data back"]);
  expect(readdirSync(join(cwd, "back"))).toContain("muster.db");
});

test("a password or key that others can read is refused in one line that says what to do", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  const fixtures = join(import.meta.dir, "../fixtures/tls");
  for (const name of ["cert.pem", "key.pem"])
    writeFileSync(join(cwd, name), readFileSync(join(fixtures, name)));
  writeFileSync(join(cwd, "database"), "postgres://u:geheim@127.0.0.1:1/d\n");
  for (const name of ["key.pem", "database"]) chmodSync(join(cwd, name), 0o644);
  const said = (name: string) => `${name} can be read by others; run: chmod 600 ${name}`;
  await expectRefusal(
    [...SERVE, "--tls-cert", "cert.pem", "--tls-key", "key.pem"],
    cwd,
    `--tls-key: ${said("key.pem")}`,
  );
  const { code, stderr } = await run(SERVE, { cwd, env: { MUSTER_DATABASE_FILE: "database" } });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `muster: MUSTER_DATABASE_FILE: ${said("database")}\n`,
  });
  const url = "postgres://u@127.0.0.1:1/d?sslkey=key.pem";
  const withKey = await run(SERVE, { cwd, env: { MUSTER_DATABASE: url } });
  expect({ code: withKey.code, stderr: withKey.stderr }).toEqual({
    code: 1,
    stderr: `muster: MUSTER_DATABASE: names a key: ${said("key.pem")}\n`,
  });
});
