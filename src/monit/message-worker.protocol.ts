/** The messages between the main thread and the large-message worker. */
import { ApiError, errors } from "../platform/http/errors.ts";
import { stackOf } from "../platform/text.ts";
import { damagedGzip, inflateLarge, MAX_INFLATED_BYTES } from "./inflate.ts";
import { readMessage } from "./limits.ts";
import type { AgentMessage } from "./message.types.ts";
import { RejectedMessage } from "./rejected-message.ts";

/** The body of a post that the worker inflates and reads. */
export interface MessageRequest {
  body: Uint8Array;
  isGzipped: boolean;
}

/** `large`: it inflates to too much. `damaged`: it cannot be inflated. `failed`: any other error. */
export type MessageOutcome =
  | { kind: "read"; message: AgentMessage }
  | { kind: "invalid"; reason: string }
  | { kind: "large" }
  | { kind: "damaged" }
  | { kind: "failed"; message: string };

export type ToMessageWorker = { id: number } & MessageRequest;
export type FromMessageWorker = { id: number } & MessageOutcome;

/** Inflates and reads a body. Never throws. */
export function outcomeOf(body: Uint8Array, isGzipped: boolean): MessageOutcome {
  try {
    return { kind: "read", message: readMessage(isGzipped ? inflateLarge(body) : body) };
  } catch (error) {
    if (error instanceof RejectedMessage) return { kind: "invalid", reason: error.message };
    if (error instanceof ApiError) return { kind: error.status === 413 ? "large" : "damaged" };
    return { kind: "failed", message: stackOf(error) };
  }
}

/** Turns an outcome back into a message or an error. @throws RejectedMessage, ApiError or Error */
export function messageOf(outcome: MessageOutcome): AgentMessage {
  if (outcome.kind === "read") return outcome.message;
  if (outcome.kind === "invalid") throw new RejectedMessage(outcome.reason);
  if (outcome.kind === "large") throw errors.bodyTooLarge(MAX_INFLATED_BYTES);
  if (outcome.kind === "damaged") throw damagedGzip();
  throw new Error(outcome.message);
}
