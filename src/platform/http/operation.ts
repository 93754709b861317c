/** An operation as a record, from which routes, sweeping tests and the API's description are built. */

import type * as v from "valibot";
import type { Upload } from "./arguments.ts";
import type { AuditDeclaration } from "./audit-rule.ts";
import type { AppContext } from "./context.ts";
import type { DocumentedError } from "./errors.ts";
import type { PreparedReply } from "./prepared.ts";
import type { Right } from "./scope.ts";
import type { Stepped } from "./steps.ts";
import { type ArgumentSchema, nothing, withMoment } from "./validate.ts";

/**
 * read    GET: changes nothing
 * query   GET or POST: changes nothing, and a POST of it needs no CSRF token
 * ask     POST with a JSON body: changes nothing, and needs no CSRF token
 * change  GET or POST: changes state; CSRF token by POST, no foreign origin by GET
 * write   POST: changes state, CSRF token
 */
export type Kind = "read" | "query" | "ask" | "change" | "write";

/** Whether operations of this kind change state. A token that only reads may not call them. */
export function changesState(kind: Kind): boolean {
  return kind === "change" || kind === "write";
}

/**
 * public   anyone
 * session  any signed-in user, by login or by API token
 * login    any signed-in user, by login only
 * self     any signed-in user for their own account, administrators for all. The argument `uname` names the
 *          account and defaults to the caller's. Changing one's own account requires a login.
 * admin    administrators
 *
 * respond, operate, manage: users with this right for some host, including administrators. The operation itself refuses
 * hosts for which the caller lacks the right.
 */
export type Access = "public" | "session" | "login" | "self" | "admin" | HostAccess;
export type HostAccess = Exclude<Right, "view">;

const HOST_ACCESS: readonly Access[] = ["respond", "operate", "manage"] satisfies HostAccess[];

/**
 * Whether users need a right for some host. The operation itself then checks the right for each host that it
 * changes.
 */
export function isHostAccess(access: Access): access is HostAccess {
  return HOST_ACCESS.includes(access);
}

export type Method = "GET" | "POST";

/** HTTP methods by which operations of each kind are called. */
export const METHODS: Readonly<Record<Kind, readonly Method[]>> = {
  read: ["GET"],
  query: ["GET", "POST"],
  ask: ["POST"],
  change: ["GET", "POST"],
  write: ["POST"],
};

export interface Operation {
  kind: Kind;
  /** Below /api/1. */
  path: string;
  access: Access;
  /**
   * Marks the 30 operations of the original specification, and versions of the legacy API. Programs written for other
   * servers call them and send arguments that those servers knew, so unknown ones are ignored, even by a write.
   */
  compatible?: true;
  /** It also answers for a moment in the past: it has the argument `at`, which `turnOf` passes on to the query. */
  past?: true;
  summary: string;
  request: ArgumentSchema;
  /** How a POST carries the arguments: as a form, or as the JSON of one schema. */
  body: "form" | "json";
  /** Describes arguments whose names callers choose, which are in `c.var.arguments`. */
  pairs?: string;
  /** The file that a multipart form may contain. The handler reads it from `c.var.upload`. */
  upload?: Upload;
  response: v.GenericSchema;
  /** Errors of this operation alone. openapi/derived-errors.ts has those that follow from the rest. */
  errors?: readonly DocumentedError[];
  /** The audit rule. Operations that change nothing have none. */
  audit?: AuditDeclaration<unknown, unknown>;
  /** Called before the body is read, so that rejecting a caller here is cheap. */
  admit?: (c: AppContext) => void;
  /** Called before `handle`, outside its transaction: what it stores remains even if `handle` throws. */
  first?: (args: never, c: AppContext) => void;
  /** How it changes many objects in steps. `audit` applies to each step, so each has its own audit entry. */
  stepped?: Stepped<never, never>;
  handle: (args: never, c: AppContext) => unknown;
}

type Handled<R extends v.GenericSchema> = v.InferInput<R> | Response | PreparedReply<v.InferInput<R>>;

/**
 * Whether an unknown argument is an error: a misspelt argument of a write would change something other than intended.
 */
export function rejectsUnknownArguments({ kind, body, compatible }: Operation): boolean {
  return body === "json" || (changesState(kind) && !compatible);
}

/** Names of the arguments, and of the file that a form may contain. */
export function argumentNames({ request, upload }: Operation): string[] {
  return [...Object.keys(request.entries), ...(upload ? [upload.field] : [])];
}

interface Declaration<A extends ArgumentSchema, R extends v.GenericSchema> {
  access: Access;
  compatible?: true;
  past?: true;
  summary: string;
  /** Absent for an operation without arguments. */
  request?: A;
  pairs?: string;
  upload?: Upload;
  /** Documents and type-checks the response, which is not validated at run time. Absent for an empty object. */
  response?: R;
  errors?: readonly DocumentedError[];
  /** A Response or prepared reply is sent as it is, anything else as JSON, nothing as {}. */
  handle: (args: v.InferOutput<A>, c: AppContext) => Handled<R> | Promise<Handled<R>>;
}

interface ChangingDeclaration<A extends ArgumentSchema, R extends v.GenericSchema> extends Declaration<A, R> {
  /** State-changing operations must declare an audit rule; omitting it does not compile. */
  audit: AuditDeclaration<v.InferOutput<A>, v.InferInput<R>>;
  admit?: (c: AppContext) => void;
  first?: (args: v.InferOutput<A>, c: AppContext) => void;
  stepped?: Stepped<v.InferOutput<A>, v.InferInput<R>>;
}

type Nothing = typeof nothing;
/** The response of an operation that replies with an empty object. */
type Done = v.GenericSchema<void>;

function declareReading(kind: "read" | "query" | "ask", body: Operation["body"]) {
  return <A extends ArgumentSchema = Nothing, R extends v.GenericSchema = Done>(
    path: string,
    rest: Declaration<A, R>,
  ): Operation => {
    const operation = { kind, path, body, request: nothing, response: nothing, ...rest };
    return rest.past ? { ...operation, request: withMoment(operation.request) } : operation;
  };
}

function declareChanging(kind: "change" | "write", body: Operation["body"]) {
  return <A extends ArgumentSchema = Nothing, R extends v.GenericSchema = Done>(
    path: string,
    { audit, stepped, ...rest }: ChangingDeclaration<A, R>,
  ): Operation => ({
    kind,
    path,
    body,
    request: nothing,
    response: nothing,
    ...rest,
    audit: audit as AuditDeclaration<unknown, unknown>,
    ...(stepped && { stepped: stepped as unknown as Stepped<never, never> }),
  });
}

export const read = declareReading("read", "form");
export const query = declareReading("query", "form");
/** A read whose arguments are the JSON of one schema, as a preview has. */
export const ask = declareReading("ask", "json");
export const change = declareChanging("change", "form");
export const write = declareChanging("write", "form");
/** A write whose arguments are the JSON of one schema. */
export const writeJson = declareChanging("write", "json");
