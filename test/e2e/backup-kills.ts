/** Kills Muster while it makes, uploads and restores backups, and looks at what is left each time. */
import { expect } from "bun:test";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { BUCKET, BucketServer, KEY_ID, SECRET } from "../support/bucket-server.ts";
import type { TestClient } from "../support/client.ts";
import { Random } from "../support/random.ts";
import { EXECUTABLE, eventually, Muster, neutralEnvironment, run, temporaryFolder } from "./support.ts";

/** Requests that a backup without an interruption makes at most. */
const REQUESTS = 8;
/** Longest wait before a kill, milliseconds: about as long as a backup or a restore takes. */
const LONGEST_MS = 900;

interface Killed {
  /** Backups that were killed while they were made, and restores. */
  backups: number;
  restores: number;
}

/** Starts a backup and kills Muster after some requests to the bucket, or after some time. */
async function killBackup(muster: Muster, admin: TestClient, bucket: BucketServer, random: Random) {
  const killed = Promise.withResolvers<void>();
  let requests = 0;
  const last = random.chance(0.5) ? random.between(1, REQUESTS) : Number.POSITIVE_INFINITY;
  bucket.fault = () => {
    if (++requests !== last) return null;
    void muster.kill().then(killed.resolve);
    return "unanswered";
  };
  expect((await admin.post("/api/1/admin/backups/start", {})).status).toBe(200);
  if (last === Number.POSITIVE_INFINITY) {
    await Bun.sleep(random.between(0, LONGEST_MS));
    await muster.kill().then(killed.resolve);
  }
  await Promise.race([killed.promise, Bun.sleep(LONGEST_MS * 4)]);
  await muster.kill();
  bucket.fault = () => null;
}

/** Makes a backup to its end. */
async function finish(admin: TestClient) {
  const list = async () => (await admin.get("/api/1/admin/backups/list")).json;
  const newest = (await list()).records[0]?.id ?? 0;
  expect((await admin.post("/api/1/admin/backups/start", {})).status).toBe(200);
  const { records } = await eventually("a backup is made", async () => {
    const answer = await list();
    return answer.running === null && answer.records[0]?.id > newest && answer;
  });
  expect(records[0]).toMatchObject({ state: "proven", trouble: "" });
  return records;
}

/** Restores the newest backup into a new folder, kills that, and restores again. */
async function killRestore(cwd: string, env: Record<string, string>, random: Random): Promise<void> {
  const args = ["restore", `s3://${BUCKET}/muster`, "--identity", "key.txt", "--data", "restored"];
  rmSync(join(cwd, "restored"), { recursive: true, force: true });
  const child = Bun.spawn([EXECUTABLE, ...args], {
    cwd,
    env: { ...neutralEnvironment(cwd), ...env },
    stdout: "ignore",
    stderr: "ignore",
  });
  await Bun.sleep(random.between(0, LONGEST_MS));
  child.kill("SIGKILL");
  await child.exited;
  const isThere = existsSync(join(cwd, "restored/muster.db"));
  const again = await run(isThere ? [...args, "--force"] : args, { cwd, env });
  expect([again.code, again.stderr]).toEqual([0, ""]);
  expect(existsSync(join(cwd, "restored/backups/unfinished/restoring"))).toBe(false);
  expect(await run(["doctor", "--data", "restored"], { cwd })).toMatchObject({ code: 0 });
}

/** @returns how often what was killed */
export async function backupKills(rounds: number, seed: number): Promise<Killed> {
  using folder = temporaryFolder();
  await using bucket = new BucketServer();
  const cwd = folder.path;
  const random = new Random(seed);
  const made = await run(["backup", "key", "key.txt"], { cwd });
  const backuprecipients = /age1\S+/.exec(made.stdout)?.[0] ?? "";
  const args = ["--channel-reach", "loopback", "--backup-identity", "key.txt"];
  const env = { AWS_ENDPOINT_URL: bucket.url, AWS_ACCESS_KEY_ID: KEY_ID, AWS_SECRET_ACCESS_KEY: SECRET };
  const killed: Killed = { backups: 0, restores: 0 };
  for (let round = 0; round < rounds; round++) {
    await using muster = await Muster.start({ cwd, args });
    const admin = await muster.admin();
    if (round === 0) {
      await muster.report({ hostname: "kept.example.org", services: [{ name: "app" }] });
      const plan = { ...bucket.settings, backuprecipients, backupkeepdays: 366 };
      expect((await admin.post("/api/1/admin/settings/update", plan)).status).toBe(200);
      await eventually("the first backup is over", async () => {
        const { running, records } = (await admin.get("/api/1/admin/backups/list")).json;
        return running === null && records.length > 0;
      });
    }
    if (random.chance(0.75)) {
      await killBackup(muster, admin, bucket, random);
      killed.backups++;
      await using restarted = await Muster.start({ cwd, args });
      const records: { name: string; state: string; bytes: number }[] = await finish(await restarted.admin());
      // What is in the bucket is complete: it is recorded, or was stored just before the kill.
      const sizes = new Map(records.map(({ name, bytes }) => [`muster/${name}`, bytes]));
      for (const [name, bytes] of bucket.objects) expect(sizes.get(name) ?? bytes.length).toBe(bytes.length);
      expect(readdirSync(join(cwd, "data/backups/unfinished"))).toEqual([]);
    } else {
      await muster.stop();
      await killRestore(cwd, env, random);
      killed.restores++;
    }
  }
  return killed;
}
