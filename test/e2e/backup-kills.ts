/** Kills Muster while it makes, uploads and restores backups, and looks at what is left each time. */
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { BUCKET, BucketServer, KEY_ID, SECRET } from "../support/bucket-server.ts";
import type { TestClient } from "../support/client.ts";
import { Random } from "../support/random.ts";
import { EXECUTABLE, eventually, Muster, neutralEnvironment, run, temporaryFolder } from "./support.ts";

/** Requests that a backup without an interruption makes at most. */
const REQUESTS = 8;
/** Longest wait before a kill, milliseconds: about as long as a backup or a restore takes. */
const LONGEST_MS = 900;
/** The share of the kills that is of backups to a folder. */
const FOLDER_SHARE = 0.25;

/** How often what was killed, and what was half there afterwards. */
export interface Kills {
  backups: number;
  uploads: number;
  restores: number;
  half: string[];
}

interface Place {
  settings: { backupplace: string };
  /** Null for a folder. */
  bucket: BucketServer | null;
  /** The argument of `muster restore`. */
  source: string;
  /** Name and size of what is there. */
  stored(): Map<string, number>;
}

function bucketPlace(bucket: BucketServer): Place {
  return {
    settings: bucket.settings,
    bucket,
    source: `s3://${BUCKET}/muster`,
    stored: () =>
      new Map([...bucket.objects].map(([key, bytes]) => [key.slice("muster/".length), bytes.length])),
  };
}

function folderPlace(path: string): Place {
  mkdirSync(path);
  return {
    settings: { backupplace: path },
    bucket: null,
    source: path,
    stored: () => new Map(readdirSync(path).map((name) => [name, statSync(join(path, name)).size])),
  };
}

/** A data folder whose backups are killed, and the folder into which they are restored. */
class Victim {
  readonly kills: Kills = { backups: 0, uploads: 0, restores: 0, half: [] };
  readonly #args = ["--channel-reach", "loopback", "--backup-identity", "key.txt"];
  #rounds = 0;

  constructor(
    private readonly cwd: string,
    private readonly place: Place,
    private readonly recipient: string,
    private readonly random: Random,
  ) {}

  #start(): Promise<Muster> {
    return Muster.start({ cwd: this.cwd, args: this.#args });
  }

  async #setUp(muster: Muster, admin: TestClient): Promise<void> {
    await muster.report({ hostname: "kept.example.org", services: [{ name: "app" }] });
    const plan = { ...this.place.settings, backuprecipients: this.recipient, backupkeepdays: 366 };
    const { status } = await admin.post("/api/1/admin/settings/update", plan);
    if (status !== 200) throw new Error(`the settings are refused with ${status}`);
    await eventually("the first backup is over", async () => {
      const { running, records } = (await admin.get("/api/1/admin/backups/list")).json;
      return running === null && records.length > 0;
    });
  }

  /** One kill. */
  async round(): Promise<void> {
    await using muster = await this.#start();
    const admin = await muster.admin();
    if (this.#rounds++ === 0) await this.#setUp(muster, admin);
    if (this.random.chance(0.25)) {
      await muster.stop();
      await this.#killRestore();
      this.kills.restores++;
    } else {
      await this.#killBackup(muster, admin);
      await using restarted = await this.#start();
      await this.#lookAtBackups(await restarted.admin());
    }
  }

  /** Starts a backup, and kills Muster at a request to the bucket or at a time. */
  async #killBackup(muster: Muster, admin: TestClient): Promise<void> {
    const { bucket } = this.place;
    const isUpload = bucket !== null && this.random.chance(0.5);
    const killed = Promise.withResolvers<void>();
    let requests = 0;
    const last = this.random.between(1, REQUESTS);
    if (isUpload)
      bucket.fault = () => {
        if (++requests !== last) return null;
        void muster.kill().then(killed.resolve);
        return "unanswered";
      };
    await admin.post("/api/1/admin/backups/start", {});
    if (isUpload) await Promise.race([killed.promise, Bun.sleep(LONGEST_MS * 4)]);
    else await Bun.sleep(this.random.between(0, LONGEST_MS));
    await muster.kill();
    if (bucket) bucket.fault = () => null;
    if (isUpload) this.kills.uploads++;
    else this.kills.backups++;
  }

  /** Makes a backup to its end. Everything at the place must be recorded then, as large as it is. */
  async #lookAtBackups(admin: TestClient): Promise<void> {
    const list = async () => (await admin.get("/api/1/admin/backups/list")).json;
    const newest = (await list()).records[0]?.id ?? 0;
    // One that was interrupted may go on already.
    await admin.post("/api/1/admin/backups/start", {});
    const { records } = await eventually("a backup is made", async () => {
      const answer = await list();
      return answer.running === null && answer.records[0]?.id > newest && answer;
    });
    for (const { name, state, trouble } of records)
      if (state !== "proven" || trouble !== "") this.#half(`${name} is ${state}: ${trouble}`);
    const sizes = new Map(records.map(({ name, bytes }: { name: string; bytes: number }) => [name, bytes]));
    for (const [name, bytes] of this.place.stored())
      if (sizes.get(name) !== bytes)
        this.#half(`${name} has ${bytes} bytes, and ${sizes.get(name)} are recorded`);
    for (const name of readdirSync(join(this.cwd, "data/backups/unfinished")))
      this.#half(`unfinished/${name}`);
  }

  /** Kills a restore into a new folder, or over a database, and restores again. */
  async #killRestore(): Promise<void> {
    const { cwd, place } = this;
    const target = `restored-${this.random.chance(0.5) ? "again" : this.#rounds}`;
    const database = join(cwd, target, "muster.db");
    const args = ["restore", place.source, "--identity", "key.txt", "--data", target];
    const env: Record<string, string> = place.bucket
      ? { AWS_ENDPOINT_URL: place.bucket.url, AWS_ACCESS_KEY_ID: KEY_ID, AWS_SECRET_ACCESS_KEY: SECRET }
      : {};
    const command = () => (existsSync(database) ? [...args, "--force"] : args);
    const doctor = async (when: string) => {
      const { code, stdout } = await run(["doctor", "--data", target], { cwd });
      if (code !== 0) this.#half(`${when}, ${target} has a damaged database: ${stdout}`);
    };
    const hadDatabase = existsSync(database);
    const child = Bun.spawn([EXECUTABLE, ...command()], {
      cwd,
      env: { ...neutralEnvironment(cwd), ...env },
      stdout: "ignore",
      stderr: "ignore",
    });
    await Bun.sleep(this.random.between(0, LONGEST_MS));
    child.kill("SIGKILL");
    await child.exited;
    if (existsSync(database)) await doctor("after the kill");
    else if (hadDatabase) this.#half(`${target} has no database any more`);
    const again = await run(command(), { cwd, env });
    if (again.code !== 0) this.#half(`${target} cannot be restored: ${again.stderr}`);
    await doctor("after another restore");
    if (existsSync(join(cwd, target, "backups/unfinished/restoring"))) this.#half(`${target} has leftovers`);
  }

  #half(what: string): void {
    this.kills.half.push(`round ${this.#rounds}: ${what}`);
  }
}

async function killRepeatedly(
  rounds: number,
  random: Random,
  placeIn: (cwd: string) => Place,
): Promise<Kills> {
  using folder = temporaryFolder();
  const { stdout } = await run(["backup", "key", "key.txt"], { cwd: folder.path });
  const recipient = /age1\S+/.exec(stdout)?.[0] ?? "";
  const victim = new Victim(folder.path, placeIn(folder.path), recipient, random);
  for (let round = 0; round < rounds; round++) await victim.round();
  return victim.kills;
}

/** Kills so many times, with backups to a bucket and to a folder. */
export async function backupKills(rounds: number, seed: number): Promise<Kills> {
  const random = new Random(seed);
  await using bucket = new BucketServer();
  const toFolder = Math.ceil(rounds * FOLDER_SHARE);
  const a = await killRepeatedly(rounds - toFolder, random, () => bucketPlace(bucket));
  const b = await killRepeatedly(toFolder, random, (cwd) => folderPlace(join(cwd, "disk")));
  return {
    backups: a.backups + b.backups,
    uploads: a.uploads + b.uploads,
    restores: a.restores + b.restores,
    half: [...a.half, ...b.half],
  };
}
