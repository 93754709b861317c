/** Who did what: that every change is recorded, as what, and nothing that was refused. */
import { beforeEach, describe, expect, test } from "bun:test";
import { insertDelivery } from "../../src/alerts/deliveries.repository.ts";
import { olderOperations } from "../../src/dialect/dialect.routes.ts";
import { changesState } from "../../src/http/operation.ts";
import { temporaryFolder } from "../e2e/support.ts";
import { AgentHttpd } from "../support/agent-httpd.ts";
import { ADMIN_PASSWORD, TestApp, USER_PASSWORD } from "../support/app.ts";
import type { Fields, TestClient } from "../support/client.ts";
import { START } from "../support/clock.ts";
import { changedTables, stored } from "../support/stored.ts";
import { totpCode } from "../support/totp.ts";

interface Entry {
  operation: string;
  uname: string;
  via: string;
  subject: string;
  subjectid: string;
  subjectname: string;
  details: unknown;
}

let app: TestApp;
let admin: TestClient;

const folder = temporaryFolder();
const PNG = new Blob([Buffer.from("89504e470d0a1a0a00", "hex")]);

beforeEach(async () => {
  app = new TestApp({ uploads: folder.path });
  admin = await app.admin();
  await app.report({ services: [{ name: "web" }] });
  app.db.$client.run("delete from audit");
});

/** The entries since the last look, oldest first. */
function entries(): Entry[] {
  const { records } = app.parts.audit.list({ results: 1000, startindex: 0 });
  app.db.$client.run("delete from audit");
  return records.reverse().map(({ operation, uname, via, subject, subjectid, subjectname, details }) => ({
    operation,
    uname,
    via,
    subject,
    subjectid,
    subjectname,
    details,
  }));
}

const byAdmin = { uname: "admin", via: "login" };
const entry = (operation: string, subject: string, id: string, name: string, details = {}): Entry => ({
  ...byAdmin,
  operation,
  subject,
  subjectid: id,
  subjectname: name,
  details,
});

interface Case {
  path: string;
  fields: Fields;
  /** What has to be there first. */
  first?: () => unknown;
  expected: () => Entry[];
}

const HOST = { id: 1, hostname: "host-1", agentuser: "admin", agentpassword: "monit" };
const USER = { uname: "user", fullname: "A User", password: USER_PASSWORD, oldpassword: USER_PASSWORD };
const group = () => app.parts.groups.create("racks");
const statusPage = () => app.parts.statusPages.create({ title: "Shelf", groupid: group(), slug: "shelf" });
const channel = () =>
  app.parts.channels.create({ name: "chat", kind: "slack", settings: { url: "http://127.0.0.1:9/secret" } });
const rule = () => {
  channel();
  app.parts.rules.create({ name: "all", channelid: [1] });
};
const maintenance = () => app.parts.maintenance.create({ name: "move", from: START, to: START + 60 });
const failure = () => app.report({ services: [{ name: "web", status: 512 }], event: { service: "web" } });

const TOTP_SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
const beginTotp = (uname: string) =>
  app.db.$client
    .query("update users set totp_secret = ? where uname = ?")
    .run(app.box.seal(TOTP_SECRET), uname);

/** Each operation that is recorded by its declaration. */
const CASES: Record<string, Case> = {
  "settings, as before and after": {
    path: "/admin/settings/update",
    fields: { eventdays: 30, collectorpassword: "brand new", historyraw: 14 },
    expected: () => [
      entry("admin/settings/update", "settings", "", "", {
        eventdays: [1095, 30],
        collectorpassword: "(secret)",
      }),
    ],
  },
  "a new group": {
    path: "/admin/groups/create",
    fields: { name: "racks" },
    expected: () => [entry("admin/groups/create", "group", "1", "racks")],
  },
  "a group's other name": {
    path: "/admin/groups/update",
    fields: { id: 1, name: "shelves" },
    first: group,
    expected: () => [entry("admin/groups/update", "group", "1", "racks", { name: "shelves" })],
  },
  "a group that is gone, by its name": {
    path: "/admin/groups/delete",
    fields: { id: 1 },
    first: group,
    expected: () => [entry("admin/groups/delete", "group", "1", "racks")],
  },
  "who joined a group": {
    path: "/admin/groups/add",
    fields: { id: 1, hostid: 1 },
    first: group,
    expected: () => [entry("admin/groups/add", "group", "1", "racks", { hosts: [1], added: 1 })],
  },
  "who left a group": {
    path: "/admin/groups/remove",
    fields: { id: 1, hostid: 1 },
    first: group,
    expected: () => [entry("admin/groups/remove", "group", "1", "racks", { hosts: [1], removed: 0 })],
  },
  "a message that is sent again": {
    path: "/admin/deliveries/retry",
    fields: { id: 1 },
    first: () => {
      channel();
      const names = { ruleName: "all", channelName: "chat", kind: "problem" as const };
      insertDelivery(app.db, { channelId: 1, ...names, createdAt: START, status: "failed" }, []);
    },
    expected: () => [entry("admin/deliveries/retry", "delivery", "1", "")],
  },
  "a new status page, but not its address, which nobody shall guess": {
    path: "/admin/statuspages/create",
    fields: { title: "Racks", groupid: 1 },
    first: group,
    expected: () => [
      entry("admin/statuspages/create", "statuspage", "1", "Racks", { title: "Racks", group: 1 }),
    ],
  },
  "what changed of a status page": {
    path: "/admin/statuspages/update",
    fields: { id: 1, services: false },
    first: statusPage,
    expected: () => [entry("admin/statuspages/update", "statuspage", "1", "Shelf", { services: false })],
  },
  "a status page that is gone": {
    path: "/admin/statuspages/delete",
    fields: { id: 1 },
    first: statusPage,
    expected: () => [entry("admin/statuspages/delete", "statuspage", "1", "Shelf")],
  },
  "a new rule, with all that it is": {
    path: "/admin/rules/create",
    fields: { name: "all", channelid: 1, hostid: 1 },
    first: channel,
    expected: () => [
      entry("admin/rules/create", "rule", "1", "all", {
        ...{ name: "all", position: 1, enabled: true, filter: '{"hostids":[1]}' },
        ...{ delay: 0, repeat: 0, recovery: true, final: false, quiet: null },
        ...{ escalateafter: 0, channels: "1", escalationchannels: "" },
      }),
    ],
  },
  "what a rule was and is": {
    path: "/admin/rules/update",
    fields: { id: 1, delay: 5, enabled: 0, servicename: "web" },
    first: rule,
    expected: () => [
      entry("admin/rules/update", "rule", "1", "all", {
        ...{ delay: [0, 5], enabled: [true, false] },
        filter: ["{}", '{"servicenames":["web"]}'],
      }),
    ],
  },
  "a rule's other place": {
    path: "/admin/rules/move",
    fields: { id: 1, position: 2 },
    first: rule,
    expected: () => [entry("admin/rules/move", "rule", "1", "all")],
  },
  "a rule that is gone, by its name": {
    path: "/admin/rules/delete",
    fields: { id: 1 },
    first: rule,
    expected: () => [entry("admin/rules/delete", "rule", "1", "all")],
  },
  "new maintenance": {
    path: "/admin/maintenance/create",
    fields: { name: "move", from: START, to: START + 60 },
    expected: () => [
      entry("admin/maintenance/create", "maintenance", "1", "move", {
        ...{ name: "move", enabled: true, filter: "{}" },
        schedule: JSON.stringify({ kind: "once", from: START, to: START + 60 }),
      }),
    ],
  },
  "what maintenance was and is": {
    path: "/admin/maintenance/update",
    fields: { id: 1, name: "removal" },
    first: maintenance,
    expected: () => [
      entry("admin/maintenance/update", "maintenance", "1", "move", { name: ["move", "removal"] }),
    ],
  },
  "maintenance that is gone, by its name": {
    path: "/admin/maintenance/delete",
    fields: { id: 1 },
    first: maintenance,
    expected: () => [entry("admin/maintenance/delete", "maintenance", "1", "move")],
  },
  "a new channel, but none of its secrets": {
    path: "/admin/channels/create",
    fields: { name: "phone", kind: "ntfy", "setting.topic": "alerts", "setting.token": "tk_secret" },
    expected: () => [
      entry("admin/channels/create", "channel", "1", "phone", {
        kind: "ntfy",
        name: "phone",
        enabled: true,
        "setting.url": "https://ntfy.sh",
        "setting.topic": "alerts",
        "setting.token (secret)": "(secret)",
        "setting.priority": "4",
      }),
    ],
  },
  "what changed of a channel": {
    path: "/admin/channels/update",
    fields: { id: 1, enabled: false, "setting.url": "http://127.0.0.1:9/other" },
    first: channel,
    expected: () => [
      entry("admin/channels/update", "channel", "1", "chat", {
        enabled: [true, false],
        "setting.url (secret)": "(secret)",
      }),
    ],
  },
  "a channel that is gone": {
    path: "/admin/channels/delete",
    fields: { id: 1 },
    first: channel,
    expected: () => [entry("admin/channels/delete", "channel", "1", "chat")],
  },
  "a channel that was tried": {
    path: "/admin/channels/test",
    fields: { id: 1 },
    first: channel,
    expected: () => [entry("admin/channels/test", "channel", "1", "chat", { outcome: "failed" })],
  },
  "a new user": {
    path: "/admin/users/create",
    fields: { uname: "x", password: "p", fullname: "X Y", admin: true },
    expected: () => [entry("admin/users/create", "user", "x", "X Y", { admin: true })],
  },
  "what changed of a user": {
    path: "/admin/users/update",
    fields: { ...USER, title: "Dr", password: "changed" },
    expected: () => [
      entry("admin/users/update", "user", "user", "A User", { title: ["", "Dr"], password: "(secret)" }),
    ],
  },
  "a user that is gone": {
    path: "/admin/users/delete",
    fields: { uname: "user" },
    expected: () => [entry("admin/users/delete", "user", "user", "A User")],
  },
  "a picture": {
    path: "/admin/users/image",
    fields: { remove: 1 },
    expected: () => [entry("admin/users/image", "user", "admin", "Administrator", { picture: "removed" })],
  },
  "the secret of a second factor": {
    path: "/admin/users/totp/begin",
    fields: { password: ADMIN_PASSWORD },
    expected: () => [entry("admin/users/totp/begin", "user", "admin", "Administrator")],
  },
  "a second factor": {
    path: "/admin/users/totp/confirm",
    fields: { code: totpCode(TOTP_SECRET, START) },
    first: () => beginTotp("admin"),
    expected: () => [entry("admin/users/totp/confirm", "user", "admin", "Administrator")],
  },
  "a second factor that is switched off": {
    path: "/admin/users/totp/disable",
    fields: { uname: "user" },
    first: () => beginTotp("user"),
    expected: () => [entry("admin/users/totp/disable", "user", "user", "A User")],
  },
  "what changed of a host": {
    path: "/admin/hosts/update",
    fields: { ...HOST, agentpassword: "other", status: 2, description: "d".repeat(300) },
    expected: () => [
      entry("admin/hosts/update", "host", "1", "host-1", {
        agentpassword: "(secret)",
        status: [0, 2],
        description: ["", "d".repeat(255)],
      }),
    ],
  },
  "a host that is gone, by its name": {
    path: "/admin/hosts/delete",
    fields: { id: 1 },
    expected: () => [entry("admin/hosts/delete", "host", "1", "host-1")],
  },
  "a connection test": {
    path: "/admin/hosts/test",
    fields: { ipaddr: "127.0.0.1", port: 9, ssl: 0, agentuser: "u", agentpassword: "p" },
    expected: () => [
      entry("admin/hosts/test", "agent", "127.0.0.1:9", "", { ssl: 0, sslverify: 1, status: "red" }),
    ],
  },
  "a dismissal": {
    path: "/reports/events/dismiss",
    fields: { id: 1 },
    first: failure,
    expected: () => [entry("reports/events/dismiss", "event", "1", "", { id: [1] })],
  },
  "a note": {
    path: "/reports/events/note",
    fields: { id: 1, message: "seen" },
    first: failure,
    expected: () => [entry("reports/events/note", "event", "1", "", { note: 1 })],
  },
  "a new API token": {
    path: "/tokens/create",
    fields: { name: "bot", scope: "full" },
    expected: () => [entry("tokens/create", "token", "1", "bot", { scope: "full" })],
  },
  "an API token that is gone": {
    path: "/tokens/delete",
    fields: { id: 1 },
    first: () => app.parts.tokens.create(1, { name: "bot", scope: "read" }),
    expected: () => [entry("tokens/delete", "token", "1", "bot")],
  },
  "the end of a session": {
    path: "/session/invalidate",
    fields: {},
    expected: () => [entry("session/invalidate", "session", "", "")],
  },
};

describe("the audit log has", () => {
  for (const [what, { path, fields, first, expected }] of Object.entries(CASES))
    test(`${what}: ${path}`, async () => {
      await first?.();
      app.db.$client.run("delete from audit");
      const reply = await admin.post(`/api/1${path}`, fields);
      expect([reply.status, reply.json]).toEqual([200, expect.anything()]);
      expect(entries()).toEqual(expected());
    });

  test("one entry for each host of many that are gone", async () => {
    await app.report({ id: "b", hostname: "host-2" });
    app.db.$client.run("update hosts set status = 1");
    app.db.$client.run("delete from audit");
    expect((await admin.post("/api/1/admin/hosts/delete", { inactive: 0 })).json).toEqual({ deleted: 2 });
    const details = { inactive: 0 };
    expect(entries()).toEqual([
      entry("admin/hosts/delete", "host", "1", "host-1", details),
      entry("admin/hosts/delete", "host", "2", "host-2", details),
    ]);
    expect((await admin.post("/api/1/admin/hosts/delete", { inactive: 0 })).json).toEqual({ deleted: 0 });
    expect(entries()).toEqual([]);
  });

  test("the end of another session of one's own", async () => {
    const other = await app.admin();
    app.db.$client.run("delete from audit");
    const { records } = (await admin.get("/api/1/session/list")).json;
    const { id } = records.find(({ current }: { current: boolean }) => !current);
    await admin.post("/api/1/session/revoke", { id });
    expect(entries()).toEqual([entry("session/revoke", "session", id, "")]);
    expect((await other.get("/api/1/session/list")).status).toBe(401);
  });

  test("an import", async () => {
    const form = new FormData();
    form.set("file", new Blob([JSON.stringify({ muster: 1, groups: [{ name: "racks" }] })]));
    expect((await admin.upload("/api/1/admin/transfer/import", form)).status).toBe(200);
    const groups = { created: 1, updated: 0, incomplete: [] };
    expect(entries()).toEqual([entry("admin/transfer/import", "transfer", "", "", { groups })]);
  });

  test("a picture that was set", async () => {
    const body = new FormData();
    body.set("image", PNG);
    const reply = await admin.raw("/api/1/admin/users/image?uname=user", {
      method: "POST",
      body,
      headers: { CSRFToken: admin.csrfToken },
    });
    expect(reply.status).toBe(200);
    expect(entries()).toEqual([entry("admin/users/image", "user", "user", "A User", { picture: "set" })]);
  });

  test("the name of the API token that did it", async () => {
    const { token } = (await admin.post("/api/1/tokens/create", { name: "bot", scope: "full" })).json;
    app.db.$client.run("delete from audit");
    const headers = { Authorization: `Bearer ${token}` };
    await app.client("203.0.113.4").post("/api/1/admin/groups/create", { name: "racks" }, headers);
    const { json } = await admin.get("/api/1/admin/audit/list");
    expect(json.records).toEqual([
      {
        id: expect.any(Number),
        date: START,
        uname: "admin",
        address: "203.0.113.4",
        via: "token",
        token: "bot",
        operation: "admin/groups/create",
        subject: "group",
        subjectid: "1",
        subjectname: "racks",
        details: {},
      },
    ]);
  });

  test("the same for the older dialect's words", async () => {
    await admin.post("/api/2/admin/hosts/update", { id: 1, hostname: "renamed" });
    expect(entries()).toEqual([
      entry("admin/hosts/update", "host", "1", "host-1", { hostname: ["host-1", "renamed"] }),
    ]);
  });
});

describe("no operation is forgotten", () => {
  const changing = new TestApp().operations.filter(({ kind }) => changesState(kind));
  const declared = (how: "itself" | "none") =>
    changing.filter(({ audit }) => audit === how).map(({ path }) => path);

  test("each that changes state says how it is recorded", () => {
    expect(changing.filter(({ audit }) => audit === undefined).map(({ path }) => path)).toEqual([]);
    expect(declared("itself")).toEqual(["/login/proxy", "/login", "/admin/hosts/action"]);
    // Notes of a program to itself, which end with its session.
    expect(declared("none")).toEqual(["/session/put", "/session/delete"]);
  });

  test("each that is recorded by its declaration is tried above", () => {
    const tried = new Set([
      ...Object.values(CASES).map(({ path }) => path),
      "/session/revoke",
      "/admin/transfer/import",
    ]);
    const due = changing.filter(({ audit }) => typeof audit === "object").map(({ path }) => path);
    expect([...tried].sort()).toEqual(due.sort());
  });

  test("the older dialect adds none of its own", () => {
    const older = olderOperations(app.parts.reader, app.operations).filter(({ kind }) => changesState(kind));
    expect(older.filter(({ audit }) => audit === undefined)).toEqual([]);
  });
});

describe("what is refused", () => {
  const REFUSED: readonly [status: number, path: string, fields: Fields][] = [
    [400, "/admin/groups/create", {}],
    [404, "/admin/groups/delete", { id: 7 }],
    [409, "/admin/users/delete", { uname: "admin" }],
    [404, "/admin/hosts/update", { ...HOST, id: 7 }],
    [404, "/admin/hosts/delete", { id: 7 }],
    [404, "/tokens/delete", { id: 7 }],
    [404, "/session/revoke", { id: "7" }],
    [404, "/admin/hosts/action", { id: 1, action: "stop", service: "nothing" }],
  ];
  for (const [status, path, fields] of REFUSED)
    test(`leaves no entry: ${path}, ${status}`, async () => {
      expect((await admin.post(`/api/1${path}`, fields)).status).toBe(status);
      expect((await app.client().post(`/api/1${path}`, fields)).status).toBe(401);
      expect(entries()).toEqual([]);
    });
});

test("what cannot be recorded is not done", async () => {
  app.db.$client.run("create trigger full before insert on audit begin select raise(abort, 'full'); end");
  const before = stored(app);
  expect((await admin.post("/api/1/admin/groups/create", { name: "racks" })).status).toBe(500);
  const update = { ...USER, title: "Dr", password: "changed" };
  expect((await admin.post("/api/1/admin/users/update", update)).status).toBe(500);
  expect((await admin.post("/api/1/admin/hosts/delete", { id: 1 })).status).toBe(500);
  expect(changedTables(app, before)).toEqual([]);
});

describe("an action", () => {
  async function act(answer?: [number, string]) {
    const httpd = await AgentHttpd.start(answer ? { answer: () => answer } : {});
    try {
      const agent = { httpd: { address: "127.0.0.1", port: httpd.port }, services: [{ name: "web" }] };
      await app.report(agent, "127.0.0.1");
      const fields = { id: 1, action: "stop", service: "web" };
      const { status } = await admin.post("/api/1/admin/hosts/action", fields);
      const sent = { action: "stop", service: ["web"], agent: `127.0.0.1:${httpd.port}` };
      return { status, sent };
    } finally {
      await httpd.stop();
    }
  }

  test("is there with the agent it went to", async () => {
    const { status, sent } = await act();
    expect(status).toBe(200);
    expect(entries()).toEqual([
      entry("admin/hosts/action", "host", "1", "host-1", { ...sent, outcome: "accepted" }),
    ]);
  });

  test("is there when the agent refuses it", async () => {
    const { status, sent } = await act([403, ""]);
    expect(status).toBe(502);
    const outcome = "The agent refused the request: its user may be read-only";
    expect(entries()).toEqual([entry("admin/hosts/action", "host", "1", "host-1", { ...sent, outcome })]);
  });

  test("is there before it is sent", async () => {
    let seen: Entry[] = [];
    const httpd = await AgentHttpd.start({
      answer: () => {
        seen = entries();
        return [302, ""];
      },
    });
    await app.report(
      { httpd: { address: "127.0.0.1", port: httpd.port }, services: [{ name: "web" }] },
      "127.0.0.1",
    );
    await admin.post("/api/1/admin/hosts/action", { id: 1, action: "stop", service: "web" });
    await httpd.stop();
    expect(seen.map(({ details }) => details)).toEqual([expect.objectContaining({ outcome: "sent" })]);
  });
});

describe("signing in", () => {
  const login = (uname: string, password: string, address = "203.0.113.4") =>
    app.client(address).post("/api/1/login", { z_username: uname, z_password: password });

  test("is recorded when it succeeds, with the address", async () => {
    await login("user", USER_PASSWORD);
    const [record] = (await admin.get("/api/1/admin/audit/list")).json.records;
    expect(record).toMatchObject({
      operation: "login",
      uname: "user",
      via: "login",
      address: "203.0.113.4",
      subject: "user",
      subjectid: "user",
    });
  });

  test("is recorded when it fails, and once when that was too often", async () => {
    for (let i = 0; i < 9; i++) await login("user", `wrong ${i}`);
    const found = entries();
    expect(found.map(({ operation }) => operation)).toEqual([
      ...Array.from({ length: 5 }, () => "login/failed"),
      "login/throttled",
    ]);
    expect(new Set(found.map(({ uname, via, subjectid }) => `${uname} ${via} ${subjectid}`))).toEqual(
      new Set(["user none user"]),
    );
  });

  test("under a name that is none is recorded without it: it may be a password", async () => {
    await login("my secret", "x");
    expect(entries()).toMatchObject([
      { operation: "login/failed", uname: "", subjectid: "", details: { account: "unknown" } },
    ]);
  });

  test("over the older dialect is recorded as well, and signing out there", async () => {
    const client = app.client();
    const form = { z_username: "user", z_password: USER_PASSWORD };
    expect((await client.post("/z_security_check", form)).status).toBe(302);
    expect((await client.post("/z_security_check", { ...form, z_password: "wrong" })).status).toBe(401);
    await client.get("/login/logout.csp");
    expect(entries().map(({ operation, uname }) => `${operation} ${uname}`)).toEqual([
      "login user",
      "login/failed user",
      "session/invalidate user",
    ]);
  });

  test("by a wrong oldpassword is recorded as what it is", async () => {
    const user = await app.user();
    app.db.$client.run("delete from audit");
    for (let i = 0; i < 6; i++)
      await user.post("/api/1/admin/users/update", { ...USER, oldpassword: "wrong", password: "x" });
    expect(entries().map(({ operation, uname, via }) => `${operation} ${uname} ${via}`)).toEqual([
      ...Array.from({ length: 5 }, () => "admin/users/update/failed user login"),
      "admin/users/update/throttled user login",
    ]);
  });
});

describe("audit/list", () => {
  const LIST = "/api/1/admin/audit/list";
  const operationsOf = async (fields: Fields) =>
    (await admin.get(LIST, fields)).json.records.map(({ operation }: Entry) => operation);

  beforeEach(async () => {
    for (const name of ["a", "b", "c"]) {
      await admin.post("/api/1/admin/groups/create", { name });
      app.clock.step(100);
    }
    await admin.post("/api/1/admin/groups/delete", { id: 1 });
    await app.user();
  });

  test("is newest first, in pages", async () => {
    const { json } = await admin.get(LIST, { results: 2, startindex: 1 });
    expect(json).toMatchObject({ recordsReturned: 2, pageSize: 2, totalRecords: 5, startIndex: 1 });
    expect(json.records.map(({ operation }: Entry) => operation)).toEqual([
      "admin/groups/delete",
      "admin/groups/create",
    ]);
    expect((await admin.get(LIST)).json).toMatchObject({ recordsReturned: 5, pageSize: 50, startIndex: 0 });
    expect((await admin.get(LIST, { results: 20_000 })).json.pageSize).toBe(10_000);
    expect((await admin.get(LIST, { results: 0 })).status).toBe(400);
  });

  test("is filtered by user, time and operation with all below it", async () => {
    expect(await operationsOf({ uname: "user" })).toEqual(["login"]);
    expect(await operationsOf({ operation: "admin/groups/create" })).toHaveLength(3);
    expect(await operationsOf({ operation: "admin/groups" })).toHaveLength(4);
    expect(await operationsOf({ operation: "admin" })).toHaveLength(4);
    expect(await operationsOf({ operation: "admin/group" })).toEqual([]);
    expect(await operationsOf({ operation: "%" })).toEqual([]);
    expect(await operationsOf({ datefrom: START + 100, dateto: START + 100 })).toEqual([
      "admin/groups/create",
    ]);
    expect(await operationsOf({ uname: "user", operation: "admin" })).toEqual([]);
  });

  test("is for administrators", async () => {
    expect((await (await app.user()).get(LIST)).status).toBe(403);
  });
});

describe("the log is bounded", () => {
  test("by a setting of its own", async () => {
    await admin.post("/api/1/admin/settings/update", { auditdays: 10 });
    app.clock.step(5 * 86_400);
    await admin.post("/api/1/login", { z_username: "admin", z_password: ADMIN_PASSWORD });
    app.clock.step(5 * 86_400 + 1);
    const { Retention } = await import("../../src/retention/retention.service.ts");
    const retention = new Retention(app.db, app.settings, app.clock);
    while (retention.step());
    expect(entries().map(({ operation }) => operation)).toEqual(["login"]);
  });

  test("in what somebody who is not signed in can add; the rest stays", async () => {
    await admin.post("/api/1/admin/groups/create", { name: "racks" });
    app.db.$client.run(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 12000)
       insert into audit (date, via, operation) select ${START}, 'none', 'login/failed' from n`,
    );
    await app.client().post("/api/1/login", { z_username: "admin", z_password: "wrong" });
    expect(app.rows("select via, count(*) as n from audit group by via order by via")).toEqual([
      { via: "login", n: 1 },
      { via: "none", n: 10_000 },
    ]);
    expect(app.rows("select uname from audit order by id desc limit 1")).toEqual([{ uname: "admin" }]);
  });
});
