/** Messages between the main thread and the query worker. */
import type { ContentfulStatusCode } from "hono/utils/http-status";

export interface QueryRequest {
  id: number;
  name: string;
  args: readonly unknown[];
  /** Unix milliseconds after which the result is no longer needed. */
  until: number;
}

export interface QueryResponse {
  id: number;
  body: Uint8Array<ArrayBuffer>;
  headers: Readonly<Record<string, string>>;
}

/** refused: an ApiError. unavailable: a database error. failed: anything else. */
export type QueryFailure =
  | { id: number; kind: "refused"; status: ContentfulStatusCode; code: string; message: string }
  | { id: number; kind: "unavailable"; message: string }
  | { id: number; kind: "failed"; message: string };

/** Sent instead of a query: close the database and confirm with CLOSED. */
export const CLOSE = "close";
export const CLOSED = "closed";

export type ToWorker = QueryRequest | typeof CLOSE;
export type FromWorker = QueryResponse | QueryFailure | typeof CLOSED;
