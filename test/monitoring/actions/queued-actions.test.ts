import { describe, expect, test } from "bun:test";
import { RESULT_SECONDS } from "../../../src/monitoring/actions/action-state.ts";
import { MAX_KEPT, MAX_WAITING } from "../../../src/monitoring/actions/actions.schemas.ts";
import { MAX_GUESSES } from "../../../src/monitoring/agent-keys/guess-throttle.ts";
import { COLLECTOR_PASSWORD } from "../../support/app.ts";
import type { Fields, TestClient } from "../../support/client.ts";
import { admin, app, appOfEachTest, user } from "../../support/each-test.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";

const QUEUE = "/api/1/admin/hosts/action/queue";
const LIST = "/api/1/admin/hosts/action/list";
const SECRET = "a-secret.of_24-characters";
const SOURCE = "198.51.100.7";
const POLL = 300;

const login = (name: string, secret = SECRET) => ({
  Authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString("base64")}`,
});

const report = (key: string, id: string) =>
  app.report(
    {
      id,
      hostname: `name-${id}`,
      poll: POLL,
      httpd: null,
      at: app.clock.now(),
      services: [
        { name: "web" },
        { name: "a 'quoted' $(name)" },
        { name: "-g" },
        { name: "all" },
        { name: "x\ty" },
      ],
    },
    SOURCE,
    login(key),
  );

/** Two hosts of one key and one of another; actions may wait for the first. */
appOfEachTest(async () => {
  for (const name of ["web", "db"]) await admin.post("/api/1/admin/keys/create", { name, secret: SECRET });
  for (const [key, id] of [
    ["web", "agent-1"],
    ["web", "agent-2"],
    ["db", "agent-3"],
  ] as const)
    expect((await report(key, id)).status).toBe(200);
  await allow(1);
});

const allow = async (id: number, actionqueue = 1, client = admin) =>
  client.post("/api/1/admin/hosts/update", {
    id,
    hostname: `name-agent-${id}`,
    agentuser: "",
    agentpassword: "",
    actionqueue,
  });

const queue = (service: string | string[] = "web", action = "restart", client: TestClient = admin) =>
  client.post(QUEUE, { id: 1, action, service: [service].flat() });

async function ask(path: string, body: string, headers: Record<string, string>, address = SOURCE) {
  const init = { method: "POST", body, headers: { "Content-Type": "text/plain", ...headers } };
  const response = await app.client(address).raw(`/agent/actions${path}`, init);
  return [response.status, await response.text()] as [number, string];
}

/** What an agent is answered: status, and lines or the code of an error. */
async function fetched(agentId = "agent-1", key = "web", secret = SECRET): Promise<[number, string]> {
  const [status, text] = await ask("", `${agentId}\n`, login(key, secret));
  return [status, status === 200 ? text : JSON.parse(text).code];
}

async function result(line: string, agentId = "agent-1", key = "web"): Promise<[number, string]> {
  const [status, text] = await ask("/result", `${agentId}\n${line}\n`, login(key));
  return [status, status === 200 ? text : JSON.parse(text).code];
}

const list = async (client = admin, id = 1) => (await client.get(LIST, { id })).json;
const states = async () => (await list()).records.map(({ state }: Fields) => state);
const outcomes = async () =>
  (await admin.get("/api/1/admin/audit/list", { operation: "admin/hosts/action" })).json.records.map(
    ({ uname, operation, subjectname, details }: Fields) => [uname, operation, subjectname, details],
  );

test("an action waits until the agent asks, runs once, and says who asked and what came of it", async () => {
  const now = app.clock.now();
  const reply = await queue(["web", "a 'quoted' $(name)"]);
  expect([reply.status, reply.json]).toEqual([200, { actions: [1, 2], expires: now + 3 * POLL }]);
  expect(await states()).toEqual(["waiting", "waiting"]);
  app.clock.step(30);
  expect(await fetched()).toEqual([200, "1\trestart\tweb\n2\trestart\ta 'quoted' $(name)\n"]);
  expect(await fetched()).toEqual([200, ""]);
  expect(await states()).toEqual(["fetched", "fetched"]);
  app.clock.step(1);
  expect(await result("1\t0\t")).toEqual([200, ""]);
  expect(await result("2\t1\tmonit: \u001b[31mno such service")).toEqual([200, ""]);
  expect(await list()).toEqual({
    enabled: true,
    bound: true,
    asks: true,
    lastasked: now + 30,
    totalRecords: 2,
    records: [
      {
        id: 2,
        service: "a 'quoted' $(name)",
        action: "restart",
        state: "failed",
        uname: "admin",
        created: now,
        until: now + 30 + RESULT_SECONDS,
        fetched: now + 30,
        ended: now + 31,
        code: 1,
        output: "monit:  [31mno such service",
      },
      {
        id: 1,
        service: "web",
        action: "restart",
        state: "ran",
        uname: "admin",
        created: now,
        until: now + 30 + RESULT_SECONDS,
        fetched: now + 30,
        ended: now + 31,
        code: 0,
        output: "",
      },
    ],
  });
  const operation = "admin/hosts/action/queue";
  const details = { action: "restart", service: ["a 'quoted' $(name)"], outcome: "failed", code: 1 };
  expect(await outcomes()).toEqual([
    ["admin", operation, "name-agent-1", { ...details, output: "monit:  [31mno such service" }],
    [
      "admin",
      operation,
      "name-agent-1",
      { action: "restart", service: ["web"], outcome: "ran", code: 0, output: "" },
    ],
  ]);
});

test("two agents that ask at once get each action once", async () => {
  await queue(["web", "a 'quoted' $(name)"]);
  const answers = await Promise.all(Array.from({ length: 8 }, () => fetched()));
  const lines = answers.flatMap(([, text]) => text.split("\n").filter((line) => line !== ""));
  expect(lines.map((line) => line.split("\t")[0]).toSorted()).toEqual(["1", "2"]);
});

test("an action is marked as fetched before it is sent, so that one that is lost on the way never runs", async () => {
  await queue();
  app.muster.actions.fetch({ id: 1 } as never, "agent-1");
  expect(app.rows("select state, fetched_at as at from queued_actions")).toEqual([
    { state: "fetched", at: app.clock.now() },
  ]);
  expect(await fetched()).toEqual([200, ""]);
});

describe("an action that waits too long", () => {
  test("expires, and says so, even before the next look for those", async () => {
    const { expires } = (await queue()).json;
    app.clock.step(expires - app.clock.now() - 1);
    expect(await states()).toEqual(["waiting"]);
    app.clock.step(1);
    expect(await list()).toMatchObject({ records: [{ state: "expired", ended: expires, fetched: null }] });
    expect(await fetched()).toEqual([200, ""]);
    app.clock.step(7);
    expect(app.muster.actions.step()).toBe(false);
    expect(app.rows("select state, ended_at as ended from queued_actions")).toEqual([
      { state: "expired", ended: expires },
    ]);
    expect(await outcomes()).toMatchObject([
      ["admin", "admin/hosts/action/queue", "name-agent-1", { outcome: "expired" }],
    ]);
    expect(await result("1\t0\t")).toEqual([404, "object.unknown"]);
  });

  test("for its result has failed, and a late result does not count", async () => {
    await queue();
    await fetched();
    app.clock.step(RESULT_SECONDS);
    const lost = {
      state: "failed",
      code: null,
      output: "The agent fetched the action, but reported no result",
    };
    expect(await list()).toMatchObject({ records: [lost] });
    expect(await result("1\t0\t")).toEqual([404, "object.unknown"]);
    app.muster.actions.step();
    expect(await list()).toMatchObject({ records: [lost] });
    expect(await outcomes()).toMatchObject([
      ["admin", "admin/hosts/action/queue", "name-agent-1", { outcome: "failed", output: lost.output }],
    ]);
  });

  test("is given up in steps", async () => {
    await queue();
    app.db.$client.run(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 60)
       insert into queued_actions (host_id, service, action, state, until, uname, created_at, audit_id)
       select 1, 'web', 'stop', 'waiting', 1, 'admin', 1, 1 from n`,
    );
    expect([app.muster.actions.step(), app.muster.actions.step()]).toEqual([true, false]);
    const pending = "select count(*) as n from queued_actions where state = 'waiting'";
    expect(app.rows<{ n: number }>(pending)).toEqual([{ n: 1 }]);
  });
});

describe("an agent gets nothing", () => {
  const unchanged = async (work: () => Promise<unknown>) => {
    const before = stored(app);
    await work();
    expect(changedTables(app, before)).toEqual([]);
    expect(await states()).toEqual(["waiting"]);
  };

  test("with a wrong key, and after many of them it is told to wait, before its request is read", async () => {
    await queue();
    await unchanged(async () => {
      for (const [key, secret] of [
        ["web", "wrong"],
        ["nobody", SECRET],
        ["", ""],
      ] as const)
        expect(await fetched("agent-1", key, secret)).toEqual([401, "collector.credential"]);
      expect((await ask("", "agent-1\n", {}))[0]).toBe(401);
      for (let i = 3; i < MAX_GUESSES; i++) await fetched("agent-1", "web", `guess ${i}`);
      expect(await fetched("agent-1", "web", "wrong")).toEqual([429, "collector.guesses"]);
      const response = await app.client(SOURCE).raw("/agent/actions", {
        method: "POST",
        body: "x".repeat(100_000),
        headers: login("web", "wrong"),
      });
      expect(response.status).toBe(429);
    });
    expect((await fetched())[1]).toContain("restart");
  });

  test("with the key of another host, or for an id that no host has: which of the two is not said", async () => {
    await queue();
    await unchanged(async () => {
      const replies = [];
      for (const [id, key] of [
        ["agent-1", "db"],
        ["nothing", "db"],
        ["agent-3", "web"],
      ] as const) {
        const [status, text] = await ask("", `${id}\n`, login(key));
        replies.push([status, JSON.parse(text).error.replace(/(web|db)$/, "KEY")]);
      }
      expect(new Set(replies.map((reply) => reply.join()))).toEqual(
        new Set(["403,No host with this agent id uses the key KEY"]),
      );
    });
  });

  test("with the collector's first credential, or once the key has ended or was deleted", async () => {
    await queue();
    await unchanged(async () =>
      expect(await fetched("agent-1", "monit", COLLECTOR_PASSWORD)).toEqual([403, "key.host"]),
    );
    await admin.post("/api/1/admin/keys/end", { id: 1 });
    expect(await fetched()).toEqual([401, "key.ended"]);
    await admin.post("/api/1/admin/keys/delete", { id: 1 });
    expect(await fetched()).toEqual([401, "collector.credential"]);
    expect((await queue()).json.code).toBe("actions.key");
    expect(await list()).toMatchObject({ bound: false, records: [{ state: "waiting" }] });
  });

  test("while an administrator does not let actions wait, or the agent may be another one", async () => {
    await queue();
    await allow(1, 0);
    await unchanged(async () => expect(await fetched()).toEqual([200, ""]));
    await allow(1);
    app.db.$client.run("update hosts set conflict = 'It is elsewhere' where id = 1");
    await unchanged(async () => expect(await fetched()).toEqual([200, ""]));
  });

  test("of another host with the same key", async () => {
    await queue();
    await unchanged(async () => expect(await fetched("agent-2")).toEqual([200, ""]));
  });

  test("by another method, and without the id of an agent", async () => {
    await queue();
    await unchanged(async () => {
      expect((await app.client().raw("/agent/actions", { headers: login("web") })).status).toBe(405);
      for (const body of ["", "\n", `${"x".repeat(256)}\n`])
        expect((await ask("", body, login("web")))[0]).toBe(400);
      expect((await ask("", "x".repeat(5000), login("web")))[0]).toBe(413);
    });
  });
});

describe("a result", () => {
  test("counts from its host alone, once, and for what it fetched alone", async () => {
    await queue(["web", "a 'quoted' $(name)"]);
    expect(await result("1\t0\t")).toEqual([404, "object.unknown"]);
    expect(await states()).toEqual(["waiting", "waiting"]);
    await fetched();
    expect(await result("1\t0\t", "agent-2")).toEqual([404, "object.unknown"]);
    expect(await result("1\t0\t", "agent-1", "db")).toEqual([403, "key.host"]);
    expect(await result("1\t0\t", "agent-3", "db")).toEqual([404, "object.unknown"]);
    expect(await states()).toEqual(["fetched", "fetched"]);
    expect(await result("1\t0\tdone")).toEqual([200, ""]);
    expect(await result("1\t1\tagain")).toEqual([404, "object.unknown"]);
    expect(await list()).toMatchObject({ records: [{ state: "fetched" }, { state: "ran", output: "done" }] });
  });

  test("that cannot be read is refused", async () => {
    await queue();
    await fetched();
    for (const line of ["", "1", "1\t0", "1\t256\tx", "1\t-1\tx", "x\t0\t", "1\t0\ta\tb", "1\t0\t\n2\t0\t"])
      expect(await result(line)).toEqual([400, "request.invalid"]);
    expect(await states()).toEqual(["fetched"]);
  });

  test("keeps a bounded part of the output", async () => {
    await queue();
    await fetched();
    await result(`1\t3\t${"ä".repeat(1500)}`);
    const [{ output }] = (await list()).records;
    expect(output).toBe(`${"ä".repeat(197)}...`);
  });
});

describe("an action that waits is cancelled", () => {
  const CANCEL = "/api/1/admin/hosts/action/cancel";
  const cancel = (action: number, client = admin, id = 1) => client.post(CANCEL, { id, action });

  test("so that the agent never gets it, and the audit log says by whom", async () => {
    await queue(["web", "a 'quoted' $(name)"]);
    app.clock.step(20);
    expect((await cancel(1)).json).toEqual({});
    const output = "Cancelled by admin";
    const [other, cancelled] = (await list()).records;
    expect(cancelled).toMatchObject({
      id: 1,
      state: "cancelled",
      ended: app.clock.now(),
      code: null,
      output,
    });
    expect(other).toMatchObject({ id: 2, state: "waiting" });
    expect(await fetched()).toEqual([200, "2\trestart\ta 'quoted' $(name)\n"]);
    const [, [, , , details]] = await outcomes();
    expect(details).toEqual({ action: "restart", service: ["web"], outcome: "cancelled", output });
    app.clock.step(RESULT_SECONDS);
    while (app.muster.actions.step());
    expect(await states()).toEqual(["failed", "cancelled"]);
  });

  test("only while it waits", async () => {
    await queue();
    await fetched();
    await expectRefusal(app, () => cancel(1), 409, "actions.fetched");
    await queue();
    app.clock.step(3 * POLL);
    await list();
    await expectRefusal(app, () => cancel(2), 409, "actions.fetched");
  });

  test("only under its own host, and by those who operate that one", async () => {
    await queue();
    await expectRefusal(app, () => cancel(9), 404, "object.unknown");
    await expectRefusal(app, () => cancel(1, admin, 2), 404, "object.unknown");
    await admin.post("/api/1/admin/groups/create", { name: "mine" });
    await admin.post("/api/1/admin/groups/add", { id: 1, hostid: [2] });
    const grant = (level: Fields) =>
      app.muster.grants.set({ uname: "user", view: [], operate: [], manage: [], restricted: true, ...level });
    grant({ operate: [1] });
    await expectRefusal(app, () => cancel(1, user), 404, "object.unknown");
    await admin.post("/api/1/admin/groups/add", { id: 1, hostid: [1] });
    grant({ view: [1] });
    await expectRefusal(app, () => cancel(1, user), 403, "role.level");
    grant({ operate: [1] });
    expect((await cancel(1, user)).status).toBe(200);
  });
});

describe("an action is not queued", () => {
  const NAMES: readonly [name: string, why: string][] = [
    ["-g", "an option"],
    ["all", "every service"],
    ["ALL", "every service"],
    ["x\ty", "a tab"],
    ["a\nb", "a line end"],
    ["a\u009bb", "a control character of C1"],
    ["\ud800", "half a character"],
    ["", "empty"],
    ["x".repeat(256), "too long"],
  ];
  for (const [name, why] of NAMES)
    test(`for a name that the command line would misread: ${why}`, async () => {
      const before = stored(app);
      const reply = await queue(["web", name]);
      expect([reply.status, reply.json.code]).toEqual([400, "argument.invalid"]);
      expect(reply.json.error).toStartWith(
        "service[1] must be the name of a service without control characters",
      );
      expect(changedTables(app, before)).toEqual([]);
    });

  test("for a service that the host has not, for none of them then", () =>
    expectRefusal(app, () => queue(["web", "nothing"]), 404, "object.unknown"));

  test("by a word that is no action", () =>
    expectRefusal(app, () => queue("web", "reload"), 400, "argument.invalid"));

  test("until an administrator lets actions wait, while the agent may be another one, and without a key", async () => {
    const post = (id: number) => () => admin.post(QUEUE, { id, action: "stop", service: ["web"] });
    await expectRefusal(app, post(2), 409, "actions.off");
    await allow(2);
    app.db.$client.run("update hosts set conflict = 'It is elsewhere' where id = 2");
    await expectRefusal(app, post(2), 409, "host.conflict");
    app.db.$client.run("update hosts set key_id = 0 where id = 1");
    await expectRefusal(app, post(1), 409, "actions.key");
  });

  test("when too many wait, of that host alone", async () => {
    await allow(2);
    for (let i = 0; i < MAX_WAITING; i++) expect((await queue()).status).toBe(200);
    await expectRefusal(app, queue, 409, "actions.full");
    expect((await admin.post(QUEUE, { id: 2, action: "stop", service: ["web"] })).status).toBe(200);
    expect((await fetched())[1].split("\n")).toHaveLength(MAX_WAITING + 1);
    expect((await queue()).status).toBe(200);
  });

  test("when too many have no result, of that host alone, until one has", async () => {
    await allow(2);
    for (let i = 0; i < MAX_KEPT; i++) {
      expect((await queue()).status).toBe(200);
      await fetched();
    }
    const reply = await expectRefusal(app, queue, 409, "actions.full");
    expect(reply.json.error).toBe(
      "Too many actions of the host are waiting or have no result yet: it can have 100",
    );
    expect((await admin.post(QUEUE, { id: 2, action: "stop", service: ["web"] })).status).toBe(200);
    expect(await result("7\t0\t")).toEqual([200, ""]);
    expect((await queue()).status).toBe(200);
    await expectRefusal(app, queue, 409, "actions.full");
  });
});

describe("rights", () => {
  test("are those of actions: who operates the host queues and sees them, who only sees it does not", async () => {
    await admin.post("/api/1/admin/groups/create", { name: "mine" });
    await admin.post("/api/1/admin/groups/add", { id: 1, hostid: [1] });
    const grant = (level: Fields) =>
      app.muster.grants.set({ uname: "user", view: [], operate: [], manage: [], restricted: true, ...level });
    grant({ view: [1], operate: [] });
    expect((await queue("web", "stop", user)).status).toBe(403);
    expect((await user.get(LIST, { id: 1 })).status).toBe(403);
    grant({ operate: [1] });
    expect((await queue("web", "stop", user)).status).toBe(200);
    expect((await user.post(QUEUE, { id: 2, action: "stop", service: ["web"] })).status).toBe(404);
    expect(await list(user)).toMatchObject({ records: [{ uname: "user", action: "stop" }] });
    expect((await user.get(LIST, { id: 2 })).status).toBe(404);
  });

  test("to let actions wait are an administrator's: a manager changes the rest", async () => {
    await admin.post("/api/1/admin/groups/create", { name: "mine" });
    await admin.post("/api/1/admin/groups/add", { id: 1, hostid: [1, 2] });
    app.muster.grants.set({ uname: "user", view: [], operate: [], manage: [1], restricted: true });
    const update = () => allow(2, 1, user);
    await expectRefusal(app, update, 403, "host.actionqueue");
    expect((await allow(1, 1, user)).status).toBe(200);
    expect((await allow(1, 0, user)).json.code).toBe("host.actionqueue");
  });
});

test("what a host needs is shown to those who manage the key alone, and each time is in the audit log", async () => {
  const HELPER = "/api/1/admin/keys/helper";
  const { install, control, loopback } = (await admin.post(HELPER, { id: 1 })).json;
  expect(install).toContain(`url=http://muster.test\nlogin=web:${SECRET}\n`);
  expect(control).toMatch(
    /^set httpd unixsocket \/var\/run\/monit.sock\n {4}allow muster:[\w-]{20}\ncheck program /,
  );
  expect([control.includes(SECRET), loopback]).toEqual([false, false]);
  app.muster.grants.set({ uname: "user", view: [], operate: [], manage: [], restricted: true });
  expect((await user.post(HELPER, { id: 1 })).status).toBe(403);
  const { records } = (await admin.get("/api/1/admin/audit/list", { operation: "admin/keys/helper" })).json;
  expect(records.map(({ uname, subjectname }: Fields) => [uname, subjectname])).toEqual([["admin", "web"]]);
  expect(JSON.stringify(records)).not.toContain(SECRET);
});

test("only the last actions of a host are kept, and old ones for 30 days", async () => {
  app.db.$client.run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 150)
     insert into queued_actions (host_id, service, action, state, until, uname, created_at, audit_id)
     select 1 + i % 2, 'web', 'stop', 'ran', 1, 'admin', ${app.clock.now()}, 1 from n`,
  );
  for (let i = 0; i < 40; i++) {
    await queue();
    await fetched();
  }
  const counts = () =>
    app.rows("select host_id as host, count(*) as n from queued_actions group by 1 order by 1");
  expect(counts()).toEqual([
    { host: 1, n: MAX_KEPT },
    { host: 2, n: 75 },
  ]);
  app.clock.step(31 * 86_400);
  app.muster.actions.step();
  while (app.muster.retention.step());
  expect(counts()).toEqual([]);
});

test("an action without a result is kept however many newer ones have ended", async () => {
  await queue();
  await fetched();
  await queue();
  app.db.$client.run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 150)
     insert into queued_actions (host_id, service, action, state, until, uname, created_at, audit_id)
     select 1, 'web', 'stop', 'ran', 1, 'admin', ${app.clock.now()}, 1 from n`,
  );
  await queue("web", "stop");
  const rows = app.rows<{ id: number }>("select id from queued_actions order by id");
  expect(rows.map(({ id }) => id)).toEqual([1, 2, ...Array.from({ length: 98 }, (_, i) => 56 + i)]);
  expect((await fetched())[1]).toBe("2\trestart\tweb\n153\tstop\tweb\n");
  expect(await result("1\t0\t")).toEqual([200, ""]);
});

test("the actions of a host go with it, and come back with it", async () => {
  await queue();
  await fetched();
  app.deleteHosts([1]);
  expect(app.rows("select * from queued_actions")).toEqual([]);
  expect(await fetched()).toEqual([403, "key.host"]);
  await admin.post("/api/1/admin/hosts/deleted/restore", { hosts: [1] });
  expect(await states()).toEqual(["fetched"]);
});

test("whether the agent asks is known for some cycles", async () => {
  expect(await list()).toMatchObject({ asks: false, lastasked: null });
  const at = app.clock.now();
  await fetched();
  app.clock.step(3 * POLL);
  expect(await list()).toMatchObject({ asks: true, lastasked: at });
  app.clock.step(1);
  expect(await list()).toMatchObject({ asks: false, lastasked: at });
});

test("an agent that asks in vain writes nothing, and what is refused is among the rejected messages", async () => {
  const before = stored(app);
  expect(await fetched()).toEqual([200, ""]);
  await fetched("agent-1", "db");
  expect(changedTables(app, before)).toEqual([]);
  const { records } = (await admin.get("/api/1/admin/refusals/list")).json;
  expect(records.map(({ address, reason }: Fields) => [address, reason])).toEqual([
    [SOURCE, "No host with this agent id uses the key db"],
  ]);
});
