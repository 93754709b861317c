import { Csv } from "../http/csv.ts";
import { errors } from "../http/errors.ts";
import { PreparedReply } from "../http/prepared.ts";
import { asciiJson, NO_STORE } from "../http/reply.ts";

/**
 * Longest reply, bytes: 320 for each of 100,000 hosts, and no more than a connection may hold unsent (http/listener).
 */
export const MAX_REPLY_BYTES = 32_000_000;

function headersOf(result: unknown): Record<string, string> {
  if (!(result instanceof Csv)) return { ...NO_STORE, "Content-Type": "application/json" };
  return {
    ...NO_STORE,
    "Content-Type": "text/csv; charset=utf-8",
    "Content-Disposition": `attachment; filename="${result.filename}"`,
  };
}

/**
 * Serializes a result with its ETag. It runs on a query worker, to spare the message thread.
 * @param limit longest reply, bytes
 * @throws ApiError 400 if it is longer
 */
export function prepare(result: unknown, limit = MAX_REPLY_BYTES): PreparedReply<never> {
  const body = new TextEncoder().encode(result instanceof Csv ? result.text : asciiJson(result));
  if (body.length > limit) throw errors.replyTooLong(body.length, limit);
  const etag = `"${new Bun.CryptoHasher("sha1").update(body).digest("hex")}"`;
  return new PreparedReply(body, { ...headersOf(result), ETag: etag });
}
