import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import type { Handler } from "hono";
import { getMimeType } from "hono/utils/mime";
import { type Content, contentOf, contentOnce, contentReply } from "./content.ts";
import type { AppEnv } from "./context.ts";
import { errors } from "./errors.ts";

interface StaticFile {
  /** Read and compressed at the first request, so that startup does not wait for it. */
  content: () => Promise<Content>;
  type: string;
  cacheControl: string;
}

export type StaticFiles = ReadonlyMap<string, StaticFile>;

const INDEX = "/index.html";
/** File names with a hash of their content; such content never changes. */
const HASHED = /-[0-9a-z]{8,}\.\w+$/;
const COMPRESSIBLE = /^(text\/|application\/(javascript|json)|image\/svg)/;

function fileAt(path: string, urlPath: string): StaticFile {
  const type = getMimeType(urlPath) ?? "application/octet-stream";
  return {
    content: contentOnce(() => contentOf(new Uint8Array(readFileSync(path)), COMPRESSIBLE.test(type))),
    type,
    cacheControl: HASHED.test(urlPath) ? "public, max-age=31536000, immutable" : "no-cache",
  };
}

/** All files below `folder`, which are kept in memory from their first request on. The folder may be missing. */
export function staticFiles(folder: string): StaticFiles {
  const files = new Map<string, StaticFile>();
  if (!existsSync(folder)) return files;
  for (const name of readdirSync(folder, { recursive: true }) as string[]) {
    const path = join(folder, name);
    if (!statSync(path).isFile()) continue;
    const urlPath = `/${name.replaceAll("\\", "/")}`;
    files.set(urlPath, fileAt(path, urlPath));
  }
  return files;
}

/**
 * Serves the files. A path without a file extension that names no folder gets the start page, since the UI has its own
 * routes. A path with an empty segment gets 404: it is that of an operation, after a base address that ends with a
 * slash.
 */
export function serveStatic(files: StaticFiles): Handler<AppEnv> {
  return async (c) => {
    const { path } = c.req;
    const file =
      files.get(path) ??
      files.get(path.replace(/\/?$/, INDEX)) ??
      (extname(path) === "" && !path.includes("//") ? files.get(INDEX) : undefined);
    if (!file) throw errors.noSuchPath();
    return contentReply(c, await file.content(), {
      "Content-Type": file.type,
      "Cache-Control": file.cacheControl,
    });
  };
}
