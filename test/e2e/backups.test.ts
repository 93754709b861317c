/** Backups by the executable itself, on a thread of its own, to a folder and to a bucket. */
import { expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { BucketServer } from "../support/bucket-server.ts";
import { seeds } from "../support/random.ts";
import { backupKills } from "./backup-kills.ts";
import { eventually, Muster, run, temporaryFolder } from "./support.ts";

const ROUNDS = 6;

test("a scheduled backup is restored on a new machine, with its key", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  const made = await run(["backup", "key", "key.txt"], { cwd });
  const backuprecipients = /age1\S+/.exec(made.stdout)?.[0] ?? "";
  mkdirSync(join(cwd, "disk"));
  await using muster = await Muster.start({ cwd });
  await muster.report({ hostname: "kept.example.org", services: [{ name: "app" }] });
  const admin = await muster.admin();
  const plan = { backupplace: join(cwd, "disk"), backuprecipients };
  expect((await admin.post("/api/1/admin/settings/update", plan)).status).toBe(200);
  const [record] = await eventually("the first backup is made", async () => {
    const { records } = (await admin.get("/api/1/admin/backups/list")).json;
    return records.length > 0 && records;
  });
  expect(record).toMatchObject({ state: "verified", trouble: "" });
  expect(readdirSync(join(cwd, "disk"))).toEqual([record.name]);
  expect((await run(["backup", "list"], { cwd })).stderr).toContain("there is no database");
  const list = await run(["backup", "list", "--data", "data"], { cwd });
  expect(list.stdout).toContain(`${record.name}  ${record.bytes} bytes`);
  expect(await muster.stop()).toBe(0);

  const restore = ["restore", "disk", "--data", "new"];
  const refused = await run(restore, { cwd });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("--identity")]);
  expect(readdirSync(join(cwd, "new"))).not.toContain("muster.db");
  const early = await run([...restore, "--at", "2026-01-01", "--identity", "key.txt"], { cwd });
  expect([early.code, early.stderr]).toEqual([1, expect.stringContaining("has no backup of that time")]);
  const restored = await run([...restore, "--identity", "key.txt"], { cwd });
  expect([restored.code, restored.stderr]).toEqual([0, ""]);

  // What passes for the newest is this one, under another name.
  const swapped = "muster-29991231T000000Z.tar.zst.age";
  copyFileSync(join(cwd, "disk", record.name), join(cwd, "disk", swapped));
  const other = await run(["restore", "disk", "--data", "other", "--identity", "key.txt"], { cwd });
  expect([other.code, other.stderr]).toEqual([1, expect.stringContaining(`${swapped} was renamed`)]);
  expect(readdirSync(join(cwd, "other"))).not.toContain("muster.db");

  await using again = await Muster.start({ cwd, data: "new" });
  const hosts = (await (await again.admin()).get("/api/1/status/hosts/list")).json;
  expect(hosts.records).toMatchObject([{ hostname: "kept.example.org" }]);
});

test("a bucket on an address that channels may not reach is not contacted", async () => {
  using folder = temporaryFolder();
  await using bucket = new BucketServer();
  await using muster = await Muster.start({ cwd: folder.path });
  const admin = await muster.admin();
  expect((await admin.post("/api/1/admin/settings/update", bucket.settings)).status).toBe(200);
  const { state, trouble } = await eventually("the first backup fails", async () => {
    const { records } = (await admin.get("/api/1/admin/backups/list")).json;
    return records[0];
  });
  expect([state, trouble]).toEqual(["failed", expect.stringContaining("only with --channel-reach loopback")]);
  expect(bucket.requests).toEqual([]);
});

test("a SIGKILL during a backup, an upload or a restore leaves nothing half done", async () => {
  const [seed = 1] = seeds(1);
  const { backups, uploads, restores, half } = await backupKills(ROUNDS, seed);
  expect([half, backups + uploads + restores]).toEqual([[], ROUNDS]);
});
