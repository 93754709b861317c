import { expect, test } from "bun:test";
import { TestApp } from "./app.ts";
import { changedTables, stored } from "./stored.ts";

test("every change is seen, whoever looked before it", () => {
  const app = new TestApp();
  for (const sql of [
    "insert into host_groups (name, name_key) values ('a', 'a')",
    "update host_groups set name = 'b'",
    "delete from host_groups",
  ]) {
    const before = stored(app);
    expect(changedTables(app, before)).toEqual([]);
    app.db.$client.run(sql);
    expect(changedTables(app, before)).toEqual(["host_groups"]);
  }
});
