/** An import while others are served: it is tried as a whole, and then written in steps. */
import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyOfConfiguration } from "../../../src/operations/transfer/configuration-copy.ts";
import type { TransferQueryList } from "../../../src/operations/transfer/transfer.queries.ts";
import { transferWorkerUrl } from "../../../src/platform/assets.ts";
import { errors } from "../../../src/platform/http/errors.ts";
import { createLog } from "../../../src/platform/log.ts";
import { inlineQueries } from "../../../src/platform/queries/queries.ts";
import { QueryWorkers } from "../../../src/platform/queries/query-workers.ts";
import { TestApp, type TestOptions } from "../../support/app.ts";
import { expectRefusal, stored } from "../../support/stored.ts";
import { exported, furnished, importInto, without } from "./support.ts";

/** Items that are handed over at a time. */
const BATCH = 200;

const groupsNamed = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `group ${i}` }));

function groupsIn(app: TestApp): number {
  return app.rows<{ n: number }>("select count(*) as n from host_groups")[0]?.n ?? 0;
}

/** An app in which something happens before a part of the items is handed over. */
function interrupted(before: (app: TestApp, from: number) => void, options: TestOptions = {}) {
  const runTransfers = (queries: TransferQueryList) =>
    inlineQueries({
      ...queries,
      transferWrites: (from: number) => {
        before(app, from);
        return queries.transferWrites(from);
      },
    });
  const app: TestApp = new TestApp({ ...options, runTransfers });
  return app;
}

describe("an import", () => {
  test("is written in steps, between which others are served", async () => {
    let now = 0;
    // A step of 20 ms then has three items.
    const app = new TestApp({ monotonic: () => (now += 10) });
    const admin = await app.admin();
    const sizes: number[] = [];
    let isOver = false;
    const watch = () => {
      sizes.push(groupsIn(app));
      if (!isOver) setImmediate(watch);
    };
    setImmediate(watch);
    const reply = await importInto(admin, { muster: 1, groups: groupsNamed(450) });
    isOver = true;
    expect(reply.json.groups).toEqual({ created: 450, updated: 0, same: 0, incomplete: [] });
    const steps = sizes.map((size, i) => size - (sizes[i - 1] ?? 0));
    expect(Math.max(...steps)).toBeLessThanOrEqual(3);
    expect(groupsIn(app)).toBe(450);
  });

  test("of what is there already writes nothing", async () => {
    const { app, admin } = await furnished();
    const document = await exported(admin, true);
    // A group that only its agents named belongs to administrators from then on.
    expect((await importInto(admin, document)).json.groups).toMatchObject({ updated: 1, same: 1 });
    const before = stored(app);
    const { json } = await importInto(admin, document);
    for (const [section, { created, updated }] of Object.entries<Record<string, unknown>>(json))
      expect([section, created, updated]).toEqual([section, 0, 0]);
    expect(stored(app)).toEqual(before);
  });

  test("writes only what differs, and moves rules that changed places", async () => {
    const { app, admin } = await furnished();
    const document = await exported(admin, true);
    const [first, second] = document.rules;
    const { json } = await importInto(admin, {
      ...document,
      limits: document.limits.map((limit) =>
        limit.name === "disk" ? { ...limit, note: "all logs" } : limit,
      ),
      rules: [second, first],
    });
    expect(json.limits).toEqual({ created: 0, updated: 1, same: 2, incomplete: [] });
    expect(json.rules).toEqual({ created: 0, updated: 2, same: 0, incomplete: [] });
    expect(json.hosts.same).toBe(2);
    expect(app.rows("select name from rules order by position")).toEqual([
      { name: "all the rest" },
      { name: "edge broken" },
    ]);
  });

  test("says how far it got when something changed meanwhile, and the same file completes it", async () => {
    const app: TestApp = interrupted((_, from) => {
      if (from === BATCH) app.db.$client.run("delete from host_groups where name = 'group 3'");
    });
    const admin = await app.admin();
    const level = { group: "group 3", level: "view" };
    const [user] = (await exported(admin)).users as { uname: string }[];
    const file = {
      muster: 1,
      groups: groupsNamed(BATCH),
      users: [{ ...user, uname: "new", admin: false, levels: [level] }],
    };
    const { status, json } = await importInto(admin, file);
    expect([status, json]).toEqual([
      400,
      {
        code: "request.invalid",
        error:
          'users, "new": There is no host group "group 3". Written so far: groups (200 created, 0 updated); ' +
          "import the same file again to complete it",
      },
    ]);
    const entries = () =>
      app.rows("select details from audit where operation = 'admin/transfer/import' order by id");
    expect(JSON.parse(String(entries()[0]?.details))).toEqual({
      groups: { created: 200, updated: 0, same: 0, incomplete: 0 },
      stopped: 'users, "new": There is no host group "group 3"',
    });
    const again = await importInto(admin, file);
    expect(again.json.groups).toEqual({ created: 1, updated: 0, same: 199, incomplete: [] });
    expect(again.json.users).toEqual({ created: 1, updated: 0, same: 0, incomplete: ["new"] });
    expect(entries()).toHaveLength(2);
  });

  test("that ends in the middle keeps what was written", async () => {
    let breaks = true;
    const app = interrupted((_, from) => {
      if (breaks && from === 2 * BATCH) throw errors.busy("It ended");
    });
    const admin = await app.admin();
    const file = { muster: 1, groups: groupsNamed(3 * BATCH) };
    const { status, json } = await importInto(admin, file);
    expect([status, json.error]).toEqual([
      503,
      "It ended. Written so far: groups (400 created, 0 updated); import the same file again to complete it",
    ]);
    expect(groupsIn(app)).toBe(2 * BATCH);
    breaks = false;
    const { groups } = (await importInto(admin, file)).json;
    expect(groups).toEqual({ created: BATCH, updated: 0, same: 2 * BATCH, incomplete: [] });
    expect(groupsIn(app)).toBe(3 * BATCH);
  });

  test("is refused while another one is in progress", async () => {
    const app = new TestApp();
    const admin = await app.admin();
    const file = { muster: 1, groups: groupsNamed(2) };
    const first = importInto(admin, file);
    const call = async () => {
      const reply = await importInto(admin, { muster: 1, groups: groupsNamed(3) });
      expect((await first).status).toBe(200);
      return reply;
    };
    const { status, json } = await call();
    expect([status, json.code]).toEqual([409, "transfer.running"]);
    expect(groupsIn(app)).toBe(2);
    expect((await importInto(admin, file)).status).toBe(200);
  });

  test("leaves an administrator after each of its steps", async () => {
    let now = 0;
    const app = new TestApp({ monotonic: () => (now += 100) });
    const admin = await app.admin();
    const document = await exported(admin, true);
    const users = document.users as Record<string, unknown>[];
    const others = Array.from({ length: 5 }, (_, i) => ({
      ...users[0],
      uname: `other ${i}`,
      admin: i === 4,
      password: "0".repeat(32),
    }));
    const admins: number[] = [];
    let isOver = false;
    const watch = () => {
      admins.push(app.rows("select 1 from users where admin and password_md5 <> ''").length);
      if (!isOver) setImmediate(watch);
    };
    setImmediate(watch);
    const file = { muster: 1, users: [{ ...users[0], admin: false }, ...others] };
    expect((await importInto(admin, file)).json.users).toEqual({
      created: 5,
      updated: 1,
      same: 0,
      incomplete: [],
    });
    isOver = true;
    expect(admins).not.toContain(0);
    expect(app.rows("select uname from users where admin")).toEqual([{ uname: "other 4" }]);
  });
});

test("an import is tried without what agents fill, such as the past of their services", async () => {
  const { app } = await furnished();
  expect(app.rows("select id from revisions")).not.toEqual([]);
  const { $client } = copyOfConfiguration(app.db);
  const countOf = (table: string) => $client.query(`select count(*) as n from ${table}`).get();
  expect([countOf("hosts"), countOf("revisions"), countOf("events")]).toEqual([{ n: 2 }, { n: 0 }, { n: 0 }]);
  $client.close();
});

describe("on the thread of its own", () => {
  const cleanups: (() => void | Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  /** An app whose exports and imports read on the real thread. */
  function threaded(): TestApp {
    const folder = mkdtempSync(join(tmpdir(), "muster-transfer-"));
    const database = join(folder, "muster.db");
    const argv = [JSON.stringify({ kind: "file", path: database })];
    const runTransfers = (queries: TransferQueryList) => {
      const workers = new QueryWorkers({
        start: () => new Worker(transferWorkerUrl(), { argv }),
        queries,
        workers: 1,
        log: createLog(() => undefined),
      });
      cleanups.push(() => workers.stop());
      return workers.queries;
    };
    cleanups.push(() => rmSync(folder, { recursive: true }));
    return new TestApp({ database, runTransfers });
  }

  test("an import and an export give the same as on the thread that asks", async () => {
    const { admin: source } = await furnished();
    const document = await exported(source, true);
    const app = threaded();
    const admin = await app.admin();
    const reply = await importInto(admin, document);
    expect([reply.status, reply.json.hosts]).toEqual([
      200,
      { created: 2, updated: 0, same: 0, incomplete: [] },
    ]);
    expect(without(await exported(admin, true))).toEqual(without(document));
    expect(without(await exported(admin))).toEqual(without(await exported(source)));
    expect((await importInto(admin, document)).json.hosts.same).toBe(2);
  });

  test("an error of the file is the same, and nothing is written", async () => {
    const app = threaded();
    const admin = await app.admin();
    const call = () =>
      importInto(admin, {
        muster: 1,
        groups: [{ name: "a" }],
        contacts: [{ uname: "nobody", channels: [] }],
      });
    const { json } = await expectRefusal(app, call, 400, "request.invalid");
    expect(json.error).toStartWith('contacts, "nobody": ');
  });
});
