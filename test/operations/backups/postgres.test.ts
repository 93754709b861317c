/** Backups of a database on a real PostgreSQL server. */
import { expect } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runBackup } from "../../../src/operations/backups/run-backup.ts";
import { migrationsFolder } from "../../../src/platform/assets.ts";
import { NetworkEgress } from "../../../src/platform/egress/network-egress.ts";
import { openPostgres } from "../../../src/platform/storage/open-postgres.ts";
import { useEverything } from "../../security/everything.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { LIMIT_MS } from "../../support/migrated-databases.ts";
import { driver, newDatabase, postgresTests, server } from "../../support/postgres-tests.ts";
import { CommandFolder, rowsOf } from "../commands/support.ts";

const { test } = postgresTests();

test("a backup of a server is proven, restores into a file, and from there into another server", async () => {
  const app = new TestApp();
  await useEverything(app);
  using source = new CommandFolder().fill(app);
  const before = rowsOf(source);
  const database = newDatabase();
  expect((await source.run(`move --to ${server.url(database)}`)).code).toBe(0);

  const disk = join(source.path, "disk");
  mkdirSync(disk);
  const options = server.options(database);
  const outcome = await runBackup(
    {
      now: START,
      database: { kind: "server", options },
      folder: source.folder.path,
      migrations: migrationsFolder(),
      target: { kind: "folder", path: disk },
      recipients: [],
      identityFile: null,
      rate: 0,
      reach: "loopback",
      stored: [],
      keeping: { days: 1, weeks: 0, months: 0 },
      timezone: "UTC",
      lastBytes: null,
    },
    {
      open: () => openPostgres(driver(), options, LIMIT_MS),
      egress: new NetworkEgress({ reach: "loopback", exec: false, clock: app.clock }),
      sleep: Bun.sleep,
      report: () => undefined,
    },
  );
  expect([outcome.proof, outcome.trouble]).toEqual(["proven", ""]);

  using restored = new CommandFolder();
  mkdirSync(restored.folder.path, { mode: 0o700 });
  writeFileSync(restored.folder.key, readFileSync(source.folder.key), { mode: 0o600 });
  expect(await restored.run(`restore ${disk}`)).toMatchObject({ code: 0, err: [] });
  expect(rowsOf(restored)).toEqual(before);
  const again = newDatabase();
  expect(await restored.run(`move --to ${server.url(again)}`)).toMatchObject({ code: 0, err: [] });
});
