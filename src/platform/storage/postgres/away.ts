/** Distinguishes a server that is away from one that rejects a connection. */
import { codeOf } from "../../text.ts";

/** Every reachable server is a standby: there may be a new primary soon. */
export class NoPrimary extends Error {
  constructor() {
    super("it is a standby, which accepts no writes");
  }
}

/** The host or its name is unreachable, or the server is starting, stopping, or out of connections. */
const AWAY_CODES =
  /^(ECONN\w+|ENOENT|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EPIPE|57P0\d|53\w{3}|08\w{3})$/;
/** Messages of the driver when a host accepts a connection and then does not answer, or ends it. */
const AWAY_MESSAGES = /timeout expired|connection timeout|connection terminated/i;

/** Whether an attempt to connect failed for a reason that passes. */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error instanceof NoPrimary || AWAY_CODES.test(codeOf(error)) || AWAY_MESSAGES.test(error.message);
}

/** Whether a server is reachable but out of connections, while it continues to serve existing ones. */
export function isFull(error: unknown): boolean {
  return codeOf(error).startsWith("53");
}
