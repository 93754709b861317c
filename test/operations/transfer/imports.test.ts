/** What an import accepts, refuses, and leaves alone. */
import { describe, expect, test } from "bun:test";
import { CPU_PARTS } from "../../../src/monit/cpu-usage.ts";
import { filesystemXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import { admin, app, appOfEachTest } from "../../support/each-test.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";
import { type Document, exported, furnished, importInto } from "./support.ts";

appOfEachTest();

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
    expect(unknown.json.error).toBe(
      'rules, "edge broken": steps[0].channels[0]: there is no channel "nobody"',
    );
    const contacts = [{ uname: "user", channels: ["pigeon"] }];
    const contact = await refused((document) => ({ ...document, contacts }));
    expect(contact.json.error).toBe('contacts, "user": channels[0]: there is no channel "pigeon"');
    const group = await refused(rule({ filter: { hostgroups: ["no group"] } }));
    expect(group.json.error).toContain('there is no host group "no group"');
    const limit = (changes: object) => (document: Document) => ({
      ...document,
      limits: [document.limits[1], { ...document.limits[0], ...changes }],
    });
    const host = await refused(limit({ filter: { hosts: ["nobody"] } }));
    expect(host.json.error).toBe('limits, "disk": filter.hosts[0]: there is no host "nobody"');
    const contradiction = await refused(limit({ critical: 70 }));
    expect(contradiction.json.error).toStartWith('limits, "disk": critical must be above');
  });

  test("of something malformed does nothing, and says where", async () => {
    const malformed = await refused((document) => ({
      ...document,
      hosts: [document.hosts[0], { ...document.hosts[1], skew: "three" }],
    }));
    expect(malformed.json.error).toBe("hosts[1].skew must be a whole number from 1 to 1000");
    const ofUser = (changes: object) => (document: Document) => ({
      users: [{ ...(document.users as object[])[0], ...changes }],
    });
    for (const [part, said] of [
      [() => ({ groups: {} }), "groups must be a list"],
      [
        () => ({ groups: [{ name: "" }] }),
        "groups[0].name must be a text of 1 to 255 characters, at least one of them visible",
      ],
      [ofUser({ fullname: undefined }), "users[0].fullname is missing"],
      [ofUser({ admin: 1 }), "users[0].admin must be true or false"],
    ] as const)
      expect((await refused((document) => ({ ...document, ...part(document) }))).json.error).toBe(said);
    expect((await refused(() => "no JSON")).json.error).toBe("The file is not well-formed JSON");
    expect((await refused(() => "[".repeat(100_000))).json.error).toBe(
      "The JSON is nested more than 32 levels deep",
    );
    expect((await refused(() => "[]")).json.error).toBe("Muster did not export this file");
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
    expect(reply.json).toEqual({ groups: { created: 1, updated: 0, same: 0, incomplete: [] } });
    expect(changedTables(app, before)).toEqual(["host_groups"]);
  });

  test("of a view of CPU usage that version 1.0 exported creates it with all parts, and then does not change it", async () => {
    const views = [{ name: "cpu", statistics: [1, 2, 3], rankings: [{ statistics: [1, 2, 3] }] }];
    const imported = async () => (await importInto(admin, { muster: 1, views })).json.views;
    expect(await imported()).toEqual({ created: 1, updated: 0, same: 0, incomplete: [] });
    const [row] = app.rows<{ content: string }>("select content from saved_views");
    const all = [...CPU_PARTS];
    const shown = { statistics: all, rankings: [{ statistics: all }] };
    expect(JSON.parse(row?.content ?? "")).toMatchObject(shown);
    expect(await imported()).toEqual({ created: 0, updated: 0, same: 1, incomplete: [] });
  });

  test("that holds what this version does not know does nothing, and says where", async () => {
    const section = await refused((document) => ({ ...document, rule: [] }));
    expect(section.json.error).toBe('There is no section "rule"');
    const key = await refused((document) => ({
      ...document,
      hosts: [{ ...document.hosts[0], agentusr: "root" }],
    }));
    expect(key.json.error).toBe("hosts[0].agentusr is unknown: there is no such field");
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
    expect(secret.json.error).toStartWith("users[0].password is invalid");
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
    expect(foreign.json.error).toStartWith('channels, "hook": There is no argument settings.adress');
  });

  test("changes hosts whose agents report a password of their own", async () => {
    await app.report({ id: "a", hostname: "alpha" });
    const [host] = (await exported(admin)).hosts;
    const changed = { ...host, description: "in the cellar" };
    expect((await importInto(admin, { muster: 1, hosts: [changed] })).json.hosts).toMatchObject({
      updated: 1,
    });
    const { agentpassword } = (await admin.get("/api/1/admin/hosts/get", { id: 1 })).json;
    expect(agentpassword).toBe("monit");
    const credentials = { agentuser: "root", agentpassword: "agent secret" };
    const document = { muster: 1, secrets: true, hosts: [{ ...changed, ...credentials }] };
    expect((await importInto(admin, document)).json.hosts).toMatchObject({ updated: 1 });
    expect((await admin.get("/api/1/admin/hosts/get", { id: 1 })).json).toMatchObject(credentials);
  });

  test("that disables a limit ends its failures", async () => {
    const { app, admin } = await furnished();
    app.db.$client.run("delete from limits");
    await admin.post("/api/1/limits/create", { name: "disk", statistics: [18], warning: 80 });
    const full = { name: "rootfs", type: 0, body: filesystemXml({ percent: 90 }) };
    await app.report({ id: "a-web", hostname: "web", at: app.clock.now(), services: [full] });
    const open = () => app.rows("select level from limit_states");
    expect(open()).toEqual([{ level: 1 }]);
    const { limits } = await exported(admin);
    await importInto(admin, { muster: 1, limits: limits.map((limit) => ({ ...limit, enabled: false })) });
    expect(open()).toEqual([]);
    expect(app.rows("select count(*) as n from events where limit_id > 0 and active = true")).toEqual([
      { n: 0 },
    ]);
  });

  test("refuses a rule in force whose list of hosts is empty, as it would be of every host", async () => {
    const empty = await refused((document) => ({
      ...document,
      rules: [{ ...document.rules[0], filter: { hosts: [] } }],
    }));
    expect(empty.json.error).toStartWith('rules, "edge broken": filter.hosts must be a list of 1 to 1000');
  });

  test("that fails at its last setting leaves those before it as they were, in memory too", async () => {
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
    const call = () => admin.upload("/api/1/admin/transfer/import", new FormData());
    const reply = await expectRefusal(app, call, 400, "argument.missing");
    expect(reply.json.error).toStartWith("file");
  });
});
