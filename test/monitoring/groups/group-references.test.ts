/** Whatever an operation stores that refers to a host group keeps a group that only agents have named. */
import { expect, test } from "bun:test";
import type * as v from "valibot";
import { referenceOf } from "../../../src/platform/resources/marks.ts";
import { examples, populated, send } from "../../publishing/openapi/examples.ts";
import type { Fields } from "../../support/client.ts";

const CLOSED_PORT = 1;
const GROUP = 77;

/** Arguments that refer to the group, one for each place in a schema that can. */
function referring(schema: v.GenericSchema, example: unknown): unknown[] {
  if (referenceOf(schema) === "hostgroup") return [GROUP];
  if ("wrapped" in schema) return referring(schema.wrapped as v.GenericSchema, example);
  if ("item" in schema) return referring(schema.item as v.GenericSchema, undefined).map((item) => [item]);
  if ("options" in schema)
    return (schema.options as unknown[]).flatMap((option) =>
      typeof option === "object" ? referring(option as v.GenericSchema, undefined) : [],
    );
  if (!("entries" in schema)) return [];
  const fields: Fields = typeof example === "object" ? { ...example } : {};
  const entries = Object.entries(schema.entries as v.ObjectEntries);
  for (const [name, entry] of entries) if ("literal" in entry) fields[name] = entry.literal;
  return entries.flatMap(([name, entry]) =>
    referring(entry as v.GenericSchema, fields[name]).map((value) => ({ ...fields, [name]: value })),
  );
}

const { app, ...populace } = await populated(CLOSED_PORT);
const example = examples({ app, ...populace });
const cases = app.operations
  .filter(({ path }) => path.endsWith("/create"))
  .flatMap(({ path, request }) => {
    const places = referring(request as v.GenericSchema, example[path]) as Fields[];
    return places.map((args, i) => [path, i + 1, args] as const);
  });

test("rules, mutes, keys and others refer to groups", () => {
  const paths = new Set(cases.map(([path]) => path));
  for (const path of ["/admin/rules/create", "/mutes/create", "/admin/keys/create", "/filters/create"])
    expect(paths).toContain(path);
});

test.each(cases)("what %s stores keeps a group without members (place %i)", async (path, _place, args) => {
  const { app, admin } = await populated(CLOSED_PORT);
  const groups = () => app.rows(`select id from host_groups where id >= ${GROUP}`);
  app.db.$client.run(
    "insert into host_groups (id, name, name_key, named_by_hand) values (?, 'left', 'left', false), (?, 'other', 'other', false)",
    [GROUP, GROUP + 1],
  );
  const { status, json } = await send(admin, "POST", path, args);
  expect([status, json]).toEqual([200, expect.anything()]);
  while (app.muster.groupCounts.step());
  while (app.muster.unusedGroups.step());
  expect(groups()).toEqual([{ id: GROUP }]);
});
