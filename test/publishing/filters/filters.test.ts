import { describe, expect, test } from "bun:test";
import { START } from "../../support/clock.ts";
import { admin, app, appOfEachTest } from "../../support/each-test.ts";
import { expectRefusal } from "../../support/stored.ts";

const RED = { name: "Red", filter: { screen: "hosts", led: 0, tag: ["env=prod"], sort: "name" } };
const OPEN = { name: "Open", filter: { screen: "events", active: 2 } };

appOfEachTest();
const call = (operation: string, fields: object) => admin.post(`/api/1/filters/${operation}`, { ...fields });
const list = async () => (await admin.get("/api/1/filters/list")).json.records;

describe("a filter", () => {
  test("is saved by an administrator and listed for everyone by name", async () => {
    expect((await call("create", RED)).json).toEqual({ id: 1 });
    expect((await call("create", OPEN)).json).toEqual({ id: 2 });
    const user = await app.user();
    expect((await user.get("/api/1/filters/list")).json).toEqual({
      totalRecords: 2,
      records: [
        { id: 2, ...OPEN, manage: false, created: START },
        { id: 1, ...RED, manage: false, created: START },
      ],
    });
  });

  test("holds what the address of its list says without a page, and nothing else", async () => {
    const [invalid, unknown] = ["argument.invalid", "argument.unknown"];
    for (const [filter, argument, code] of [
      [{ screen: "hosts" }, "filter", invalid],
      [{ screen: "hosts", startindex: 50 }, "filter.startindex", unknown],
      [{ screen: "hosts", hostid: 1 }, "filter.hostid", unknown],
      [{ screen: "hosts", led: 4 }, "filter.led", invalid],
      [{ screen: "events", led: 0 }, "filter.led", unknown],
      [{ screen: "events", hostid: 9 }, "filter.hostid", invalid],
      [{ screen: "fleet" }, "filter.screen", invalid],
    ] as const) {
      const reply = await expectRefusal(app, () => call("create", { name: "x", filter }), 400, code);
      expect(reply.json.error).toContain(argument);
    }
    await call("create", { name: "odd", filter: { screen: "hosts", text: "<b> &led=#0", led: 0 } });
    expect(app.rows("select query from saved_filters")).toEqual([
      { query: "text=%3Cb%3E+%26led%3D%230&led=0" },
    ]);
    expect((await list())[0].filter).toEqual({ screen: "hosts", text: "<b> &led=#0", led: 0 });
  });

  test("saved before as a query is read without what was never a filter", async () => {
    app.db.$client.run(`insert into saved_filters (name, screen, query, created_at)
      values ('old', 'hosts', 'led=%230&group=7&tag=env%3Dprod%2C+web&text=a+b', 0)`);
    expect((await list())[0].filter).toEqual({
      screen: "hosts",
      group: 7,
      tag: ["env=prod", "web"],
      text: "a b",
    });
  });
});
