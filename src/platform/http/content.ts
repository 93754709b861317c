/** What is the same for everyone who asks: made once, with its tag, and compressed once. */
import { gzipSync } from "node:zlib";
import type { AppContext } from "./context.ts";

/** One form of a content as it goes over the wire. Each has a tag of its own: the bytes differ. */
interface Form {
  bytes: Uint8Array<ArrayBuffer>;
  etag: string;
}

export interface Content {
  plain: Form;
  /** Smaller form, where it is worth it. */
  gzip: Form | null;
}

function formOf(bytes: Uint8Array<ArrayBuffer>): Form {
  return { bytes, etag: `"${Bun.hash(bytes).toString(16)}"` };
}

/** @param isCompressible whether a compressed form is worth its memory */
export function contentOf(bytes: Uint8Array<ArrayBuffer>, isCompressible = true): Content {
  return {
    plain: formOf(bytes),
    gzip: isCompressible ? formOf(new Uint8Array(gzipSync(bytes, { level: 9 }))) : null,
  };
}

function acceptsGzip(accepted: string): boolean {
  const gzip = accepted.split(",").find((coding) => /^\s*(x-)?gzip\b/i.test(coding));
  return gzip !== undefined && !/;\s*q=0(\.0*)?\s*$/i.test(gzip);
}

/** Whether one of the tags that the browser holds is the present one; a proxy may have made them weak. */
function isHeld(held: string, etag: string): boolean {
  return held === "*" || held.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

/** Sends the content in the form that the client takes; nothing of it to a client that has it. */
export function contentReply(
  c: AppContext,
  content: Content,
  { "Content-Type": type, ...rest }: Record<"Content-Type" | "Cache-Control", string>,
): Response {
  const zipped = content.gzip !== null && acceptsGzip(c.req.header("Accept-Encoding") ?? "");
  const form = zipped && content.gzip ? content.gzip : content.plain;
  const headers = { ETag: form.etag, ...rest, Vary: "Accept-Encoding" };
  if (isHeld(c.req.header("If-None-Match") ?? "", form.etag)) return c.body(null, 304, headers);
  return c.body(form.bytes, 200, {
    ...headers,
    "Content-Type": type,
    ...(zipped && { "Content-Encoding": "gzip" }),
  });
}
