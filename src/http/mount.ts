import type { Hono } from "hono";
import { etag } from "hono/etag";
import { readArguments } from "./arguments.ts";
import type { AppContext, AppEnv } from "./context.ts";
import { checkCsrf } from "./csrf.ts";
import { errors } from "./errors.ts";
import { METHODS, type Operation } from "./operation.ts";
import { jsonReply } from "./reply.ts";
import { validate } from "./validate.ts";

function checkAccess(operation: Operation, c: AppContext): void {
  if (operation.access === "public") return;
  const caller = c.get("caller");
  if (!caller) throw errors.signInNeeded();
  if (operation.access === "admin" && !caller.admin) throw errors.adminNeeded();
}

/** One call: session, role, CSRF, body, arguments, work, reply, in the order in which their errors are due. */
async function answer(operation: Operation, c: AppContext): Promise<Response> {
  checkAccess(operation, c);
  const { values, problem } = await readArguments(c.req.raw);
  checkCsrf(operation, c, values);
  if (problem) throw problem;
  c.set("arguments", values);
  const reply = await operation.handle(validate(operation.takes, values) as never, c);
  return reply instanceof Response ? reply : jsonReply(c, reply);
}

/** Serves the operations below `prefix`. Another method than theirs is answered 405 before anything else is looked at. */
export function mount(app: Hono<AppEnv>, prefix: string, operations: readonly Operation[]): void {
  for (const operation of operations) {
    const path = prefix + operation.path;
    const methods = METHODS[operation.kind];
    if (operation.kind === "read" || operation.kind === "query") app.use(path, etag());
    app.on([...methods], path, (c) => answer(operation, c));
    app.all(path, () => {
      throw errors.methodNotAllowed(methods);
    });
  }
}
