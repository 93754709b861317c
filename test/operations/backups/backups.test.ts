import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Decrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import { unpackTar } from "modern-tar";
import { createdOf } from "../../../src/operations/backups/names.ts";
import { BucketServer } from "../../support/bucket-server.ts";
import type { Fields } from "../../support/client.ts";
import { mountDisk } from "../../support/small-disk.ts";
import { raiseEventDays } from "../raised-days.ts";
import { BackupApp } from "./support.ts";

const DAY = 86_400;

const report = (muster: BackupApp, hostname: string) =>
  muster.app.report({ hostname, id: hostname, event: { service: "app" }, services: [{ name: "app" }] });

/** A Muster that knows a host and makes backups to its folder. */
async function withFolder(options?: ConstructorParameters<typeof BackupApp>[0]): Promise<BackupApp> {
  const muster = new BackupApp(options);
  await report(muster, "one");
  expect(
    (await muster.change({ backupplace: muster.disk, timezone: "UTC", backuptimes: "03:00" })).status,
  ).toBe(200);
  return muster;
}

async function withBucket(bucket: BucketServer, settings: Fields = {}): Promise<BackupApp> {
  const muster = new BackupApp();
  await report(muster, "one");
  const change = { ...bucket.settings, timezone: "UTC", backuptimes: "03:00", ...settings };
  expect((await muster.change(change)).status).toBe(200);
  return muster;
}

/** The codes of what Muster finds wrong with itself. */
async function findings(muster: BackupApp): Promise<string[]> {
  const { json } = await (await muster.app.admin()).get("/api/1/admin/health/get");
  return json.findings.map(({ code }: { code: string }) => code);
}

const unfinished = (muster: BackupApp) => readdirSync(join(muster.data, "backups", "unfinished"));

/** To a file of that name, as another process would find it. */
async function identityIn(muster: BackupApp): Promise<{ file: string; recipient: string }> {
  const identity = await generateX25519Identity();
  const file = join(muster.path, "key.txt");
  writeFileSync(file, identity, { mode: 0o600 });
  return { file, recipient: await identityToRecipient(identity) };
}

describe("backups to a folder", () => {
  test("are off until a place is named", async () => {
    using muster = new BackupApp();
    expect(await muster.list()).toEqual({
      provable: true,
      next: null,
      running: null,
      records: [],
    });
    expect(await muster.step()).toBeUndefined();
    const admin = await muster.app.admin();
    expect(await admin.post("/api/1/admin/backups/start", {})).toMatchObject({
      status: 400,
      json: { error: expect.stringContaining("backupplace") },
    });
  });

  test("begin as soon as the place is named, and are proven by restoring them", async () => {
    using muster = await withFolder();
    const now = muster.app.clock.now();
    const record = await muster.step();
    expect(record).toMatchObject({ place: muster.disk, created: now, state: "proven", trouble: "" });
    expect(readdirSync(muster.disk)).toEqual([record.name]);
    expect(createdOf(record.name)).toBe(now);
    expect(record.bytes).toBe(readFileSync(join(muster.disk, record.name)).length);
    expect(unfinished(muster)).toEqual([]);
    expect(new Set(muster.progress.map(({ phase }) => phase))).toEqual(
      new Set(["copying", "packing", "storing", "reading back", "restoring", "tidying up"]),
    );
  });

  test("are proven after retention has deleted a part of the events of failures, and more days were set", async () => {
    using muster = await withFolder();
    await raiseEventDays(muster.app);
    expect(await muster.step()).toMatchObject({ state: "proven", trouble: "" });
  });

  test("are made again at the scheduled time, not before", async () => {
    using muster = await withFolder();
    await muster.step();
    const { next } = await muster.list();
    muster.app.clock.step(next - muster.app.clock.now() - 1);
    await muster.step();
    expect((await muster.list()).records).toHaveLength(1);
    muster.app.clock.step(1);
    expect(await muster.step()).toMatchObject({ created: next, state: "proven" });
    expect((await muster.list()).records).toHaveLength(2);
  });

  test("begin at once at another place, too, which is not overdue before that", async () => {
    using muster = await withFolder();
    await muster.step();
    const other = join(muster.path, "other");
    mkdirSync(other);
    await muster.change({ backupplace: other });
    muster.app.clock.step(60);
    expect(await findings(muster)).not.toContain("backup.overdue");
    expect(await muster.step()).toMatchObject({ place: other, state: "proven" });
    await muster.change({ backupplace: muster.disk });
    await muster.step();
    expect((await muster.list()).records).toHaveLength(2);
  });

  test("that are not complete six hours after their time are overdue", async () => {
    using muster = await withFolder();
    await muster.step();
    const { next } = await muster.list();
    muster.app.clock.step(next - muster.app.clock.now() + 6 * 3600 - 1);
    expect(await findings(muster)).not.toContain("backup.overdue");
    muster.app.clock.step(60);
    expect(await findings(muster)).toContain("backup.overdue");
    await muster.step();
    muster.app.clock.step(60);
    expect(await findings(muster)).not.toContain("backup.overdue");
  });

  test("that have less than half of what the previous one had are told", async () => {
    using muster = await withFolder();
    await muster.step();
    // The previous one was of a database that was large enough to compare.
    muster.app.db.$client.run("update backups set bytes = 60000, database_bytes = 20000000");
    muster.app.clock.step(DAY);
    const { bytes } = await muster.step();
    expect(bytes).toBeLessThan(30_000);
    muster.app.clock.step(60);
    expect(await findings(muster)).toContain("backup.shrunk");
    muster.app.clock.step(DAY);
    await muster.step();
    muster.app.clock.step(60);
    expect(await findings(muster)).not.toContain("backup.shrunk");
  });

  test("are made at once on request, by administrators only, one at a time", async () => {
    using muster = await withFolder();
    const user = await muster.app.user();
    expect((await user.post("/api/1/admin/backups/start", {})).status).toBe(403);
    expect((await user.get("/api/1/admin/backups/list")).status).toBe(403);
    const admin = await muster.app.admin();
    expect((await admin.post("/api/1/admin/backups/start", {})).status).toBe(200);
    expect((await muster.list()).running).toMatchObject({ started: muster.app.clock.now() });
    expect(await admin.post("/api/1/admin/backups/start", {})).toMatchObject({
      status: 409,
      json: { code: "backup.running" },
    });
    await muster.app.muster.backups.idle();
    expect(await muster.list()).toMatchObject({ running: null, records: [{ state: "proven" }] });
  });

  test("are removed when they are outdated, and other files stay", async () => {
    using muster = await withFolder();
    await muster.change({ backupkeepdays: 2, backupkeepweeks: 0, backupkeepmonths: 0 });
    const foreign = ["notes.txt", "muster-20200101T030000Z.tar.zst"];
    for (const name of foreign) writeFileSync(join(muster.disk, name), "not recorded");
    for (let day = 0; day < 4; day++) {
      await muster.step();
      muster.app.clock.step(DAY);
    }
    const { records } = await muster.list();
    expect(records).toHaveLength(2);
    const names = records.map(({ name }: { name: string }) => name);
    expect(readdirSync(muster.disk).sort()).toEqual([...foreign, ...names].sort());
  });

  test("are encrypted with secret.key inside, and verified only, if the private key is elsewhere", async () => {
    using muster = await withFolder();
    const { recipient } = await identityIn(muster);
    await muster.change({ backuprecipients: recipient });
    expect((await muster.list()).provable).toBe(false);
    const record = await muster.step();
    expect(record).toMatchObject({ state: "verified", trouble: "" });
    expect(record.name).toEndWith(".tar.zst.age");
    const bytes = readFileSync(join(muster.disk, record.name));
    expect(bytes.toString("latin1")).toStartWith("age-encryption.org/v1\n");
  });

  test.each([
    ["with secret.key if they are encrypted", true, ["backup.json", "secret.key", "muster.db"]],
    ["without secret.key if they are not", false, ["backup.json", "muster.db"]],
  ])("are stored %s", async (_name, isEncrypted, names) => {
    using muster = await withFolder();
    const { file, recipient } = await identityIn(muster);
    await muster.change({ backuprecipients: isEncrypted ? recipient : "" });
    const { name } = await muster.step();
    const stored = new Uint8Array(readFileSync(join(muster.disk, name)));
    const decrypter = new Decrypter();
    decrypter.addIdentity(readFileSync(file, "utf8"));
    const packed = isEncrypted ? await decrypter.decrypt(stored) : stored;
    const entries = await unpackTar(new Uint8Array(Bun.zstdDecompressSync(packed)));
    expect(entries.map(({ header }) => header.name)).toEqual(names);
  });

  test("are proven with the private key, and a wrong one is trouble that health tells", async () => {
    using other = new BackupApp();
    const { file, recipient } = await identityIn(other);
    const stranger = await identityToRecipient(await generateX25519Identity());
    using muster = await withFolder({ identityFile: file });
    await muster.change({ backuprecipients: recipient });
    expect(await muster.step()).toMatchObject({ state: "proven" });
    muster.app.clock.step(DAY);
    await muster.change({ backuprecipients: stranger });
    expect(await muster.step()).toMatchObject({
      state: "verified",
      trouble: expect.stringContaining("encrypted for other keys"),
    });
    expect(await findings(muster)).toContain("backup.trouble");
    const { backup } = (await (await muster.app.admin()).get("/api/1/admin/health/get")).json;
    expect(backup.proven).toBe(muster.app.clock.now() - DAY);
  });

  test("are trouble if most of the earlier ones are gone, as without the disk that is mounted on their folder", async () => {
    using muster = await withFolder();
    await muster.step();
    for (let day = 1; day <= 4; day++) {
      muster.app.clock.step(DAY);
      expect(await muster.step()).toMatchObject({ state: "proven", trouble: "" });
    }
    const disk = `${muster.disk}-unmounted`;
    renameSync(muster.disk, disk);
    mkdirSync(muster.disk);
    for (const said of ["5 of the 5", "5 of the 6", "5 of the 7"]) {
      muster.app.clock.step(DAY);
      expect(await muster.step()).toMatchObject({
        state: "proven",
        trouble: `${said} earlier backups are no longer there: is the right disk mounted?`,
      });
      expect(await findings(muster)).toContain("backup.trouble");
    }
    rmSync(muster.disk, { recursive: true });
    renameSync(disk, muster.disk);
    muster.app.clock.step(DAY);
    expect(await muster.step()).toMatchObject({ trouble: "" });
    expect(await findings(muster)).not.toContain("backup.trouble");
  });

  test("fail without their folder, which is said before anything is written", async () => {
    using muster = await withFolder();
    rmSync(muster.disk, { recursive: true });
    expect(await muster.step()).toMatchObject({
      state: "failed",
      name: "",
      trouble: expect.stringContaining("ENOENT"),
    });
    expect(unfinished(muster)).toEqual([]);
  });

  test.each([
    ["their folder", (muster: BackupApp) => muster.disk],
    ["the data folder", (muster: BackupApp) => join(muster.data, "backups", "unfinished")],
  ])(
    "fail without room on the disk of %s, which is said before anything is written",
    async (_name, pathOf) => {
      using muster = await withFolder();
      using disk = mountDisk(pathOf(muster), 64);
      if (disk === null) return;
      const { state, trouble } = await muster.step();
      expect([state, trouble]).toEqual([
        "failed",
        expect.stringMatching(/has 0 MB free, and \d+ MB are needed/),
      ]);
      expect([...readdirSync(muster.disk), ...unfinished(muster)]).toEqual([]);
      expect(muster.progress).toEqual([]);
    },
  );

  test.each([
    ["storing", (muster: BackupApp) => muster.disk, "ENOSPC"],
    ["copying", (muster: BackupApp) => join(muster.data, "backups", "unfinished"), "full"],
    ["packing", (muster: BackupApp) => join(muster.data, "backups", "unfinished"), "ENOSPC"],
    ["reading back", (muster: BackupApp) => join(muster.data, "backups", "unfinished"), "ENOSPC"],
  ] as const)(
    "fail when a disk is full while they are %s, and leave earlier ones alone",
    async (phase, pathOf, words) => {
      using muster = await withFolder();
      const first = await muster.step();
      const before = readFileSync(join(muster.disk, first.name));
      renameSync(muster.disk, `${muster.disk}.away`);
      using disk = mountDisk(pathOf(muster), 100_000);
      if (disk === null) return;
      mkdirSync(muster.disk, { recursive: true });
      writeFileSync(join(muster.disk, first.name), before);
      muster.app.clock.step(DAY);
      muster.watch = (progress) => {
        if (progress.phase !== phase || progress.done > 0) return;
        disk.fill();
        muster.watch = () => undefined;
      };
      const { state, trouble } = await muster.step();
      expect([state, trouble]).toEqual(["failed", expect.stringContaining(words)]);
      expect(readdirSync(muster.disk).filter((name) => name.endsWith(".partial"))).toEqual([]);
      expect(readFileSync(join(muster.disk, first.name)).equals(before)).toBe(true);
      disk.free();
      muster.app.clock.step(600);
      expect(await muster.step()).toMatchObject({ state: "proven", trouble: "" });
    },
  );

  test("that fail are tried again later, and leave earlier ones alone", async () => {
    using muster = await withFolder();
    const first = await muster.step();
    muster.app.clock.step(DAY);
    const away = `${muster.disk}.away`;
    const before = readFileSync(join(muster.disk, first.name));
    renameSync(muster.disk, away);
    expect(await muster.step()).toMatchObject({ state: "failed" });
    expect(await muster.step()).toMatchObject({ state: "failed" });
    expect((await muster.list()).records).toHaveLength(2);
    expect(await findings(muster)).toContain("backup.failed");
    renameSync(away, muster.disk);
    expect(readFileSync(join(muster.disk, first.name)).equals(before)).toBe(true);
    muster.app.clock.step(600);
    expect(await muster.step()).toMatchObject({ state: "proven" });
    muster.app.clock.step(60);
    expect(await findings(muster)).not.toContain("backup.failed");
  });

  test("that fail are tried again later also while nothing can be recorded", async () => {
    using muster = await withFolder();
    const { backups } = muster.app.muster;
    const { db, clock } = muster.app;
    const begins = async () => {
      backups.step();
      const isBegun = backups.overview().running !== null;
      await backups.idle();
      return isBegun;
    };
    const away = `${muster.disk}.away`;
    renameSync(muster.disk, away);
    db.$client.run("pragma query_only = on");
    expect(await begins()).toBe(true);
    clock.step(10);
    expect(await begins()).toBe(false);
    clock.step(590);
    expect(await begins()).toBe(true);
    // The second wait is twice as long.
    clock.step(600);
    expect(await begins()).toBe(false);
    db.$client.run("pragma query_only = off");
    renameSync(away, muster.disk);
    clock.step(600);
    expect(await muster.step()).toMatchObject({ state: "proven" });
  });

  test("are recorded later when Muster was killed before it could", async () => {
    using muster = await withFolder();
    muster.made = () => {
      throw new Error("killed");
    };
    await muster.step();
    const [name = ""] = readdirSync(muster.disk);
    muster.made = () => undefined;
    muster.app.clock.step(600);
    expect(await muster.step()).toMatchObject({ name, state: "proven", created: createdOf(name) });
    expect([readdirSync(muster.disk), unfinished(muster)]).toEqual([[name], []]);
    expect(
      (await muster.list()).records.filter(({ state }: { state: string }) => state !== "failed"),
    ).toHaveLength(1);
  });

  test("are known by their folder, however its path is written", async () => {
    using muster = await withFolder();
    await muster.step();
    for (const path of [`${muster.disk}/`, `${muster.path}/./disk`]) {
      expect((await muster.change({ backupplace: path })).status).toBe(200);
      await muster.step();
    }
    // Another place would get a backup at once.
    expect((await muster.list()).records).toMatchObject([{ place: muster.disk }]);
  });

  test("never replace what has their name", async () => {
    using muster = await withFolder();
    const stamp = new Date(muster.app.clock.now() * 1000).toISOString().replace(/[-:]|\.\d+/g, "");
    const foreign = join(muster.disk, `muster-${stamp}.tar.zst`);
    writeFileSync(foreign, "of someone else");
    expect(await muster.step()).toMatchObject({ state: "proven", created: muster.app.clock.now() + 1 });
    expect(readFileSync(foreign, "utf8")).toBe("of someone else");
  });

  test("are made after the clock was set back, too, and older ones stay", async () => {
    using muster = await withFolder();
    await muster.change({ backupkeepdays: 1, backupkeepweeks: 0, backupkeepmonths: 0 });
    const first = await muster.step();
    muster.app.clock.step(-30 * DAY);
    const second = await muster.step();
    expect(readdirSync(muster.disk).sort()).toEqual([second?.name, first.name].sort());
    expect((await muster.list()).records).toHaveLength(2);
    // The clock was ahead when the first was made: that makes no backup due.
    await muster.step();
    expect((await muster.list()).records).toHaveLength(2);
    // Nor does it count as the backup of the newest day.
    await muster.change({ backupkeepdays: 2 });
    muster.app.clock.step(DAY);
    const third = await muster.step();
    expect(readdirSync(muster.disk).sort()).toEqual([second?.name, third?.name, first.name].sort());
    muster.app.clock.step(DAY);
    const fourth = await muster.step();
    expect(readdirSync(muster.disk).sort()).toEqual([third?.name, fourth?.name, first.name].sort());
  });
});

describe("the settings of backups", () => {
  test.each([
    ["a relative path", { backupplace: "backups" }, "backupplace"],
    ["a folder that is not there", { backupplace: "/nowhere/at/all" }, "backupplace"],
    ["a file", { backupplace: "/etc/passwd" }, "backupplace"],
    ["a bucket without its service", { backupplace: "s3://bucket/path" }, "backupendpoint"],
    [
      "a bucket without an access key",
      { backupplace: "s3://bucket", backupendpoint: "http://s3.example" },
      "backupkeyid",
    ],
    [
      "a bucket without a secret",
      { backupplace: "s3://bucket", backupendpoint: "http://s3.example", backupkeyid: "x" },
      "backupsecret",
    ],
    ["a bucket with a wrong name", { backupplace: "s3://BUCKET/path" }, "backupplace"],
    ["times that are none", { backuptimes: "3 o'clock" }, "backuptimes"],
    ["a key that is none", { backuprecipients: "age1nothing" }, "backuprecipients"],
    ["a private key", { backuprecipients: "AGE-SECRET-KEY-1" }, "backuprecipients"],
    ["no day to keep", { backupkeepdays: 0 }, "backupkeepdays"],
  ])("refuse %s, and name the argument", async (_name, change, argument) => {
    using muster = new BackupApp();
    const { status, json } = await muster.change(change);
    expect([status, json.error]).toEqual([400, expect.stringContaining(argument)]);
    expect(muster.app.settings.get("backupplace")).toBe("");
  });

  test("refuse the data folder and what is in it", async () => {
    using muster = new BackupApp();
    mkdirSync(join(muster.data, "inside"));
    const link = join(muster.disk, "link");
    symlinkSync(join(muster.data, "inside"), link);
    for (const place of [muster.data, join(muster.data, "inside"), `${muster.data}/../data/inside`, link])
      expect((await muster.change({ backupplace: place })).json.error).toContain("would be lost with it");
    expect((await muster.change({ backupplace: muster.disk })).status).toBe(200);
  });

  test("never return the secret of the bucket, and seal it in the database", async () => {
    await using bucket = new BucketServer();
    using muster = await withBucket(bucket);
    const admin = await muster.app.admin();
    const { text } = await admin.get("/api/1/admin/settings/get");
    expect(text).not.toContain(bucket.settings.backupsecret);
    const [row] = muster.app.db.$client.query("select value from settings where key = 'backupsecret'").all();
    expect(JSON.stringify(row)).not.toContain(bucket.settings.backupsecret);
  });
});

describe("backups to a bucket", () => {
  test("are uploaded in signed parts, fetched back and proven", async () => {
    await using bucket = new BucketServer();
    using muster = await withBucket(bucket);
    const record = await muster.step();
    expect(record).toMatchObject({ place: "s3://muster-backups/muster/", state: "proven", trouble: "" });
    expect([...bucket.objects.keys()]).toEqual([`muster/${record.name}`]);
    expect(bucket.objects.get(`muster/${record.name}`)?.length).toBe(record.bytes);
    expect(bucket.uploads.size).toBe(0);
  });

  test("go on after errors that pass", async () => {
    await using bucket = new BucketServer();
    using muster = await withBucket(bucket);
    let failures = 4;
    bucket.fault = () =>
      failures-- > 0 ? new Response("<Error><Code>InternalError</Code></Error>", { status: 500 }) : null;
    expect(await muster.step()).toMatchObject({ state: "proven" });
    expect(muster.waits).toEqual([1000, 2000, 4000, 8000]);
  });

  test.each([
    ["refuses the secret", { backupsecret: "wrong" }, "403 SignatureDoesNotMatch"],
    ["is not there", { backupplace: "s3://another-bucket/muster" }, "404 NoSuchBucket"],
  ])("fail with the words of a bucket that %s", async (_name, settings, words) => {
    await using bucket = new BucketServer();
    using muster = await withBucket(bucket, settings);
    const { state, trouble } = await muster.step();
    expect([state, trouble]).toEqual(["failed", expect.stringContaining(words)]);
    expect(trouble).not.toContain(bucket.settings.backupsecret);
    expect(bucket.objects.size).toBe(0);
  });

  test.each([
    ["is full", 507, "InsufficientStorage"],
    ["allows no more", 403, "QuotaExceeded"],
  ])("fail at a bucket that %s, and leave earlier ones alone", async (_name, status, code) => {
    await using bucket = new BucketServer();
    using muster = await withBucket(bucket);
    await muster.step();
    const before = [...bucket.objects];
    muster.app.clock.step(DAY);
    bucket.fault = ({ method }) =>
      method === "PUT" ? new Response(`<Error><Code>${code}</Code></Error>`, { status }) : null;
    const { state, trouble } = await muster.step();
    expect([state, trouble]).toEqual(["failed", expect.stringContaining(`${status} ${code}`)]);
    expect([...bucket.objects]).toEqual(before);
  });

  test("resume an upload where it stopped, without packing it again", async () => {
    await using bucket = new BucketServer();
    using muster = await withBucket(bucket);
    bucket.fault = ({ method, query }) =>
      method === "POST" && query.has("uploadId") ? new Response("", { status: 503 }) : null;
    expect(await muster.step()).toMatchObject({ state: "failed", trouble: expect.stringContaining("503") });
    expect(unfinished(muster).sort()).toEqual(["archive", "upload.json"]);
    const created = muster.app.clock.now();
    bucket.fault = () => null;
    bucket.requests.length = 0;
    await report(muster, "two");
    muster.app.clock.step(600);
    expect(await muster.step()).toMatchObject({ state: "proven", created });
    expect(bucket.requests.filter((request) => /uploads|partNumber/.test(request))).toEqual([]);
    expect(unfinished(muster)).toEqual([]);
  });

  test("resume an upload after an upgrade, and are verified only", async () => {
    await using bucket = new BucketServer();
    using muster = await withBucket(bucket);
    bucket.fault = ({ method, query }) =>
      method === "POST" && query.has("uploadId") ? new Response("", { status: 503 }) : null;
    await muster.step();
    bucket.fault = () => null;
    const note = join(muster.data, "backups", "unfinished", "upload.json");
    const stored = readFileSync(note, "utf8");
    const earlier = stored.replace(/"version":"[^"]*"/, '"version":"0.9.0"');
    expect(earlier).not.toBe(stored);
    writeFileSync(note, earlier);
    muster.app.clock.step(600);
    expect(await muster.step()).toMatchObject({ state: "verified", trouble: "" });
    expect(await findings(muster)).toEqual([]);
  });

  test("begin the upload anew when the bucket has another part than was sent", async () => {
    await using bucket = new BucketServer();
    using muster = await withBucket(bucket);
    bucket.fault = ({ method, query }) => {
      if (method === "POST" && query.has("uploadId"))
        for (const { parts } of bucket.uploads.values()) parts.set(1, Buffer.from("cut"));
      return null;
    };
    expect(await muster.step()).toMatchObject({
      state: "failed",
      trouble: expect.stringContaining("InvalidPart"),
    });
    bucket.fault = () => null;
    muster.app.clock.step(600);
    expect(await muster.step()).toMatchObject({ state: "proven" });
  });

  test("end when the bucket forgot the upload, or when only its last answer was lost", async () => {
    for (const isForgotten of [true, false]) {
      await using bucket = new BucketServer();
      using muster = await withBucket(bucket);
      let isLost = true;
      bucket.fault = ({ method, query }) => {
        if (!isLost || method !== "POST" || !query.has("uploadId")) return null;
        return new Response("", { status: 503 });
      };
      expect(await muster.step()).toMatchObject({ state: "failed" });
      isLost = false;
      const [upload] = bucket.uploads.values();
      const key = upload?.key ?? "";
      if (!isForgotten) bucket.objects.set(key, upload?.parts.get(1) ?? Buffer.alloc(0));
      bucket.uploads.clear();
      muster.app.clock.step(600);
      expect(await muster.step()).toMatchObject({ state: "proven" });
      expect([...bucket.objects.keys()]).toEqual([key]);
    }
  });

  test("go on after answers that are cut on their way", async () => {
    await using bucket = new BucketServer();
    using muster = await withBucket(bucket);
    let isCut = false;
    bucket.fault = ({ method, key }) => {
      const bytes = bucket.objects.get(key);
      if (method !== "GET" || !bytes || isCut) return null;
      isCut = true;
      return new Response(new Uint8Array(bytes.subarray(0, 100)), { status: 206 });
    };
    expect(await muster.step()).toMatchObject({ state: "proven" });
    expect([isCut, muster.waits]).toEqual([true, [1000]]);
  });

  test("make an error within a reply of 200 an error", async () => {
    await using bucket = new BucketServer();
    using muster = await withBucket(bucket);
    bucket.fault = ({ method, query }) =>
      method === "POST" && query.has("uploadId")
        ? new Response('<?xml version="1.0"?>\n<Error><Code>InternalError</Code></Error>')
        : null;
    expect(await muster.step()).toMatchObject({
      state: "failed",
      trouble: expect.stringContaining("InternalError"),
    });
  });

  test("are not taken for good when they come back changed, short or as another one", async () => {
    for (const spoil of [
      (bytes: Buffer) => Buffer.from(bytes).fill(0, 100, 110),
      (bytes: Buffer) => bytes.subarray(0, bytes.length - 1),
      (_bytes: Buffer, earlier: Buffer) => earlier,
    ]) {
      await using bucket = new BucketServer();
      using muster = await withBucket(bucket);
      await muster.step();
      const [[earlierKey, earlier] = ["", Buffer.alloc(0)]] = bucket.objects;
      muster.app.clock.step(DAY);
      bucket.fault = ({ method, key }) => {
        const bytes = bucket.objects.get(key);
        if (method === "GET" && bytes) bucket.objects.set(key, spoil(bytes, earlier));
        return null;
      };
      const { state, trouble } = await muster.step();
      expect([state, trouble]).toEqual(["failed", expect.stringContaining("is not what was sent")]);
      bucket.fault = () => null;
      muster.app.clock.step(600);
      const again = await muster.step();
      expect(again).toMatchObject({ state: "proven" });
      expect(bucket.objects.get(earlierKey)).toBe(earlier);
      expect([...bucket.objects.keys()]).toEqual([earlierKey, `muster/${again.name}`]);
    }
  });

  test("are fetched back no further than they were sent, however long the bucket says they are", async () => {
    await using bucket = new BucketServer();
    using muster = await withBucket(bucket);
    const reads: string[] = [];
    bucket.fault = ({ method, key }) => {
      if (method === "GET" && key !== "") reads.push(key);
      const longer = Buffer.alloc(50 * 1024 * 1024);
      for (const [name, bytes] of bucket.objects)
        if (bytes.length < longer.length) bucket.objects.set(name, longer);
      return null;
    };
    expect(await muster.step()).toMatchObject({
      state: "failed",
      trouble: expect.stringContaining("is not what was sent"),
    });
    expect(reads).toHaveLength(1);
    expect([...bucket.objects.keys()]).toEqual([]);
  });

  test("end at a bucket that does not answer, and go on when it does", async () => {
    await using bucket = new BucketServer();
    using muster = await withBucket(bucket);
    bucket.fault = () => "unanswered";
    const quick = new BackupApp({ timeLimit: 50 });
    await quick.change({ ...bucket.settings, timezone: "UTC" });
    expect(await quick.step()).toMatchObject({
      state: "failed",
      trouble: expect.stringContaining("no response"),
    });
    quick[Symbol.dispose]();
    bucket.fault = () => null;
    expect(await muster.step()).toMatchObject({ state: "proven" });
  });

  test("that cannot be removed are trouble, and stay recorded", async () => {
    await using bucket = new BucketServer();
    using muster = await withBucket(bucket, { backupkeepdays: 1, backupkeepweeks: 0, backupkeepmonths: 0 });
    await muster.step();
    muster.app.clock.step(DAY);
    bucket.fault = ({ method }) =>
      method === "DELETE" ? new Response("<Error><Code>AccessDenied</Code></Error>", { status: 403 }) : null;
    expect(await muster.step()).toMatchObject({
      state: "proven",
      trouble: expect.stringContaining("could not be removed"),
    });
    expect((await muster.list()).records).toHaveLength(2);
    bucket.fault = () => null;
    muster.app.clock.step(DAY);
    await muster.step();
    expect((await muster.list()).records).toHaveLength(1);
    expect(bucket.objects.size).toBe(1);
  });

  test("that someone else removed are no trouble, also where the service says that they are not there", async () => {
    await using bucket = new BucketServer();
    using muster = await withBucket(bucket, { backupkeepdays: 1, backupkeepweeks: 0, backupkeepmonths: 0 });
    await muster.step();
    bucket.objects.clear();
    muster.app.clock.step(DAY);
    bucket.fault = ({ method }) =>
      method === "DELETE" ? new Response("<Error><Code>NoSuchKey</Code></Error>", { status: 404 }) : null;
    expect(await muster.step()).toMatchObject({ state: "proven", trouble: "" });
    expect((await muster.list()).records).toHaveLength(1);
  });

  test("keep to the rate", async () => {
    await using bucket = new BucketServer();
    using muster = await withBucket(bucket, { backuprate: 1 });
    const { bytes } = await muster.step();
    // One part and one fetch: the second waits as long as the first takes at 1 kB a second.
    const [wait = 0] = muster.waits;
    expect(muster.waits).toHaveLength(1);
    expect(wait).toBeGreaterThan(bytes - 5000);
    expect(wait).toBeLessThanOrEqual(bytes);
  });
});

test("a folder that became read-only is trouble that names it", async () => {
  using muster = await withFolder();
  if (process.getuid?.() === 0) return;
  chmodSync(muster.disk, 0o500);
  expect(await muster.step()).toMatchObject({
    state: "failed",
    trouble: expect.stringContaining(muster.disk),
  });
});
