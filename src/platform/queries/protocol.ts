/** What the main thread and the query worker send each other. */
import type { ContentfulStatusCode } from "hono/utils/http-status";

export interface QueryRequest {
  id: number;
  name: string;
  args: readonly unknown[];
  /** Unix milliseconds after which nobody waits for the result any more. */
  until: number;
}

export interface QueryResponse {
  id: number;
  body: Uint8Array<ArrayBuffer>;
  headers: Readonly<Record<string, string>>;
}

/** `refused` an ApiError, `unavailable` what keeps SQLite from its work, `failed` anything else. */
export type QueryFailure =
  | { id: number; kind: "refused"; status: ContentfulStatusCode; code: string; message: string }
  | { id: number; kind: "unavailable"; message: string }
  | { id: number; kind: "failed"; message: string };

/** Instead of a query: close the database and say so. */
export const CLOSE = "close";
export const CLOSED = "closed";

export type ToWorker = QueryRequest | typeof CLOSE;
export type FromWorker = QueryResponse | QueryFailure | typeof CLOSED;
