/** Limits on a real PostgreSQL server, on which another node becomes active. */
import { expect } from "bun:test";
import { migrationsFolder } from "../../../src/platform/assets.ts";
import { Lease } from "../../../src/platform/storage/lease.postgres.ts";
import { migratePostgres, openPostgres } from "../../../src/platform/storage/open-postgres.ts";
import { processXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import type { Fields } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { LIMIT_MS } from "../../support/migrated-databases.ts";
import { driver, postgresTests, server } from "../../support/postgres-tests.ts";

const { test } = postgresTests();

const MINUTE = 60;
const [CPU, MEMORY] = [8, 10];

const sql = (text: string) => server.query(text, "limits");

/** A node with its own connection, which takes the lease. */
class Node {
  readonly app: TestApp;
  readonly #lease: Lease;

  /** @param at seconds after the first node began */
  constructor(name: string, at: number) {
    const db = openPostgres(driver(), server.options("limits"), LIMIT_MS);
    if (at === 0) migratePostgres(db, migrationsFolder());
    const lease = Lease.take(db, name);
    if (!lease) throw new Error("another node holds the lease");
    this.#lease = lease;
    // Each app of a test is given its own users.
    sql("truncate users cascade");
    this.app = new TestApp({ db });
    this.app.clock.step(at);
  }

  /** @returns the status of the answer */
  async report(cpu: number, memory: number): Promise<number> {
    this.#lease.renew();
    const { app } = this;
    const services = [{ name: "web", body: processXml({ cpu, memory }) }];
    const at = app.clock.now();
    const message = { id: "a", hostname: "alpha", poll: 5 * MINUTE, incarnation: START - 3600, at, services };
    return (await app.report(message)).status;
  }

  /** The events so far, oldest first. */
  get events(): string[] {
    const rows = this.app.rows<{ date: number; limit_id: number; state: number; severity: number }>(
      "select date, limit_id, state, severity from events order by id",
    );
    return rows.map(
      ({ date, limit_id: limit, state, severity }) =>
        `@${date - START} limit ${limit} ${state === 1 ? `fails ${severity}` : "is kept"}`,
    );
  }

  get open(): string {
    return sql("select limit_id, started_at from downtime_intervals where ended_at is null order by 1");
  }
}

test("a limit about to fail and one whose failure is open continue when another node takes over", async () => {
  server.query("create database limits");
  const first = new Node("alpha", 0);
  const admin = await first.app.admin();
  const create = (limit: Fields) => admin.post("/api/1/limits/create", limit);
  expect((await create({ name: "CPU", statistics: [CPU], warning: 40, minutes: 10 })).status).toBe(200);
  const memory = { name: "memory", statistics: [MEMORY], warning: 50, critical: 80, clearminutes: 5 };
  expect((await create(memory)).status).toBe(200);
  expect(await first.report(45, 60)).toBe(200);
  first.app.clock.step(5 * MINUTE);
  expect(await first.report(45, 60)).toBe(200);
  const failed = ["@0 limit 2 fails 1"];
  expect(first.events).toEqual(failed);

  sql("update muster_lease set until = '-infinity'");
  const second = new Node("beta", 9 * MINUTE);
  expect(await second.report(45, 60)).toBe(200);
  expect(second.events).toEqual(failed);
  expect(second.open).toBe(`2|${START}`);
  // The first node cannot write any more, so its limits cannot fail a second time.
  first.app.clock.step(10 * MINUTE);
  expect(await first.report(45, 60)).toBe(503);
  expect(second.events).toEqual(failed);

  second.app.clock.step(MINUTE);
  expect(await second.report(45, 10)).toBe(200);
  failed.push(`@${10 * MINUTE} limit 1 fails 1`);
  expect(second.events).toEqual(failed);
  second.app.clock.step(5 * MINUTE);
  expect(await second.report(5, 10)).toBe(200);
  expect(second.events.sort()).toEqual(
    [...failed, `@${15 * MINUTE} limit 1 is kept`, `@${15 * MINUTE} limit 2 is kept`].sort(),
  );
  expect([second.open, sql("select count(*) from limit_states")]).toEqual(["", "0"]);
});
