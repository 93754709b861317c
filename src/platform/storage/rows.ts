/**
 * Statements about rows that many callers write or look up in one transaction, written once for both engines. SQLite
 * runs them row by row: there, a short statement costs less than a microsecond, and a row of a list passed as JSON
 * twice as much. PostgreSQL gets lists: the rows before the next reader go in one statement, so that a flush of 256
 * messages takes as many statements as one message.
 */
import { getTableColumns, getTableName, is } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import { SQLiteBoolean, type SQLiteColumn, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { batchesOf } from "../batches.ts";
import { engineOf } from "./engine.ts";
import { type Db, oncePerTransaction, prepareOnce } from "./open.ts";
import { HIDDEN } from "./words.ts";

/** The kinds of values of a column, and PostgreSQL's type for each. */
const TYPES = {
  integer: "bigint",
  real: "double precision",
  text: "text",
  flag: "boolean",
  bytes: "bytea",
} as const;

/** JavaScript's type of a value of each of `TYPES`. */
interface Values {
  integer: number | null;
  real: number | null;
  text: string | null;
  flag: boolean;
  bytes: Uint8Array;
}

type Columns = Readonly<Record<string, keyof typeof TYPES>>;
type RowOf<C extends Columns> = { [Name in keyof C]: Values[C[Name]] };
type ColumnOf<T extends SQLiteTable> = keyof T["$inferSelect"] & string;
type About<A extends string | null> = A extends string ? Record<A, number> : unknown;
type Write<Row> = (db: Db, row: Row) => void;

/** A statement in the words of each engine, with the types of its parameters by the names of a row's values. */
interface Statement {
  columns: Columns;
  sqlite: string;
  postgres: string;
}

const nameOf = (name: string) => `"${toSnakeCase(name)}"`;
const numbered = (count: number) => Array.from({ length: count }, (_, i) => `?${i + 1}`);
/** The condition that columns have the values of parameters. @param before number of earlier parameters */
const keyCondition = (keys: readonly string[], before: number) =>
  keys.map((column, i) => `${column} = ${HIDDEN}?${before + i + 1}`).join(" and ");
const equalityOf = (table: string, otherTable: string) => (column: string) =>
  `${table}.${column} = ${otherTable}.${column}`;

/** The relation `rows` from lists of values, for PostgreSQL. @param more follows the lists */
function unnested(columns: Columns, more = "", added: readonly string[] = []): string {
  const lists = Object.values(columns).map((type, i) => `$${i + 1}::${TYPES[type]}[]`);
  return `unnest(${lists})${more} as rows(${[...Object.keys(columns).map(nameOf), ...added]})`;
}

function typesOf<T extends SQLiteTable>(table: T, names: readonly ColumnOf<T>[]): Columns {
  const columns = getTableColumns(table) as Record<string, SQLiteColumn>;
  return Object.fromEntries(
    names.map((name) => {
      const column = columns[name];
      if (!column) throw new Error(`${getTableName(table)} has no column ${name}`);
      const type = column.getSQLType();
      return [name, is(column, SQLiteBoolean) ? "flag" : type === "blob" ? "bytes" : type];
    }),
  ) as Columns;
}

/** @param about name of the value that identifies the host of a row */
function written<Row>({ columns, sqlite, postgres }: Statement, about: string | null): Write<Row> {
  const names = Object.keys(columns) as (keyof Row)[];
  const writer = prepareOnce((db) => {
    const engine = engineOf(db);
    if (engine.kind === "postgres") return engine.client.rowWriter(postgres);
    const single = db.$client.prepare(sqlite);
    // As one argument: bun:sqlite would copy a list of arguments again.
    return (values: unknown[]) => void single.run(values);
  });
  return (db, row) =>
    writer(db)(
      names.map((name) => row[name]),
      about === null ? null : (row[about as keyof Row] as number),
    );
}

/** @param count how many rows SQLite inserts at once */
function insertion(table: SQLiteTable, columns: Columns, count = 1): Statement {
  const names = Object.keys(columns);
  const into = `insert into ${getTableName(table)} (${names.map(nameOf)})`;
  const parameters = numbered(names.length * count);
  const values = Array.from(
    { length: count },
    (_, i) => `(${parameters.slice(i * names.length, (i + 1) * names.length)})`,
  );
  return {
    columns,
    sqlite: `${into} values ${values}`,
    postgres: `${into} select * from ${unnested(columns)}`,
  };
}

/**
 * Makes a write of new rows.
 * @param about the value that identifies the host of a row. Rows about the same host are written in their order, and
 * those about others may go ahead of earlier writes; null if the order never matters
 */
export function insertRows<T extends SQLiteTable, C extends ColumnOf<T>, A extends string | null>(
  table: T,
  names: readonly C[],
  about: A,
): Write<Pick<T["$inferSelect"], C> & About<A>> {
  return written(insertion(table, typesOf(table, names)), about);
}

/** Makes a write of new rows that skips those that would break a unique index. The order of rows must not matter. */
export function insertMissingRows<T extends SQLiteTable, C extends ColumnOf<T>>(
  table: T,
  names: readonly C[],
): Write<Pick<T["$inferSelect"], C>> {
  const { columns, sqlite, postgres } = insertion(table, typesOf(table, names));
  const without = " on conflict do nothing";
  return written({ columns, sqlite: sqlite + without, postgres: postgres + without }, null);
}

/** Makes a write that changes the rows with a key. @param about as in `insertRows` */
export function changeRows<
  T extends SQLiteTable,
  K extends ColumnOf<T>,
  C extends ColumnOf<T>,
  A extends string,
>(
  table: T,
  key: readonly K[],
  names: readonly C[],
  about: A,
): Write<Pick<T["$inferSelect"], K | C> & About<A>> {
  const columns = typesOf(table, [...names, ...key]);
  const target = getTableName(table);
  const set = (value: (column: string, i: number) => string) =>
    names.map((name, i) => `${nameOf(name)} = ${value(nameOf(name), i)}`).join(", ");
  const keys = key.map(nameOf);
  return written(
    {
      columns,
      sqlite: `update ${target} set ${set((_, i) => `?${i + 1}`)}
        where ${keyCondition(keys, names.length)}`,
      postgres: `update ${target} set ${set((column) => `rows.${column}`)} from ${unnested(columns)}
        where ${keys.map(equalityOf(target, "rows")).join(" and ")}`,
    },
    about,
  );
}

type Numbers<T extends SQLiteTable, K extends ColumnOf<T>, N extends string> = Pick<T["$inferSelect"], K> &
  Record<N, number>;

/** Makes a write that adds to a number in the row with a key, and inserts the row if it does not exist. */
export function addRows<T extends SQLiteTable, K extends ColumnOf<T>, N extends ColumnOf<T>>(
  table: T,
  key: readonly K[],
  name: N,
): Write<Numbers<T, K, N>> {
  const columns = typesOf(table, [...key, name]);
  const { sqlite } = insertion(table, columns);
  const [target, keys, n] = [getTableName(table), key.map(nameOf), nameOf(name)];
  const onConflict = `on conflict (${keys}) do update set ${n} = ${target}.${n} + excluded.${n}`;
  const write: Write<Numbers<T, K, N>> = written(
    {
      columns,
      sqlite: `${sqlite} ${onConflict}`,
      postgres: `insert into ${target} (${keys}, ${n}) select ${keys}, sum(${n}) from ${unnested(columns)}
        group by ${keys} ${onConflict}`,
    },
    null,
  );
  const addToSum = (sums: Sums, db: Db, row: Numbers<T, K, N>) => {
    const text = `${target} ${key.map((column) => row[column]).join(" ")}`;
    const sum = sums.get(text) ?? { n: 0, write: (n: number) => write(db, { ...row, [name]: n }) };
    sum.n += row[name];
    sums.set(text, sum);
  };
  return (db, row) => {
    const sums = unwrittenSums.get(db);
    if (sums) addToSum(sums, db, row);
    else write(db, row);
  };
}

/** Sums by table and key, which still have to be written. */
type Sums = Map<string, { n: number; write: (n: number) => void }>;
/** The sums of `addTogether`, while it runs. */
const unwrittenSums = new WeakMap<Db, Sums>();

/**
 * Runs work in which many rows of `addRows` may add to the same few numbers, and adds each sum once, at its end. Nothing in
 * it may read these numbers. Call it in a transaction that is rolled back if the work fails.
 */
export function addTogether<T>(db: Db, work: () => T): T {
  const sums: Sums = new Map();
  unwrittenSums.set(db, sums);
  let result: T;
  try {
    result = work();
  } finally {
    unwrittenSums.delete(db);
  }
  for (const { n, write } of sums.values()) write(n);
  return result;
}

/** Makes a write that adds to a number in the row with a key, if it exists. @param about as in `insertRows` */
export function addToRows<
  T extends SQLiteTable,
  K extends ColumnOf<T>,
  N extends ColumnOf<T>,
  A extends string,
>(table: T, key: readonly K[], name: N, about: A): Write<Numbers<T, K, N> & About<A>> {
  const columns = typesOf(table, [...key, name]);
  const [target, keys, n] = [getTableName(table), key.map(nameOf), nameOf(name)];
  return written(
    {
      columns,
      sqlite: `update ${target} set ${n} = ${n} + ?${keys.length + 1}
        where ${keyCondition(keys, 0)}`,
      postgres: `update ${target} set ${n} = ${target}.${n} + added.${n}
        from (select ${keys}, sum(${n}) as ${n} from ${unnested(columns)} group by ${keys}) as added
        where ${keys.map(equalityOf(target, "added")).join(" and ")}`,
    },
    about,
  );
}

/** The parts from which a statement about rows is written. */
export interface Rows {
  /** The relation `rows`, with a column for each value in snake case. */
  rows: string;
  /** Joins the rows of a table that match, looked up for each of `rows`. */
  lookUp(table: string, alias: string, on: string): string;
  /** Changes the rows of a table that match, looked up for each of `rows`. @param on by the name of the table */
  update(table: string, set: string, on: (table: string) => string): string;
}

/** @param relation the rows, without their name */
function ofSqlite(relation: string): Rows {
  return {
    rows: `${relation} as rows`,
    // In SQLite, a cross join keeps its order.
    lookUp: (table, alias, on) => `cross join ${table} as ${alias} on ${on}`,
    update: (table, set, on) => `update ${table} set ${set} from ${relation} as rows where ${on(table)}`,
  };
}

/** One row, whose values are parameters. */
function singleRow(columns: Columns, ...more: string[]): string {
  const names = [...Object.keys(columns).map(nameOf), ...more];
  return `(select ${names.map((name, i) => `${HIDDEN}?${i + 1} as ${name}`)})`;
}

/** "offset 0" keeps PostgreSQL from reading a whole table that it considers small before it reads the rows. */
function ofPostgres(columns: Columns, more?: string, ...added: string[]): Rows {
  const rows = unnested(columns, more, added);
  const lookUp = (table: string, alias: string, on: string) =>
    `cross join lateral (select * from ${table} as ${alias} where ${on} offset 0) as ${alias}`;
  return {
    rows,
    lookUp,
    update: (table, set, on) =>
      `update ${table} set ${set} from (select rows.*, changed.id as changed_id
        from ${rows} ${lookUp(table, "changed", on("changed"))}) as rows where ${table}.id = rows.changed_id`,
  };
}

/**
 * Makes any other write. It must have the same effect for many rows at once as one by one. @param about as in
 * `insertRows`
 */
export function writeRows<C extends Columns, A extends string | null>(
  columns: C,
  about: A,
  sql: (rows: Rows) => string,
): Write<RowOf<C> & About<A>> {
  return written(
    { columns, sqlite: sql(ofSqlite(singleRow(columns))), postgres: sql(ofPostgres(columns)) },
    about,
  );
}

/** A statement with results for each of many rows. The results are in any order. */
export type RowsQuery<C extends Columns, Result> = (db: Db, rows: readonly RowOf<C>[]) => Result[];

/**
 * Makes a statement with results for many rows.
 * @param sql `rows` also has the column `nth`, the number of a row in the list, from 1
 */
export function queryRows<C extends Columns, Result>(
  columns: C,
  sql: (rows: Rows) => string,
): RowsQuery<C, Result> {
  const names = Object.keys(columns) as (keyof C)[];
  const reader = prepareOnce((db): ((rows: readonly RowOf<C>[]) => Result[]) => {
    const engine = engineOf(db);
    if (engine.kind === "postgres") {
      const read = engine.client.rowReader(sql(ofPostgres(columns, " with ordinality", "nth")));
      return (rows) => read(names.map((name) => rows.map((row) => row[name]))) as Result[];
    }
    const single = db.$client.prepare<Result, [unknown[]]>(sql(ofSqlite(singleRow(columns, "nth"))));
    return (rows) => rows.flatMap((row, i) => single.all([...names.map((name) => row[name]), i + 1]));
  });
  return (db, rows) => (rows.length === 0 ? [] : reader(db)(rows));
}

/** The most rows that SQLite inserts with one statement, in half the time of single inserts. */
const TOGETHER = 64;

/** A write of new rows that get an id. */
export interface NewRows<Row> {
  /** Call it with the number of rows that this transaction will insert, if that is known. */
  expect(db: Db, count: number): void;
  /** @returns the id of the new row */
  insert(db: Db, row: Row): number;
  /** Inserts these rows, which `expect` need not include. @returns their ids, in the same order */
  insertAll(db: Db, rows: readonly Row[]): number[];
  /**
   * Inserts a row in another way, so that ids follow the order of insertion. On PostgreSQL, `expect` has taken ids before.
   * @param insert gets the next of these ids; null: the database numbers the row. It returns the id, or null without a row
   */
  insertOtherwise(db: Db, insert: (id: number | null) => number | null): number | null;
}

/** Makes a write of new rows whose ids are numbered by the database. @param about as in `insertRows` */
export function insertNewRows<T extends SQLiteTable, C extends ColumnOf<T>, A extends string | null>(
  table: T,
  names: readonly C[],
  about: A,
): NewRows<Pick<T["$inferSelect"], C> & About<A>> {
  type Row = Pick<T["$inferSelect"], C> & About<A>;
  const columns = typesOf(table, names);
  const keys = Object.keys(columns) as (keyof Row)[];
  /** By the number of rows. */
  const sqliteStatements = prepareOnce(() => new Map<number, ReturnType<typeof sqliteStatement>>());
  const sqliteStatement = (db: Db, count: number) =>
    db.$client.prepare<never, [unknown[]]>(insertion(table, columns, count).sqlite);
  /** @returns the id of the last row; the others have the ids before it */
  const sqliteInsert = (db: Db, rows: readonly Row[]) => {
    const statements = sqliteStatements(db);
    const statement = statements.get(rows.length) ?? sqliteStatement(db, rows.length);
    statements.set(rows.length, statement);
    const values = rows.flatMap((row) => keys.map((key) => row[key]));
    return (statement.run(values) as { lastInsertRowid: number }).lastInsertRowid;
  };
  const insertWithId = written<Row & { id: number }>(insertion(table, { ...columns, id: "integer" }), about);
  /** Ids that PostgreSQL gave to this transaction. */
  const reserved = oncePerTransaction((): number[] => []);
  const expect = (db: Db, count: number) => {
    const engine = engineOf(db);
    if (engine.kind === "postgres" && count > 0)
      reserved(db).push(...engine.client.newIds(getTableName(table), count));
  };
  const insert = (db: Db, row: Row) => {
    const engine = engineOf(db);
    if (engine.kind === "sqlite") return sqliteInsert(db, [row]);
    const ids = reserved(db);
    if (ids.length === 0) ids.push(...engine.client.newIds(getTableName(table), 1));
    const id = ids.shift();
    if (id === undefined) throw new Error(`PostgreSQL returned no id for ${getTableName(table)}`);
    insertWithId(db, { ...row, id });
    return id;
  };
  const insertAll = (db: Db, rows: readonly Row[]) => {
    expect(db, rows.length);
    if (engineOf(db).kind === "postgres") return rows.map((row) => insert(db, row));
    const ids: number[] = [];
    for (const batch of batchesOf(rows, TOGETHER)) {
      const last = sqliteInsert(db, batch);
      for (let id = last - batch.length + 1; id <= last; id++) ids.push(id);
    }
    return ids;
  };
  const insertOtherwise = (db: Db, insertRow: (id: number | null) => number | null) => {
    const ids = reserved(db);
    const id = insertRow(ids[0] ?? null);
    if (id !== null) ids.shift();
    return id;
  };
  return { expect, insert, insertAll, insertOtherwise };
}
