import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { filesystemXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import type { TestClient } from "../../support/client.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";
import { CommandFolder } from "../commands/support.ts";

type Document = Record<string, unknown> & {
  hosts: Record<string, unknown>[];
  rules: Record<string, unknown>[];
  limits: Record<string, unknown>[];
  channels: Record<string, unknown>[];
};

const SECRET = "webhook secret 4711";
const NAMES = [
  "groups",
  "hosts",
  "limits",
  "users",
  "channels",
  "contacts",
  "oncall",
  "rules",
  "maintenance",
  "mailreports",
  "dependencies",
  "statuspages",
  "filters",
  "views",
  "settings",
];

async function ask(admin: TestClient, path: string, fields: Record<string, unknown>): Promise<number> {
  const reply = await admin.post(`/api/1/admin/${path}`, fields as never);
  if (reply.status !== 200) throw new Error(`${path}: ${reply.text}`);
  return reply.json.id as number;
}

/** An app in which something of everything was set up. */
async function furnished(): Promise<{ app: TestApp; admin: TestClient }> {
  const app = new TestApp();
  const admin = await app.admin();
  await app.report({ id: "a-web", hostname: "web", services: [{ name: "nginx" }], hostGroups: ["linux"] });
  await app.report({ id: "a-db", hostname: "db", services: [{ name: "postgres" }] });
  const edge = await ask(admin, "groups/create", { name: "edge" });
  await admin.post("/api/1/admin/groups/add", { id: edge, hostid: [1, 2] });
  await ask(admin, "hosts/update", {
    id: 1,
    hostname: "web-1",
    keepname: 1,
    description: "in the cellar",
    agentuser: "root",
    agentpassword: "agent secret",
    skew: 5,
    tag: ["env=prod", "role=web"],
  });
  await ask(admin, "hosts/update", { id: 2, hostname: "db", agentuser: "", agentpassword: "", status: 2 });
  const [hook, pager] = [
    { name: "hook", kind: "webhook", "setting.url": "https://hooks.example.org/x", "setting.secret": SECRET },
    { name: "push", kind: "ntfy", "setting.topic": "alerts" },
  ];
  const hookId = await ask(admin, "channels/create", hook);
  const pagerId = await ask(admin, "channels/create", pager);
  await ask(admin, "rules/create", {
    name: "edge broken",
    hostgroupid: edge,
    hostid: 1,
    tag: ["env=prod", "env=test"],
    state: [1],
    delay: 5,
    repeat: 60,
    quietfrom: "22:00",
    quietto: "06:00",
    quiettimezone: "Europe/Oslo",
    escalateafter: 30,
    flapcount: 5,
    flapwindow: 30,
    channelid: hookId,
    escalationchannelid: pagerId,
  });
  await ask(admin, "rules/create", { name: "all the rest", channelid: pagerId, final: 1 });
  await ask(admin, "maintenance/create", {
    name: "patching",
    hostgroupid: edge,
    tag: "role",
    days: [0],
    timeofday: "03:00",
    minutes: 90,
    timezone: "UTC",
  });
  const limits: Record<string, unknown>[] = [
    {
      ...{ name: "disk", statistic: 18, warning: "80.5", critical: 90, minutes: 10, missing: "warn" },
      ...{ hostgroupid: edge, hostid: 1, tag: "env=prod", servicename: "root*", servicetype: 0 },
      ...{
        clearvalue: "79.25",
        clearminutes: 5,
        downtime: 1,
        note: "logs",
        runbook: "https://r.example.org/",
      },
    },
    {
      name: "load",
      statistic: 0,
      descriptor: "15",
      perprocessor: 1,
      critical: 4,
      hostname: "db*",
      enabled: 0,
    },
    { name: "slow", statistic: [18, 19], direction: "below", warning: "0.0000001", critical: "-2" },
  ];
  for (const limit of limits) {
    const reply = await admin.post("/api/1/limits/create", limit as never);
    if (reply.status !== 200) throw new Error(reply.text);
  }
  await ask(admin, "statuspages/create", { title: "Edge", groupid: edge, tag: "public", slug: "edge" });
  const mail = {
    name: "mail",
    kind: "email",
    "setting.host": "mail.example.org",
    "setting.from": "m@example.org",
  };
  const mailId = await ask(admin, "channels/create", { ...mail, "setting.to": "ops@example.org" });
  await ask(admin, "mailreports/create", {
    ...{ name: "Week", period: "weekly", hour: 6, target: "99.95", channelid: mailId },
    ...{ hostgroupid: edge, uname: "user", address: "boss@example.org", enabled: 0 },
  });
  await ask(admin, "mailreports/create", {
    name: "Day",
    period: "daily",
    channelid: mailId,
    everything: 1,
    address: "boss@example.org",
  });
  await ask(admin, "contacts/set", { uname: "user", channelid: mailId });
  await ask(admin, "dependencies/create", { hostid: 1, service: "web", causehostid: 2 });
  const rotations = JSON.stringify([
    {
      ...{ name: "Nights", users: ["user", "admin"], start: "2026-01-01", handover: "17:00" },
      ...{ unit: "day", every: 2, hours: { days: [1, 2], from: "17:00", to: "09:00" } },
    },
  ]);
  await admin.post("/api/1/oncall/create", { name: "Ops", rotations, timezone: "Europe/Berlin" });
  const span = { from: app.clock.now() + 60, to: app.clock.now() + 120 };
  await admin.post("/api/1/oncall/override/create", { scheduleid: 1, uname: "user", ...span });
  await ask(admin, "filters/create", {
    ...{ name: "failing", screen: "events" },
    query: `active=2&hostid=2&hostgroupid=${edge}&servicenameid=1&tag=env%3Dprod`,
  });
  await ask(admin, "filters/create", { name: "edge", screen: "hosts", query: `group=${edge}&led=0` });
  await ask(admin, "views/create", { name: "load", type: 0, descriptor: "1min", hostid: [2, 1] });
  await ask(admin, "views/create", { name: "disks", type: 18, hostgroupid: edge, order: "asc", results: 9 });
  await ask(admin, "settings/update", { sessionidle: 77 });
  return { app, admin };
}

async function exported(admin: TestClient, secrets = false): Promise<Document> {
  return (await admin.get("/api/1/admin/transfer/export", { secrets: secrets ? 1 : 0 })).json as Document;
}

function importInto(admin: TestClient, document: unknown) {
  const form = new FormData();
  form.set("file", new Blob([typeof document === "string" ? document : JSON.stringify(document)]));
  return admin.upload("/api/1/admin/transfer/import", form);
}

const without = (document: Document) => ({ ...document, exported: 0 });

describe("what was exported", () => {
  test("makes an empty Muster export the same, secrets included", async () => {
    const { admin } = await furnished();
    const document = await exported(admin, true);
    const empty = new TestApp();
    const other = await empty.admin();
    const reply = await importInto(other, document);
    expect(reply.status).toBe(200);
    expect(Object.keys(reply.json)).toEqual(NAMES);
    expect(reply.json.hosts).toEqual({ created: 2, updated: 0, incomplete: [] });
    expect(reply.json.rules).toEqual({ created: 2, updated: 0, incomplete: [] });
    expect(reply.json.limits).toEqual({ created: 3, updated: 0, incomplete: [] });
    expect(without(await exported(other, true))).toEqual(without(document));
    const disk = `select json_array_length(filter, '$.hostids') as hosts, warning, hold from limits where id = 1`;
    expect(empty.rows(disk)).toEqual([{ hosts: 1, warning: 80.5, hold: 600 }]);
  });

  test("changes nothing where it came from", async () => {
    const { app, admin } = await furnished();
    const before = app.rows("select id, name, filter, position from rules");
    const limits = app.rows("select * from limits");
    const document = await exported(admin, true);
    const reply = await importInto(admin, document);
    expect(reply.json.hosts).toEqual({ created: 0, updated: 2, incomplete: [] });
    expect(app.rows("select id, name, filter, position from rules")).toEqual(before);
    expect(reply.json.limits).toEqual({ created: 0, updated: 3, incomplete: [] });
    expect(app.rows("select * from limits")).toEqual(limits);
    expect(without(await exported(admin, true))).toEqual(without(document));
  });

  test("has no filters and views of what was deleted, and views keep their walls when they are imported", async () => {
    const { app, admin } = await furnished();
    const { token } = (await admin.post("/api/1/admin/views/tokens/create", { id: 1, name: "lobby" })).json;
    const document = await exported(admin);
    await importInto(admin, document);
    expect(app.muster.views.viewOf(token).name).toBe("load");
    expect(JSON.stringify(document)).not.toContain(token);
    const { id } = app.rows<{ id: number }>("select id from host_groups where name = 'edge'")[0] ?? { id: 0 };
    await admin.post("/api/1/admin/groups/delete", { id });
    const left = (await exported(admin)) as unknown as Record<string, { name: string }[]>;
    expect(left.filters).toEqual([]);
    expect(left.views?.map(({ name }) => name)).toEqual(["load"]);
  });

  test("holds no secret unless asked to, and only for those who may see them", async () => {
    const { admin } = await furnished();
    const text = JSON.stringify(await exported(admin));
    for (const secret of [SECRET, "agent secret", "collector secret"]) expect(text).not.toContain(secret);
    expect(text).not.toMatch(/[0-9A-F]{32}/);
    const all = JSON.stringify(await exported(admin, true));
    for (const secret of [SECRET, "agent secret", "collector secret"]) expect(all).toContain(secret);
    const token = await admin.post("/api/1/tokens/create", { name: "reader", scope: "read" });
    const headers = { Authorization: `Bearer ${token.json.token}` };
    const reader = new TestApp().client();
    expect((await reader.get("/api/1/admin/transfer/export", { secrets: 1 }, headers)).status).toBe(401);
  });

  test("with its secrets is on the audit log, and without them is not", async () => {
    const { app, admin } = await furnished();
    const entries = () =>
      app.rows("select uname, details from audit where operation = 'admin/transfer/export'");
    await exported(admin);
    expect(entries()).toEqual([]);
    await exported(admin, true);
    expect(entries()).toEqual([{ uname: "admin", details: '{"with":"passwords and tokens"}' }]);
  });

  test("holds nobody for whom a provider or a proxy vouches, and no second factor", async () => {
    const { app, admin } = await furnished();
    app.db.$client.run("update users set origin = 'proxy', password_md5 = '' where uname = 'user'");
    app.db.$client.run("update users set totp_secret = 'sealed', totp_enabled = 1 where uname = 'admin'");
    const { contacts, users } = (await exported(admin)) as Record<string, Record<string, unknown>[]>;
    expect(contacts).toEqual([]);
    expect(users?.map(({ uname }) => uname)).toEqual(["admin"]);
    expect(Object.keys(users?.[0] ?? {}).join()).not.toMatch(/totp|factor|origin|subject/);
  });

  test("without secrets keeps those that are there, and tells what lacks one", async () => {
    const { app, admin } = await furnished();
    const document = await exported(admin);
    const before = await exported(admin, true);
    await importInto(admin, document);
    expect(without(await exported(admin, true))).toEqual(without(before));
    app.clock.step(1);
    const empty = new TestApp();
    const reply = await importInto(await empty.admin(), document);
    expect(reply.json.users).toEqual({ created: 0, updated: 2, incomplete: [] });
    const lone = await importInto(await new TestApp().admin(), {
      ...document,
      users: [{ ...(document.users as object[])[1], uname: "newcomer" }],
    });
    expect(lone.json.users).toEqual({ created: 1, updated: 0, incomplete: ["newcomer"] });
  });
});

describe("a host that has not reported yet", () => {
  test("waits in grey, with what was set about it, and wakes with its agent's first message", async () => {
    const { admin } = await furnished();
    const document = await exported(admin, true);
    const app = new TestApp();
    const other = await app.admin();
    await importInto(other, document);
    app.pass(3600);
    expect(app.rows("select count(*) as n from events")).toEqual([{ n: 0 }]);
    const [waiting] = app.rows(
      "select hostname, description, led, skew, heartbeat from hosts where agent_id = 'a-web'",
    );
    expect(waiting).toEqual({
      hostname: "web-1",
      description: "in the cellar",
      led: 3,
      skew: 5,
      heartbeat: 1,
    });
    await app.report({ id: "a-web", hostname: "web", at: app.clock.now(), services: [{ name: "nginx" }] });
    const [awake] = app.rows("select hostname, led, status, stopped from hosts where agent_id = 'a-web'");
    expect(awake).toEqual({ hostname: "web-1", led: 2, status: 0, stopped: 0 });
    const groups = app.rows(
      "select g.name from host_groups g join host_group_members m on m.group_id = g.id where m.host_id = 2 or m.host_id = 1 order by 1",
    );
    expect(groups).toContainEqual({ name: "edge" });
  });
});

describe("an import", () => {
  const refused = async (change: (document: Document) => unknown, status = 400, code = "request.invalid") => {
    const { admin } = await furnished();
    const document = change(await exported(admin, true));
    const app = new TestApp();
    const other = await app.admin();
    return expectRefusal(app, () => importInto(other, document), status, code);
  };

  test("that names what is not there does nothing, and says where", async () => {
    const rule = (changes: object) => (document: Document) => ({
      ...document,
      rules: [document.rules[1], { ...document.rules[0], ...changes }],
    });
    const unknown = await refused(
      rule({ steps: [{ after: 0, channels: ["nobody"], users: [], schedules: [] }] }),
    );
    expect(unknown.json.error).toBe('rules, "edge broken": There is no channel "nobody"');
    const contacts = [{ uname: "user", channels: ["pigeon"] }];
    const contact = await refused((document) => ({ ...document, contacts }));
    expect(contact.json.error).toBe('contacts, "user": There is no channel "pigeon"');
    const group = await refused(rule({ filter: { hostgroups: ["no group"] } }));
    expect(group.json.error).toContain('There is no host group "no group"');
    const limit = (changes: object) => (document: Document) => ({
      ...document,
      limits: [document.limits[1], { ...document.limits[0], ...changes }],
    });
    const host = await refused(limit({ filter: { hosts: ["nobody"] } }));
    expect(host.json.error).toBe('limits, "disk": There is no host with the agent id "nobody"');
    const contradiction = await refused(limit({ critical: 70 }));
    expect(contradiction.json.error).toStartWith('limits, "disk": critical must be above');
  });

  test("of something malformed does nothing, and says where", async () => {
    const malformed = await refused((document) => ({
      ...document,
      hosts: [document.hosts[0], { ...document.hosts[1], skew: "three" }],
    }));
    expect(malformed.json.error).toStartWith("hosts[1].skew is not right");
    expect((await refused(() => "no JSON")).json.error).toBe("The file is no well-formed JSON");
    expect((await refused(() => "[]")).json.error).toBe("This is no file that Muster exported");
    expect((await refused((document) => ({ ...document, muster: 2 }))).json.error).toContain("later version");
  });

  test("that would leave no administrator does nothing", async () => {
    await refused(
      (document) => ({
        ...document,
        users: (document.users as object[]).map((user) => ({ ...user, admin: false })),
      }),
      409,
      "user.lastadmin",
    );
  });

  test("of some sections leaves the others alone, and deletes nothing", async () => {
    const { app, admin } = await furnished();
    const before = stored(app);
    const reply = await importInto(admin, { muster: 1, groups: [{ name: "new" }] });
    expect(reply.json).toEqual({ groups: { created: 1, updated: 0, incomplete: [] } });
    expect(changedTables(app, before)).toEqual(["host_groups"]);
  });

  test("that holds what this version does not know does nothing, and says where", async () => {
    const section = await refused((document) => ({ ...document, rule: [] }));
    expect(section.json.error).toBe('There is no section "rule"');
    const key = await refused((document) => ({
      ...document,
      hosts: [{ ...document.hosts[0], agentusr: "root" }],
    }));
    expect(key.json.error).toBe("hosts[0].agentusr is not right: there is no such thing");
    const twice = await refused((document) => ({
      ...document,
      rules: [document.rules[0], document.rules[0]],
    }));
    expect(twice.json.error).toBe('rules has "edge broken" twice');
  });

  test("never repeats a value that is wrong, which may be a secret", async () => {
    const secret = await refused((document) => ({
      ...document,
      users: (document.users as object[]).map((user) => ({ ...user, password: "in the clear" })),
    }));
    expect(secret.json.error).toStartWith("users[0].password is not right");
    expect(secret.text).not.toContain("in the clear");
    const long = await refused((document) => ({
      ...document,
      rules: [{ ...document.rules[0], name: "x".repeat(10_000) }],
    }));
    expect(long.text.length).toBeLessThan(400);
  });

  test("refuses a setting that a kind of channel does not have", async () => {
    const foreign = await refused((document) => ({
      ...document,
      channels: [{ ...document.channels[0], settings: { adress: "x" } }],
    }));
    expect(foreign.json.error).toStartWith('channels, "hook": setting.adress must be left out');
  });

  test("that takes a limit out of force ends its failures", async () => {
    const { app, admin } = await furnished();
    app.db.$client.run("delete from limits");
    await admin.post("/api/1/limits/create", { name: "disk", statistic: 18, warning: 80 });
    const full = { name: "rootfs", type: 0, body: filesystemXml({ percent: 90 }) };
    await app.report({ id: "a-web", hostname: "web", at: app.clock.now(), services: [full] });
    const open = () => app.rows("select level from limit_states");
    expect(open()).toEqual([{ level: 1 }]);
    const { limits } = await exported(admin);
    await importInto(admin, { muster: 1, limits: limits.map((limit) => ({ ...limit, enabled: false })) });
    expect(open()).toEqual([]);
    expect(app.rows("select count(*) as n from events where limit_id > 0 and active = 1")).toEqual([
      { n: 0 },
    ]);
  });

  test("refuses a rule in force whose list of hosts is empty, as it would be of every host", async () => {
    const empty = await refused((document) => ({
      ...document,
      rules: [{ ...document.rules[0], filter: { hosts: [] } }],
    }));
    expect(empty.json.error).toStartWith('rules, "edge broken": filter.hosts is empty');
  });

  test("that fails at its last setting leaves those before it as they were, in memory too", async () => {
    const app = new TestApp();
    const admin = await app.admin();
    const idle = async () =>
      (await admin.get("/api/1/admin/settings/get")).json.settings.find(
        ({ name }: { name: string }) => name === "sessionidle",
      ).value;
    const before = await idle();
    const settings = [
      { name: "sessionidle", value: before + 1 },
      { name: "timezone", value: "Nowhere/Else" },
    ];
    const call = () => importInto(admin, { muster: 1, settings });
    const reply = await expectRefusal(app, call, 400, "request.invalid");
    expect(reply.json.error).toStartWith('settings, "timezone": timezone must be');
    expect(await idle()).toBe(before);
  });

  test("keeps the agent's credentials and the doubt about its address, which nobody looked at", async () => {
    const { app, admin } = await furnished();
    const document = await exported(admin);
    app.db.$client.run("update hosts set conflict = 'it moved' where id = 1");
    await importInto(admin, document);
    const [host] = app.rows(
      "select agentuser, conflict, credentials_set_by_admin as own from hosts where id = 1",
    );
    expect(host).toEqual({ agentuser: "root", conflict: "it moved", own: 1 });
  });

  test("takes a host off the ignored ones when the file has it so", async () => {
    const { app, admin } = await furnished();
    const document = await exported(admin);
    const hosts = document.hosts.map((host) => ({ ...host, ignored: !host.ignored }));
    await importInto(admin, { ...document, hosts });
    expect(app.rows("select id, status from hosts order by id")).toEqual([
      { id: 1, status: 2 },
      { id: 2, status: 0 },
    ]);
  });

  test("with another password for the user who imports ends their other sessions, and not this one", async () => {
    const { app, admin } = await furnished();
    const other = await app.admin();
    const document = await exported(admin, true);
    const users = (document.users as { uname: string }[]).map((user) =>
      user.uname === "admin" ? { ...user, password: "0".repeat(32) } : user,
    );
    expect((await importInto(admin, { ...document, users })).status).toBe(200);
    expect((await admin.get("/api/1/admin/transfer/export")).status).toBe(200);
    expect((await other.get("/api/1/admin/transfer/export")).status).toBe(401);
  });

  test("makes no administrator without a password count as one", async () => {
    const { admin, app } = await furnished();
    const [someone] = (await exported(admin)).users as object[];
    const users = [{ ...someone, uname: "empty", admin: true }];
    expect((await importInto(admin, { muster: 1, users })).json.users.incomplete).toEqual(["empty"]);
    const call = () => admin.post("/api/1/admin/users/delete", { uname: "admin" });
    await expectRefusal(app, call, 409, "user.lastadmin");
    expect((await admin.post("/api/1/admin/users/delete", { uname: "empty" })).status).toBe(200);
  });

  test("takes over no account that somebody else vouches for", async () => {
    const { app, admin } = await furnished();
    const document = await exported(admin, true);
    app.db.$client.run(
      "update users set origin = 'oidc', subject = 'iss sub', password_md5 = '' where uname = 'user'",
    );
    const call = () => importInto(admin, document);
    const reply = await expectRefusal(app, call, 400, "request.invalid");
    expect(reply.json.error).toStartWith('users, "user": ');
  });

  test("needs a file", async () => {
    const app = new TestApp();
    const admin = await app.admin();
    const call = () => admin.upload("/api/1/admin/transfer/import", new FormData());
    const reply = await expectRefusal(app, call, 400, "argument.missing");
    expect(reply.json.error).toStartWith("file");
  });
});

test("a rule whose only host is gone comes out switched off, as it would otherwise tell of every host", async () => {
  const { admin } = await furnished();
  await admin.post("/api/1/admin/hosts/delete", { id: 1 });
  const [first] = (await exported(admin)).rules;
  expect(first).toMatchObject({ name: "edge broken", enabled: false });
  expect(first?.filter).toEqual({
    hosts: [],
    hostgroups: ["edge"],
    tags: ["env=prod", "env=test"],
    states: [1],
  });
});

describe("from the command line", () => {
  test("what export prints is what import takes, and the audit log has it", async () => {
    const { app } = await furnished();
    using source = new CommandFolder().fill(app);
    const { code, out } = await source.run("export --secrets");
    expect(code).toBe(0);
    using target = new CommandFolder().fill();
    const file = join(target.path, "muster.json");
    writeFileSync(file, out.join("\n"));
    const done = await target.run(`import ${file}`);
    expect([done.code, done.err]).toEqual([0, []]);
    expect(done.out).toContain("rules: 2 created, 0 updated");
    const again = JSON.parse((await target.run("export --secrets")).out.join("\n")) as Document;
    expect({ ...again, exported: 0 }).toEqual({ ...(JSON.parse(out.join("\n")) as Document), exported: 0 });
    expect(target.query("select operation, via from audit where operation = 'command/import'")).toEqual([
      { operation: "command/import", via: "command" },
    ]);
  });

  test("a file that is wrong ends with one line and changes nothing", async () => {
    using folder = new CommandFolder().fill();
    const file = join(folder.path, "muster.json");
    writeFileSync(file, "{");
    const { code, err } = await folder.run(`import ${file}`);
    expect([code, err]).toEqual([1, ["The file is no well-formed JSON"]]);
    expect(folder.query("select count(*) as n from audit where operation = 'command/import'")).toEqual([
      { n: 0 },
    ]);
  });
});

test("users keep their levels in host groups, so that none sees more elsewhere", async () => {
  const app = new TestApp();
  const admin = await app.admin();
  for (const name of ["rack", "other"]) await admin.post("/api/1/admin/groups/create", { name });
  await admin.post("/api/1/admin/grants/set", { uname: "user", manage: 1, view: 2 });
  const document = await exported(admin);
  const elsewhere = new TestApp();
  await elsewhere.report({ hostGroups: ["other"], services: [] });
  expect((await importInto(await elsewhere.admin(), document)).status).toBe(200);
  expect(
    elsewhere.rows(
      "select name, level from grants join host_groups on host_groups.id = group_id order by name",
    ),
  ).toEqual([
    { name: "other", level: "view" },
    { name: "rack", level: "manage" },
  ]);
  expect(elsewhere.rows("select restricted from users where uname = 'user'")).toEqual([{ restricted: 1 }]);
  const unknown = (document.users as object[]).map((one) => ({
    ...one,
    levels: [{ group: "gone", level: "view" }],
  }));
  const refused = await importInto(await elsewhere.admin(), { muster: 1, users: unknown });
  expect([refused.status, refused.json.error]).toEqual([400, expect.stringContaining("gone")]);
});
