import type { ContentfulStatusCode } from "hono/utils/http-status";

/** An answer that is no success: thrown anywhere below a route, turned into a reply by `app.onError` alone. */
export class ApiError extends Error {
  constructor(
    readonly status: ContentfulStatusCode,
    /** Stable, dotted, for programs. */
    readonly code: string,
    /** One sentence for people; shown to the caller. */
    message: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

export const errors = {
  badArgument: (name: string, allowed: string) =>
    new ApiError(400, "argument.invalid", `${name} must be ${allowed}`),
  missingArgument: (name: string, allowed: string) =>
    new ApiError(400, "argument.missing", `${name} is required: ${allowed}`),
  badRequest: (message: string) => new ApiError(400, "request.invalid", message),
  signInNeeded: () =>
    new ApiError(401, "session.required", "Sign in first: there is no valid session or API token", {
      "WWW-Authenticate": "Session",
    }),
  wrongCredentials: () =>
    new ApiError(401, "login.failed", "Invalid username and/or password", { "WWW-Authenticate": "Session" }),
  secondFactorNeeded: () =>
    new ApiError(401, "login.totp_required", "A code of the second factor is needed: give it as z_totp", {
      "WWW-Authenticate": "Session",
    }),
  wrongSecondFactor: () =>
    new ApiError(401, "login.totp_wrong", "The code is wrong, too old, or was used before", {
      "WWW-Authenticate": "Session",
    }),
  tooManyLogins: (seconds: number) =>
    new ApiError(429, "login.throttled", `Too many failed logins; try again in ${seconds} seconds`, {
      "Retry-After": String(seconds),
    }),
  adminNeeded: () => new ApiError(403, "role.admin", "Only an administrator may do this"),
  loginNeeded: () => new ApiError(403, "token.session", "This takes a login: an API token may not do it"),
  tokenReadsOnly: () => new ApiError(403, "token.scope", "This API token may only read"),
  wrongOldPassword: () =>
    new ApiError(403, "password.wrong", "oldpassword is not the user's present password"),
  noAccount: (uname: string) =>
    new ApiError(
      403,
      "login.noaccount",
      `There is no account for ${uname}: an administrator has to make one`,
    ),
  wrongPassword: () => new ApiError(403, "password.wrong", "That is not your present password"),
  wrongCode: () => new ApiError(403, "totp.wrong", "The code is wrong, too old, or was used before"),
  csrfToken: () => new ApiError(403, "csrf.token", "The CSRF token is missing or wrong"),
  foreignOrigin: () => new ApiError(403, "csrf.origin", "Requests from another site are refused"),
  noSuchPath: () => new ApiError(404, "path.unknown", "There is nothing at this address"),
  notFound: (what: string, id: string | number) =>
    new ApiError(404, "object.unknown", `There is no ${what} ${id}`),
  methodNotAllowed: (allow: readonly string[]) =>
    new ApiError(405, "method.refused", `Use ${allow.join(" or ")}`, { Allow: allow.join(", ") }),
  totpEnabled: () =>
    new ApiError(409, "totp.enabled", "There is a second factor already: switch it off first"),
  nameTaken: (uname: string) =>
    new ApiError(409, "login.nametaken", `The account ${uname} is another one than the proxy's ${uname}`),
  noPassword: (uname: string) =>
    new ApiError(409, "user.nopassword", `${uname} signs in elsewhere and has no password here`),
  conflict: (code: string, message: string) => new ApiError(409, code, message),
  bodyTooLarge: (limit: number) => new ApiError(413, "body.large", `The body is larger than ${limit} bytes`),
  bodyNotForm: () =>
    new ApiError(415, "body.type", "The body must be a form (application/x-www-form-urlencoded)"),
  agentFailed: (message: string) => new ApiError(502, "agent.failed", message),
  busy: (message: string) => new ApiError(503, "busy", message, { "Retry-After": "5" }),
  internal: () => new ApiError(500, "internal", "Something went wrong inside Muster; its log says what"),
};
