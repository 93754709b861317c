/** What stands for the values of a message that are missing or could not be read. */
import type { HostRow } from "../../platform/storage/schema.ts";
import { agentAddress } from "./host-facts.ts";
import type { Receipt } from "./reading.ts";

/** Seconds between the cycles of an agent that never said how long they are. */
const DEFAULT_POLL = 120;

/**
 * The message with the last known values where it has none; the same one if it has them all.
 * @param known the host's row; undefined before its first message
 */
export function completed<T extends Receipt>(receipt: T, known: HostRow | undefined): T {
  const { message, receivedAt, source } = receipt;
  const { server } = message;
  if (message.incarnation !== 0 && message.version !== "" && server.poll !== 0 && server.hostname !== "")
    return receipt;
  // A host that was imported has not reported yet: only its name is known.
  const heard = known?.incarnation === 0 ? undefined : known;
  return {
    ...receipt,
    message: {
      ...message,
      incarnation: message.incarnation || heard?.incarnation || receivedAt,
      version: message.version || heard?.agentVersion || "",
      server: {
        ...server,
        poll: server.poll || heard?.poll || DEFAULT_POLL,
        hostname:
          server.hostname ||
          known?.hostname ||
          agentAddress(server.httpd?.address ?? "", source) ||
          message.agentId,
      },
    },
  };
}
