/** What a restored backup is compared with before it counts as proven. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeArchive } from "../../../src/operations/backups/archive.ts";
import type { Manifest } from "../../../src/operations/backups/manifest.ts";
import { prove } from "../../../src/operations/backups/proof.ts";
import { takeSnapshot } from "../../../src/operations/backups/snapshot.ts";
import { migrationsFolder } from "../../../src/platform/assets.ts";
import { addChecksum } from "../../../src/platform/storage/checksum.ts";
import { openReadOnly } from "../../../src/platform/storage/open.ts";
import { BackupApp } from "./support.ts";

const muster = new BackupApp();
afterAll(() => muster[Symbol.dispose]());

const path = (name: string) => join(muster.path, name);
let manifest: Manifest;

beforeAll(async () => {
  for (const id of ["one", "two"])
    await muster.app.report({ hostname: id, id, event: { service: "app" }, services: [{ name: "app" }] });
  const db = openReadOnly(join(muster.data, "muster.db"));
  const content = takeSnapshot(db, migrationsFolder(), path("copy.db"));
  db.$client.close();
  manifest = { format: 1, version: "1.2.3", engine: "SQLite", created: 1, bytes: 1, ...content };
});

interface Changes {
  /** Changes the database that is packed. */
  sql?: string;
  /** Whether its checksum is made anew after that, as a copy of a wrong database would have it. */
  isChecksumRight?: boolean;
  /** What the archive says of itself. */
  packed?: Partial<Manifest>;
}

/** Packs the copy with changes, and proves it as a backup of what was copied. */
async function proven({ sql, isChecksumRight = true, packed = {} }: Changes): Promise<void> {
  const database = path("packed.db");
  rmSync(database, { force: true });
  copyFileSync(path("copy.db"), database);
  if (sql !== undefined) {
    const client = new Database(database);
    client.run("PRAGMA foreign_keys = OFF");
    client.run(sql);
    client.close();
    if (isChecksumRight) addChecksum(database);
  }
  await writeArchive(path("archive"), { manifest: { ...manifest, ...packed }, database, key: null }, []);
  const folder = path("restored");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  await prove(path("archive"), folder, {
    manifest,
    identities: [],
    key: join(muster.data, "secret.key"),
  });
}

test("a backup that is what was copied is proven", async () => {
  expect(manifest).toMatchObject({ rows: { hosts: 2, events: 2 }, newestEvent: { id: 2 } });
  await proven({});
});

test.each([
  ["of another moment", { packed: { created: 2 } }, "it is another backup"],
  [
    "with a changed letter",
    { sql: "update hosts set hostname = 'tw0' where id = 2", isChecksumRight: false },
    "checksum",
  ],
  ["without a row", { sql: "delete from hosts where id = 2" }, "has 1 row of hosts instead of 2"],
  ["with another newest event", { sql: "update events set date = date - 1 where id = 2" }, "newest event"],
  [
    "that muster doctor finds faults in",
    { sql: "update hosts set status = 2 where id = 1" },
    "muster doctor finds",
  ],
] satisfies [string, Changes, string][])("one %s is not", async (_name, changes, reason) => {
  expect(proven(changes)).rejects.toThrow(reason);
});
