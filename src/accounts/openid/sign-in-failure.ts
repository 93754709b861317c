import { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } from "openid-client";

/** Why nobody was signed in, as the person in front of it can make use of. */
export type SignInFailure = "denied" | "expired" | "unreachable" | "invalid" | "forbidden";

/** Codes with which the client library says that the provider is not there, or not well. */
const UNREACHABLE = new Set(["OAUTH_TIMEOUT", "OAUTH_RESPONSE_IS_NOT_CONFORM"]);
const PROVIDER_UNWELL = new Set(["server_error", "temporarily_unavailable"]);

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** What went wrong, out of an error of the client library. */
export function signInFailureOf(error: unknown): SignInFailure {
  if (error instanceof AuthorizationResponseError) {
    if (PROVIDER_UNWELL.has(error.error)) return "unreachable";
    return error.error === "access_denied" ? "denied" : "invalid";
  }
  // The code was redeemed before, or too late.
  if (error instanceof ResponseBodyError) return error.error === "invalid_grant" ? "expired" : "invalid";
  if (UNREACHABLE.has(codeOf(error))) return "unreachable";
  return codeOf(error).startsWith("OAUTH_") ? "invalid" : "unreachable";
}

/** Longer reasons are cut: some are what a browser brought along. */
const MAX_REASON = 200;

/** One line for the log, without what the provider sent along. */
export function reasonOf(error: unknown): string {
  return fullReason(error).slice(0, MAX_REASON).toWellFormed();
}

function fullReason(error: unknown): string {
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) return error.error;
  if (error instanceof WWWAuthenticateChallengeError)
    return error.cause.map(({ parameters }) => parameters.error ?? "unauthorized").join(", ");
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : "";
  return `${error instanceof Error ? error.message : String(error)}${cause}`;
}
