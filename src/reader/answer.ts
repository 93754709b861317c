/** The answer to a question, and its way from one thread to another. */
import { Csv } from "../http/csv.ts";
import { PreparedReply } from "../http/prepared.ts";
import { asciiJson, NO_STORE } from "../http/reply.ts";

function headersOf(answer: unknown): Record<string, string> {
  if (!(answer instanceof Csv)) return { ...NO_STORE, "Content-Type": "application/json" };
  return {
    ...NO_STORE,
    "Content-Type": "text/csv; charset=utf-8",
    "Content-Disposition": `attachment; filename="${answer.filename}"`,
  };
}

/** An answer as it goes over the wire, with the ETag, which would otherwise be made of it where messages are taken. */
export function prepare(answer: unknown): PreparedReply {
  const body = new TextEncoder().encode(answer instanceof Csv ? answer.text : asciiJson(answer));
  const etag = `"${new Bun.CryptoHasher("sha1").update(body).digest("hex")}"`;
  return new PreparedReply(body, { ...headersOf(answer), ETag: etag });
}
