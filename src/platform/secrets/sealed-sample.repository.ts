/** The part of a connection, of either engine, that is needed here. */
export interface SealedTextReader {
  query(sql: string): { get(): unknown };
}

/** A sealed value that every database of every version has after setup; null before it. */
export function sealedSample(client: SealedTextReader): string | null {
  const row = client.query("select value from settings where key = 'collectorpassword'").get();
  return (row as { value: string } | null)?.value || null;
}
