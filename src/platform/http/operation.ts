/**
 * An operation of the API as a record: where it is, who may call it, its request and response, and what it does. The
 * routes, the sweep tests and the API's description are all made from the same records.
 */
import type * as v from "valibot";
import type { Upload } from "./arguments.ts";
import type { AuditDeclaration } from "./audit-rule.ts";
import type { AppContext } from "./context.ts";
import type { DocumentedError } from "./errors.ts";
import type { PreparedReply } from "./prepared.ts";
import type { ArgumentSchema } from "./validate.ts";

/**
 * read    GET: changes nothing
 * query   GET or POST: changes nothing, and a POST of it needs no CSRF token
 * change  GET or POST: changes state; CSRF token by POST, no foreign origin by GET
 * write   POST: changes state, CSRF token
 */
export type Kind = "read" | "query" | "change" | "write";

/** Whether an operation of this kind is more than a question. */
export function changesState(kind: Kind): boolean {
  return kind === "change" || kind === "write";
}

/**
 * public   anyone
 * session  any signed-in user, by login or by API token
 * login    any signed-in user, by login: an API token is refused
 * self     any signed-in user for himself, administrators for everyone. The argument `uname` says for whom; without it
 *          the caller is meant. To change his own account takes a login.
 * admin    administrators
 */
export type Access = "public" | "session" | "login" | "self" | "admin";

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
  request: ArgumentSchema;
  /** What the arguments are that callers name themselves, where there are such; the handler finds them in `c.var.arguments`. */
  pairs?: string;
  /** The file that a multipart form may bring along; the handler finds it in `c.var.upload`. */
  upload?: Upload;
  response: v.GenericSchema;
  /** Errors that its own rules cause. Those that follow from the rest of the record are in openapi/derived-errors.ts. */
  errors?: readonly DocumentedError[];
  /** How the audit log keeps it. What changes nothing has none. */
  audit?: AuditDeclaration<unknown, unknown>;
  /** Called before the body is read: who is refused here costs next to nothing. */
  admit?: (c: AppContext) => void;
  /** Called before `handle`, and outside of its transaction: what it stores stays even if it refuses. */
  first?: (args: never, c: AppContext) => void;
  handle: (args: never, c: AppContext) => unknown;
}

type Handled<R extends v.GenericSchema> = v.InferInput<R> | Response | PreparedReply;

interface Declaration<A extends ArgumentSchema, R extends v.GenericSchema> {
  access: Access;
  summary: string;
  request: A;
  pairs?: string;
  upload?: Upload;
  /** The reply's schema. It documents and type-checks; replies are not validated at run time. */
  response: R;
  errors?: readonly DocumentedError[];
  /** A Response, or a reply that is ready, is passed on as it is; anything else is the JSON reply. */
  handle: (args: v.InferOutput<A>, c: AppContext) => Handled<R> | Promise<Handled<R>>;
}

interface ChangingDeclaration<A extends ArgumentSchema, R extends v.GenericSchema> extends Declaration<A, R> {
  audit: AuditDeclaration<v.InferOutput<A>, v.InferInput<R>>;
  admit?: (c: AppContext) => void;
  first?: (args: v.InferOutput<A>, c: AppContext) => void;
}

function declareReading(kind: "read" | "query") {
  return <A extends ArgumentSchema, R extends v.GenericSchema>(
    path: string,
    rest: Declaration<A, R>,
  ): Operation => ({ kind, path, ...rest });
}

/** What changes state says how it is recorded: leaving that out does not compile. */
function declareChanging(kind: "change" | "write") {
  return <A extends ArgumentSchema, R extends v.GenericSchema>(
    path: string,
    { audit, ...rest }: ChangingDeclaration<A, R>,
  ): Operation => ({ kind, path, audit: audit as AuditDeclaration<unknown, unknown>, ...rest });
}

export const read = declareReading("read");
export const query = declareReading("query");
export const change = declareChanging("change");
export const write = declareChanging("write");
