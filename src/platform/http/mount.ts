import type { Handler, Hono, MiddlewareHandler } from "hono";
import { etag } from "hono/etag";
import { checkAccess, checkSelf } from "./access.ts";
import { readArguments } from "./arguments.ts";
import type { AppContext, AppEnv, Arguments } from "./context.ts";
import { CSRF_TOKEN, checkCsrf } from "./csrf.ts";
import { errors } from "./errors.ts";
import {
  argumentNames,
  changesState,
  METHODS,
  type Operation,
  rejectsUnknownArguments,
} from "./operation.ts";
import { PreparedReply } from "./prepared.ts";
import { jsonReply } from "./reply.ts";
import { checked, MAX_REPEATED_NAME, validate } from "./validate.ts";

/** Translates argument names of a mount, such as legacy field names, to those of the operation. */
export type TranslateArguments = (operation: Operation, args: Arguments) => Arguments;

/**
 * Rejects arguments other than `allowed`.
 * @throws ApiError 400 that names the first of them, and the arguments that the operation takes
 */
function rejectOthers(operation: Operation, args: Arguments, allowed: readonly string[]): void {
  const other = [...args.keys()].find((name) => name !== CSRF_TOKEN && !allowed.includes(name));
  if (other !== undefined)
    throw errors.unknownArgument(other.slice(0, MAX_REPEATED_NAME), argumentNames(operation));
}

/** The arguments of a form or query. @throws ApiError 400 for an unknown one, if the operation rejects those */
function knownArguments(operation: Operation, translated: Arguments): Arguments {
  if (rejectsUnknownArguments(operation)) rejectOthers(operation, translated, argumentNames(operation));
  return translated;
}

/** The arguments of a JSON body. The query must have none. @throws ApiError 400 */
function jsonArguments(operation: Operation, inQuery: Arguments, json: Record<string, unknown>) {
  rejectOthers(operation, inQuery, []);
  return checked(operation.request, json);
}

/** Keeps the moment that the request is about, for `turnOf`. @returns the other arguments */
function withoutMoment(c: AppContext, { past }: Operation, args: Record<string, unknown>) {
  if (!past) return args;
  const { at, ...others } = args;
  c.set("at", at as number | undefined);
  return others;
}

/** Handles one call. The order of the steps decides which error is reported first. */
async function answer(operation: Operation, translate: TranslateArguments, c: AppContext): Promise<Response> {
  checkAccess(operation, c);
  operation.admit?.(c);
  const { values, json, upload, problem } = await readArguments(c, operation);
  if (c.req.method === "POST") {
    // A caller can hold back the body until after they have lost their rights, so these are checked again.
    c.set("caller", c.get("callerNow")());
    checkAccess(operation, c);
  }
  checkSelf(operation, c, values);
  checkCsrf(operation, c, values);
  if (problem) throw problem;
  c.set("arguments", values);
  c.set("upload", upload);
  const args = withoutMoment(
    c,
    operation,
    json
      ? jsonArguments(operation, values, json)
      : validate(operation.request, knownArguments(operation, translate(operation, values))),
  );
  const reply = await operation.handle(args as never, c);
  if (reply instanceof PreparedReply) return reply.send(c);
  return reply instanceof Response ? reply : jsonReply(c, reply ?? {});
}

/** How a mount treats calls of its operations. */
export interface Mount {
  translate: TranslateArguments;
  /** Middleware for calls with an allowed method. The first that replies ends the call. */
  before?: readonly ((operation: Operation) => MiddlewareHandler<AppEnv>)[];
}

/** Runs handlers, each around those after it. */
function nested(handlers: readonly MiddlewareHandler<AppEnv>[], answer: Handler<AppEnv>): Handler<AppEnv> {
  const [first, ...others] = handlers;
  if (!first) return answer;
  const inner = nested(others, answer);
  return (c, next) =>
    first(c, async () => {
      const reply: unknown = await inner(c, next);
      if (reply instanceof Response) c.res = reply;
    });
}

/**
 * Serves the operations below `prefix`. A wrong method gets 405 before anything else is checked. They are looked up in a
 * map: a thousand routes would take longer to add than everything else at the start.
 */
export function mount(
  app: Hono<AppEnv>,
  prefix: string,
  operations: readonly Operation[],
  { translate, before = [] }: Mount,
): void {
  const byPath = new Map(operations.map((operation) => [prefix + operation.path, operation]));
  const tagged = etag();
  app.use(`${prefix}/*`, (c, next) => {
    const operation = byPath.get(c.req.path);
    if (!operation) return next();
    const methods: readonly string[] = METHODS[operation.kind];
    const changes = changesState(operation.kind);
    // A HEAD is answered like a GET, unless that changes something.
    if (!methods.includes(c.req.method === "HEAD" && !changes ? "GET" : c.req.method))
      throw errors.methodNotAllowed(methods);
    const around = before.map((handlerFor) => handlerFor(operation));
    if (!changes) around.push(tagged);
    return nested(around, () => answer(operation, translate, c))(c, next);
  });
}

/** Serves a path by the given methods; any other gets 405. */
export function serveOnly(
  methods: readonly string[],
  routes: Hono<AppEnv>,
  path: string,
  handle: Handler<AppEnv>,
): void {
  routes.on([...methods], path, handle);
  routes.all(path, () => {
    throw errors.methodNotAllowed(methods);
  });
}

/** Serves a path by GET; any other method gets 405. */
export function getOnly(routes: Hono<AppEnv>, path: string, handle: Handler<AppEnv>): void {
  serveOnly(["GET"], routes, path, handle);
}
