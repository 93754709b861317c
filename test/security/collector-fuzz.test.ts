/** The collector under messages that no agent sends. Many more of them, against the executable: test/bench/fuzz.ts. */
import { beforeAll, describe, expect, test } from "bun:test";
import { COLLECTOR_PASSWORD, TestApp } from "../support/app.ts";
import type { TestClient } from "../support/client.ts";
import { hostileMessages } from "../support/hostile-messages.ts";
import { Random } from "../support/random.ts";

const MESSAGES = 2000;
const SEED = 20_260_105;

const app = new TestApp();
const answers = new Map<number, number>();
const strange: string[] = [];
let admin: TestClient;

beforeAll(async () => {
  const random = new Random(SEED);
  const messages = hostileMessages(random);
  const agent = app.client("198.51.100.7");
  for (let i = 0; i < MESSAGES; i++) {
    const { body, headers } = messages.next().value;
    const response = await agent.report(body, COLLECTOR_PASSWORD, headers);
    const text = await response.text();
    answers.set(response.status, (answers.get(response.status) ?? 0) + 1);
    const isRefusal = [400, 413, 415].includes(response.status);
    if (response.status !== 200 && !(isRefusal && isPlainError(text)))
      strange.push(`${i}: ${response.status} ${text}`);
    app.pass(random.below(3));
  }
  admin = await app.admin();
  // Milliseconds: some machines are slow.
});

function isPlainError(text: string): boolean {
  const { error, code } = JSON.parse(text);
  return (
    typeof error === "string" && typeof code === "string" && !/[<>]|script|passwd/.test(error.slice(0, 300))
  );
}

test("each is taken in or refused with a reason, and nothing else happens", () => {
  expect(strange).toEqual([]);
  expect(app.logged.filter((line) => !line.startsWith("warn host is down "))).toEqual([]);
  expect(app.logged.filter((line) => /\p{Cc}/u.test(line))).toEqual([]);
  // Neither is an accident.
  expect(answers.get(200) ?? 0).toBeGreaterThan(MESSAGES / 4);
  expect(answers.get(400) ?? 0).toBeGreaterThan(MESSAGES / 5);
});

test("what it left behind is whole: well-formed text, and references that lead somewhere", () => {
  const tables = app.rows<{ name: string }>("select name from sqlite_schema where type = 'table'");
  let texts = 0;
  for (const { name } of tables)
    for (const row of app.rows(`select * from "${name}"`))
      for (const [column, value] of Object.entries(row)) {
        if (typeof value !== "string") continue;
        texts++;
        if (!value.isWellFormed() || value.includes("\0"))
          throw new Error(`${name}.${column} holds ${JSON.stringify(value.slice(0, 200))}`);
      }
  expect(texts).toBeGreaterThan(1000);
  expect(app.rows("select id from events where message like '%<script>%' limit 1")).toHaveLength(1);
  expect(app.rows("PRAGMA foreign_key_check")).toEqual([]);
  expect(app.rows("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
});

test("values that are not numbers are not stored", () => {
  const columns =
    "select id from hosts where typeof(cpu) not in ('real', 'integer') or typeof(mem) not in ('real', 'integer')";
  expect(app.rows(columns)).toEqual([]);
  expect(
    app.rows("select id from hosts where poll < 1 or poll > 86400 or portin < -1 or portin > 65535"),
  ).toEqual([]);
});

describe("all of it can be read again, as JSON in ASCII", () => {
  const read = async (path: string) => {
    const { status, text, json, headers } = await admin.get(`/api/1${path}`);
    expect([path, status, headers.get("Content-Type")]).toEqual([path, 200, "application/json"]);
    expect(text).toMatch(/^[\x20-\x7e]*$/);
    return json;
  };

  test("hosts with their services and statistics", async () => {
    const { records } = await read("/status/hosts/list");
    expect(records.length).toBeGreaterThan(10);
    for (const { id } of records) {
      for (const { statistics } of (await read(`/status/hosts/get?id=${id}`)).records.host.services)
        for (const { value } of statistics) expect(Number.isFinite(value)).toBe(true);
      await read(`/admin/hosts/get?id=${id}`);
      await read(`/reports/uptime/get?id=${id}&range=5`);
      await read(`/reports/history/get?hostid=${id}&range=0&points=20`);
    }
  });

  test("events", async () => {
    const { records } = await read("/reports/events/list?results=10000");
    expect(records.length).toBeGreaterThan(20);
    for (const { id } of records.slice(0, 200)) await read(`/reports/events/get?id=${id}`);
  });

  test("lists of everything else", async () => {
    for (const path of [
      "/status/servicegroups/list",
      "/status/hosts/summary",
      "/reports/events/summary",
      "/reports/uptime/list",
      "/admin/hosts/list",
      "/admin/groups/list",
      "/admin/refusals/list",
      "/admin/audit/list",
    ])
      await read(path);
  });

  test("and the numbers for Prometheus, a sample a line", async () => {
    const { text } = await app.client("127.0.0.1").get("/metrics");
    for (const line of text.trim().split("\n"))
      expect(line).toMatch(/^(#.*|\w+(\{.*\})? -?[\d.e+-]+( \d+)?)$/);
  });
});
