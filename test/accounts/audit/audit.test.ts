/** The audit log: actions and sign-ins, reading it, its bounds. */

import { beforeEach, describe, expect, test } from "bun:test";
import { deliveryRetention } from "../../../src/alerting/notifications/deliveries.service.ts";
import { AgentHttpd } from "../../support/agent-httpd.ts";
import { ADMIN_PASSWORD, USER_PASSWORD } from "../../support/app.ts";
import type { Fields } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { AuditScene, type Entry, entry, USER } from "./support.ts";

const scene = new AuditScene();
beforeEach(() => scene.setUp());

describe("an action", () => {
  async function act(answer?: [number, string]) {
    const httpd = await AgentHttpd.start(answer ? { answer: () => answer } : {});
    try {
      const agent = { httpd: { address: "127.0.0.1", port: httpd.port }, services: [{ name: "web" }] };
      await scene.app.report(agent, "127.0.0.1");
      const fields = { id: 1, action: "stop", service: "web" };
      const { status } = await scene.admin.post("/api/1/admin/hosts/action", fields);
      const sent = { action: "stop", service: ["web"], agent: `127.0.0.1:${httpd.port}` };
      return { status, sent };
    } finally {
      await httpd.stop();
    }
  }

  test("is there with the agent it went to", async () => {
    const { status, sent } = await act();
    expect(status).toBe(200);
    expect(scene.entries()).toEqual([
      entry("admin/hosts/action", "host", "1", "host-1", { ...sent, outcome: "accepted" }),
    ]);
  });

  test("is there when the agent refuses it", async () => {
    const { status, sent } = await act([403, ""]);
    expect(status).toBe(502);
    const outcome = "The agent refused the request: its user may be read-only";
    expect(scene.entries()).toEqual([
      entry("admin/hosts/action", "host", "1", "host-1", { ...sent, outcome }),
    ]);
  });

  test("is there before it is sent", async () => {
    let seen: Entry[] = [];
    const httpd = await AgentHttpd.start({
      answer: () => {
        seen = scene.entries();
        return [302, ""];
      },
    });
    await scene.app.report(
      { httpd: { address: "127.0.0.1", port: httpd.port }, services: [{ name: "web" }] },
      "127.0.0.1",
    );
    await scene.admin.post("/api/1/admin/hosts/action", { id: 1, action: "stop", service: "web" });
    await httpd.stop();
    expect(seen.map(({ details }) => details)).toEqual([expect.objectContaining({ outcome: "sent" })]);
  });
});

describe("signing in", () => {
  const login = (uname: string, password: string, address = "203.0.113.4") =>
    scene.app.client(address).post("/api/1/login", { z_username: uname, z_password: password });

  test("is recorded when it succeeds, with the address", async () => {
    await login("user", USER_PASSWORD);
    const [record] = (await scene.admin.get("/api/1/admin/audit/list")).json.records;
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
    const entries = scene.entries();
    expect(entries.map(({ operation }) => operation)).toEqual([
      ...Array.from({ length: 5 }, () => "login/failed"),
      "login/throttled",
    ]);
    expect(new Set(entries.map(({ uname, via, subjectid }) => `${uname} ${via} ${subjectid}`))).toEqual(
      new Set(["user none user"]),
    );
  });

  test("under a name that is none is recorded without it: it may be a password", async () => {
    await login("my secret", "x");
    expect(scene.entries()).toMatchObject([
      { operation: "login/failed", uname: "", subjectid: "", details: { account: "unknown" } },
    ]);
  });

  test("over the older dialect is recorded as well, and signing out there", async () => {
    const client = scene.app.client();
    const form = { z_username: "user", z_password: USER_PASSWORD };
    expect((await client.post("/z_security_check", form)).status).toBe(302);
    expect((await client.post("/z_security_check", { ...form, z_password: "wrong" })).status).toBe(401);
    await client.get("/login/logout.csp");
    expect(scene.entries().map(({ operation, uname }) => `${operation} ${uname}`)).toEqual([
      "login user",
      "login/failed user",
      "session/invalidate user",
    ]);
  });

  test("by a wrong oldpassword is recorded as what it is", async () => {
    const user = await scene.app.user();
    scene.clear();
    for (let i = 0; i < 6; i++)
      await user.post("/api/1/admin/users/update", { ...USER, oldpassword: "wrong", password: "x" });
    expect(scene.entries().map(({ operation, uname, via }) => `${operation} ${uname} ${via}`)).toEqual([
      ...Array.from({ length: 5 }, () => "admin/users/update/failed user login"),
      "admin/users/update/throttled user login",
    ]);
  });
});

describe("audit/list", () => {
  const LIST = "/api/1/admin/audit/list";
  const operationsOf = async (fields: Fields) =>
    (await scene.admin.get(LIST, fields)).json.records.map(({ operation }: Entry) => operation);

  beforeEach(async () => {
    for (const name of ["a", "b", "c"]) {
      await scene.admin.post("/api/1/admin/groups/create", { name });
      scene.app.clock.step(100);
    }
    await scene.admin.post("/api/1/admin/groups/delete", { id: 1 });
    await scene.app.user();
  });

  test("is newest first, in pages", async () => {
    const { json } = await scene.admin.get(LIST, { results: 2, startindex: 1 });
    expect(json).toMatchObject({ recordsReturned: 2, pageSize: 2, totalRecords: 5, startIndex: 1 });
    expect(json.records.map(({ operation }: Entry) => operation)).toEqual([
      "admin/groups/delete",
      "admin/groups/create",
    ]);
    expect((await scene.admin.get(LIST)).json).toMatchObject({
      recordsReturned: 5,
      pageSize: 50,
      startIndex: 0,
    });
    expect((await scene.admin.get(LIST, { results: 20_000 })).json.pageSize).toBe(10_000);
    expect((await scene.admin.get(LIST, { results: 0 })).status).toBe(400);
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
    expect((await (await scene.app.user()).get(LIST)).status).toBe(403);
  });
});

describe("the log is bounded", () => {
  test("by a setting of its own", async () => {
    await scene.admin.post("/api/1/admin/settings/update", { auditdays: 10 });
    scene.app.clock.step(5 * 86_400);
    await scene.admin.post("/api/1/login", { z_username: "admin", z_password: ADMIN_PASSWORD });
    scene.app.clock.step(5 * 86_400 + 1);
    const { Retention } = await import("../../../src/monitoring/retention/retention.service.ts");
    const retention = new Retention(scene.app.db, scene.app.settings, scene.app.clock, {
      rules: [deliveryRetention(scene.app.db)],
    });
    while (retention.step());
    expect(scene.entries().map(({ operation }) => operation)).toEqual(["login"]);
  });

  test("in what somebody who is not signed in can add; the rest stays", async () => {
    await scene.admin.post("/api/1/admin/groups/create", { name: "racks" });
    scene.app.db.$client.run(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 12000)
       insert into audit (date, via, operation) select ${START}, 'none', 'login/failed' from n`,
    );
    await scene.app.client().post("/api/1/login", { z_username: "admin", z_password: "wrong" });
    expect(scene.app.rows("select via, count(*) as n from audit group by via order by via")).toEqual([
      { via: "login", n: 1 },
      { via: "none", n: 10_000 },
    ]);
    expect(scene.app.rows("select uname from audit order by id desc limit 1")).toEqual([{ uname: "admin" }]);
  });
});
