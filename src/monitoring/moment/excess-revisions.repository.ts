/** Bounds the revisions of hosts and of their objects. */
import { type Db, onRollback, prepareOnce } from "../../platform/storage/open.ts";
import { idsIn } from "../../platform/storage/words.ts";
import { FORGOTTEN } from "./revisions.repository.ts";

/** How many of the newest revisions are kept for an object of a host, and for all objects of a host. */
export const MAX_REVISIONS_OF_OBJECT = 500;
export const MAX_REVISIONS_OF_HOST = 20_000;

/** The most hosts that one step looks at. For most of them it reads only whether they can have too many revisions. */
const HOSTS_PER_STEP = 20;
/** After every host and every time. */
const END = Number.MAX_SAFE_INTEGER;

interface RevisionRow {
  id: number;
  kind: string;
  objectId: number;
  until: number;
  content: string | null;
}

const ROW = `select id, kind, object_id as "objectId", until, content from revisions where host_id = ?`;

const statements = prepareOnce(({ $client }) => ({
  /** The next host in descending order, with its newest revision: the index has both in the same place. */
  hostBefore: $client.prepare<{ hostId: number; newestId: number }, [number]>(
    `select host_id as "hostId", id as "newestId" from revisions where host_id < ?
     order by host_id desc, until desc, id desc limit 1`,
  ),
  firstTooMany: $client.prepare<{ one: number }, [number]>(
    `select 1 as one from revisions where host_id = ? limit 1 offset ${MAX_REVISIONS_OF_OBJECT}`,
  ),
  // Two statements, as the index leads to an id only within one second, and a host can have very many revisions in one.
  ofSameSecond: $client.prepare<RevisionRow, [number, number, number, number]>(
    `${ROW} and until = ? and id < ? order by id desc limit ?`,
  ),
  ofEarlier: $client.prepare<RevisionRow, [number, number, number]>(
    `${ROW} and until < ? order by until desc, id desc limit ?`,
  ),
  forget: $client.prepare<null, [string]>(
    `update revisions set content = '${FORGOTTEN}' where id in ${idsIn("?")}`,
  ),
  delete: $client.prepare<null, [string]>(`delete from revisions where id in ${idsIn("?")}`),
}));

/** A host whose revisions are being read, from the newest to the oldest. */
interface Walk {
  hostId: number;
  newestId: number;
  /** The last revision that was read. */
  last: { until: number; id: number };
  read: number;
  /** How many revisions of each object were read. */
  ofObject: Map<string, number>;
  /** Objects with a revision that says that nothing is known of the time before. */
  forgotten: Set<string>;
}

/** Reads the next revisions of a host, and deletes those in excess. @returns whether there may be more */
function walkOn(db: Db, walk: Walk, limit: number): boolean {
  const { ofSameSecond, ofEarlier, forget, delete: deleteThem } = statements(db);
  const { hostId, last, ofObject, forgotten } = walk;
  const rows = ofSameSecond.all(hostId, last.until, last.id, limit);
  if (rows.length < limit) rows.push(...ofEarlier.all(hostId, last.until, limit - rows.length));
  const [toForget, toDelete]: [number[], number[]] = [[], []];
  for (const { id, kind, objectId, content } of rows) {
    const object = `${kind} ${objectId}`;
    const nth = (ofObject.get(object) ?? 0) + 1;
    ofObject.set(object, nth);
    if (++walk.read <= MAX_REVISIONS_OF_HOST && nth <= MAX_REVISIONS_OF_OBJECT) continue;
    if (forgotten.has(object)) toDelete.push(id);
    else if (content !== FORGOTTEN) toForget.push(id);
    forgotten.add(object);
  }
  if (toForget.length > 0) forget.run(JSON.stringify(toForget));
  if (toDelete.length > 0) deleteThem.run(JSON.stringify(toDelete));
  walk.last = rows.at(-1) ?? last;
  return rows.length === limit;
}

/**
 * Deletes all but the newest revisions of hosts and of their objects. If an object has too many, one of those is kept,
 * to say that nothing is known of the time before. The revisions of a host are read along their index, newest first, so
 * that no step reads all of them: there may be any number.
 * @returns a function that makes a step of at most `limit` revisions and returns `limit`, or 0 after the last host
 */
export function excessRevisionsSweep(db: Db): (limit: number) => number {
  /**
   * The newest revision of each host that was read to its end, in the previous pass and in this one: it is not read
   * again before it has a newer one.
   */
  let [done, doneNow] = [new Map<number, number>(), new Map<number, number>()];
  let nextHost = END;
  let walk: Walk | null = null;

  /** The next host whose revisions have to be read; null if there is none among the next few. */
  function nextWalk(): Walk | null {
    const { hostBefore, firstTooMany } = statements(db);
    for (let looked = 0; looked < HOSTS_PER_STEP; looked++) {
      const host = hostBefore.get(nextHost);
      nextHost = host?.hostId ?? 0;
      if (!host) return null;
      const { hostId, newestId } = host;
      if (done.get(hostId) === newestId) doneNow.set(hostId, newestId);
      else if (firstTooMany.get(hostId)) {
        const last = { until: END, id: 0 };
        return { hostId, newestId, last, read: 0, ofObject: new Map(), forgotten: new Set() };
      }
    }
    return null;
  }

  return (limit) => {
    // After a rollback, the step has counted revisions that are not deleted, so the pass starts over.
    onRollback(db, () => {
      walk = null;
      nextHost = END;
      doneNow.clear();
    });
    walk ??= nextWalk();
    if (walk) {
      if (walkOn(db, walk, limit)) return limit;
      doneNow.set(walk.hostId, walk.newestId);
      walk = null;
    }
    if (nextHost > 0) return limit;
    nextHost = END;
    [done, doneNow] = [doneNow, new Map()];
    return 0;
  };
}
