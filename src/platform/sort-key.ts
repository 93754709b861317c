/**
 * Sort keys for names. A key is stored beside its name and compared byte by byte, so the order does not depend on a
 * database's collation: it ignores case in every alphabet and treats é in one or two code points as equal.
 */

/** The key by which a name is sorted and searched for. */
export function sortKey(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/** Adds the key of its name to the columns of a host, if they contain a name. */
export function withHostnameKey<T extends { hostname?: string }>(columns: T): T & { hostnameKey?: string } {
  return columns.hostname === undefined ? columns : { ...columns, hostnameKey: sortKey(columns.hostname) };
}

/** Sorts a short list without stored keys in the order that stored ones would give it (bytes of UTF-8), stably. */
export function inNameOrder<T>(rows: readonly T[], nameOf: (row: T) => string): T[] {
  return rows
    .map((row) => ({ row, key: Buffer.from(sortKey(nameOf(row))) }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
    .map(({ row }) => row);
}
