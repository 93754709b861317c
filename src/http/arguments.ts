import { withoutNul } from "../text.ts";
import { ApiError, errors } from "./errors.ts";

/** Largest body of an API call, bytes. Agents' messages have their own limit. */
export const MAX_FORM_BYTES = 1024 * 1024;

/** Texts of a request by argument name, in the order given; a name of the body hides the same name of the query. */
export type Arguments = ReadonlyMap<string, readonly string[]>;

/** A file that a multipart form may bring besides its texts. */
export interface Upload {
  field: string;
  maxBytes: number;
  /** What the file is, for the API's documentation. */
  meaning: string;
}

/** Room in a form for what is not the file, bytes. */
const UPLOAD_OVERHEAD = 64 * 1024;

export interface ReadArguments {
  values: Arguments;
  /** The uploaded file; null when there is none, or an empty one. */
  upload: Uint8Array<ArrayBuffer> | null;
  /** Why the body could not be used; thrown only after the caller's rights were checked. */
  problem: ApiError | null;
}

function collect(into: Map<string, string[]>, pairs: Iterable<[string, unknown]>): Map<string, string[]> {
  for (const [given, text] of pairs) {
    if (typeof text !== "string") continue;
    const [name, value] = [withoutNul(given), withoutNul(text)];
    const values = into.get(name);
    if (values) values.push(value);
    else into.set(name, [value]);
  }
  return into;
}

/**
 * Reads a body, but no more than `limit` bytes of it.
 * @throws ApiError 413 when it is longer
 */
export async function readBody(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const declared = Number(request.headers.get("Content-Length") ?? 0);
  if (declared > limit) throw errors.bodyTooLarge(limit);
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > limit) throw errors.bodyTooLarge(limit);
    chunks.push(chunk);
  }
  const only = chunks[0];
  return chunks.length === 1 && only ? new Uint8Array(only) : new Uint8Array(Buffer.concat(chunks));
}

async function readForm(request: Request, limit: number): Promise<[string, unknown][]> {
  const body = await readBody(request, limit);
  if (body.byteLength === 0) return [];
  const type = request.headers.get("Content-Type") ?? "";
  if (/^application\/x-www-form-urlencoded\b/i.test(type))
    return [...new URLSearchParams(new TextDecoder().decode(body))];
  if (!/^multipart\/form-data\b/i.test(type))
    throw errors.bodyType("a form (application/x-www-form-urlencoded)");
  const form = await new Response(body, { headers: { "Content-Type": type } }).formData().catch(() => null);
  if (!form) throw errors.badRequest("The body is no well-formed multipart form");
  return [...(form.entries() as Iterable<[string, unknown]>)];
}

async function fileIn(
  form: [string, unknown][],
  { field, maxBytes }: Upload,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const file = form.findLast(([name, value]) => name === field && value instanceof Blob)?.[1];
  if (!(file instanceof Blob) || file.size === 0) return null;
  if (file.size > maxBytes) throw errors.bodyTooLarge(maxBytes);
  return new Uint8Array(await file.arrayBuffer());
}

/** Arguments of query and form together. Files are read only where the operation takes one. */
export async function readArguments(request: Request, takes?: Upload): Promise<ReadArguments> {
  const values = collect(new Map(), new URL(request.url).searchParams);
  if (request.method !== "POST") return { values, upload: null, problem: null };
  try {
    const form = await readForm(request, takes ? takes.maxBytes + UPLOAD_OVERHEAD : MAX_FORM_BYTES);
    for (const [name, given] of collect(new Map(), form)) values.set(name, given);
    return { values, upload: takes ? await fileIn(form, takes) : null, problem: null };
  } catch (error) {
    if (error instanceof ApiError) return { values, upload: null, problem: error };
    throw error;
  }
}
