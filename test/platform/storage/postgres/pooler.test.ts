/** A real pgbouncer between Muster and its server: exclusive sessions are accepted, shared ones are refused. */
import { expect } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asPostgresUser, pathOf } from "../../../../scripts/test-tools.ts";
import { openPostgres } from "../../../../src/platform/storage/open-postgres.ts";
import { DatabaseAway } from "../../../../src/platform/storage/postgres/postgres-error.ts";
import { eventually, freePort, temporaryFolder } from "../../../e2e/support.ts";
import { LIMIT_MS } from "../../../support/migrated-databases.ts";
import { driver, postgresTests, server } from "../../../support/postgres-tests.ts";

const { test } = postgresTests("pgbouncer");

/** Starts a pooler in front of the server. */
async function pooler(settings: Record<string, string | number>) {
  const folder = temporaryFolder();
  chmodSync(folder.path, 0o755);
  const port = freePort();
  const options = {
    listen_addr: "127.0.0.1",
    listen_port: port,
    unix_socket_dir: "",
    auth_type: "any",
    ...settings,
  };
  const file = join(folder.path, "pgbouncer.ini");
  const lines = Object.entries(options).map(([name, value]) => `${name} = ${value}`);
  const databases = `postgres = host=${server.folder} user=postgres`;
  writeFileSync(file, ["[databases]", databases, "[pgbouncer]", ...lines, ""].join("\n"));
  const child = Bun.spawn(asPostgresUser([pathOf("pgbouncer"), file]), {
    cwd: "/",
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  let output = "";
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) output += decoder.decode(chunk, { stream: true });
  })();
  await eventually("it listens", () => output.includes("listening on 127.0.0.1"));
  return {
    options: { ...server.options("postgres"), hosts: [{ host: "127.0.0.1", port }] },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.exited;
      folder.remove();
    },
  };
}

/** Connects. @returns why that is denied; null if it is not */
function denial(options: Awaited<ReturnType<typeof pooler>>["options"]): string | null {
  try {
    const db = openPostgres(driver(), options, LIMIT_MS);
    db.$client.query("select 1").get();
    db.$client.close();
    return null;
  } catch (error) {
    return error instanceof DatabaseAway && error.isDenied ? error.message : `not denied: ${error}`;
  }
}

const SAID = "it is a pooler with pool_mode = transaction, and Muster needs pool_mode = session";

for (const [title, settings] of [
  ["the session that was used last", {}],
  ["the sessions by turns", { server_round_robin: 1, min_pool_size: 3 }],
  ["the only session", { default_pool_size: 1 }],
] as const)
  test(`a pooler that gives each transaction ${title} is refused`, async () => {
    await using bouncer = await pooler({ pool_mode: "transaction", ...settings });
    // Poolers make their first sessions when they are first asked for one.
    for (let i = 0; i < 3; i++) expect(denial(bouncer.options)).toBe(SAID);
  });

for (const [title, settings] of [
  ["as many sessions as it takes", {}],
  ["one session only", { default_pool_size: 1 }],
] as const)
  test(`a pooler that gives each client a session is accepted, with ${title}`, async () => {
    await using bouncer = await pooler({ pool_mode: "session", ...settings });
    expect(denial(bouncer.options)).toBeNull();
  });
