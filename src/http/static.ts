import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import type { Handler } from "hono";
import { getMimeType } from "hono/utils/mime";
import type { AppEnv } from "./context.ts";
import { errors } from "./errors.ts";

/** One form of a file as it goes over the wire. Each has a tag of its own: the bytes differ. */
interface Form {
  bytes: Uint8Array<ArrayBuffer>;
  etag: string;
}

interface StaticFile {
  plain: Form;
  /** Smaller form, where it is worth it. */
  gzip: Form | null;
  type: string;
  cacheControl: string;
}

/** Files by URL path. */
export type StaticFiles = ReadonlyMap<string, StaticFile>;

const INDEX = "/index.html";
/** Names that carry a hash of their content never change their content. */
const HASHED = /-[0-9a-z]{8,}\.\w+$/;
const COMPRESSIBLE = /^(text\/|application\/(javascript|json)|image\/svg)/;

function formOf(bytes: Uint8Array<ArrayBuffer>): Form {
  return { bytes, etag: `"${Bun.hash(bytes).toString(16)}"` };
}

function load(path: string, urlPath: string): StaticFile {
  const bytes = new Uint8Array(readFileSync(path));
  const type = getMimeType(urlPath) ?? "application/octet-stream";
  return {
    plain: formOf(bytes),
    gzip: COMPRESSIBLE.test(type) ? formOf(new Uint8Array(gzipSync(bytes, { level: 9 }))) : null,
    type,
    cacheControl: HASHED.test(urlPath) ? "public, max-age=31536000, immutable" : "no-cache",
  };
}

/** Reads all files below `folder`, which may be missing, into memory. */
export function loadStaticFiles(folder: string): StaticFiles {
  const files = new Map<string, StaticFile>();
  if (!existsSync(folder)) return files;
  for (const name of readdirSync(folder, { recursive: true }) as string[]) {
    const path = join(folder, name);
    if (!statSync(path).isFile()) continue;
    const urlPath = `/${relative(folder, path).replaceAll("\\", "/")}`;
    files.set(urlPath, load(path, urlPath));
  }
  return files;
}

function acceptsGzip(accepted: string): boolean {
  const gzip = accepted.split(",").find((coding) => /^\s*(x-)?gzip\b/i.test(coding));
  return gzip !== undefined && !/;\s*q=0(\.0*)?\s*$/i.test(gzip);
}

/** Whether one of the tags that the browser holds is the present one; a proxy may have made them weak. */
function isHeld(held: string, etag: string): boolean {
  return held === "*" || held.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

/** Serves the files; any other address without a file's ending is a page of the UI, which finds its own way. */
export function serveStatic(files: StaticFiles): Handler<AppEnv> {
  return (c) => {
    const file = files.get(c.req.path) ?? (extname(c.req.path) === "" ? files.get(INDEX) : undefined);
    if (!file) throw errors.noSuchPath();
    const zipped = file.gzip !== null && acceptsGzip(c.req.header("Accept-Encoding") ?? "");
    const form = zipped && file.gzip ? file.gzip : file.plain;
    const headers = { ETag: form.etag, "Cache-Control": file.cacheControl, Vary: "Accept-Encoding" };
    if (isHeld(c.req.header("If-None-Match") ?? "", form.etag)) return c.body(null, 304, headers);
    return c.body(form.bytes, 200, {
      ...headers,
      "Content-Type": file.type,
      ...(zipped && { "Content-Encoding": "gzip" }),
    });
  };
}
