/** What users may do with the hosts of a group, by their level in it. */

import { beforeEach, describe, expect, test } from "bun:test";
import type { Level } from "../../src/platform/http/scope.ts";
import { AgentHttpd } from "../support/agent-httpd.ts";
import type { Fields, TestClient } from "../support/client.ts";
import { START } from "../support/clock.ts";
import { admin, app, appOfEachTest, user } from "../support/each-test.ts";
import { notifying } from "../support/rules.ts";

const [OWN, OTHER] = [1, 2];
const KEPT = { agentuser: "admin", agentpassword: "" };

/** Host 1 is in group 1, host 2 in group 2; each has an open error with the id of its host. */
appOfEachTest(async () => {
  for (const id of [OWN, OTHER]) {
    const report = { id: `agent-${id}`, hostname: `host-${id}`, hostGroups: [`group-${id}`] };
    const credentials = { username: "admin", password: "agent secret" };
    await app.report({ ...report, credentials, services: [{ name: "web" }], event: { service: "web" } });
  }
});

const grant = (levels: Fields) => admin.post("/api/1/admin/grants/set", { uname: "user", ...levels });
const inOwn = (level: Level) => grant({ [level]: OWN });

async function statusOf(client: TestClient, path: string, fields: Fields): Promise<number> {
  return (await client.post(`/api/1/${path}`, fields)).status;
}

const RESPONSES = ["reports/events/dismiss", "problems/acknowledge", "problems/unacknowledge"];

describe("who views a group", () => {
  test("sees its hosts alone, and takes care of no failure", async () => {
    await inOwn("view");
    expect((await user.get("/api/1/status/hosts/list")).json.totalRecords).toBe(1);
    for (const path of RESPONSES)
      expect([path, await statusOf(user, path, { id: OWN })]).toEqual([path, 403]);
    expect(await statusOf(user, "reports/events/note", { id: OWN, message: "hm" })).toBe(403);
    expect(await statusOf(user, "mutes/create", { filter: { hosts: [OWN] }, minutes: 5 })).toBe(403);
    expect(app.rows("select * from acknowledgements")).toEqual([]);
  });

  test("may do more in another group, but not in this one", async () => {
    await grant({ view: OWN, operate: OTHER });
    for (const path of RESPONSES) {
      expect([path, await statusOf(user, path, { id: OWN })]).toEqual([path, 403]);
      expect([path, await statusOf(user, path, { id: OTHER })]).toEqual([path, 200]);
    }
    expect(await statusOf(user, "mutes/create", { filter: { hosts: [OWN, OTHER] }, minutes: 5 })).toBe(403);
    expect(await statusOf(user, "mutes/create", { filter: { hosts: [OTHER] }, minutes: 5 })).toBe(200);
  });
});

describe("who operates a group", () => {
  test("sends actions to the agents of its hosts, and to no others", async () => {
    const agent = await AgentHttpd.start();
    try {
      const address = {
        agentuser: "admin",
        agentpassword: "monit",
        ipaddrout: "127.0.0.1",
        portout: agent.port,
      };
      for (const id of [OWN, OTHER])
        await admin.post("/api/1/admin/hosts/update", { id, hostname: `host-${id}`, ...address });
      await inOwn("operate");
      const action = { action: "restart", service: "web" };
      expect(await statusOf(user, "admin/hosts/action", { id: OWN, ...action })).toBe(200);
      expect(await statusOf(user, "admin/hosts/action", { id: OTHER, ...action })).toBe(404);
      expect(agent.asked.length).toBeGreaterThan(0);
      expect(app.rows("select uname from audit where operation = 'admin/hosts/action'")).toEqual([
        { uname: "user" },
      ]);
    } finally {
      await agent.stop();
    }
  });

  test("mutes its hosts, but nothing that reaches further", async () => {
    await inOwn("operate");
    const end = { minutes: 5 };
    expect(await statusOf(user, "mutes/create", { filter: { servicenames: ["web"] }, ...end })).toBe(403);
    expect(await statusOf(user, "mutes/create", { filter: { hosts: [OTHER] }, ...end })).toBe(400);
    expect(await statusOf(user, "mutes/create", { filter: { hostgroups: [OTHER] }, ...end })).toBe(400);
    expect(await statusOf(user, "mutes/create", { filter: { hostgroups: [OWN] }, ...end })).toBe(200);
    await admin.post("/api/1/mutes/create", { filter: { hosts: [OWN, OTHER] }, ...end });
    expect((await user.get("/api/1/mutes/list")).json.records[1].filter).toEqual({ hosts: [OWN] });
    expect(await statusOf(user, "mutes/delete", { id: 2 })).toBe(403);
    expect(await statusOf(user, "mutes/delete", { id: 1 })).toBe(200);
  });

  test("changes no settings", async () => {
    await inOwn("operate");
    expect((await user.get("/api/1/admin/hosts/get", { id: OWN })).status).toBe(403);
    expect((await user.get("/api/1/admin/rules/list")).status).toBe(403);
  });
});

describe("who manages a group", () => {
  const update = (fields: Fields) =>
    user.post("/api/1/admin/hosts/update", { id: OWN, hostname: "host-1", ...KEPT, ...fields });
  const passwordOf = async () =>
    (await admin.get("/api/1/admin/hosts/get", { id: OWN })).json.agentpassword as string;

  beforeEach(() => inOwn("manage"));

  test("changes settings of its hosts, and never reads the agent's password", async () => {
    expect((await user.get("/api/1/admin/hosts/list")).json.records).toHaveLength(1);
    const { status, json } = await user.get("/api/1/admin/hosts/get", { id: OWN });
    expect([status, json.agentpassword]).toEqual([200, ""]);
    expect((await update({ skew: 7 })).status).toBe(200);
    expect(app.rows("select skew from hosts order by id")).toEqual([{ skew: 7 }, { skew: 3 }]);
    expect(await passwordOf()).toBe("agent secret");
    expect((await update({ id: OTHER, skew: 7 })).status).toBe(404);
  });

  test("enters the password anew to change the agent's address, port or TLS", async () => {
    const changes = [{ ipaddrout: "192.0.2.66" }, { portout: 81 }, { sslout: 0 }, { sslverify: 0 }];
    for (const change of changes) {
      const { status, json } = await update(change);
      expect([change, status, json.code]).toEqual([change, 403, "host.password"]);
    }
    expect(app.rows("select ipaddrout, portout, sslout, sslverify from hosts where id = 1")).toEqual([
      { ipaddrout: "", portout: -1, sslout: -1, sslverify: 1 },
    ]);
    expect((await update({ ipaddrout: "192.0.2.66", agentpassword: "guess" })).status).toBe(200);
    expect(await passwordOf()).toBe("guess");
  });

  test("confirms the new address of an agent only with the password", async () => {
    app.db.$client.run("update hosts set conflict = 'It is elsewhere' where id = 1");
    expect((await update({})).status).toBe(200);
    expect(app.rows("select conflict from hosts where id = 1")).toEqual([{ conflict: "It is elsewhere" }]);
    expect((await update({ agentpassword: "entered" })).status).toBe(200);
    expect(app.rows("select conflict from hosts where id = 1")).toEqual([{ conflict: "" }]);
  });

  test("has maintenance of the group alone; other maintenance does not exist", async () => {
    const schedule = { kind: "once", from: START + 60, to: START + 120 };
    const create = (name: string, filter: object) =>
      statusOf(user, "admin/maintenance/create", { name, filter, schedule });
    expect(await create("all", {})).toBe(403);
    expect(await create("host", { hosts: [OWN] })).toBe(403);
    expect(await create("other", { hostgroups: [OTHER] })).toBe(400);
    expect(await create("both", { hostgroups: [OWN, OTHER] })).toBe(400);
    expect(await create("hidden host", { hostgroups: [OWN], hosts: [OTHER] })).toBe(400);
    expect(await create("own", { hostgroups: [OWN] })).toBe(200);
    for (const [i, filter] of [{}, { hostgroups: [OWN], hosts: [OTHER] }].entries())
      await admin.post("/api/1/admin/maintenance/create", {
        name: `of an administrator ${i}`,
        filter,
        schedule,
      });
    const { records } = (await user.get("/api/1/admin/maintenance/list")).json;
    expect(records.map(({ name }: { name: string }) => name)).toEqual(["own"]);
    const stored = () => app.rows("select name, filter from maintenance_windows order by id");
    const before = stored();
    expect(await statusOf(user, "admin/maintenance/update", { id: 1, filter: {} })).toBe(403);
    for (const id of [2, 3]) {
      expect((await user.get("/api/1/admin/maintenance/get", { id })).status).toBe(404);
      expect(await statusOf(user, "admin/maintenance/update", { id, name: "x" })).toBe(404);
      expect(await statusOf(user, "admin/maintenance/update", { id, filter: { hostgroups: [OWN] } })).toBe(
        404,
      );
      expect(await statusOf(user, "admin/maintenance/delete", { id })).toBe(404);
    }
    expect(stored()).toEqual(before);
    expect(await statusOf(user, "admin/maintenance/update", { id: 1, name: "mine" })).toBe(200);
    expect(await statusOf(user, "admin/maintenance/delete", { id: 1 })).toBe(200);
    expect(stored()).toEqual(before.slice(1));
  });

  test("has rules and status pages of the group alone", async () => {
    await admin.post("/api/1/admin/channels/create", {
      name: "c",
      kind: "webhook",
      settings: { url: "https://h.test/" },
    });
    const rule = (name: string, filter: object = {}) =>
      statusOf(user, "admin/rules/create", { name, filter, ...notifying(1) });
    expect(await rule("all")).toBe(403);
    expect(await rule("host", { hosts: [OWN] })).toBe(403);
    expect(await rule("other", { hostgroups: [OTHER] })).toBe(400);
    expect(await rule("both", { hostgroups: [OWN, OTHER] })).toBe(400);
    expect(await rule("own", { hostgroups: [OWN] })).toBe(200);
    expect(await statusOf(user, "admin/rules/update", { id: 1, filter: {} })).toBe(403);
    expect((await admin.get("/api/1/admin/rules/list")).json.totalRecords).toBe(1);
    expect(await statusOf(user, "admin/statuspages/create", { title: "x", hostgroup: OTHER })).toBe(400);
    expect(await statusOf(user, "admin/statuspages/create", { title: "x", hostgroup: OWN })).toBe(200);
  });

  test("is told the groups that they manage and their hosts, to choose among", async () => {
    await grant({ view: OTHER, manage: OWN });
    expect((await user.get("/api/1/admin/groups/list")).json).toEqual({
      hosts: [{ id: OWN, name: "host-1" }],
      groups: [{ id: OWN, name: "group-1", hosts: [OWN], target: null }],
    });
  });

  test("has limits of the group alone, sees those of others without changing them, and previews only the own", async () => {
    const value = { statistics: [1], warning: 90 };
    const create = (name: string, filter: object = {}) =>
      statusOf(user, "limits/create", { ...value, name, filter });
    expect(await create("all")).toBe(403);
    expect(await create("host", { hosts: [OWN] })).toBe(403);
    expect(await create("name", { hostnames: ["host-1"] })).toBe(403);
    expect(await create("other", { hostgroups: [OTHER] })).toBe(400);
    expect(await create("both", { hostgroups: [OWN, OTHER] })).toBe(400);
    expect(await create("hidden host", { hostgroups: [OWN], hosts: [OTHER] })).toBe(400);
    expect(await create("own", { hostgroups: [OWN] })).toBe(200);
    await admin.post("/api/1/limits/create", { ...value, name: "of an administrator" });
    const { records } = (await user.get("/api/1/limits/list")).json;
    const manages = ({ name, manage }: { name: string; manage: boolean }) => [name, manage];
    expect(records.map(manages)).toEqual([
      ["own", true],
      ["of an administrator", false],
    ]);
    const stored = () => app.rows("select name, warning, filter from limits order by id");
    const before = stored();
    expect(await statusOf(user, "limits/update", { id: 2, warning: 1 })).toBe(403);
    expect(await statusOf(user, "limits/update", { id: 2, filter: { hostgroups: [OWN] } })).toBe(403);
    expect(await statusOf(user, "limits/update", { id: 1, filter: {} })).toBe(403);
    expect(await statusOf(user, "limits/delete", { id: 2 })).toBe(403);
    expect(await statusOf(user, "limits/preview", { id: 2 })).toBe(403);
    expect(await statusOf(user, "limits/preview", { limit: { ...value, name: "all" } })).toBe(403);
    expect(stored()).toEqual(before);
    expect((await user.post("/api/1/limits/preview", { id: 1 })).json.hosts).toBe(1);
    expect(await statusOf(user, "limits/update", { id: 1, warning: 80 })).toBe(200);
    expect(await statusOf(user, "limits/delete", { id: 1 })).toBe(200);
    expect(stored()).toEqual(before.slice(1));
  });

  test("has dependencies between hosts of the group alone; others do not exist", async () => {
    await app.report({ id: "agent-3", hostname: "host-3", hostGroups: ["group-1"] });
    const create = (hostid: number, causehostid: number) =>
      statusOf(user, "admin/dependencies/create", {
        dependent: { host: hostid },
        cause: { host: causehostid },
      });
    expect([await create(OWN, OTHER), await create(OTHER, OWN)]).toEqual([400, 400]);
    await grant({ view: OTHER, manage: OWN });
    expect([await create(OWN, OTHER), await create(OTHER, OWN)]).toEqual([403, 403]);
    expect(app.rows("select id from dependencies")).toEqual([]);
    await admin.post("/api/1/admin/dependencies/create", {
      dependent: { host: OWN },
      cause: { host: OTHER },
    });
    expect(await create(OWN, 3)).toBe(200);
    const { json } = await user.get("/api/1/admin/dependencies/list");
    expect(json.records.map(({ id }: { id: number }) => id)).toEqual([2]);
    expect(await statusOf(user, "admin/dependencies/delete", { id: 1 })).toBe(404);
    expect(await statusOf(user, "admin/dependencies/delete", { id: 2 })).toBe(200);
    expect(app.rows("select id from dependencies")).toEqual([{ id: 1 }]);
  });

  test("chooses among channels without seeing how they are set up, and none that runs a program", async () => {
    const url = "https://hooks.test/T0KEN";
    await admin.post("/api/1/admin/channels/create", { name: "chat", kind: "webhook", settings: { url } });
    app.db.$client.run(`insert into channels (name, kind, settings, created_at) select 'program', 'exec', settings, 0
      from channels`);
    const { json, text } = await user.get("/api/1/admin/channels/list");
    expect(json.records.map(({ name }: { name: string }) => name)).toEqual(["chat"]);
    expect(text).not.toContain("hooks.test");
    const rule = (channelid: number) =>
      statusOf(user, "admin/rules/create", {
        name: `r${channelid}`,
        filter: { hostgroups: [OWN] },
        ...notifying(channelid),
      });
    expect([await rule(1), await rule(2)]).toEqual([200, 400]);
    expect((await user.get("/api/1/admin/channels/get", { id: 1 })).status).toBe(403);
  });
});

describe("a change of levels", () => {
  const seen = async () => (await user.get("/api/1/status/hosts/list")).json.totalRecords as number;

  test("holds for the next request of a session, and when all are taken back everything is seen again", async () => {
    expect(await seen()).toBe(2);
    await inOwn("view");
    expect(await seen()).toBe(1);
    await grant({ view: [OWN, OTHER] });
    expect(await seen()).toBe(2);
    await grant({ restricted: true });
    expect(await seen()).toBe(0);
    await grant({});
    expect(await seen()).toBe(2);
  });

  test("is none when the last group is deleted: the user does not see everything then", async () => {
    await inOwn("view");
    await admin.post("/api/1/admin/groups/delete", { id: OWN });
    expect(await seen()).toBe(0);
  });

  test("is not needed where users see only their groups", async () => {
    await admin.post("/api/1/admin/settings/update", { onlygroups: 1 });
    expect(await seen()).toBe(0);
    await inOwn("view");
    expect(await seen()).toBe(1);
    expect((await admin.get("/api/1/status/hosts/list")).json.totalRecords).toBe(2);
  });

  test("has the highest of several levels in a group, and refuses groups that do not exist", async () => {
    await grant({ view: OWN, manage: OWN, operate: OWN });
    expect((await admin.get("/api/1/admin/grants/get", { uname: "user" })).json).toEqual({
      restricted: true,
      grants: [{ groupid: OWN, level: "manage" }],
    });
    expect((await grant({ view: 99 })).status).toBe(400);
    expect(app.rows("select level from grants")).toEqual([{ level: "manage" }]);
  });
});
