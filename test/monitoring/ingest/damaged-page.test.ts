import { afterEach, beforeEach, expect, test } from "bun:test";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quickDamage } from "../../../src/platform/storage/quick-check.ts";
import { TestApp } from "../../support/app.ts";

const HOSTS = 60;

let folder: string;
let app: TestApp;

const idOf = (i: number) => `agent-${String(i).padStart(3, "0")}`;
const message = (i: number) => ({ id: idOf(i), hostname: `host-${i}`, statistics: { cpu: i % 7 } });

const reportAll = () => Promise.all(Array.from({ length: HOSTS }, (_, i) => app.report(message(i))));

/** Spoils one page of the table of hosts in the file, as a bad block of a disk does. */
function damagePage(): void {
  const { db } = app;
  db.$client.run("pragma wal_checkpoint(truncate)");
  const file = join(folder, "muster.db");
  const [{ page_size: size = 0 } = {}] = app.rows<{ page_size: number }>("pragma page_size");
  // The page of the table is the one that holds the whole row.
  const at = readFileSync(file, "latin1").search(/agent-030[\s\S]{1,12}host-30/);
  expect(at).toBeGreaterThan(0);
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, Buffer.alloc(size, 0xaa), 0, size, Math.floor(at / size) * size);
  closeSync(descriptor);
  db.$client.run("pragma shrink_memory");
  app.hostCache.forgetAll();
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "muster-damage-"));
  app = new TestApp({ database: join(folder, "muster.db") });
  await reportAll();
});

afterEach(() => {
  app.db.$client.close();
  rmSync(folder, { recursive: true });
});

test("a damaged page refuses the messages of the hosts in it, and no others", async () => {
  damagePage();
  app.clock.step(2);
  const replies = await reportAll();
  const refused = replies.flatMap(({ status }, i) => (status === 503 ? [i] : []));
  expect(replies.every(({ status }) => status === 200 || status === 503)).toBe(true);
  expect(refused).toContain(30);
  expect(refused.length).toBeLessThan(40);
  expect((await app.client().get("/healthz")).status).toBe(200);
  expect(app.logged.some((line) => line.includes("agent-030") && line.includes("muster doctor"))).toBe(true);
});

test("hosts whose messages a damaged page refuses are not declared silent, and silent ones are", async () => {
  damagePage();
  for (let second = 0; second < 150; second += 30) {
    const posts = Array.from({ length: HOSTS - 1 }, (_, i) => app.report(message(i)));
    await Promise.all(posts);
    app.pass(30);
  }
  const failed = app.rows("select message from events where event_type = 1048576");
  expect(failed.length).toBe(1);
  expect(app.rows("select agent_id as id from hosts where id = 60 and heartbeat = 0")).toEqual([
    { id: idOf(HOSTS - 1) },
  ]);
});

test("the quick look at a start finds it", () => {
  expect(quickDamage(app.db)).toBeNull();
  damagePage();
  expect(quickDamage(app.db)).not.toBeNull();
});
