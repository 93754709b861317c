/**
 * Keeps what this version stores, on both engines, and what it answers from that, in test/fixtures/releases. A maintainer runs
 * it once for each release: bun test/platform/storage/releases/freeze.ts
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { asPostgresUser, pathOf } from "../../../../scripts/test-tools.ts";
import { dataFolder } from "../../../../src/platform/storage/data-folder.ts";
import { moveToServer } from "../../../../src/platform/storage/move/move-to-server.ts";
import { VERSION } from "../../../../src/platform/version.ts";
import { populated, startedOn } from "../../../publishing/openapi/examples.ts";
import { systemXml } from "../../../support/agent-messages.ts";
import type { Snapshot } from "../../../support/app.ts";
import { PostgresServer } from "../../../support/postgres-server.ts";
import { type Answer, answersOf, fileOf, type Release } from "./release.ts";

const AGENT_PORT = 2812;
const DAY = 86_400;
/** The key of every test's database. */
const KEY = Buffer.alloc(32, 7).toString("hex");

/** A database with something of everything, and two days of history, of which the first is packed. */
async function filled() {
  const populace = await populated(AGENT_PORT);
  const { app } = populace;
  for (let i = 0; i < 2 * DAY; i += 600) {
    app.clock.step(600);
    const load = (i / 600) % 12;
    const body = systemXml({ load, user: load * 3 });
    const services = [{ name: "host-9", type: 5, body }];
    await app.report({ id: "agent-9", hostname: "host-9", poll: 600, at: app.clock.now(), services });
  }
  while (app.muster.compaction.step());
  return { snapshot: app.snapshot(), populace };
}

async function answered(snapshot: Snapshot, populace: Awaited<ReturnType<typeof filled>>["populace"]) {
  const started = await startedOn(snapshot, populace);
  await started.admin.signIn("admin", "admin secret");
  const { records } = (await started.admin.get("/api/1/admin/hosts/list")).json;
  const { id } = records.find(({ hostname }: { hostname: string }) => hostname === "host-9");
  const range = { hostid: id, range: 12, datefrom: snapshot.time - 2 * DAY, dateto: snapshot.time };
  return answersOf(started.app, started, [["/reports/history/get", range]]);
}

/** The answers that are the same each time: others are about sessions, or made up. */
function lasting(first: readonly Answer[], second: readonly Answer[]): Answer[] {
  return first.filter(({ reply }, i) => Bun.deepEquals(reply, second[i]?.reply));
}

async function statementsOf(database: Uint8Array): Promise<string> {
  const path = mkdtempSync(join(tmpdir(), "muster-freeze-"));
  await using server = await PostgresServer.start();
  try {
    const folder = dataFolder(path);
    writeFileSync(folder.database, database);
    writeFileSync(folder.key, `${KEY}\n`, { mode: 0o600 });
    server.query("create database release");
    moveToServer(folder, server.options("release"), () => undefined);
    const dump = ["pg_dump", "-h", server.folder, "-U", "postgres", "--no-owner", "--inserts", "release"];
    const { stdout, stderr, exitCode } = Bun.spawnSync(
      asPostgresUser([pathOf("pg_dump"), ...dump.slice(1)]),
      {
        cwd: "/",
      },
    );
    if (exitCode !== 0) throw new Error(stderr.toString());
    return stdout.toString();
  } finally {
    rmSync(path, { recursive: true });
  }
}

const { snapshot, populace } = await filled();
const answers = lasting(await answered(snapshot, populace), await answered(snapshot, populace));
const release: Release = { version: VERSION, time: snapshot.time, answers };
const files = {
  "muster.db.gz": snapshot.database,
  "postgres.sql.gz": Buffer.from(await statementsOf(snapshot.database)),
  "release.json.gz": Buffer.from(JSON.stringify(release)),
};
for (const [name, content] of Object.entries(files)) {
  const file = fileOf(VERSION, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, Bun.gzipSync(new Uint8Array(content), { level: 9 }));
}
console.log(`kept ${answers.length} answers of version ${VERSION}`);
process.exit(0);
