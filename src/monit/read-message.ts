/** Parses a document and enforces the limits on its size. */
import { rejectBeyondLimits, rejectManyElements } from "./limits.ts";
import { parseAgentMessage } from "./message.ts";
import type { AgentMessage } from "./message.types.ts";

/**
 * @param atOnce throw TakesLong instead of starting slow work
 * @throws RejectedMessage; TakesLong
 */
export function readMessage(document: Uint8Array, atOnce = false): AgentMessage {
  rejectManyElements(document);
  const message = parseAgentMessage(document, atOnce);
  rejectBeyondLimits(message);
  return message;
}
