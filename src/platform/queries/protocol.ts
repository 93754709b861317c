import type { ContentfulStatusCode } from "hono/utils/http-status";

export interface QueryRequest {
  name: string;
  args: readonly unknown[];
  /** The moment in the past that it is about, unix seconds; undefined: the present. */
  at?: number | undefined;
}

/** refused: an ApiError. unavailable: a database error. failed: anything else. */
export type QueryReply =
  | { kind: "done"; body: Uint8Array<ArrayBuffer>; headers: Readonly<Record<string, string>> }
  | {
      kind: "refused";
      status: ContentfulStatusCode;
      code: string;
      message: string;
      headers: Record<string, string>;
    }
  | { kind: "unavailable"; message: string }
  | { kind: "failed"; message: string };
