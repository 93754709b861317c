/**
 * An operation of the API as a record: where it is, who may call it, what it takes and gives, and what it does. The
 * routes, the sweep tests and the API's description are all made from the same records.
 */
import type * as v from "valibot";
import type { AppContext } from "./context.ts";
import type { ArgumentSchema } from "./validate.ts";

/**
 * read    GET: changes nothing
 * query   GET or POST: changes nothing, and a POST of it needs no CSRF token
 * change  GET or POST: changes state; CSRF token by POST, no foreign origin by GET
 * write   POST: changes state, CSRF token
 */
export type Kind = "read" | "query" | "change" | "write";

/** Who may call: anyone, any signed-in user, administrators. */
export type Access = "public" | "session" | "admin";

export type Method = "GET" | "POST";

export const METHODS: Readonly<Record<Kind, readonly Method[]>> = {
  read: ["GET"],
  query: ["GET", "POST"],
  change: ["GET", "POST"],
  write: ["POST"],
};

export interface Operation {
  kind: Kind;
  /** Below /api/1. */
  path: string;
  access: Access;
  summary: string;
  takes: ArgumentSchema;
  gives: v.GenericSchema;
  handle: (args: never, c: AppContext) => unknown;
}

interface Declaration<A extends ArgumentSchema, R extends v.GenericSchema> {
  access: Access;
  summary: string;
  takes: A;
  /** The reply's schema. It documents and type-checks; replies are not validated at run time. */
  gives: R;
  /** A Response is passed on as it is, anything else is the JSON reply. */
  handle: (
    args: v.InferOutput<A>,
    c: AppContext,
  ) => v.InferInput<R> | Response | Promise<v.InferInput<R> | Response>;
}

function declare(kind: Kind) {
  return <A extends ArgumentSchema, R extends v.GenericSchema>(
    path: string,
    rest: Declaration<A, R>,
  ): Operation => ({
    kind,
    path,
    ...rest,
  });
}

export const read = declare("read");
export const query = declare("query");
export const change = declare("change");
export const write = declare("write");
