/** `muster restore` of scheduled backups, by place and by name. */
import { describe, expect, test } from "bun:test";
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { makeIdentity } from "../../../src/operations/backups/identities.ts";
import { restoreArchive } from "../../../src/operations/backups/restore-archive.ts";
import { lockFolder } from "../../../src/platform/storage/lock.ts";
import { BucketServer, KEY_ID, SECRET } from "../../support/bucket-server.ts";
import type { Fields } from "../../support/client.ts";
import { CommandFolder } from "../commands/support.ts";
import { BackupApp } from "./support.ts";

const DAY = 86_400;

/** Makes two backups, a day apart, of a database with one host and with two. @returns their names */
async function twoBackups(muster: BackupApp, settings: Fields): Promise<[string, string]> {
  const plan = { timezone: "UTC", backuptimes: "03:00", ...settings };
  expect((await muster.change(plan)).status).toBe(200);
  const names: string[] = [];
  for (const hostname of ["one", "two"]) {
    await muster.app.report({ hostname, id: hostname });
    names.push((await muster.step()).name);
    muster.app.clock.step(DAY);
  }
  const [first = "", second = ""] = names;
  return [first, second];
}

const hostsOf = (folder: CommandFolder) =>
  folder.query<{ name: string }>("select hostname as name from hosts order by 1").map(({ name }) => name);

/** What a command complains of that must leave no database. */
async function refusal(command: string, env: Record<string, string> = {}): Promise<string> {
  using target = new CommandFolder();
  const { code, err } = await target.run(command, undefined, env);
  expect([code, existsSync(target.folder.database)]).toEqual([1, false]);
  return err.join("\n");
}

describe("a backup in a bucket", () => {
  test("is restored by its place, its date or its name", async () => {
    await using bucket = new BucketServer();
    using muster = new BackupApp();
    const [first, second] = await twoBackups(muster, bucket.settings);
    const place = bucket.settings.backupplace;
    const env = { AWS_ENDPOINT_URL: bucket.url, AWS_ACCESS_KEY_ID: KEY_ID, AWS_SECRET_ACCESS_KEY: SECRET };
    const date = new Date((muster.app.clock.now() - 2 * DAY) * 1000).toISOString().slice(0, 10);
    for (const [command, hosts] of [
      [`restore ${place}`, ["one", "two"]],
      [`restore --at ${date} ${place}`, ["one"]],
      [`restore ${place}/${first}`, ["one"]],
      [`restore ${place}/${second}`, ["one", "two"]],
    ] as const) {
      using target = new CommandFolder().fill();
      expect(await target.run(`${command} --force`, undefined, env)).toMatchObject({ code: 0, err: [] });
      expect(hostsOf(target)).toEqual([...hosts]);
    }
    const other = `${place}/${first.replace("muster-20", "muster-19")}`;
    expect(await refusal(`restore ${other}`, env)).toContain("is not there");
  });

  test("needs the URL of its service and an access key", async () => {
    const command = "restore s3://bucket/muster";
    for (const each of [command, "backup list --place s3://bucket/muster"])
      expect(await refusal(each)).toBe(
        'set AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY in the environment to read the bucket "bucket"',
      );
    const alone = { AWS_ENDPOINT_URL: "https://s3.example.org", AWS_ACCESS_KEY_ID: KEY_ID };
    expect(await refusal(command, alone)).toStartWith("set AWS_SECRET_ACCESS_KEY in the environment");
    const keys = { AWS_ACCESS_KEY_ID: KEY_ID, AWS_SECRET_ACCESS_KEY: SECRET };
    for (const url of ["s3.example.org", "ftp://s3.example.org"])
      expect(await refusal(command, { ...keys, AWS_ENDPOINT_URL: url })).toContain(
        "AWS_ENDPOINT_URL must be the URL of a service",
      );
  });
});

test("an address that names no bucket is refused with what the name of one looks like, and is not taken for a path", async () => {
  for (const place of [
    "s3://x/y",
    "S3://bucket",
    "s3:bucket",
    "s3://bucket//y",
    "https://s3.example.org/bucket",
  ])
    for (const command of [`backup list --place ${place}`, `restore ${place}`])
      expect(await refusal(command)).toBe(
        `"${place}" must be the path of a folder, or s3://BUCKET/PATH, with 3 to 63 of a-z, 0-9, . and - in BUCKET, and no white space, double slash, \\, ? or # in PATH`,
      );
});

test("what is wrong with a backup is said of the backup, not of a file that is gone by then", async () => {
  using muster = new BackupApp();
  const [, name] = await twoBackups(muster, { backupplace: muster.disk });
  using target = new CommandFolder();
  const { code, err } = await target.run(`restore ${muster.disk}`);
  expect([code, existsSync(target.folder.database)]).toEqual([1, false]);
  const remedy = `put the one that belongs to ${name} there first`;
  expect(err).toEqual([`${target.folder.key} is missing: ${remedy}`]);
  writeFileSync(target.folder.key, "1".repeat(64), { mode: 0o600 });
  expect((await target.run(`restore ${muster.disk}`)).err).toEqual([
    `${target.folder.key} is another key: ${remedy}`,
  ]);
});

test("a date means the whole day in UTC, a time without seconds the whole minute, and a second itself", async () => {
  using muster = new BackupApp();
  const nameOf = (time: string) => `muster-202611${time}Z.tar.zst`;
  for (const time of ["24T030005", "24T031000", "24T235959"])
    writeFileSync(join(muster.disk, nameOf(time)), "no archive");
  // The error names the backup that was chosen.
  for (const [at, time] of [
    ["2026-11-24", "24T235959"],
    ["2026-11-24T03:00Z", "24T030005"],
    ["2026-11-24T04:10+01:00", "24T031000"],
    ["2026-11-24T03:10:00Z", "24T031000"],
    ["2026-11-24T03:09:59Z", "24T030005"],
  ] as const)
    expect(await refusal(`restore --at ${at} ${muster.disk}`)).toStartWith(
      `${nameOf(time)} cannot be restored`,
    );
  for (const at of ["2026-11-24T03:00:04Z", "2026-11-23"])
    expect(await refusal(`restore --at ${at} ${muster.disk}`)).toContain("no backup of that time or before");
});

test.each([
  "5",
  "2026",
  "2026-11",
  "2026-02-31",
  "2026-02-31T03:00Z",
  "2026-13-01",
  "2026-11-24T03Z",
  "2026-11-24T24:00Z",
  "2026-11-24T03:60Z",
  "2026-11-24T03:00+99:00",
  "24-11-2026",
  "yesterday",
])("--at %s is no date, and nothing is restored", async (at) => {
  using muster = new BackupApp();
  expect(await refusal(`restore --at ${at} ${muster.disk}`)).toBe(
    `--at must be a date, as in 2026-11-24, or a date and a time, as in 2026-11-24T03:00Z, not ${at}`,
  );
});

test("a restore leaves no folder of its own, and what it leaves belongs to the owner of the data folder", async () => {
  using muster = new BackupApp();
  const [, name] = await twoBackups(muster, { backupplace: muster.disk });
  using target = new CommandFolder().fill();
  const { path, backups } = target.folder;
  // Only root can give files away, and only for root it matters.
  if (process.getuid?.() === 0) chownSync(path, 4321, 4321);
  const owner = statSync(path).uid;
  const restore = `restore ${join(muster.disk, name)} --force`;
  expect(await target.run(restore)).toMatchObject({ code: 0 });
  const kept = readdirSync(backups);
  expect(kept).toEqual([expect.stringMatching(/^before-restore-\w+\.db$/)]);
  for (const file of [backups, join(backups, kept[0] ?? ""), target.folder.database])
    expect([file, statSync(file).uid]).toEqual([file, owner]);

  // A backup that may be resumed stays.
  const upload = join(backups, "unfinished", "archive");
  mkdirSync(upload, { recursive: true });
  expect(await target.run(restore)).toMatchObject({ code: 0 });
  expect(existsSync(upload)).toBe(true);
  expect(statSync(join(backups, "unfinished")).uid).toBe(owner);
});

test("a restore that is killed leaves nothing that the owner of the data folder could not remove", async () => {
  using target = new CommandFolder().fill();
  const { path } = target.folder;
  if (process.getuid?.() === 0) chownSync(path, 4321, 4321);
  const owners: number[] = [];
  const fetch = async (archive: string) => {
    owners.push(statSync(dirname(archive)).uid);
    throw new Error("it is over");
  };
  const options = { source: "it", name: null, identities: [], force: true };
  await expect(restoreArchive(target.folder, fetch, options)).rejects.toThrow("it is over");
  expect(owners).toEqual([statSync(path).uid]);
});

test("a database that must not be replaced is refused before the backup is fetched", async () => {
  using target = new CommandFolder().fill();
  const fetch = () => Promise.reject(new Error("it was fetched"));
  const options = { source: "it", name: null, identities: [], force: false };
  await expect(restoreArchive(target.folder, fetch, options)).rejects.toThrow("exists; with --force");
});

test("nothing else has the folder while the backup is fetched", async () => {
  using target = new CommandFolder().fill();
  const fetch = async () => {
    expect(() => lockFolder(target.folder)).toThrow("another Muster is running");
    throw new Error("it was fetched");
  };
  const options = { source: "it", name: null, identities: [], force: true };
  await expect(restoreArchive(target.folder, fetch, options)).rejects.toThrow("it was fetched");
  lockFolder(target.folder).close();
});

test("what cannot be restored is named as the caller named it, with the reason in plain words", async () => {
  using muster = new BackupApp();
  const keyFile = (name: string) => join(muster.path, name);
  const backuprecipients = await makeIdentity(keyFile("key.txt"));
  await makeIdentity(keyFile("wrong.txt"));
  const [, name] = await twoBackups(muster, { backupplace: muster.disk, backuprecipients });
  const file = join(muster.disk, name);
  const cut = join(muster.path, "cut.age");
  copyFileSync(file, cut);
  truncateSync(cut, 10_000);
  expect(await refusal(`restore ${file}`)).toStartWith(`${file} cannot be restored: it is encrypted: `);
  expect(await refusal(`restore --identity ${keyFile("wrong.txt")} ${muster.disk}`)).toBe(
    `${name} cannot be restored: it is encrypted for other keys than this one`,
  );
  expect(await refusal(`restore --identity ${keyFile("key.txt")} ${cut}`)).toStartWith(
    `${cut} cannot be restored: it is damaged or truncated`,
  );
  expect(await refusal(`restore --identity ${keyFile("none.txt")} ${file}`)).toBe(
    `--identity: ${keyFile("none.txt")} is not there`,
  );
});
