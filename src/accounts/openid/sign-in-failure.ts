import { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } from "openid-client";
import { codeOf, reasonOf } from "../../platform/text.ts";

/** Why a sign-in failed, in categories useful to the user. */
export type SignInFailure = "denied" | "expired" | "unreachable" | "keys" | "invalid" | "forbidden";

/** Client library error codes that mean the provider is unreachable or not working. */
const UNREACHABLE = new Set(["OAUTH_TIMEOUT", "OAUTH_RESPONSE_IS_NOT_CONFORM"]);
const PROVIDER_FAILING = new Set(["server_error", "temporarily_unavailable"]);

/** Whether the provider signed with a key that it did not publish when its keys were last fetched. */
export function isOfUnknownKey(error: unknown): boolean {
  return codeOf(error) === "OAUTH_KEY_SELECTION_FAILED";
}

/** Whether the signature of the ID token is not one of the key that the token names. */
export function isOfWrongSignature(error: unknown): boolean {
  return error instanceof Error && reasonOf(error.cause).includes("signature verification failed");
}

/** A wrong signature by keys of an earlier sign-in: the provider may have replaced one and kept its id. */
export class OutdatedKeys extends Error {}

/**
 * The category of an error of the client library. Any other error counts as unreachable, such as one of the
 * network.
 */
export function signInFailureOf(error: unknown): SignInFailure {
  if (error instanceof AuthorizationResponseError) {
    if (PROVIDER_FAILING.has(error.error)) return "unreachable";
    return error.error === "access_denied" ? "denied" : "invalid";
  }
  // The code was already redeemed or has expired.
  if (error instanceof ResponseBodyError) return error.error === "invalid_grant" ? "expired" : "invalid";
  if (isOfUnknownKey(error) || error instanceof OutdatedKeys) return "keys";
  if (UNREACHABLE.has(codeOf(error))) return "unreachable";
  return codeOf(error).startsWith("OAUTH_") ? "invalid" : "unreachable";
}

/** Longer reasons are truncated: some contain input from the browser. */
const MAX_REASON = 200;

/** The error in one line for the log, without data from the provider. */
export function failureReason(error: unknown): string {
  return fullReason(error).slice(0, MAX_REASON).toWellFormed();
}

function fullReason(error: unknown): string {
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) return error.error;
  if (error instanceof WWWAuthenticateChallengeError)
    return error.cause.map(({ parameters }) => parameters.error ?? "unauthorized").join(", ");
  const reason = reasonOf(error);
  const cause = error instanceof Error ? error.cause : undefined;
  // For a reply that could not be used, the message of the library has neither the address nor the status.
  if (cause instanceof Response) return `${reason}: ${cause.status} from ${cause.url}`;
  return cause instanceof Error && cause.message !== reason ? `${reason}: ${cause.message}` : reason;
}
