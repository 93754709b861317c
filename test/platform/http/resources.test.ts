/** Every resource that can be updated accepts what it returned, unchanged. */
import { expect, test } from "bun:test";
import * as v from "valibot";
import type { ArgumentSchema } from "../../../src/platform/http/validate.ts";
import { examples, populated, send } from "../../publishing/openapi/examples.ts";
import type { TestApp } from "../../support/app.ts";
import type { Fields } from "../../support/client.ts";
import { isOnPostgres } from "../../support/database.ts";
import { changedTables, type Stored, stored } from "../../support/stored.ts";

const CLOSED_PORT = 1;
const populace = await populated(CLOSED_PORT);
/** Bulk edit is about many hosts: it accepts what none of them returns. */
const updates = populace.app.operations.filter(
  ({ path, body }) => body === "json" && path.endsWith("/update") && !path.includes("/bulk/"),
);

/** Listed by creation or position, and not by name. */
const ORDERED = new Set(["/limits", "/admin/rules"]);

/** The field of which no two objects have the same, out of the fields of an object. */
function keyIn(fields: object): string {
  return ["slug", "hostname"].find((name) => name in fields) ?? "name";
}

/** Copies of an object that are more than there may be. */
const copiesOf = (of: string) => (of === "/admin/expected" ? 11_000 : 2000);

test("there are such resources", () => {
  expect(updates.map(({ path }) => path)).toContain("/limits/update");
});

/** Leaves out the request to look at suppressed alerts again, which the next steps of the dispatcher delete. */
function lastingChanges(app: TestApp, before: Stored): string[] {
  return changedTables(app, before).filter((table) => table !== "alert_wakes");
}

/** Arguments of an update that Muster sets: they are accepted as they were read. */
function readOnlyIn(request: ArgumentSchema): [name: string, schema: v.GenericSchema][] {
  const entries = Object.entries(request.entries);
  return entries.flatMap(([name, schema]) => {
    const wrapped = "wrapped" in schema ? (schema.wrapped as v.GenericSchema) : schema;
    return v.getMetadata(wrapped as v.GenericSchema).readOnly === true ? [[name, wrapped]] : [];
  });
}

/** Another value of the same type. */
function changed(value: unknown, schema: v.GenericSchema): unknown {
  if ("wrapped" in schema) return changed(value, schema.wrapped as v.GenericSchema);
  if (schema.type === "picklist")
    return (schema as v.PicklistSchema<string[], undefined>).options.find((option) => option !== value);
  if (value === null) return 1;
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + 1;
  if (Array.isArray(value)) return value.length > 0 ? value.slice(1) : [1];
  return `other ${value}`;
}

for (const { path, request } of updates) {
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
    expect(lastingChanges(populace.app, before)).toEqual([]);
  });

  test(`${of} refuses the key of another object, and has no objects of other ids`, async () => {
    const { records } = (await send(populace.admin, "GET", `${of}/list`, {})).json;
    const [{ id: _, ...record }, { id }] = records;
    const settable = Object.entries(record).filter(
      ([name]) => !readOnlyIn(request).some(([readOnly]) => readOnly === name),
    );
    const key = keyIn(record);
    const before = stored(populace.app);
    const statusOf = async (verb: string, args: Fields) =>
      (await send(populace.admin, verb === "get" ? "GET" : "POST", `${of}/${verb}`, args)).status;
    expect(await statusOf("create", Object.fromEntries(settable))).toBe(409);
    expect(await statusOf("update", { id, [key]: record[key] })).toBe(409);
    for (const verb of ["get", "update", "delete"])
      expect([verb, await statusOf(verb, { id: 99 })]).toEqual([verb, 404]);
    expect(changedTables(populace.app, before)).toEqual([]);
  });

  test(`what ${of}/create makes and ${of}/delete takes away leaves nothing`, async () => {
    const { app, post } = await fresh();
    const before = stored(app);
    const { id } = (await post("create")).json;
    expect(changedTables(app, before)).not.toEqual([]);
    expect((await post("delete", { id })).json).toEqual({});
    expect(lastingChanges(app, before)).toEqual([]);
  });

  test(`${of}/list is in the order that it says`, async () => {
    const { post, list } = await fresh();
    const [first = {}, ...others] = await list();
    const name = "title" in first ? "title" : keyIn(first);
    // Upper case comes after lower case only where case does not count.
    expect((await post("update", { id: first.id, [name]: "ZZ" })).json).toEqual({});
    const sorted = ORDERED.has(of) ? [first, ...others] : [...others, first];
    expect((await list()).map(({ id }) => id)).toEqual(sorted.map(({ id }) => id));
  });

  // Counted by the same statement on PostgreSQL.
  if (!isOnPostgres())
    test(`${of}/create refuses one more than there may be`, async () => {
      const { app, post, list } = await fresh();
      const before = stored(app);
      expect((await post("create")).status).toBe(200);
      const key = keyIn(request.entries);
      const table = changedTables(app, before).find(
        (each) => key in (app.rows(`select * from ${each}`)[0] ?? {}),
      );
      const [row = {}] = app.rows<Fields>(`select * from ${table} order by id desc`);
      const columns = Object.keys(row).filter((column) => ![key, "id"].includes(column));
      app.db.$client.run(`insert into ${table} (${[key, ...columns]}) with recursive n(i) as
      (select 1 union all select i + 1 from n where i < ${copiesOf(of)})
      select 'copy ' || n.i, ${columns} from ${table}, n where id = ${row.id}`);
      const another = { [key]: "another" };
      const { error } = (await post("create", another)).json;
      const most = Number(/^There are at most (\d+) .+; delete one first$/.exec(error)?.[1]);
      const stand = (await list()).length;
      app.db.$client.run(`delete from ${table} where ${key} in
      (select ${key} from ${table} where ${key} like 'copy%' order by id limit ${stand - most + 1})`);
      expect((await post("create", another)).status).toBe(200);
      expect((await post("create", { [key]: "one-more" })).json).toEqual({ error, code: "request.invalid" });
    });

  /** Calls of the resource on a copy of what is stored, with the arguments of its examples but for `fields`. */
  async function fresh() {
    const copy = await populated(CLOSED_PORT);
    const post = (verb: string, fields: Fields = {}) =>
      send(
        copy.admin,
        "POST",
        `${of}/${verb}`,
        "id" in fields ? fields : { ...examples(copy)[`${of}/${verb}`], ...fields },
      );
    const list = async (): Promise<Fields[]> =>
      (await send(copy.admin, "GET", `${of}/list`, {})).json.records;
    return { app: copy.app, post, list };
  }

  for (const [name, schema] of readOnlyIn(request))
    test(`${path} refuses another value of ${name}, which Muster sets`, async () => {
      const { records } = (await send(populace.admin, "GET", `${of}/list`, {})).json;
      const record = records.find((each: Fields) => String(each[name]) !== "") ?? records[0];
      const before = stored(populace.app);
      const reply = await send(populace.admin, "POST", path, {
        ...record,
        [name]: changed(record[name], schema),
      });
      expect([reply.status, reply.json.error]).toEqual([
        400,
        `${name} must be left out or as it was read, since Muster sets it`,
      ]);
      expect(changedTables(populace.app, before)).toEqual([]);
    });
}
