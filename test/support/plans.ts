/** SQLite's plans for the statements that some work prepares. */
import { expect } from "bun:test";
import type { TestApp } from "./app.ts";

/** Plans of the statements that `work` prepares. */
export function plansOf(app: TestApp, work: () => void): string[] {
  const client = app.db.$client;
  const seen: string[] = [];
  const prepare = client.prepare.bind(client);
  const spied = (sql: string, ...rest: unknown[]) => {
    seen.push(sql);
    return prepare(sql, ...(rest as []));
  };
  Object.assign(client, { prepare: spied });
  try {
    work();
  } finally {
    Object.assign(client, { prepare });
  }
  expect(seen.length).toBeGreaterThan(0);
  return seen.flatMap((sql) =>
    client
      .query<{ detail: string }, []>(`explain query plan ${sql}`)
      .all()
      .map(({ detail }) => detail),
  );
}
