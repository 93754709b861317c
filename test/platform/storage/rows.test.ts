/** Rows that many callers write or look up in one transaction, on either engine. */
import { expect, spyOn, test } from "bun:test";
import { type Db, transaction } from "../../../src/platform/storage/open.ts";
import { PostgresSession } from "../../../src/platform/storage/postgres/session.ts";
import {
  addRows,
  addTogether,
  addToRows,
  changeRows,
  insertNewRows,
  insertRows,
  queryRows,
  writeRows,
} from "../../../src/platform/storage/rows.ts";
import { eventCounts, hostGroups, settings } from "../../../src/platform/storage/schema.ts";
import { isOnPostgres, testDatabase } from "../../support/database.ts";

const insert = insertRows(settings, ["key", "value"], "hostId");
const change = changeRows(settings, ["key"], ["value"], "hostId");
const newGroups = insertNewRows(hostGroups, ["name"], "hostId");

function stored(db: Db): Record<string, string> {
  const rows = db.select().from(settings).orderBy(settings.key).all();
  return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
}

/** The statements that reached the server during a write; none on SQLite. */
function statementsOf(work: () => void): string[] {
  const run = spyOn(PostgresSession.prototype, "run");
  work();
  const texts = run.mock.calls.flatMap(([statements]) => statements.map(({ text }) => text));
  run.mockRestore();
  return texts;
}

test("rows about one host are written in their order, whatever is written about others in between", () => {
  const db = testDatabase();
  transaction(db, () => {
    insert(db, { key: "a", value: "1", hostId: 1 });
    change(db, { key: "a", value: "2", hostId: 1 });
    insert(db, { key: "b", value: "1", hostId: 2 });
    insert(db, { key: "c", value: "1", hostId: 1 });
    change(db, { key: "c", value: "2", hostId: 1 });
    change(db, { key: "b", value: "2", hostId: 2 });
    change(db, { key: "a", value: "3", hostId: 1 });
  });
  expect(stored(db)).toEqual({ a: "3", b: "2", c: "2" });
});

test("rows about different hosts take as many statements as rows about one", () => {
  const db = testDatabase();
  const write = (hosts: number[]) =>
    statementsOf(() =>
      transaction(db, () => {
        for (const hostId of hosts) {
          insert(db, { key: `${hostId}`, value: "1", hostId });
          change(db, { key: `${hostId}`, value: "2", hostId });
        }
      }),
    );
  const [few, many] = [write([1]), write([2, 3, 4])];
  expect(many).toEqual(few);
  expect(few).toHaveLength(isOnPostgres() ? 4 : 0);
  expect(stored(db)).toEqual({ "1": "2", "2": "2", "3": "2", "4": "2" });
});

test("no row goes ahead of a statement of another kind that was written before it", () => {
  const db = testDatabase();
  transaction(db, () => {
    insert(db, { key: "a", value: "1", hostId: 1 });
    db.delete(settings).run();
    insert(db, { key: "a", value: "2", hostId: 2 });
  });
  expect(stored(db)).toEqual({ a: "2" });
});

test("what is added to a number counts every row, and makes the row if there is none", () => {
  const db = testDatabase();
  const day = { scope: 0, day: 1, serviceType: 3, eventType: 512 };
  const add = addRows(eventCounts, ["scope", "day", "serviceType", "eventType", "state"], "n");
  const addTo = addToRows(eventCounts, ["scope", "state"], "n", "hostId");
  transaction(db, () => {
    for (const [state, n] of [
      [0, 2],
      [1, 1],
      [0, 5],
    ] as const)
      add(db, { ...day, state, n });
    addTo(db, { scope: 0, state: 1, n: -4, hostId: 1 });
    addTo(db, { scope: 0, state: 1, n: 1, hostId: 2 });
    addTo(db, { scope: 7, state: 1, n: 1, hostId: 2 });
  });
  const rows = db.select().from(eventCounts).orderBy(eventCounts.state).all();
  expect(rows).toEqual([
    { ...day, state: 0, n: 7 },
    { ...day, state: 1, n: -2 },
  ]);
});

test("what is added together is written once for each row when the work is over, and not at all if it fails", () => {
  const db = testDatabase();
  const day = { scope: 0, day: 1, serviceType: 3, eventType: 512 };
  const add = addRows(eventCounts, ["scope", "day", "serviceType", "eventType", "state"], "n");
  const counts = () =>
    db
      .select({ state: eventCounts.state, n: eventCounts.n })
      .from(eventCounts)
      .orderBy(eventCounts.state)
      .all();
  add(db, { ...day, state: 0, n: 1 });
  const work = () => {
    for (const state of [0, 1, 0, 2, 0, 2]) add(db, { ...day, state, n: state === 2 ? -1 : 1 });
    add(db, { ...day, state: 2, n: 2 });
    return counts();
  };
  expect(transaction(db, () => addTogether(db, work))).toEqual([{ state: 0, n: 1 }]);
  const after = [
    { state: 0, n: 4 },
    { state: 1, n: 1 },
    { state: 2, n: 0 },
  ];
  expect(counts()).toEqual(after);
  const failing = () => {
    work();
    throw new Error("failed");
  };
  expect(() => transaction(db, () => addTogether(db, failing))).toThrow("failed");
  expect(counts()).toEqual(after);
  add(db, { ...day, state: 1, n: 1 });
  expect(counts()[1]).toEqual({ state: 1, n: 2 });
});

test("a row is written for each of several statements, also outside a transaction", () => {
  const db = testDatabase();
  const copy = writeRows(
    { from: "text", key: "text" },
    null,
    ({ rows, lookUp }) => `insert into settings (key, value)
      select rows.key, before.value from ${rows} ${lookUp("settings", "before", 'before.key = rows."from"')}`,
  );
  insert(db, { key: "a", value: "x", hostId: 1 });
  copy(db, { from: "a", key: "b" });
  transaction(db, () => {
    copy(db, { from: "a", key: "c" });
    copy(db, { from: "nothing", key: "d" });
    copy(db, { from: "b", key: "e" });
  });
  expect(stored(db)).toEqual({ a: "x", b: "x", c: "x", e: "x" });
});

test("a lookup gives the results of every row, with the number of the row", () => {
  const db = testDatabase();
  for (const key of ["a1", "a2", "b1"]) insert(db, { key, value: "", hostId: 1 });
  const LETTER = { letter: "text", flag: "flag" } as const;
  const lookUp = queryRows<typeof LETTER, { nth: number; key: string }>(
    LETTER,
    ({ rows, lookUp }) =>
      `select rows.nth, found.key from ${rows} ${lookUp("settings", "found", "substr(found.key, 1, 1) = rows.letter")}
       where rows.flag = true`,
  );
  const rows = lookUp(db, [
    { letter: "b", flag: true },
    { letter: "x", flag: true },
    { letter: "a", flag: true },
    { letter: "a", flag: false },
  ]);
  expect(rows.map(({ nth, key }) => `${nth} ${key}`).sort()).toEqual(["1 b1", "3 a1", "3 a2"]);
  expect(lookUp(db, [])).toEqual([]);
});

test("new rows have the ids that were given for them, in their order, whether they were expected or not", () => {
  const db = testDatabase();
  const ids = transaction(db, () => {
    newGroups.expect(db, 2);
    return ["a", "b", "c"].map((name) => newGroups.insert(db, { name, hostId: 1 }));
  });
  const later = newGroups.insert(db, { name: "d", hostId: 1 });
  const rows = db.select().from(hostGroups).orderBy(hostGroups.name).all();
  expect(rows.map(({ id }) => id)).toEqual([...ids, later]);
  expect([...ids, later]).toEqual([...ids, later].sort((a, b) => a - b));
});

test("new rows that were expected, and then are none, take no id of a later row", () => {
  const db = testDatabase();
  const failed = () =>
    transaction(db, () => {
      newGroups.expect(db, 3);
      newGroups.insert(db, { name: "a", hostId: 1 });
      throw new Error("never mind");
    });
  expect(failed).toThrow("never mind");
  const ids = ["a", "b"].map((name) => transaction(db, () => newGroups.insert(db, { name, hostId: 1 })));
  const rows = db.select().from(hostGroups).orderBy(hostGroups.name).all();
  expect(rows.map(({ id, name }) => [id, name])).toEqual([
    [ids[0], "a"],
    [ids[1], "b"],
  ] as never);
});

test("a column that a table does not have is refused where the statement is made", () => {
  expect(() => insertRows(settings, ["missing" as "key"], null)).toThrow("settings has no column missing");
});

test("many new rows get the ids that are told, each its own, whatever their number", () => {
  const db = testDatabase();
  for (const count of [0, 1, 2, 63, 64, 65, 150]) {
    const rows = Array.from({ length: count }, (_, i) => ({ name: `${count} ${i}`, hostId: 1 }));
    const ids = transaction(db, () => newGroups.insertAll(db, rows));
    const names = new Map(
      db
        .select()
        .from(hostGroups)
        .all()
        .map(({ id, name }) => [id, name] as const),
    );
    expect(ids.map((id) => names.get(id))).toEqual(rows.map(({ name }) => name));
    expect(new Set(ids).size).toBe(count);
  }
});

test("values of many rows arrive as they are, whatever they contain", () => {
  const echo = queryRows(
    { text: "text", whole: "integer", share: "real", bytes: "bytes" },
    ({ rows }) => `select nth, rows.text, whole, share, bytes from ${rows} order by nth`,
  );
  const texts = [
    '"',
    "\\",
    '\\"',
    "a\\",
    "{",
    "}",
    ",",
    "{,}",
    "NULL",
    "null",
    "",
    " ",
    "'",
    "$1",
    "ä\u{1f600}",
    "\n",
  ];
  const numbers = [0, -1, 2 ** 53 - 1, null];
  const shares = [0.1, -1e-300, 1e300, null];
  const given = [...texts, null].map((text, i) => ({
    text,
    whole: numbers[i % 4] ?? null,
    share: shares[i % 4] ?? null,
    bytes: new Uint8Array([0, 34, 92, 255].slice(0, i % 5)),
  }));
  const rows = echo(testDatabase(), given) as ((typeof given)[number] & { nth: number })[];
  expect(rows.map(({ nth, ...row }) => ({ ...row, bytes: new Uint8Array(row.bytes) }))).toEqual(given);
});
