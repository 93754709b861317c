/** Statements are those that the query builder writes by itself, which takes it longer. */
import { expect, test } from "bun:test";
import { count, eq, getTableName, is, sql } from "drizzle-orm";
import { alias, QueryBuilder, SQLiteSyncDialect, SQLiteTable } from "drizzle-orm/sqlite-core";
import { QueryDialect } from "../../../src/platform/storage/query-dialect.ts";
import * as schema from "../../../src/platform/storage/schema.ts";

const { events, hosts, names } = schema;
const plain = new QueryBuilder(new SQLiteSyncDialect({ casing: "snake_case" }));
const merging = new QueryBuilder(new QueryDialect());

function expectSame(build: (builder: QueryBuilder) => { toSQL(): object }) {
  expect(build(merging).toSQL()).toEqual(build(plain).toSQL());
}

for (const table of Object.values<unknown>(schema).filter((each) => is(each, SQLiteTable)))
  test(`of the table ${getTableName(table)}`, () => {
    expectSame((builder) => builder.select().from(table));
    expectSame((builder) => builder.select().from(table).innerJoin(alias(table, "other"), sql`true`));
  });

test("of columns between expressions", () => {
  const { id, hostname, status } = hosts;
  const selected = { first: sql`1`, id, nested: { hostname, n: count().as("n") }, status, last: sql`2` };
  expectSame((builder) => builder.select(selected).from(hosts).where(eq(id, 3)));
  expectSame((builder) =>
    builder.selectDistinct(selected).from(hosts).leftJoin(events, eq(events.hostId, id)),
  );
});

test("of tables and objects beside columns", () => {
  const selected = { event: events, of: { host: hosts.hostname, name: names.name }, name: names };
  expectSame((builder) =>
    builder
      .select(selected)
      .from(events)
      .innerJoin(hosts, eq(hosts.id, events.hostId))
      .innerJoin(names, eq(names.id, events.nameId)),
  );
});

test("of subqueries and unions", () => {
  expectSame((builder) => {
    const newest = builder
      .select({ id: events.id, text: sql`upper(message)`.as("text") })
      .from(events)
      .as("newest");
    const { id, text } = newest;
    return builder.select({ id, text, host: hosts.hostname }).from(newest).innerJoin(hosts, eq(hosts.id, id));
  });
  expectSame((builder) => {
    const ids = builder.select({ id: hosts.id, name: hosts.hostname }).from(hosts);
    return ids.union(builder.select({ id: names.id, name: names.name }).from(names));
  });
});

test("a column of a table that the statement does not read is refused", () => {
  expect(() => merging.select({ id: names.id }).from(hosts).toSQL()).toThrow("is not part of the query");
});
