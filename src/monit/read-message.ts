/** From the bytes of a document to a message that is not larger than it may be. */
import { refuseBeyondLimits, refuseManyElements } from "./limits.ts";
import { parseAgentMessage } from "./message.ts";
import type { AgentMessage } from "./message.types.ts";

/** @param atOnce whether nothing may take long @throws RejectedMessage; TakesLong */
export function readMessage(document: Uint8Array, atOnce = false): AgentMessage {
  refuseManyElements(document);
  const message = parseAgentMessage(document, atOnce);
  refuseBeyondLimits(message);
  return message;
}
