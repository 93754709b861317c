/** Backups of a database on a real PostgreSQL server, by the executable: to a folder, and back through a file. */
import { expect } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PostgresServer } from "../support/postgres-server.ts";
import { needing } from "../support/programs.ts";
import { eventually, Muster, PASSWORDS, run, temporaryFolder } from "./support.ts";

const { afterAll, beforeAll, test } = needing("postgres");

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

function urlOfNew(database: string): string {
  server.query(`create database ${database}`);
  return server.url(database);
}

const hostsOf = async (muster: Muster) =>
  (await (await muster.admin()).get("/api/1/status/hosts/list")).json.records.map(
    ({ hostname }: { hostname: string }) => hostname,
  );

test("a server is backed up and proven, restored into a file, and moved from there to another server", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  const disk = join(cwd, "disk");
  mkdirSync(disk);
  const env = { MUSTER_DATABASE: urlOfNew("source") };
  await run(["backup", "key", "key.txt"], { cwd });
  const backuprecipients = /age1\S+/.exec(readFileSync(join(cwd, "key.txt"), "utf8"))?.[0] ?? "";
  await using muster = await Muster.start({
    cwd,
    env: { ...PASSWORDS, ...env },
    args: ["--backup-identity", "key.txt"],
  });
  await muster.report({ hostname: "kept.example.org", services: [{ name: "app" }] });
  const admin = await muster.admin();
  const plan = { backupplace: disk, backuprecipients };
  expect((await admin.post("/api/1/admin/settings/update", plan)).status).toBe(200);
  const record = await eventually("the first backup is made", async () => {
    const { records } = (await admin.get("/api/1/admin/backups/list")).json;
    return records[0];
  });
  expect(record).toMatchObject({ state: "proven", trouble: "" });
  expect(readdirSync(disk)).toEqual([record.name]);
  const list = await run(["backup", "list", "--data", "data"], { cwd, env });
  expect(list.stdout).toContain(`${record.name}  ${record.bytes} bytes`);
  const refused = await run(["restore", "disk", "--data", "data"], { cwd, env });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("muster move")]);
  expect(await muster.stop()).toBe(0);

  const restored = await run(["restore", "disk", "--identity", "key.txt", "--data", "new"], { cwd });
  expect([restored.code, restored.stderr]).toEqual([0, ""]);
  {
    await using file = await Muster.start({ cwd, data: "new", env: {} });
    expect(await hostsOf(file)).toEqual(["kept.example.org"]);
    expect(await file.stop()).toBe(0);
  }
  const target = urlOfNew("target");
  const moved = await run(["move", "--to", target, "--data", "new"], { cwd });
  expect([moved.code, moved.stderr]).toEqual([0, ""]);
  await using again = await Muster.start({ cwd, data: "new", env: { MUSTER_DATABASE: target } });
  expect(await hostsOf(again)).toEqual(["kept.example.org"]);
  expect(existsSync(join(cwd, "new/backups/unfinished/restoring"))).toBe(false);
});
