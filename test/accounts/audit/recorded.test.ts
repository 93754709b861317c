/** That every change is recorded, as what, and nothing that was refused. */
import { beforeEach, describe, expect, test } from "bun:test";
import { changesState } from "../../../src/platform/http/operation.ts";
import { legacyOperations } from "../../../src/publishing/legacy-api/legacy-api.routes.ts";
import { TestApp } from "../../support/app.ts";
import type { Fields } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { changedTables, stored } from "../../support/stored.ts";
import { CASES } from "./cases.ts";
import { AuditScene, entry, HOST, USER } from "./support.ts";

const scene = new AuditScene();
beforeEach(() => scene.setUp());

describe("the audit log has", () => {
  for (const [what, { path, fields, first, expected }] of Object.entries(CASES))
    test(`${what}: ${path}`, async () => {
      await first?.(scene.app);
      scene.clear();
      const reply = await scene.admin.post(`/api/1${path}`, fields);
      expect([reply.status, reply.json]).toEqual([200, expect.anything()]);
      expect(scene.entries()).toEqual(expected());
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
    const groups = { created: 1, updated: 0, incomplete: [] };
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
      "/admin/hosts/bulk/update",
      "/admin/hosts/bulk/delete",
    ]);
    // Notes of a program to itself, which end with its session; and a wall whose token was recorded when it was made.
    expect(declared("none")).toEqual(["/session/put", "/session/delete", "/wall/open"]);
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
