/** As much of a connection as this needs, of either engine. */
export interface Reader {
  query(sql: string): { get(): unknown };
}

/** A sealed value that every database of every version has after setup; null before it. */
export function sealedSample(client: Reader): string | null {
  const row = client.query("select value from settings where key = 'collectorpassword'").get();
  return (row as { value: string } | null)?.value || null;
}
