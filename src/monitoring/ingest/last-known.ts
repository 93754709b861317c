/** Replaces missing or unreadable values of a message by the last known ones. */
import type { HostRow } from "../../platform/storage/schema.ts";
import { agentAddress } from "./host-facts.ts";
import type { Receipt } from "./reading.ts";

/** Assumed poll cycle, seconds, of an agent that never reported one. */
const DEFAULT_POLL = 120;

/**
 * Returns the message with missing values replaced by the last known ones. Returns a complete message itself.
 * @param row the host's row; undefined before its first message
 */
export function completed<T extends Receipt>(receipt: T, row: HostRow | undefined): T {
  const { message, receivedAt, source } = receipt;
  const { server } = message;
  if (message.incarnation !== 0 && message.version !== "" && server.poll !== 0 && server.hostname !== "")
    return receipt;
  // An imported host that has not reported yet has only a name.
  const reported = row?.incarnation === 0 ? undefined : row;
  return {
    ...receipt,
    message: {
      ...message,
      incarnation: message.incarnation || reported?.incarnation || receivedAt - Math.max(0, server.uptime),
      version: message.version || reported?.agentVersion || "",
      server: {
        ...server,
        poll: server.poll || reported?.poll || DEFAULT_POLL,
        hostname:
          server.hostname ||
          row?.hostname ||
          agentAddress(server.httpd?.address ?? "", source) ||
          message.agentId,
      },
    },
  };
}
