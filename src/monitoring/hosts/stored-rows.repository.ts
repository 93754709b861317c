/**
 * Packs rows of any table that belong to a host as compressed JSON, and restores them. The tables, and the order in
 * which they are restored, follow from the foreign keys of the schema.
 */
import { constants, zstdCompressSync } from "node:zlib";
import { and, eq, getTableColumns, getTableName, type SQL, sql } from "drizzle-orm";
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { tablesInOrder } from "../../platform/storage/foreign-keys.ts";
import type { Db } from "../../platform/storage/open.ts";
import { insertMissingRows } from "../../platform/storage/rows.ts";
import { eventWordSets, hostGroups, hosts, names } from "../../platform/storage/schema.ts";
import { listOf } from "../../platform/storage/words.ts";

type Row = Record<string, unknown>;

/** Some rows, by table. */
export type RowsByTable = Map<SQLiteTable, Row[]>;

interface Key {
  name: string;
  column: SQLiteColumn;
  parent: SQLiteTable;
  parentColumn: SQLiteColumn;
  isOwner: boolean;
}

/** The name of a column in TypeScript. */
function propertyOf(table: SQLiteTable, column: SQLiteColumn): string {
  const [name] =
    Object.entries(getTableColumns(table)).find(([, tableColumn]) => tableColumn === column) ?? [];
  if (name === undefined) throw new Error(`${getTableName(table)} has no column ${column.name}`);
  return name;
}

/** The foreign keys of a table. */
function keysOf(table: SQLiteTable): Key[] {
  return getTableConfig(table).foreignKeys.flatMap((key) => {
    const { columns, foreignColumns, foreignTable } = key.reference();
    const [column, parentColumn] = [columns[0], foreignColumns[0]];
    if (!column || !parentColumn) return [];
    const parent = foreignTable as SQLiteTable;
    return [
      { name: propertyOf(table, column), column, parent, parentColumn, isOwner: key.onDelete === "cascade" },
    ];
  });
}

/** The columns that identify a row. */
function identityOf(table: SQLiteTable): SQLiteColumn[] {
  const { columns, primaryKeys } = getTableConfig(table);
  return primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
}

const valuesOf = (rows: readonly Row[], name: string) =>
  [...new Set(rows.map((row) => row[name]))].filter((value) => typeof value === "number");

function rowsWith(db: Db, table: SQLiteTable, column: SQLiteColumn, values: readonly number[]): Row[] {
  if (values.length === 0) return [];
  return db
    .select()
    .from(table)
    .where(sql`${column} in ${listOf(values)}`)
    .all();
}

/** The tables of rows that are deleted with a row of `root`, each after those that its rows refer to. */
export function tablesOwnedBy(root: SQLiteTable): SQLiteTable[] {
  const owned = new Set([root]);
  for (const table of tablesInOrder())
    if (keysOf(table).some(({ isOwner, parent }) => isOwner && owned.has(parent))) owned.add(table);
  return [...owned];
}

/** Some rows of `root` with all rows that are deleted with them. */
export function withOwned(db: Db, root: SQLiteTable, rows: readonly Row[]): RowsByTable {
  const rowsByTable: RowsByTable = new Map([[root, [...rows]]]);
  for (const table of tablesOwnedBy(root).slice(1)) {
    const keys = keysOf(table).filter(({ isOwner, parent }) => isOwner && rowsByTable.has(parent));
    // A row with several owners belongs to the same host through each of them; a dependency belongs to two hosts.
    const ofRoot = keys.filter(({ parent }) => parent === root);
    const identity = identityOf(table).map((column) => propertyOf(table, column));
    const owned = (ofRoot.length > 0 ? ofRoot : keys.slice(0, 1)).flatMap(
      ({ column, parent, parentColumn }) => {
        const owners = valuesOf(rowsByTable.get(parent) ?? [], propertyOf(parent, parentColumn));
        return rowsWith(db, table, column, owners);
      },
    );
    const distinct = new Map(owned.map((row) => [identity.map((name) => row[name]).join(), row]));
    rowsByTable.set(table, [...distinct.values()]);
  }
  return rowsByTable;
}

/** Up to `limit` rows of a host in a table. */
export function someRowsOf(
  db: Db,
  table: SQLiteTable & { hostId: SQLiteColumn },
  hostId: number,
  limit: number,
  where?: SQL,
): Row[] {
  return db
    .select()
    .from(table)
    .where(and(eq(table.hostId, hostId), where))
    .limit(limit)
    .all();
}

/** Deletes rows by their identifying columns. */
export function deleteRows(db: Db, table: SQLiteTable, rows: readonly Row[]): void {
  const identity = identityOf(table);
  const [column] = identity;
  if (column && identity.length === 1)
    db.delete(table)
      .where(sql`${column} in ${listOf(valuesOf(rows, propertyOf(table, column)))}`)
      .run();
  else
    for (const row of rows)
      db.delete(table)
        .where(and(...identity.map((part) => eq(part, row[propertyOf(table, part)]))))
        .run();
}

/**
 * Tables whose rows are deleted once nothing refers to them. Their rows are packed with the rows that refer to them.
 * A group that an administrator named is not deleted that way, so it is left out.
 */
const SHARED: readonly { table: typeof names | typeof hostGroups; where: SQL | undefined }[] = [
  { table: names, where: undefined },
  { table: hostGroups, where: eq(hostGroups.namedByHand, false) },
];

interface Payload {
  rows: Row[];
  /** Rows of each of SHARED. */
  shared: Row[][];
}

/** Without it, a third of changed bits would go unnoticed when rows are restored. */
const WITH_CHECKSUM = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };

function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array;
}

const base64 = (row: Row) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      isBytes(value) ? Buffer.from(value).toString("base64") : value,
    ]),
  );

/** Packs rows of a table, with the shared rows that they refer to. */
export function packed(db: Db, table: SQLiteTable, rows: readonly Row[]): Buffer {
  const keys = keysOf(table);
  const shared = SHARED.map(({ table: parent, where }) => {
    const key = keys.find((foreignKey) => foreignKey.parent === parent);
    const ids = key ? valuesOf(rows, key.name) : [];
    if (ids.length === 0) return [];
    return db
      .select()
      .from(parent)
      .where(and(sql`${parent.id} in ${listOf(ids)}`, where))
      .all();
  });
  const payload: Payload = { rows: rows.map(base64), shared };
  return zstdCompressSync(JSON.stringify(payload), WITH_CHECKSUM);
}

function decompressed(payload: Uint8Array): Payload {
  return JSON.parse(Buffer.from(Bun.zstdDecompressSync(payload)).toString()) as Payload;
}

/** Whether packed rows can be restored: whether the disk returned what was stored. Those of 1.0.0 have no checksum. */
export function isReadable(payload: Uint8Array): boolean {
  try {
    return Array.isArray(decompressed(payload).rows);
  } catch {
    return false;
  }
}

function unpacked(table: SQLiteTable, payload: Uint8Array): Payload {
  const { rows, shared } = decompressed(payload);
  const columns = Object.entries(getTableColumns(table));
  const restored = rows.map((row) => {
    // A column that a later version of Muster added has its default.
    const present = columns.filter(([name]) => row[name] !== undefined);
    return Object.fromEntries(
      present.map(([name, column]) => {
        const value = row[name];
        const isBlob = column.getSQLType() === "blob" && typeof value === "string";
        return [name, isBlob ? Buffer.from(value, "base64") : value];
      }),
    );
  });
  return { rows: restored, shared };
}

/** Restores shared rows that were deleted. @returns the new ids by the old ones, where they differ */
function restoreShared(
  db: Db,
  { table }: (typeof SHARED)[number],
  rows: readonly Row[],
): Map<unknown, number> {
  const moved = new Map<unknown, number>();
  for (const row of rows) {
    const { id, name } = row as { id: number; name: string };
    if (db.select({ id: table.id }).from(table).where(eq(table.id, id)).get()) continue;
    const present = db.select({ id: table.id }).from(table).where(eq(table.name, name)).get();
    if (present) moved.set(id, present.id);
    else
      db.insert(table)
        .values(row as never)
        .run();
  }
  return moved;
}

/** A row as it is written: lists and objects as JSON. */
function writable(table: SQLiteTable, row: Row): Row {
  const columns = getTableColumns(table);
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      columns[name]?.dataType === "json" ? JSON.stringify(value) : value,
    ]),
  );
}

/**
 * Removes duplicate rows, such as memberships of two groups that have become one. A flag is set if any of the
 * duplicates had it set.
 */
function distinct(table: SQLiteTable, rows: readonly Row[]): Row[] {
  const identity = identityOf(table).map((column) => propertyOf(table, column));
  const byIdentity = new Map<string, Row>();
  for (const row of rows) {
    const key = identity.map((name) => row[name]).join();
    const other = byIdentity.get(key) ?? row;
    byIdentity.set(
      key,
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value || other[name]])),
    );
  }
  return [...byIdentity.values()];
}

/** How the rows of a table are restored. */
export interface Restoring {
  /** Changes a row before it is inserted. */
  mend?: (row: Row) => Row;
  /** Called with rows that refer to a host that does not exist. */
  withoutHost: (hostId: number, rows: Row[]) => void;
}

/**
 * Restores rows of a table, except those that refer to something deleted since.
 * @returns the rows that exist now, even if someone else had added them
 */
export function restore(
  db: Db,
  table: SQLiteTable,
  payload: Uint8Array,
  { mend, withoutHost }: Restoring,
): Row[] {
  const { rows: stored, shared } = unpacked(table, payload);
  const moved = SHARED.map((sharedTable, i) => restoreShared(db, sharedTable, shared[i] ?? []));
  let rows = stored;
  for (const { name, parent, parentColumn } of keysOf(table)) {
    if (parent === eventWordSets) continue;
    const ids =
      moved[SHARED.findIndex((sharedTable) => sharedTable.table === parent)] ?? new Map<unknown, number>();
    if (ids.size > 0) rows = rows.map((row) => ({ ...row, [name]: ids.get(row[name]) ?? row[name] }));
    const present = rowsWith(db, parent, parentColumn, valuesOf(rows, name));
    const existing = new Set<unknown>(present.map((row) => row[propertyOf(parent, parentColumn)]));
    const [there, gone] = [rows, []] as [Row[], Row[]];
    rows = there.filter((row) => row[name] === null || existing.has(row[name]) || !gone.push(row));
    if (parent === hosts)
      for (const hostId of valuesOf(gone, name))
        withoutHost(
          hostId,
          gone.filter((row) => row[name] === hostId),
        );
  }
  if (moved.some(({ size }) => size > 0)) rows = distinct(table, rows);
  if (mend) rows = rows.map(mend);
  // A row that someone added to the host in the meantime takes precedence over the stored one.
  const insert = insertMissingRows(table, Object.keys(rows[0] ?? {}));
  for (const row of rows) insert(db, writable(table, row) as never);
  return rows;
}
