import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../../src/operations/backups/open-store.ts";
import { Pace } from "../../../src/operations/backups/pace.ts";
import type { BackupStore, UploadProgress } from "../../../src/operations/backups/store.ts";
import { placeOf } from "../../../src/operations/backups/target.ts";
import { NetworkEgress } from "../../../src/platform/egress/network-egress.ts";
import { BUCKET, BucketServer, KEY_ID, SECRET } from "../../support/bucket-server.ts";

const PART = 8 * 1024 * 1024;
const NAME = "muster-20260105T120000Z.tar.zst";

const folder = mkdtempSync(join(tmpdir(), "muster-stores-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, "archive");
const content = Buffer.alloc(2 * PART + 1000, "three parts ");
writeFileSync(file, content);

const surroundings = {
  egress: new NetworkEgress({ reach: "loopback", exec: false, clock: { now: () => 0 } }),
  sleep: async () => undefined,
  rate: 0,
};

function bucketStore(bucket: BucketServer, prefix = "muster/"): BackupStore {
  const access = { endpoint: bucket.url, region: "us-east-1", keyId: KEY_ID, secret: SECRET };
  return openStore({ kind: "bucket", bucket: BUCKET, prefix, ...access }, surroundings);
}

async function bytesOf(store: BackupStore, name: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of store.read(name)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const put = (store: BackupStore, steps: number[], resumed: UploadProgress | null = null) =>
  store.put(file, NAME, {
    isRepeated: resumed !== null,
    resumed,
    save: () => undefined,
    step: (bytes) => steps.push(bytes),
  });

test("both stores give back what they were given, and list it", async () => {
  await using bucket = new BucketServer();
  for (const store of [openStore({ kind: "folder", path: folder }, surroundings), bucketStore(bucket)]) {
    const steps: number[] = [];
    await put(store, steps);
    expect(steps.reduce((a, b) => a + b)).toBe(content.length);
    expect((await bytesOf(store, NAME)).equals(content)).toBe(true);
    expect(await store.list()).toEqual([{ name: NAME, bytes: content.length }]);
    expect(put(store, [])).rejects.toThrow("exists already");
    await store.remove(NAME);
    expect(await store.list()).toEqual([]);
  }
  expect(readFileSync(file).equals(content)).toBe(true);
});

test("a folder lists only files as backups: no folder of such a name, and no link that leads nowhere", async () => {
  const store = openStore({ kind: "folder", path: folder }, surroundings);
  const [ofFolder, ofLink] = ["muster-20260104T120000Z.tar.zst", "muster-20260106T120000Z.tar.zst"];
  mkdirSync(join(folder, ofFolder));
  symlinkSync(join(folder, "nowhere"), join(folder, ofLink));
  await put(store, []);
  expect((await store.list()).map(({ name }) => name)).toEqual([NAME]);
  for (const name of [NAME, ofFolder, ofLink]) rmSync(join(folder, name), { recursive: true });
});

test("a folder that cannot be used says why, with the path", async () => {
  const [none, within] = [join(folder, "none"), join(file, "within")];
  const why = "cannot be used: there is no such file or folder (ENOENT)";
  await expect(openStore({ kind: "folder", path: none }, surroundings).list()).rejects.toThrow(
    `${none} ${why}`,
  );
  const noFolder = "a part of its path is not a folder (ENOTDIR)";
  for (const path of [file, within])
    await expect(openStore({ kind: "folder", path }, surroundings).list()).rejects.toThrow(
      `${path} cannot be used: ${noFolder}`,
    );
  const store = openStore({ kind: "folder", path: none }, surroundings);
  await expect(put(store, [])).rejects.toThrow(
    /^\/.*none\/muster.* cannot be written: there is no such file or folder/,
  );
  mkdirSync(join(folder, NAME));
  await expect(bytesOf(openStore({ kind: "folder", path: folder }, surroundings), NAME)).rejects.toThrow(
    `${join(folder, NAME)} cannot be read: it is a folder (EISDIR)`,
  );
  rmSync(join(folder, NAME), { recursive: true });
});

test("a bucket gets the parts that are missing, and no other", async () => {
  await using bucket = new BucketServer();
  const store = bucketStore(bucket);
  const saved: UploadProgress[] = [];
  bucket.fault = ({ query }) => (query.get("partNumber") === "3" ? new Response("", { status: 500 }) : null);
  const failing = store.put(file, NAME, {
    isRepeated: false,
    resumed: null,
    save: (progress) => saved.push(structuredClone(progress)),
    step: () => undefined,
  });
  await expect(failing).rejects.toThrow("500");
  expect(saved.at(-1)?.tags).toHaveLength(2);
  bucket.fault = () => null;
  bucket.requests.length = 0;
  const steps: number[] = [];
  await put(store, steps, saved.at(-1));
  expect(bucket.requests.filter((request) => request.startsWith("PUT"))).toHaveLength(1);
  expect(steps).toEqual([2 * PART, 1000]);
  expect((await bytesOf(store, NAME)).equals(content)).toBe(true);
});

test("a bucket whose list has too many pages or backups is refused: it may never end", async () => {
  await using bucket = new BucketServer();
  const page = (contents: string, next: number) =>
    `<ListBucketResult>${contents}<NextContinuationToken>${next}</NextContinuationToken></ListBucketResult>`;
  const backups = `<Contents><Key>muster/${NAME}</Key><Size>1</Size></Contents>`.repeat(20_000);
  for (const [contents, pages] of [
    ["", 1001],
    [backups, 7],
  ] as const) {
    bucket.fault = ({ query }) => {
      const next = Number(query.get("continuation-token") ?? 0) + 1;
      return next < pages ? new Response(page(contents, next)) : null;
    };
    await expect(bucketStore(bucket).list()).rejects.toThrow("the list of the bucket does not end");
  }
});

test("a list of a bucket has what is closed in it, however many elements are left open", async () => {
  await using bucket = new BucketServer();
  const entry = `<Contents><Key>muster/${NAME}</Key><Size>1</Size></Contents>`;
  bucket.fault = () =>
    new Response(`<ListBucketResult>${entry}${"<Contents>".repeat(200_000)}</ListBucketResult>`);
  expect(await bucketStore(bucket).list()).toEqual([{ name: NAME, bytes: 1 }]);
});

test("both stores keep to the rate when they store and when they give back", async () => {
  await using bucket = new BucketServer();
  const waits: number[] = [];
  const slow = {
    ...surroundings,
    rate: 1000,
    sleep: async (milliseconds: number) => void waits.push(milliseconds),
  };
  const access = { endpoint: bucket.url, region: "us-east-1", keyId: KEY_ID, secret: SECRET };
  for (const store of [
    openStore({ kind: "folder", path: folder }, slow),
    openStore({ kind: "bucket", bucket: BUCKET, prefix: "", ...access }, slow),
  ]) {
    waits.length = 0;
    await put(store, []);
    const whileStoring = Math.max(...waits);
    await bytesOf(store, NAME);
    // Sleeping takes no time here, so that each wait contains those before it.
    expect(whileStoring).toBeGreaterThan(content.length / 2);
    expect(Math.max(...waits)).toBeGreaterThan(1.5 * content.length);
    await store.remove(NAME);
  }
});

test("names that a URL has to escape reach the bucket as they are", async () => {
  await using bucket = new BucketServer();
  const store = bucketStore(bucket, "a b/ü+(1)*'!/");
  await put(store, []);
  expect([...bucket.objects.keys()]).toEqual([`a b/ü+(1)*'!/${NAME}`]);
  expect((await bytesOf(store, NAME)).length).toBe(content.length);
});

test("lists of several pages, with other objects among them, are read whole", async () => {
  await using bucket = new BucketServer();
  const names = Array.from({ length: 7 }, (_, day) => `muster-2026010${day + 1}T030000Z.tar.zst.age`);
  for (const name of [...names, "notes.txt", "muster-latest.tar.zst"])
    bucket.objects.set(`muster/${name}`, Buffer.from("x"));
  expect((await bucketStore(bucket).list()).map(({ name }) => name)).toEqual(names);
  bucket.fault = () => new Response("<ListBucketResult><Contents>");
  expect(bucketStore(bucket).list()).rejects.toThrow("an incomplete list");
});

test("a page in place of a list is no bucket", async () => {
  await using bucket = new BucketServer();
  bucket.fault = () => new Response("<!doctype html><title>Sign in</title>");
  const reason = "the answer is not that of a bucket: check the URL of the service";
  expect(bucketStore(bucket).list()).rejects.toThrow(reason);
});

test.each([false, true])(
  "a place in a bucket has no backups of the places below it (services that ignore the delimiter: %p)",
  async (ignoresDelimiter) => {
    await using bucket = new BucketServer();
    bucket.ignoresDelimiter = ignoresDelimiter;
    const names = [1, 2, 3].map((day) => `muster-2026010${day}T030000Z.tar.zst`);
    const [first = "", second = "", third = ""] = names;
    const places = ["", "muster/", "muster/site-b/"];
    for (const [i, prefix] of places.entries()) bucket.objects.set(prefix + names[i], Buffer.from("x"));
    const listed = places.map(async (prefix) =>
      (await bucketStore(bucket, prefix).list()).map(({ name }) => name),
    );
    expect(await Promise.all(listed)).toEqual([[first], [second], [third]]);
  },
);

test("bytes are spent at the rate, however they come", async () => {
  let now = 0;
  const sleep = async (milliseconds: number) => {
    now += milliseconds;
  };
  const pace = new Pace(1000, sleep, () => now);
  for (const bytes of [500, 1500, 1000, 1]) await pace.spend(bytes);
  expect(now).toBe(3000);
  now += 60_000;
  // A pause is not made up for.
  await pace.spend(1000);
  await pace.spend(1);
  expect(now).toBe(64_000);
});

test.each([
  ["/mnt/backup", { kind: "folder", path: "/mnt/backup" }],
  ["s3://bucket", { kind: "bucket", bucket: "bucket", prefix: "" }],
  ["s3://bucket/", { kind: "bucket", bucket: "bucket", prefix: "" }],
  ["s3://my.bucket-1/a/b", { kind: "bucket", bucket: "my.bucket-1", prefix: "a/b/" }],
  ["s3://my.bucket-1/a/b/", { kind: "bucket", bucket: "my.bucket-1", prefix: "a/b/" }],
  ["relative/path", null],
  ["s3://", null],
  ["s3://Bucket/path", null],
  ["s3://bucket//path", null],
  ["s3://bucket/a?b", null],
  ["https://bucket/path", null],
  ["", null],
])("%s is a place, or none", (text, place) => {
  expect(placeOf(text)).toEqual(place as ReturnType<typeof placeOf>);
});
