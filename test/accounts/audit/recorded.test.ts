/** Every change is recorded under the right name, and nothing that was refused. */
import { beforeEach, describe, expect, test } from "bun:test";
import { changesState, type Operation } from "../../../src/platform/http/operation.ts";
import { legacyOperations } from "../../../src/publishing/legacy-api/legacy-api.routes.ts";
import { examples, populated, send } from "../../publishing/openapi/examples.ts";
import { TestApp } from "../../support/app.ts";
import type { Fields } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { changedTables, stored } from "../../support/stored.ts";
import { RECORDED, RESOURCES } from "./cases.ts";
import { AuditScene, entry, HOST, USER } from "./support.ts";

/** Nothing listens there. */
const CLOSED_PORT = 1;

/** Masked or truncated details. */
const MASKED: [path: string, fields: Fields, details: object][] = [
  [
    "/admin/settings/update",
    { eventdays: 30, collectorpassword: "brand new", historyraw: 14 },
    { eventdays: [1095, 30], collectorpassword: "(secret)" },
  ],
  [
    "/admin/channels/create",
    { name: "phone", kind: "ntfy", settings: { topic: "alerts", token: "tk_secret" } },
    {
      kind: "ntfy",
      name: "phone",
      enabled: true,
      "settings.url": "https://ntfy.sh",
      "settings.topic": "alerts",
      "settings.token (secret)": "(secret)",
      "settings.priority": "4",
    },
  ],
  [
    "/admin/channels/update",
    { id: 1, settings: { url: "http://127.0.0.1:9/other" } },
    { "settings.url (secret)": "(secret)" },
  ],
  [
    "/admin/users/update",
    { ...USER, title: "Dr", password: "changed word" },
    { title: ["", "Dr"], password: "(secret)" },
  ],
  [
    "/admin/hosts/update",
    { ...HOST, agentpassword: "other", status: 2, description: "d".repeat(300) },
    { agentpassword: "(secret)", status: [0, 2], description: ["", `${"d".repeat(252)}...`] },
  ],
];

const operationAt = (path: string) =>
  new TestApp().operations.find((operation) => operation.path === path) as Operation;

const scene = new AuditScene();
beforeEach(() => scene.setUp());

describe("the audit log has", () => {
  /**
   * Calls an operation by its example, as an administrator.
   * @returns its arguments, and the object before and after it
   */
  async function call(path: string) {
    const populace = await populated(CLOSED_PORT);
    Object.assign(scene, { app: populace.app, admin: populace.admin });
    const args = examples(populace)[path] ?? {};
    const read = async (id: unknown) =>
      (await send(scene.admin, "GET", path.replace(/\w+$/, "get"), { id })).json as Fields;
    const before = await read(args.id);
    scene.clear();
    const reply = await send(scene.admin, "POST", path, args);
    expect([reply.status, reply.json.error]).toEqual([200, undefined]);
    return { args, before, after: await read(reply.json.id ?? args.id) };
  }

  for (const [path, [subject, id, name, details]] of Object.entries(RECORDED))
    test(`${path}: ${subject} ${id} ${name}`, async () => {
      await call(path);
      expect(scene.entries()).toEqual([entry(path.slice(1), subject, id, name, details)]);
    });

  for (const [of, [subject, created, changed, deleted]] of Object.entries(RESOURCES)) {
    const { request } = operationAt(`${of}/create`);

    test(`${of}/create with everything that is set, but for an address that nobody is to guess`, async () => {
      const { after } = await call(`${of}/create`);
      const set = Object.fromEntries(Object.keys(request.entries).map((name) => [name, after[name]]));
      const hidden = { ...("slug" in set && { slug: null }), ...("secret" in set && { secret: "(secret)" }) };
      const details = { ...set, ...hidden };
      expect(scene.entries()).toEqual([
        entry(`${of}/create`.slice(1), subject, String(after.id), created, details),
      ]);
    });

    test(`${of}/update with what was before and after`, async () => {
      const { args, before, after } = await call(`${of}/update`);
      const { id, ...sent } = args;
      const details = Object.fromEntries(
        Object.keys(sent).map((name) => [name, [before[name], after[name]]]),
      );
      expect(scene.entries()).toEqual([
        entry(`${of}/update`.slice(1), subject, String(id), changed, details),
      ]);
    });

    test(`${of}/delete`, async () => {
      const { args } = await call(`${of}/delete`);
      expect(scene.entries()).toEqual([entry(`${of}/delete`.slice(1), subject, String(args.id), deleted)]);
    });
  }

  test.each(MASKED)(
    "%s, of secrets only that they were set, of long texts the beginning",
    async (path, fields, details) => {
      const channel = { name: "chat", kind: "slack", settings: { url: "http://127.0.0.1:9/secret" } };
      await scene.admin.post("/api/1/admin/channels/create", channel);
      scene.clear();
      expect((await scene.admin.post(`/api/1${path}`, fields)).status).toBe(200);
      expect(scene.entries().map((each) => each.details)).toEqual([details]);
    },
  );

  describe("the beginning and the end of a mute with the names of", () => {
    const NAMED: [what: string, filter: object, names: object][] = [
      ["hosts", { hosts: [1] }, { hosts: ["host-1"] }],
      ["host groups", { hostgroups: [1] }, { hostgroups: ["rack"] }],
      ["rules", { rules: [1] }, { rules: ["all"] }],
    ];
    for (const [what, filter, names] of NAMED)
      for (const from of [undefined, START + 3600])
        test(`${what}${from === undefined ? "" : ", if it has not begun"}`, async () => {
          await scene.admin.post("/api/1/admin/groups/create", { name: "rack" });
          await scene.admin.post("/api/1/admin/rules/create", { name: "all", steps: [{ users: ["user"] }] });
          scene.clear();
          const { id } = (await scene.admin.post("/api/1/mutes/create", { filter, from, minutes: 10 })).json;
          scene.app.clock.step(60);
          await scene.admin.post("/api/1/mutes/delete", { id });
          const [beginning, end] = scene.entries();
          expect(beginning?.details).toMatchObject({ filter, ...names });
          const gone = Object.entries({ filter, ...names }).map(([name, value]) => [name, [value, null]]);
          expect(end?.details).toMatchObject(Object.fromEntries(gone));
        });
  });

  test("the end of a host", async () => {
    expect((await scene.admin.post("/api/1/admin/hosts/delete", { id: 1 })).json).toEqual({ deleted: 1 });
    expect(scene.entries()).toEqual([entry("admin/hosts/delete", "host", "1", "host-1")]);
  });

  test("one entry for each host of many that are gone", async () => {
    await scene.app.report({ id: "b", hostname: "host-2" });
    scene.app.db.$client.run("update hosts set status = 1");
    scene.clear();
    expect((await scene.admin.post("/api/1/admin/hosts/delete", { inactive: 0 })).json).toEqual({
      deleted: 2,
    });
    const details = { inactive: 0 };
    expect(scene.entries()).toEqual([
      entry("admin/hosts/delete", "host", "1", "host-1", details),
      entry("admin/hosts/delete", "host", "2", "host-2", details),
    ]);
    expect((await scene.admin.post("/api/1/admin/hosts/delete", { inactive: 0 })).json).toEqual({
      deleted: 0,
    });
    expect(scene.entries()).toEqual([]);
  });

  test("the end of another session of one's own", async () => {
    const other = await scene.app.admin();
    scene.clear();
    const { records } = (await scene.admin.get("/api/1/session/list")).json;
    const { id } = records.find(({ current }: { current: boolean }) => !current);
    await scene.admin.post("/api/1/session/revoke", { id });
    expect(scene.entries()).toEqual([entry("session/revoke", "session", id, "")]);
    expect((await other.get("/api/1/session/list")).status).toBe(401);
  });

  test("an import", async () => {
    const form = new FormData();
    form.set("file", new Blob([JSON.stringify({ muster: 1, groups: [{ name: "racks" }] })]));
    expect((await scene.admin.upload("/api/1/admin/transfer/import", form)).status).toBe(200);
    const groups = { created: 1, updated: 0, same: 0, incomplete: 0 };
    expect(scene.entries()).toEqual([entry("admin/transfer/import", "transfer", "", "", { groups })]);
  });

  test("a picture that was set", async () => {
    const body = new FormData();
    body.set("image", new Blob([Buffer.from("89504e470d0a1a0a00", "hex")]));
    const reply = await scene.admin.raw("/api/1/admin/users/image?uname=user", {
      method: "POST",
      body,
      headers: { CSRFToken: scene.admin.csrfToken },
    });
    expect(reply.status).toBe(200);
    expect(scene.entries()).toEqual([
      entry("admin/users/image", "user", "user", "A User", { picture: "set" }),
    ]);
  });

  test("the name of the API token that did it", async () => {
    const { token } = (await scene.admin.post("/api/1/tokens/create", { name: "bot", scope: "full" })).json;
    scene.clear();
    const headers = { Authorization: `Bearer ${token}` };
    await scene.app.client("203.0.113.4").post("/api/1/admin/groups/create", { name: "racks" }, headers);
    const { json } = await scene.admin.get("/api/1/admin/audit/list");
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
    await scene.admin.post("/api/2/admin/hosts/update", { id: 1, hostname: "renamed" });
    expect(scene.entries()).toEqual([
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
    expect(declared("itself")).toEqual([
      "/login/proxy",
      "/login",
      "/admin/hosts/delete",
      "/admin/hosts/action",
      "/admin/hosts/action/queue",
      "/admin/hosts/action/cancel",
      "/admin/hosts/deleted/restore",
      "/admin/hosts/deleted/delete",
      "/admin/hosts/bulk/update",
      "/admin/hosts/bulk/delete",
      "/admin/transfer/import",
    ]);
    // Notes of a program to itself, which end with its session; and a wall whose token was recorded when it was made.
    expect(declared("none")).toEqual(["/session/put", "/session/delete", "/wall/open"]);
  });

  test("each that is recorded by its declaration is tried above", () => {
    const ofResources = Object.keys(RESOURCES).flatMap((of) =>
      ["create", "update", "delete"].map((verb) => `${of}/${verb}`),
    );
    const tried = [...Object.keys(RECORDED), ...ofResources, "/session/revoke"];
    const due = changing.filter(({ audit }) => typeof audit === "object").map(({ path }) => path);
    expect(tried.sort()).toEqual(due.sort());
  });

  test("the older dialect adds none of its own", () => {
    const older = legacyOperations(scene.app.muster.queries, scene.app.operations).filter(({ kind }) =>
      changesState(kind),
    );
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
      expect((await scene.admin.post(`/api/1${path}`, fields)).status).toBe(status);
      expect((await scene.app.client().post(`/api/1${path}`, fields)).status).toBe(401);
      expect(scene.entries()).toEqual([]);
    });
});

test("what cannot be recorded is not done", async () => {
  scene.app.db.$client.run(
    "create trigger full before insert on audit begin select raise(abort, 'full'); end",
  );
  const before = stored(scene.app);
  expect((await scene.admin.post("/api/1/admin/groups/create", { name: "racks" })).status).toBe(500);
  const update = { ...USER, title: "Dr", password: "changed word" };
  expect((await scene.admin.post("/api/1/admin/users/update", update)).status).toBe(500);
  expect((await scene.admin.post("/api/1/admin/hosts/delete", { id: 1 })).status).toBe(500);
  expect(changedTables(scene.app, before)).toEqual([]);
});
