/** What every released version stored is brought up to this version, and nothing of it is lost. */
import { describe, expect, test } from "bun:test";
import { pathOf } from "../../../../scripts/test-tools.ts";
import { recordedSince } from "../../../../src/monitoring/moment/revisions.repository.ts";
import { migrationsFolder } from "../../../../src/platform/assets.ts";
import type { Db } from "../../../../src/platform/storage/open.ts";
import { migratePostgres, openPostgres } from "../../../../src/platform/storage/open-postgres.ts";
import { migrateDatabase } from "../../../../src/platform/storage/sqlite-migrations.ts";
import { TestApp } from "../../../support/app.ts";
import { copyDatabase } from "../../../support/database.ts";
import { LIMIT_MS } from "../../../support/migrated-databases.ts";
import { driver, newDatabase, postgresTests, server } from "../../../support/postgres-tests.ts";
import {
  askedAgain,
  fileDatabaseOf,
  keptVersions,
  type Release,
  releaseOf,
  serverDatabaseOf,
} from "./release.ts";

const DAY = 86_400;

/** The settings alone that another list has: later versions add some. */
function withSettingsOf(old: readonly { name?: unknown }[], now: readonly { name?: unknown }[]): unknown[] {
  const names = new Set(old.map(({ name }) => name));
  return now.filter(({ name }) => names.has(name)).map((setting, i) => withFieldsOf(old[i], setting));
}

/** The reply with the fields alone that another reply has: later versions add some. */
function withFieldsOf(old: unknown, now: unknown, field = ""): unknown {
  if (Array.isArray(old) && Array.isArray(now) && field === "settings") return withSettingsOf(old, now);
  if (Array.isArray(old) && Array.isArray(now))
    return now.map((item, i) => (i < old.length ? withFieldsOf(old[i], item) : item));
  if (typeof old !== "object" || old === null || typeof now !== "object" || now === null) return now;
  const values = now as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(old).flatMap(([name, value]) =>
      name in values ? [[name, withFieldsOf(value, values[name], name)]] : [],
    ),
  );
}

/** Whether the database says that revisions are recorded since it was brought up, and has none of before. */
function expectRecordingSince(db: Db, earliest: number): void {
  const rows = db.$client
    .query<{ kind: string; until: number }, []>("select kind, until from revisions")
    .all();
  expect(rows.map(({ kind }) => kind)).toEqual(["recording"]);
  expect(recordedSince(db)).toBe(rows[0]?.until ?? 0);
  // By the clock of the machine.
  expect(recordedSince(db)).toBeGreaterThanOrEqual(earliest);
}

const unixNow = () => Math.floor(Date.now() / 1000);

/** Starts this version on a database that it has brought up, signs in, and asks what the release was asked. */
async function expectTheSame(db: Db, { time, answers }: Release): Promise<TestApp> {
  const app = new TestApp({ db, snapshot: { database: new Uint8Array(), time } });
  const again = await askedAgain(await app.admin(), answers);
  for (const [i, { path, reply }] of answers.entries())
    expect([path, withFieldsOf(reply, again[i]?.reply)]).toEqual([path, reply]);
  expect(answers.length).toBeGreaterThan(50);
  return app;
}

/** The release noted nothing of the failures that it deleted, so their time is unknown. */
function expectUptimeOfKeptDays({ settings, clock, muster }: TestApp): void {
  settings.set("eventdays", 1);
  while (muster.retention.step());
  expect(settings.get("uptimesince")).toBe(clock.now() - DAY);
}

describe("a database file of a release", () => {
  test.each(keptVersions())("%s answers as it did then", async (version) => {
    const db = copyDatabase(fileDatabaseOf(version));
    const before = unixNow();
    migrateDatabase(db, migrationsFolder());
    expectRecordingSince(db, before);
    expectUptimeOfKeptDays(await expectTheSame(db, releaseOf(version)));
  });
});

describe("a PostgreSQL database of a release", () => {
  const { test } = postgresTests();
  test.each(keptVersions())("%s answers as it did then", async (version) => {
    const name = newDatabase();
    const psql = [pathOf("psql"), "-h", server.folder, "-U", "postgres", "-q", "-v", "ON_ERROR_STOP=1", name];
    const { exitCode, stderr } = Bun.spawnSync(psql, { stdin: serverDatabaseOf(version), cwd: "/" });
    expect([exitCode, stderr.toString()]).toEqual([0, ""]);
    const db = openPostgres(driver(), server.options(name), LIMIT_MS);
    const before = unixNow();
    migratePostgres(db, migrationsFolder());
    expectRecordingSince(db, before);
    expectUptimeOfKeptDays(await expectTheSame(db, releaseOf(version)));
  });
});
