import { expect, test } from "bun:test";
import { translator } from "../../../../src/platform/storage/postgres/dialect.ts";

const translate = translator(["active", "by_agent"]);

const CASES: readonly [what: string, sqlite: string, postgres: string][] = [
  ["parameters in order", "select ?, ?", "select $1, $2"],
  ["parameters by number", "select ?2, ?1, ?2", "select $2, $1, $2"],
  ["no parameter in a text", "select 'why?', '+?' where x = ?", "select 'why?', '+?' where x = $1"],
  ["index hints", 'from "hosts" indexed by hosts_by_name', 'from "hosts"'],
  ["the hint to use no index", 'from "events" not indexed where 1', 'from "events" where 1'],
  ["the plus that hides a column", 'where +"events"."id" = +?', 'where "events"."id" = $1'],
  ["a sum, which is no such plus", "set n = n + ?3", "set n = n + $3"],
  [
    "comparison with null",
    "where a is ? and b is not ?",
    "where a is not distinct from $1 and b is distinct from $2",
  ],
  ["a list as JSON", "select json_array(a, b)", "select json_build_array(a, b)"],
  ["names in camel case", "select host_id as hostId", 'select host_id as "hostId"'],
  ["no limit", "limit -1 offset ?", "limit all offset $1"],
  ["a limit that may be none", "limit ?", "limit nullif($1::bigint, -1)"],
  ["flags as literals", 'where "active" = 1 and by_agent = 0', 'where "active" = true and by_agent = false'],
  ["other columns with such values", 'where "inactive" = 1', 'where "inactive" = 1'],
  [
    "the id of a new row",
    'insert into "a" ("id", "b") values (null, ?), (null, ?)',
    'insert into "a" ("id", "b") values (default, $1), (default, $2)',
  ],
  [
    "a null that is no id",
    'insert into "a" ("b", "c") values (null, ?)',
    'insert into "a" ("b", "c") values (null, $1)',
  ],
  ["qualified columns of a conflict", 'on conflict ("a"."b") do nothing', 'on conflict ("b") do nothing'],
  [
    "rows without a key of one column",
    "where rowid in (select rowid from t)",
    "where ctid in (select ctid from t)",
  ],
];

for (const [what, sqlite, postgres] of CASES)
  test(`translates ${what}`, () => expect(translate(sqlite).text).toBe(postgres));

test("gives the names of named parameters in the order of their numbers", () => {
  expect(translate("update t set a = $at where b = $id and c < $at")).toEqual({
    text: "update t set a = $1 where b = $2 and c < $1",
    names: ["at", "id"],
  });
});
