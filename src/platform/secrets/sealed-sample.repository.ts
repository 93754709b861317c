import type { Database } from "bun:sqlite";

/**
 * A sealed value that every database has after setup, from a table that is the same in every version; null
 * before setup.
 */
export function sealedSample(client: Database): string | null {
  const row = client.query("select value from settings where key = 'collectorpassword'").get();
  return (row as { value: string } | null)?.value || null;
}
