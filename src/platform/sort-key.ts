/**
 * The order of names in lists. A key is computed here, stored beside the name and compared byte by byte, so the order is
 * that of no particular database: without regard to case in any alphabet, and the same for é in one or two code points.
 */

/** The text by which a name is sorted and searched for. */
export function sortKey(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/** The columns of a host's row with the key of its name, if they hold a name. */
export function withHostnameKey<T extends { hostname?: string }>(columns: T): T & { hostnameKey?: string } {
  return columns.hostname === undefined ? columns : { ...columns, hostnameKey: sortKey(columns.hostname) };
}

/**
 * Rows of a list that is too short for a stored key, in the order that one gives (bytes of UTF-8). Rows with the same key
 * keep their order.
 */
export function inNameOrder<T>(rows: readonly T[], nameOf: (row: T) => string): T[] {
  return rows
    .map((row) => ({ row, key: Buffer.from(sortKey(nameOf(row))) }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
    .map(({ row }) => row);
}
