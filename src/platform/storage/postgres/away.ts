/** Tells a server that is not there now from one that turns a connection down. */

/** Every server that was reached is a standby: there may be a new primary soon. */
export class NoPrimary extends Error {
  constructor() {
    super("it is a standby, which accepts no writes");
  }
}

/** The host or its name is not there, or the server is starting, stopping, or has no connection left. */
const AWAY_CODES =
  /^(ECONN\w+|ENOENT|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EPIPE|57P0\d|53\w{3}|08\w{3})$/;
/** What the driver says when a host takes a connection and then does not answer, or ends it. */
const AWAY_MESSAGES = /timeout expired|connection timeout|connection terminated/i;

/** Whether an attempt to connect failed for a reason that passes by itself. */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return error instanceof NoPrimary || AWAY_CODES.test(code) || AWAY_MESSAGES.test(error.message);
}

/** Whether a server is there that has no connection left, and goes on with those it has. */
export function isFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("53");
}
