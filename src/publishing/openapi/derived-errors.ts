/** The errors of an operation: those it declares, and those that follow from its other fields. */
import { collectorErrors } from "../../monitoring/collector/collector.ts";
import { momentErrors } from "../../monitoring/moment/known-moments.ts";
import { because, type DocumentedError, errors } from "../../platform/http/errors.ts";
import {
  changesState,
  isHostAccess,
  METHODS,
  type Method,
  type Operation,
  rejectsUnknownArguments,
} from "../../platform/http/operation.ts";
import { readOnly } from "../../platform/http/read-only.ts";
import { argumentsSchema } from "./schemas.ts";

function ofArguments(operation: Operation): DocumentedError[] {
  const { properties = {}, required = [] } = argumentsSchema(operation);
  return [
    ...(rejectsUnknownArguments(operation)
      ? [because(errors.unknownArgument, "There is no argument of this name")]
      : []),
    ...(required.length > 0 ? [because(errors.missingArgument, "A required argument is missing")] : []),
    ...(Object.keys(properties).length > 0
      ? [because(errors.badArgument, "An argument has a value that is not allowed")]
      : []),
  ];
}

/** Errors of http/access.ts. */
function ofAccess({ access, kind }: Operation): DocumentedError[] {
  if (access === "public") return [];
  const changes = changesState(kind);
  return [
    errors.signInNeeded,
    ...(access === "admin" || access === "self" ? [errors.adminNeeded] : []),
    ...(isHostAccess(access) ? [errors.notGranted] : []),
    ...(access === "login" || (access === "self" && changes) ? [errors.loginNeeded] : []),
    ...(access !== "login" && changes ? [errors.tokenReadsOnly] : []),
  ];
}

/** Errors of http/csrf.ts. */
function ofOrigin({ access, kind }: Operation, method: Method): DocumentedError[] {
  if (!changesState(kind)) return [];
  return [method === "GET" || access === "public" ? errors.foreignOrigin : errors.csrfToken];
}

/** Errors of http/arguments.ts. */
function ofBody({ body }: Operation, method: Method): DocumentedError[] {
  if (method === "GET") return [];
  const bodyType = body === "json" ? "JSON" : "a form";
  return [
    because(
      errors.badRequest,
      `The body is not ${body === "json" ? "well-formed JSON" : "a well-formed form"}`,
    ),
    errors.bodyTooLarge,
    because(errors.bodyType, `The body is not ${bodyType}`),
  ];
}

/** All errors of an operation called by `method`, by status; each status and code once. */
export function errorsOf(operation: Operation, method: Method): DocumentedError[] {
  const candidates = [
    ...(operation.errors ?? []),
    ...ofArguments(operation),
    ...ofAccess(operation),
    ...ofOrigin(operation, method),
    ...(operation.past ? [momentErrors.future, momentErrors.notKnown] : []),
    ...ofBody(operation, method),
    errors.internal,
  ];
  const once = new Map<string, DocumentedError>();
  for (const error of candidates) {
    const previous = once.get(error.code);
    const isNew = previous && previous.when !== error.when;
    once.set(error.code, isNew ? because(previous, `${previous.when}. ${error.when}`) : (previous ?? error));
  }
  return [...once.values()].sort((a, b) => a.status - b.status);
}

/** Errors outside of operations: those of the surrounding routes and of the collector. */
const OTHERS: readonly DocumentedError[] = [
  errors.noSuchPath,
  errors.methodNotAllowed,
  errors.busy,
  errors.replyTooLong,
  momentErrors.tooLarge,
  readOnly,
  ...Object.values(collectorErrors),
];

/** Every error, by status and code. */
export function everyError(operations: readonly Operation[]): DocumentedError[] {
  const documented = operations.flatMap((operation) =>
    METHODS[operation.kind].flatMap((method) => errorsOf(operation, method)),
  );
  const byCode = new Map([...documented, ...OTHERS].map((error) => [error.code, error]));
  return [...byCode.values()].sort((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1));
}
