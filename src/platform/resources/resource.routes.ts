/** The operations that every collection has. */

import type * as v from "valibot";
import type { Details } from "../http/audit-details.ts";
import { type AppContext, reachOf, turnOf } from "../http/context.ts";
import { because, type DocumentedError, errors, noSuch } from "../http/errors.ts";
import { type Access, type Operation, read, write, writeJson } from "../http/operation.ts";
import type { Reach } from "../http/scope.ts";
import type { Turn } from "../http/turn.ts";
import type { Collection } from "./collection.ts";
import type { ContentOf, Resource, UpdateOf } from "./resource.ts";

/** The reads of a collection, which run on a query worker. */
interface ResourceReads {
  list(turn: Turn, reach: Reach): Promise<object>;
  get(turn: Turn, id: number, reach: Reach): Promise<object>;
}

interface ResourceOperations<S extends Resource> {
  /** Path prefix of the operations: "/limits". */
  path: string;
  resource: S;
  collection: Pick<Collection<S, never>, "audited" | "create" | "update" | "delete">;
  queries: ResourceReads;
  /** Access to `get` is that to `list` unless it is given. */
  access: { read: Access; get?: Access; change: Access };
  /** Whether the list also answers for a moment in the past. */
  past?: true;
  /**
   * The hosts that a caller sees, and those that they may change. Default: those with the rights to view and to
   * manage.
   */
  reach?: (c: AppContext) => Reach;
  /** Kind of the object in the audit log. */
  subject: string;
  taken: DocumentedError;
  /** The error for deleting an object that others refer to, if that is refused. */
  used?: DocumentedError;
  summaries: { list: string; get: string; create: string; update: string; delete: string };
}

/**
 * `list`, `get`, `create`, `update` and `delete` of a collection. The audit log gets the content before and after a
 * change.
 */
export function resourceOperations<S extends Resource>(parts: ResourceOperations<S>): Operation[] {
  const { path, resource, collection, queries, access, subject, taken, used, summaries } = parts;
  const reach = parts.reach ?? ((c: AppContext) => reachOf(c, "manage"));
  const unknown = noSuch(resource.noun);
  /** The content of an object for the audit log. */
  const stateOf = (id: number): Details => collection.audited(id) as Details;
  const contradiction = because(errors.badArgument, "Its fields contradict each other");
  return [
    read(`${path}/list`, {
      access: access.read,
      ...(parts.past && { past: true }),
      summary: summaries.list,
      response: resource.list as v.GenericSchema,
      handle: (_args, c) => queries.list(turnOf(c), reach(c)),
    }),
    read(`${path}/get`, {
      access: access.get ?? access.read,
      summary: summaries.get,
      request: resource.item,
      response: resource.record as v.GenericSchema,
      errors: [unknown],
      handle: ({ id }, c) => queries.get(turnOf(c), id, reach(c)),
    }),
    writeJson(`${path}/create`, {
      access: access.change,
      summary: summaries.create,
      request: resource.content,
      response: resource.created,
      errors: [taken, contradiction],
      audit: { subject, id: (_args, reply) => reply?.id, details: (_args, reply) => stateOf(reply.id) },
      handle: (args, c) => ({ id: collection.create(args as ContentOf<S>, reach(c)) }),
    }),
    writeJson(`${path}/update`, {
      access: access.change,
      summary: `${summaries.update}; absent arguments keep their value`,
      request: resource.update,
      errors: [unknown, taken, contradiction],
      audit: {
        subject,
        id: (args) => (args as UpdateOf<S>).id,
        state: (args) => stateOf((args as UpdateOf<S>).id),
      },
      handle: (args, c) => collection.update(args as UpdateOf<S>, reach(c)),
    }),
    write(`${path}/delete`, {
      access: access.change,
      summary: summaries.delete,
      request: resource.item,
      errors: used ? [unknown, used] : [unknown],
      audit: { subject, id: ({ id }) => id, atOnce: true },
      handle: ({ id }, c) => collection.delete(id, reach(c)),
    }),
  ];
}
