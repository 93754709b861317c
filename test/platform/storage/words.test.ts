/** SQL that repositories write for both engines means the same to each. */
import { expect, test } from "bun:test";
import { type SQL, sql } from "drizzle-orm";
import { rules, settings, users } from "../../../src/platform/storage/schema.ts";
import {
  contains,
  forPostgres,
  HIDDEN,
  idsIn,
  indexedBy,
  isFalse,
  isTrue,
  joinedInOrder,
  jsonList,
  listOf,
  matchesPattern,
  NO_LIMIT,
  notIndexed,
  rowPlace,
  unindexed,
} from "../../../src/platform/storage/words.ts";
import { testDatabase } from "../../support/database.ts";

function filled() {
  const db = testDatabase();
  for (const key of ["ab", "abc", "b", "x.y"]) db.insert(settings).values({ key, value: "" }).run();
  return db;
}

const db = filled();
const keys = (where: SQL) =>
  db
    .select({ key: settings.key })
    .from(settings)
    .where(where)
    .orderBy(settings.key)
    .all()
    .map(({ key }) => key);

test("a part of a text is found as it is written", () => {
  expect(keys(contains(settings.key, "b"))).toEqual(["ab", "abc", "b"]);
  expect(keys(contains(settings.key, "."))).toEqual(["x.y"]);
  expect(keys(contains(settings.key, "B"))).toEqual([]);
});

test("a pattern matches a whole text", () => {
  expect(keys(matchesPattern(settings.key, "a*"))).toEqual(["ab", "abc"]);
  expect(keys(matchesPattern(settings.key, "a?"))).toEqual(["ab"]);
  expect(keys(matchesPattern(settings.key, "*[^0-9a-z]y"))).toEqual(["x.y"]);
});

test("a list of ids may have any length, even zero, and be set later", () => {
  const listed = (list: SQL) => db.all<{ n: number }>(sql`select 2 as n where 2 in ${list}`).length;
  expect(listed(listOf([1, 2, 3]))).toBe(1);
  expect(listed(listOf([1, 3]))).toBe(0);
  expect(listed(listOf([]))).toBe(0);
  const statement = db.$client.prepare<{ n: number }, [string]>(`select 2 as n where 2 in ${idsIn("?")}`);
  expect(statement.all("[2]")).toHaveLength(1);
  expect(statement.all("[]")).toHaveLength(0);
});

test("numbers are listed as JSON, also none", () => {
  const list = (from: string) =>
    db.$client.query<{ list: string }>(`select ${jsonList("n")} as list from ${from}`).get()?.list;
  expect(list("(select 1 as n union all select 22) as numbers")).toBe("[1,22]");
  expect(list("(select 1 as n where 1 = 0) as numbers")).toBe("[]");
});

test("truth values are what the query builder stores", () => {
  const written = testDatabase();
  const rule = { filter: "{}", steps: "[]", position: 0 } as never as typeof rules.$inferInsert;
  for (const enabled of [true, false])
    written
      .insert(rules)
      .values({ ...rule, name: `${enabled}`, enabled })
      .run();
  const named = (where: SQL) => written.select({ name: rules.name }).from(rules).where(where).all();
  expect(named(sql`${rules.enabled} = ${isTrue}`)).toEqual([{ name: "true" }]);
  expect(named(sql`${rules.enabled} = ${isFalse}`)).toEqual([{ name: "false" }]);
});

test("hints change no result", () => {
  const rows = db.all(sql`select ${unindexed(users.id)} as id, ${users.uname} as name
    from ${users} ${indexedBy("users_by_subject")} ${joinedInOrder} ${settings} ${notIndexed}
    on ${settings.key} = ${users.uname} where ${users.subject} is not null limit ${NO_LIMIT}`);
  expect(rows).toEqual([]);
  expect(db.$client.query<{ n: number }>(`select 1 as n where 5 = ${HIDDEN}?`).get(5)).toEqual({ n: 1 });
});

test("a row is identified by its place", () => {
  const db = filled();
  db.run(
    sql`delete from ${settings} where ${rowPlace} in (select ${rowPlace} from ${settings} where key = 'ab')`,
  );
  expect(db.select({ key: settings.key }).from(settings).all()).toHaveLength(3);
});

test("a row without an id gets the next one, and columns decide about a conflict", () => {
  const written = testDatabase();
  const put = (value: string) =>
    written
      .insert(settings)
      .values([
        { key: "k", value },
        { key: `${value} too`, value },
      ])
      .onConflictDoUpdate({ target: settings.key, set: { value } })
      .run();
  put("1");
  put("2");
  expect(written.select().from(settings).orderBy(settings.key).all()).toEqual([
    { key: "1 too", value: "1" },
    { key: "2 too", value: "2" },
    { key: "k", value: "2" },
  ]);
});

const STATEMENTS: readonly [what: string, written: string, postgres: string][] = [
  ["parameters in order", "select ?, ?", "select $1, $2"],
  ["parameters by number", "select ?2, ?1, ?2", "select $2, $1, $2"],
  ["no parameter in a text", "select 'why?', 'it''s ?' where x = ?", "select 'why?', 'it''s ?' where x = $1"],
  ["no parameter in a name", 'select "really?" where x = ?', 'select "really?" where x = $1'],
  ["its own words", `where x = ${HIDDEN}?1 and y = +1`, "where x = $1 and y = +1"],
  ["no words in a text", "select '/*<*/1/*|true>*/'", "select '/*<*/1/*|true>*/'"],
];

for (const [title, written, postgres] of STATEMENTS)
  test(`PostgreSQL reads ${title}`, () => expect(forPostgres(written)).toBe(postgres));
