import { Csv } from "../http/csv.ts";
import { PreparedReply } from "../http/prepared.ts";
import { asciiJson, NO_STORE } from "../http/reply.ts";

function headersOf(result: unknown): Record<string, string> {
  if (!(result instanceof Csv)) return { ...NO_STORE, "Content-Type": "application/json" };
  return {
    ...NO_STORE,
    "Content-Type": "text/csv; charset=utf-8",
    "Content-Disposition": `attachment; filename="${result.filename}"`,
  };
}

/** Serializes a result with its ETag, on the query worker: another thread receives messages. */
export function prepare(result: unknown): PreparedReply {
  const body = new TextEncoder().encode(result instanceof Csv ? result.text : asciiJson(result));
  const etag = `"${new Bun.CryptoHasher("sha1").update(body).digest("hex")}"`;
  return new PreparedReply(body, { ...headersOf(result), ETag: etag });
}
