/** Every resource that can be updated takes back what it gives, unchanged. */
import { expect, test } from "bun:test";
import { populated, send } from "../../publishing/openapi/examples.ts";
import { changedTables, stored } from "../../support/stored.ts";

const CLOSED_PORT = 1;
const populace = await populated(CLOSED_PORT);
const updates = populace.app.operations.filter(
  ({ path, body }) => body === "json" && path.endsWith("/update"),
);

test("there are such resources", () => {
  expect(updates.map(({ path }) => path)).toContain("/limits/update");
});

for (const { path } of updates) {
  const of = path.slice(0, -"/update".length);

  test(`what ${of}/get gives is taken by ${path} and changes nothing`, async () => {
    const { records } = (await send(populace.admin, "GET", `${of}/list`, {})).json;
    expect(records.length).toBeGreaterThan(0);
    const before = stored(populace.app);
    for (const { id } of records) {
      const record = (await send(populace.admin, "GET", `${of}/get`, { id })).json;
      const reply = await send(populace.admin, "POST", path, record);
      expect([reply.status, reply.json]).toEqual([200, {}]);
    }
    expect(changedTables(populace.app, before)).toEqual([]);
  });

  test(`${path} refuses another value of a read-only field by its name`, async () => {
    const [record] = (await send(populace.admin, "GET", `${of}/list`, {})).json.records;
    const before = stored(populace.app);
    const reply = await send(populace.admin, "POST", path, { ...record, manage: !record.manage });
    expect([reply.status, reply.json.error]).toEqual([
      400,
      "manage must be left out or as it was read, since Muster sets it",
    ]);
    expect(changedTables(populace.app, before)).toEqual([]);
  });
}
