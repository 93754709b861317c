/** Content that is the same for every client: built once, with its ETag, and compressed once. */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { AppContext } from "./context.ts";

/** One encoding of the content. Each has its own ETag because the bytes differ. */
interface Form {
  bytes: Uint8Array<ArrayBuffer>;
  etag: string;
}

export interface Content {
  plain: Form;
  /** The compressed form; null where compression saves too little. */
  gzip: Form | null;
}

const compress = promisify(gzip);

function formOf(bytes: Uint8Array<ArrayBuffer>): Form {
  return { bytes, etag: `"${Bun.hash(bytes).toString(16)}"` };
}

/**
 * Compresses on another thread: a megabyte takes longer than a message should wait.
 * @param isCompressible false for content that does not compress well enough to justify the memory
 */
export async function contentOf(bytes: Uint8Array<ArrayBuffer>, isCompressible = true): Promise<Content> {
  return {
    plain: formOf(bytes),
    gzip: isCompressible ? formOf(new Uint8Array(await compress(bytes, { level: 9 }))) : null,
  };
}

/** Makes the content on the first call and keeps it, since anyone may request a public route at any rate. */
export function contentOnce(make: () => Promise<Content>): () => Promise<Content> {
  let content: Promise<Content> | undefined;
  return () => {
    content ??= make();
    return content;
  };
}

function acceptsGzip(accepted: string): boolean {
  const gzip = accepted.split(",").find((coding) => /^\s*(x-)?gzip\b/i.test(coding));
  return gzip !== undefined && !/;\s*q=0(\.0*)?\s*$/i.test(gzip);
}

/** Whether If-None-Match contains the tag. A proxy may have turned it into a weak one. */
function isHeld(etags: string, etag: string): boolean {
  return etags === "*" || etags.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

/** Sends the content in an encoding the client accepts, or 304 if the client has it. */
export function contentReply(
  c: AppContext,
  content: Content,
  { "Content-Type": type, ...rest }: Record<"Content-Type" | "Cache-Control", string>,
): Response {
  const zipped = acceptsGzip(c.req.header("Accept-Encoding") ?? "") ? content.gzip : null;
  const form = zipped ?? content.plain;
  const headers = { ETag: form.etag, ...rest, Vary: "Accept-Encoding" };
  if (isHeld(c.req.header("If-None-Match") ?? "", form.etag)) return c.body(null, 304, headers);
  return c.body(form.bytes, 200, {
    ...headers,
    "Content-Type": type,
    ...(zipped && { "Content-Encoding": "gzip" }),
  });
}
