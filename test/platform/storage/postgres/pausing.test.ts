/** How long a transaction of a connection may stand still before the server ends it. */
import { expect } from "bun:test";
import { openServer } from "../../../../src/platform/storage/database-server.postgres.ts";
import type { Db } from "../../../../src/platform/storage/open.ts";
import { DatabaseAway } from "../../../../src/platform/storage/postgres/postgres-error.ts";
import { openForReading } from "../../../../src/platform/storage/read-place.ts";
import { newDatabase, openedDatabase, postgresTests, server } from "../../../support/postgres-tests.ts";

const { test } = postgresTests();

/** @returns the server's limit for a connection, "0" for none, and the process of its session */
function limitOf(db: Db) {
  return db.$client
    .query<{ limit: string; pid: number }>(
      `select current_setting('idle_in_transaction_session_timeout') as "limit", pg_backend_pid() as pid`,
    )
    .get();
}

/** Ends the session of a connection. @returns the limit of the next one */
async function limitAfterLoss(db: Db): Promise<string> {
  const pid = limitOf(db)?.pid;
  server.query(`select pg_terminate_backend(${pid})`);
  for (;;) {
    await Bun.sleep(20);
    try {
      const next = limitOf(db);
      if (next && next.pid !== pid) return next.limit;
    } catch (error) {
      if (!(error instanceof DatabaseAway)) throw error;
    }
  }
}

test("a transaction of the service may not stand still for long", () => {
  const { db } = openedDatabase();
  expect(limitOf(db)?.limit).toBe("5s");
  db.$client.close();
});

test("a transaction that only reads, as for a backup, may stand still for any time, also after a connection is lost", async () => {
  const db = openForReading({ kind: "server", options: server.options(newDatabase()) });
  expect(limitOf(db)?.limit).toBe("0");
  expect(await limitAfterLoss(db)).toBe("0");
  db.$client.close();
});

test("a statement that only reads may take as long as it is given, which is more for a backup than for a query", () => {
  const place = { kind: "server", options: server.options(newDatabase()) } as const;
  const impatient = openForReading(place, 100);
  expect(() => impatient.$client.query("select pg_sleep(5)").get()).toThrow(DatabaseAway);
  impatient.$client.close();
  const patient = openForReading(place, 600_000);
  patient.$client.query("select pg_sleep(0.2)").get();
  patient.$client.close();
});

test("a transaction of a command may stand still for any time, also after a connection is lost", async () => {
  const opened = openServer(server.options(newDatabase()));
  expect(limitOf(opened.db)?.limit).toBe("0");
  expect(await limitAfterLoss(opened.db)).toBe("0");
  opened.close();
});
