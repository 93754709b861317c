import { codeOf, reasonOf } from "../text.ts";

const CLOSED = "the connection was closed before there was a complete answer";
const NO_HTTP = "it does not speak HTTP as expected";
const UNKNOWN_AUTHORITY = "its certificate is from an unknown authority";

/** The runtime's own messages advise developers. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  ERR_SOCKET_CLOSED: CLOSED,
  EPROTO: "it does not speak TLS as expected",
  Malformed_HTTP_Response: NO_HTTP,
  InvalidHTTPResponse: NO_HTTP,
  InvalidContentLength: NO_HTTP,
  ETIMEDOUT: "the connection timed out",
  EHOSTUNREACH: "there is no route to it",
  ENETUNREACH: "its network is unreachable",
  ENOENT: "there is no such socket",
  ENOTFOUND: "its name was not found",
  UnexpectedRedirect: "it redirects to another address",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
};

/** Why a connection of Node's failed, in words where the code is known. */
export function connectionFailure(error: unknown): string {
  return REASONS[codeOf(error)] ?? reasonOf(error);
}

/** Why `fetch` failed, to complete "SERVER cannot be reached: ...". An unknown code stands for itself. */
export function fetchFailure(error: unknown): string {
  const code = codeOf(error);
  return REASONS[code] ?? (code === "" || error instanceof DOMException ? reasonOf(error) : code);
}
