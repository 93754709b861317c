import type { ContentfulStatusCode } from "hono/utils/http-status";

/** An error reply. Thrown anywhere below a route and turned into a response by `app.onError` alone. */
export class ApiError extends Error {
  constructor(
    readonly status: ContentfulStatusCode,
    /** Stable dotted identifier for programs. */
    readonly code: string,
    /** One sentence, shown to the caller. */
    message: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

/** An error as the API's documentation describes it. */
export interface DocumentedError {
  readonly status: ContentfulStatusCode;
  readonly code: string;
  /** One sentence on when the error occurs, in general. */
  readonly meaning: string;
  /** The same sentence for one particular operation. */
  readonly when: string;
}

/** A declared error: a function that creates the error to throw, with the fields that document it. */
export interface DeclaredError<A extends unknown[]> extends DocumentedError {
  (...args: A): ApiError;
}

/**
 * Declares an error of the API. Each code is declared once, beside the feature that throws it.
 * @param meaning one sentence on when it occurs
 * @param message what the caller reads; defaults to the meaning
 */
export function declareError<A extends unknown[] = []>(
  status: ContentfulStatusCode,
  code: string,
  meaning: string,
  message: (...args: A) => string = () => meaning,
): DeclaredError<A> {
  const make = (...args: A) => new ApiError(status, code, message(...args));
  return Object.assign(make, { status, code, meaning, when: meaning });
}

/** Adds response headers to a declared error. @param headers takes what the error's message takes */
export function withHeaders<A extends unknown[]>(
  error: DeclaredError<A>,
  headers: (...args: NoInfer<A>) => Record<string, string>,
): DeclaredError<A> {
  const { status, code, meaning, when } = error;
  const make = (...args: A) => new ApiError(status, code, error(...args).message, headers(...args));
  return Object.assign(make, { status, code, meaning, when });
}

/** Declares the error that a name is taken. @param noun kind of the object */
export function declareTaken(code: string, noun: string): DeclaredError<[name: string]> {
  const message = (name: string) => `There is already a ${noun} "${name}"`;
  return declareError(409, code, `Another ${noun} has this name`, message);
}

/** The same error with a longer message. */
export function extended({ status, code, message, headers }: ApiError, detail: string): ApiError {
  return new ApiError(status, code, `${message}${detail}`, headers);
}

/** Documents a declared error with the specific reason for which one operation returns it. */
export function because({ status, code, meaning }: DocumentedError, when: string): DocumentedError {
  return { status, code, meaning, when };
}

/** Tells clients to sign in. Browsers do not know this scheme, so they open no dialog of their own. */
export const SIGN_IN = { "WWW-Authenticate": "Session" } as const;

/** What a caller reads of an error that was not foreseen. */
export const INTERNAL_ERROR = "Something went wrong inside Muster; its log says what";

const FOREIGN_ORIGIN = "Requests from another site are refused";

/** Errors that belong to no single feature. */
export const errors = {
  badArgument: declareError(
    400,
    "argument.invalid",
    "An argument has a value that is not allowed; the message names it and says what is",
    (name: string, allowed: string) => `${name} must be ${allowed}`,
  ),
  missingArgument: declareError(
    400,
    "argument.missing",
    "A required argument is missing; the message names it",
    (name: string, allowed: string) => `${name} is required: ${allowed}`,
  ),
  unknownArgument: declareError(
    400,
    "argument.unknown",
    "A write has no argument of this name; the message names it and the valid ones",
    (name: string, allowed: readonly string[]) =>
      `There is no argument ${name}: ${allowed.length === 0 ? "this operation takes none" : `use ${allowed.join(", ")}`}`,
  ),
  badRequest: declareError(
    400,
    "request.invalid",
    "The request as a whole is invalid; the message says why",
    (message: string) => message,
  ),
  replyTooLong: declareError(
    400,
    "reply.long",
    "The reply would be too long; ask for less, with the arguments that filter or limit it",
    (bytes: number, limit: number) =>
      `The reply would be ${bytes} bytes long, more than ${limit}: ask for less, with the arguments that filter or limit it`,
  ),
  signInNeeded: withHeaders(
    declareError(401, "session.required", "Sign in first: there is no valid session or API token"),
    () => SIGN_IN,
  ),
  adminNeeded: declareError(403, "role.admin", "Only an administrator may do this"),
  notGranted: declareError(
    403,
    "role.level",
    "The caller's level in the affected host groups does not allow this",
  ),
  loginNeeded: declareError(403, "token.session", "An API token may not do this: sign in"),
  tokenReadsOnly: declareError(
    403,
    "token.scope",
    "The scope of this API token does not allow this",
    (message?: string) => message ?? "This API token may only read",
  ),
  csrfToken: declareError(403, "csrf.token", "The CSRF token is missing or wrong"),
  foreignOrigin: declareError(
    403,
    "csrf.origin",
    FOREIGN_ORIGIN,
    (message: string = FOREIGN_ORIGIN) => message,
  ),
  noSuchPath: declareError(404, "path.unknown", "There is nothing at this address"),
  notFound: declareError(
    404,
    "object.unknown",
    "There is no such object: host, event, user ...",
    (what: string, id: string | number) => `There is no ${what} ${id}`,
  ),
  methodNotAllowed: withHeaders(
    declareError(
      405,
      "method.refused",
      "The operation does not accept this method; Allow names those that it accepts",
      (allow: readonly string[]) => `Use ${allow.join(" or ")}`,
    ),
    (allow) => ({ Allow: allow.join(", ") }),
  ),
  bodyTooLarge: declareError(
    413,
    "body.large",
    "The body or a file in it is too large",
    (limit: number) => `The body is larger than ${limit} bytes`,
  ),
  bodyType: declareError(
    415,
    "body.type",
    "The content type of the body is wrong",
    (requirement: string) => `The body must be ${requirement}`,
  ),
  busy: withHeaders(
    declareError(
      503,
      "busy",
      "Muster is overloaded or cannot use its database; Retry-After says how many seconds to wait",
      (message: string) => message,
    ),
    () => ({ "Retry-After": "5" }),
  ),
  internal: declareError(500, "internal", INTERNAL_ERROR, (message: string = INTERNAL_ERROR) => message),
};

/** The object that was looked up by its id. @throws ApiError 404 if there is none */
export function found<T>(object: T | undefined, noun: string, id: string | number): T {
  if (object === undefined) throw errors.notFound(noun, id);
  return object;
}

/** Documents the "not found" error for one kind of object. */
export function noSuch(noun: string): DocumentedError {
  return because(errors.notFound, `There is no such ${noun}`);
}
