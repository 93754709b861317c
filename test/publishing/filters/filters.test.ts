import { beforeEach, describe, expect, test } from "bun:test";
import { MAX_FILTERS } from "../../../src/publishing/filters/filters.service.ts";
import { TestApp } from "../../support/app.ts";
import type { TestClient } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";

const RED = { name: "Red", screen: "hosts", query: "led=0&tag=env%3Dprod&sort=name" };
const OPEN = { name: "Open", screen: "events", query: "active=2" };

let app: TestApp;
let admin: TestClient;
beforeEach(async () => {
  app = new TestApp();
  admin = await app.admin();
});
const call = (operation: string, fields: object) =>
  admin.post(`/api/1/admin/filters/${operation}`, { ...fields });

describe("a filter", () => {
  test("is saved by an administrator, listed for everyone by name, and deleted", async () => {
    expect((await call("create", RED)).json).toEqual({ id: 1 });
    expect((await call("create", OPEN)).json).toEqual({ id: 2 });
    const user = await app.user();
    expect((await user.get("/api/1/filters/list")).json).toEqual({
      totalRecords: 2,
      records: [
        { id: 2, ...OPEN, created: START },
        { id: 1, ...RED, created: START },
      ],
    });
    expect((await user.post("/api/1/admin/filters/create", { ...OPEN, name: "mine" })).status).toBe(403);
    const before = stored(app);
    expect((await call("delete", { id: 2 })).json).toEqual({});
    expect(changedTables(app, before)).toEqual(["saved_filters"]);
    await expectRefusal(app, () => call("delete", { id: 2 }), 404, "object.unknown");
  });

  test("is a query of its list without a page, and nothing else", async () => {
    const refused = (fields: object, code: string) =>
      expectRefusal(app, () => call("create", { ...RED, ...fields }), 400, code);
    for (const query of ["led=", "startindex=50", "led=0&led=1", "hostid=1", "//example.org/"])
      await refused({ query }, "request.invalid");
    await refused({ screen: "events" }, "request.invalid");
    for (const fields of [{ query: "" }, { query: "a".repeat(2001) }, { screen: "fleet" }])
      await refused(fields, "argument.invalid");
    await call("create", { ...RED, query: "text=<b> &led=#0&group=" });
    expect(app.rows("select query from saved_filters")).toEqual([{ query: "text=%3Cb%3E+&led=%230" }]);
  });

  test("has a name of its own, and there are at most 200", async () => {
    await call("create", RED);
    await expectRefusal(app, () => call("create", { ...OPEN, name: "Red" }), 409, "filter.exists");
    const insert =
      "insert into saved_filters (name, screen, query, created_at) values (?, 'hosts', 'led=0', 0)";
    for (let i = 2; i <= MAX_FILTERS; i++) app.db.$client.run(insert, [`filter ${i}`]);
    await expectRefusal(app, () => call("create", OPEN), 400, "request.invalid");
  });

  test("is renamed to a name that is free", async () => {
    await call("create", RED);
    await call("create", OPEN);
    const before = stored(app);
    expect((await call("rename", { id: 1, name: "Down" })).status).toBe(200);
    expect(app.rows("select name from saved_filters order by id")).toEqual([
      { name: "Down" },
      { name: OPEN.name },
    ]);
    expect(changedTables(app, before)).toEqual(["saved_filters"]);
    await expectRefusal(app, () => call("rename", { id: 1, name: OPEN.name }), 409, "filter.exists");
    await expectRefusal(app, () => call("rename", { id: 9, name: "Nine" }), 404, "object.unknown");
  });
});
