/** What the threads say to each other. */
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { QuestionName } from "./questions.ts";

export interface Asked {
  id: number;
  name: QuestionName;
  args: unknown[];
  /** Unix milliseconds after which nobody waits for the answer any more. */
  until: number;
}

export interface Answered {
  id: number;
  body: Uint8Array<ArrayBuffer>;
  headers: Readonly<Record<string, string>>;
}

/** `refused` an ApiError, `trouble` what keeps SQLite from its work, `failed` anything else. */
export type Failure =
  | { id: number; kind: "refused"; status: ContentfulStatusCode; code: string; message: string }
  | { id: number; kind: "trouble"; message: string }
  | { id: number; kind: "failed"; message: string };

/** Instead of a question: close the database and say so. */
export const CLOSE = "close";
export const CLOSED = "closed";

export type ToReader = Asked | typeof CLOSE;
export type FromReader = Answered | Failure | typeof CLOSED;
