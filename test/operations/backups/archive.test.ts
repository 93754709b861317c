import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Decrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import { unpackTar } from "modern-tar";
import { isArchive, readArchive, writeArchive } from "../../../src/operations/backups/archive.ts";
import {
  identitiesIn,
  isRecipient,
  makeIdentity,
  recipientsIn,
} from "../../../src/operations/backups/identities.ts";
import type { Manifest } from "../../../src/operations/backups/manifest.ts";
import { Random } from "../../support/random.ts";

const folder = mkdtempSync(join(tmpdir(), "muster-archive-"));
afterAll(() => rmSync(folder, { recursive: true }));

const path = (name: string) => join(folder, name);
const manifest: Manifest = {
  format: 1,
  version: "1.2.3",
  engine: "SQLite",
  created: 1_767_614_400,
  bytes: 3_000_000,
  rows: { hosts: 2 },
  newestEvent: { id: 7, date: 1_767_614_399 },
};
/** Half of it random, so that it does not compress to nothing. */
const random = new Random(1);
const noise = Uint8Array.from({ length: 500_000 }, () => random.below(256));
const database = Buffer.concat([Buffer.alloc(500_000, "row "), noise]);
const KEY = Buffer.from("the key\n");
let identity = "";
let recipient = "";

beforeAll(async () => {
  writeFileSync(path("source.db"), database);
  identity = await generateX25519Identity();
  recipient = await identityToRecipient(identity);
});

let folders = 0;
function emptyFolder(): string {
  const name = path(`out-${++folders}`);
  mkdirSync(name);
  return name;
}

async function packed(name: string, recipients: string[], key: Buffer | null = null): Promise<string> {
  const file = path(name);
  const sum = await writeArchive(file, { manifest, database: path("source.db"), key }, recipients);
  const bytes = readFileSync(file);
  expect(sum).toEqual({
    bytes: bytes.length,
    sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex"),
  });
  return file;
}

test("an archive holds the database and what it says about itself, readable by its owner only", async () => {
  const file = await packed("plain", []);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const content = await readArchive(file, emptyFolder(), []);
  expect(content).toMatchObject({ manifest, key: null });
  expect(readFileSync(content.database).equals(database)).toBe(true);
  expect(isArchive(file)).toBe(true);
  expect(isArchive(path("source.db"))).toBe(false);
});

test("an encrypted archive holds the key, too, and is opened by each of its recipients only", async () => {
  const second = await generateX25519Identity();
  const file = await packed("sealed", [recipient, await identityToRecipient(second)], KEY);
  for (const key of [identity, second]) {
    const content = await readArchive(file, emptyFolder(), [key]);
    expect(content.key).toEqual(KEY);
    expect(readFileSync(content.database).equals(database)).toBe(true);
  }
  expect(readFileSync(file).includes("backup.json")).toBe(false);
  const stranger = await generateX25519Identity();
  expect(readArchive(file, emptyFolder(), [stranger])).rejects.toThrow(/encrypted for other keys/);
  expect(readArchive(file, emptyFolder(), [])).rejects.toThrow(
    "it is encrypted: name the file of a private key",
  );
});

test("an archive is opened by age, zstd and tar alone", async () => {
  const file = await packed("standard", [recipient], KEY);
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  const tar = Bun.zstdDecompressSync(await decrypter.decrypt(new Uint8Array(readFileSync(file))));
  const entries = await unpackTar(new Uint8Array(tar));
  expect(entries.map(({ header }) => header.name)).toEqual(["backup.json", "secret.key", "muster.db"]);
});

test("an archive that was cut or changed anywhere is refused, and says so", async () => {
  for (const recipients of [[], [recipient]]) {
    const bytes = readFileSync(await packed(`whole-${recipients.length}`, recipients, KEY));
    for (const length of [0, 1, 30, 1000, bytes.length >> 1, bytes.length - 5000]) {
      writeFileSync(path("broken"), bytes.subarray(0, length));
      expect(readArchive(path("broken"), emptyFolder(), [identity])).rejects.toThrow(
        /cannot be restored: it is (damaged or )?truncated/,
      );
    }
    if (recipients.length === 0) continue;
    for (const at of [10, 300, bytes.length >> 1, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      writeFileSync(path("broken"), changed);
      expect(readArchive(path("broken"), emptyFolder(), [identity])).rejects.toThrow(
        /cannot be restored: it is (damaged or )?truncated/,
      );
    }
  }
});

test("a key is made once, and only its owner reads the private one", async () => {
  const file = path("key.txt");
  const made = await makeIdentity(file);
  expect(isRecipient(made)).toBe(true);
  expect(identitiesIn(file)).toHaveLength(1);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const before = readFileSync(file, "utf8");
  expect(makeIdentity(file)).rejects.toThrow("exists already");
  expect(readFileSync(file, "utf8")).toBe(before);
  writeFileSync(path("empty.txt"), "# no key\n", { mode: 0o600 });
  expect(() => identitiesIn(path("empty.txt"))).toThrow("has no private key");
  expect(isRecipient(identity)).toBe(false);
  expect(isRecipient(`${made}x`)).toBe(false);
  expect(recipientsIn(` ${made},\n${recipient} `)).toEqual([made, recipient]);
});
