/** The end of a node that is not active, or not active yet. */
import { expect, spyOn } from "bun:test";
import { once } from "node:events";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { Standby } from "../../../src/operations/nodes/standby.ts";
import { migrationsFolder } from "../../../src/platform/assets.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { readConfig } from "../../../src/platform/config/config.ts";
import { eventually, temporaryFolder } from "../../e2e/support.ts";
import { newDatabase, postgresTests, server } from "../../support/postgres-tests.ts";
import { WaitingNode } from "./waiting-node.ts";

const { test } = postgresTests();

/** The migrations, of which the first statement takes a while. */
function slowMigrations(cwd: string): string {
  const folder = join(cwd, "slow");
  cpSync(migrationsFolder(), folder, { recursive: true });
  const first = join(folder, "postgres/0000_first.sql");
  const statements = readFileSync(first, "utf8");
  writeFileSync(first, `select pg_sleep(2)\n--> statement-breakpoint\n${statements}`);
  return folder;
}

test("a node that is stopped before it has made the first table ends as it should", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  const name = newDatabase();
  const node = new WaitingNode({
    name: "alpha",
    cwd,
    url: server.url(name),
    migrations: slowMigrations(cwd),
  });
  const sleeping = () =>
    server.query(
      `select pid from pg_stat_activity where datname = '${name}' and query like '%pg_sleep%' and state = 'active'`,
    );
  await eventually("it makes the tables", () => sleeping() !== "");
  await node[Symbol.asyncDispose]();
  expect(await node.opened).toBeNull();
});

test("a standby that becomes active waits for no request of which the end has yet to come", async () => {
  const config = readConfig(new Map([["--listen", "127.0.0.1:0"]]), {});
  const standby = new Standby(config, systemClock);
  await standby.enter("standby");
  const [host, port] = standby.addresses.split(":");
  const client = connect(Number(port), host);
  client.on("error", () => undefined);
  client.write("POST /collector HTTP/1.1\r\nHost: muster\r\nContent-Length: 100\r\n\r\n<monit>");
  expect(String((await once(client, "data"))[0])).toStartWith("HTTP/1.1 503 ");
  const timers = spyOn(globalThis, "setTimeout");
  try {
    await standby.close();
    expect(timers.mock.calls.map(([, ms]) => ms)).toEqual([0]);
  } finally {
    timers.mockRestore();
  }
  client.destroy();
});
