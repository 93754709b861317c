/** The content of an export, and its import elsewhere. */
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { TestApp } from "../../support/app.ts";
import type { TestClient } from "../../support/client.ts";
import { CommandFolder } from "../commands/support.ts";
import {
  ask,
  type Document,
  exported,
  furnished,
  IN_2100,
  importInto,
  NAMES,
  SECRET,
  without,
} from "./support.ts";

describe("what was exported", () => {
  test("makes an empty Muster export the same, secrets included", async () => {
    const { admin } = await furnished();
    const document = await exported(admin, true);
    const empty = new TestApp();
    const other = await empty.admin();
    const reply = await importInto(other, document);
    expect(reply.status).toBe(200);
    expect(Object.keys(reply.json)).toEqual(NAMES);
    expect(reply.json.hosts).toEqual({ created: 2, updated: 0, same: 0, incomplete: [] });
    expect(reply.json.rules).toEqual({ created: 2, updated: 0, same: 0, incomplete: [] });
    expect(reply.json.limits).toEqual({ created: 3, updated: 0, same: 0, incomplete: [] });
    expect(without(await exported(other, true))).toEqual(without(document));
    const disk = `select json_array_length(filter, '$.hosts') as hosts, warning, minutes from limits where id = 1`;
    expect(empty.rows(disk)).toEqual([{ hosts: 1, warning: 80.5, minutes: 10 }]);
  });

  test("changes nothing where it came from", async () => {
    const { app, admin } = await furnished();
    const before = app.rows("select id, name, filter, position from rules");
    const limits = app.rows("select * from limits");
    const document = await exported(admin, true);
    const reply = await importInto(admin, document);
    expect(reply.json.hosts).toEqual({ created: 0, updated: 0, same: 2, incomplete: [] });
    expect(app.rows("select id, name, filter, position from rules")).toEqual(before);
    expect(reply.json.limits).toEqual({ created: 0, updated: 0, same: 3, incomplete: [] });
    expect(app.rows("select * from limits")).toEqual(limits);
    expect(without(await exported(admin, true))).toEqual(without(document));
  });

  test("has the agents' password also after it was changed, while the previous one is still accepted", async () => {
    const { admin } = await furnished();
    await ask(admin, "settings/update", { collectorpassword: "another secret" });
    const document = await exported(admin, true);
    expect(document.settings).toContainEqual({ name: "collectorpassword", value: "another secret" });
    expect((await exported(admin)).settings).toContainEqual({ name: "collectorpassword", set: true });
    expect((await importInto(admin, document)).status).toBe(200);
  });

  test("has overlapping overrides in the order in which they were made, as the newest counts", async () => {
    const app = new TestApp();
    const admin = await app.admin();
    const post = async (path: string, fields: Parameters<TestClient["post"]>[1]) =>
      expect((await admin.post(`/api/1/${path}`, fields)).status).toBe(200);
    await post("oncall/create", { name: "Ops", rotations: [], timezone: "UTC" });
    const at = (hours: number) => IN_2100 + hours * 3600;
    await post("oncall/override/create", { schedule: 1, user: "user", from: at(2), to: at(4) });
    await post("oncall/override/create", { schedule: 1, user: "admin", from: at(1), to: at(8) });
    const empty = new TestApp();
    const other = await empty.admin();
    expect((await importInto(other, await exported(admin, true))).status).toBe(200);
    const span = { scheduleid: 1, from: at(0), to: at(9) };
    const calendar = await admin.get("/api/1/oncall/calendar", span);
    expect(calendar.text).not.toContain('"user"');
    expect((await other.get("/api/1/oncall/calendar", span)).json).toEqual(calendar.json);
  });

  test("has no filters and views of what was deleted, and views keep their walls when they are imported", async () => {
    const { app, admin } = await furnished();
    const { token } = (await admin.post("/api/1/views/tokens/create", { id: 1, name: "lobby" })).json;
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
    const whole = JSON.stringify(await exported(admin, true));
    for (const secret of [SECRET, "agent secret", "collector secret"]) expect(whole).toContain(secret);
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
    expect(reply.json.users).toEqual({ created: 0, updated: 0, same: 2, incomplete: [] });
    const lone = await importInto(await new TestApp().admin(), {
      ...document,
      users: [{ ...(document.users as object[])[1], uname: "newcomer" }],
    });
    expect(lone.json.users).toEqual({ created: 1, updated: 0, same: 0, incomplete: ["newcomer"] });
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

test("a rule whose only host was deleted is exported disabled, since it would otherwise match every host", async () => {
  const { admin } = await furnished();
  await admin.post("/api/1/admin/hosts/delete", { id: 1 });
  const [first] = (await exported(admin)).rules;
  expect(first).toMatchObject({ name: "edge broken", enabled: false });
  expect(first?.filter).toEqual({
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
    expect(done.out).toContain("rules: 2 created, 0 updated, 0 unchanged");
    const again = JSON.parse((await target.run("export --secrets")).out.join("\n")) as Document;
    expect({ ...again, exported: 0 }).toEqual({ ...(JSON.parse(out.join("\n")) as Document), exported: 0 });
    expect(target.query("select operation, via from audit where operation = 'command/import'")).toEqual([
      { operation: "command/import", via: "command" },
    ]);
    const repeated = await target.run(`import ${file}`);
    expect([repeated.code, repeated.err]).toEqual([0, []]);
    expect(repeated.out).toContain("rules: 0 created, 0 updated, 2 unchanged");
    expect(repeated.out.filter((line) => !line.includes("0 created, 0 updated, "))).toEqual([]);
  });

  test("a file that is wrong ends with one line and changes nothing", async () => {
    using folder = new CommandFolder().fill();
    const file = join(folder.path, "muster.json");
    const imported = async (content: string | Uint8Array) => {
      writeFileSync(file, content);
      const { code, err } = await folder.run(`import ${file}`);
      return [code, err];
    };
    expect(await imported("{")).toEqual([1, ["The file is not well-formed JSON"]]);
    expect(await imported(Uint8Array.of(0x22, 0xff, 0x22))).toEqual([1, ["The file is not in UTF-8"]]);
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
  const unknown = (document.users as object[]).map((user) => ({
    ...user,
    levels: [{ group: "gone", level: "view" }],
  }));
  const refused = await importInto(await elsewhere.admin(), { muster: 1, users: unknown });
  expect([refused.status, refused.json.error]).toEqual([400, expect.stringContaining("gone")]);
});
