/** What tests of the recording share: the revisions that a change left. */
import { expect } from "bun:test";
import type { TestApp } from "../../support/app.ts";

export interface StoredRevision {
  kind: string;
  host: number | null;
  object: number;
  content: unknown;
}

/** The newest revision of each app that was read. */
const lastRead = new WeakMap<TestApp, number>();

/** The revisions since the last call, by host. All of them must end now. */
export function newRevisions(app: TestApp): StoredRevision[] {
  const after = lastRead.get(app) ?? 0;
  const rows = app.rows<
    { id: number; until: number; content: string | null } & Omit<StoredRevision, "content">
  >(
    `select id, kind, host_id as host, object_id as object, until, content from revisions where id > ${after} order by id`,
  );
  lastRead.set(app, rows.at(-1)?.id ?? after);
  for (const { until } of rows) expect(until).toBe(app.clock.now());
  // The order of writes about several hosts is not defined.
  rows.sort((a, b) => (a.host ?? 0) - (b.host ?? 0) || a.id - b.id);
  return rows.map(({ kind, host, object, content }) => ({
    ...{ kind, host, object },
    content: content === null ? null : JSON.parse(content),
  }));
}

export const ofHost = (content: unknown, host = 1) => ({ kind: "hosts", host, object: host, content });
/** Of the membership of a host in a group. */
export const ofMember = (group: number, content: unknown, host = 1) => ({
  ...{ kind: "host_group_members", host, object: group },
  content,
});
/** Of what belongs to no host. */
export const ofOther = (kind: string, object: number, content: unknown) => ({
  ...{ kind, host: null, object },
  content,
});
