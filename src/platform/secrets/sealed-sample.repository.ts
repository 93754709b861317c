import type { Database } from "bun:sqlite";

/** A sealed value that every database of every version has after setup; null before it. */
export function sealedSample(client: Database): string | null {
  const row = client.query("select value from settings where key = 'collectorpassword'").get();
  return (row as { value: string } | null)?.value || null;
}
