import type { ContentfulStatusCode } from "hono/utils/http-status";
import { escapedJson } from "../text.ts";
import type { AppContext } from "./context.ts";

/** Serializes to ASCII-only JSON: some clients decode replies as Latin-1. */
export function asciiJson(value: unknown): string {
  return escapedJson(value, /[\u007f-\uffff]/g);
}

/** Replies below /api are specific to the caller. */
export const NO_STORE = { "Cache-Control": "no-store" } as const;

/** A JSON reply that no cache stores, with the cookies and headers that the context holds. */
export function jsonReply(
  c: AppContext,
  value: unknown,
  status: ContentfulStatusCode = 200,
  headers: Record<string, string> = {},
): Response {
  return c.body(asciiJson(value), status, {
    "Content-Type": "application/json",
    ...NO_STORE,
    ...headers,
  });
}
