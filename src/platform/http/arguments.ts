import { withoutNul } from "../text.ts";
import { MAX_ANONYMOUS_BODY_BYTES } from "./bodies.ts";
import type { AppContext, Arguments } from "./context.ts";
import { ApiError, errors } from "./errors.ts";
import { MAX_VALUES, parseJsonBody } from "./json.ts";

/** Largest body of an API call, bytes. Agents' messages and anonymous callers have limits of their own. */
export const MAX_FORM_BYTES = 1024 * 1024;
/** The most argument names in a request. Operations have a few dozen, a session at most 100 attributes. */
const MAX_NAMES = 1000;

/** A file that a multipart form may contain besides its text fields. */
export interface Upload {
  field: string;
  maxBytes: number;
  /** Description of the file in the API's documentation. */
  meaning: string;
}

/** Allowance for the parts of a form that are not the file, bytes. */
const UPLOAD_OVERHEAD = 64 * 1024;

/** What a request carries, before it is checked against the schema of its operation. */
export interface ReadArguments {
  values: Arguments;
  /** The JSON body; null for an operation that takes a form. */
  json: Record<string, unknown> | null;
  /** The uploaded file; null when it is absent or empty. */
  upload: Uint8Array<ArrayBuffer> | null;
  /** Why the body is invalid. Thrown only after the caller's rights are checked. */
  problem: ApiError | null;
}

const tooMany = () => errors.badRequest("There are too many arguments");

/** @throws ApiError 400 when the request has too many values or names */
function collect(pairs: Iterable<[string, unknown]>): Map<string, string[]> {
  const into = new Map<string, string[]>();
  for (const [key, text] of pairs) {
    if (typeof text !== "string") continue;
    const [name, value] = [withoutNul(key), withoutNul(text)];
    const values = into.get(name);
    if (values) values.push(value);
    else if (into.size === MAX_NAMES) throw tooMany();
    else into.set(name, [value]);
  }
  return into;
}

/** The same bytes outside of shared memory. They are copied only if threads share them. */
function ownBytes({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array<ArrayBuffer> {
  if (buffer instanceof ArrayBuffer) return new Uint8Array(buffer, byteOffset, byteLength);
  return new Uint8Array(new Uint8Array(buffer, byteOffset, byteLength));
}

/** Reads a body. @throws ApiError 413 beyond `limit` bytes, 503 when open bodies use too much memory */
export async function readBody(c: AppContext, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const request = c.req.raw;
  const declared = Number(request.headers.get("Content-Length") ?? 0);
  if (declared > limit) throw errors.bodyTooLarge(limit);
  if (!request.body) return new Uint8Array();
  const bodies = c.get("bodies");
  const body = bodies.open(c.get("clientInfo").address, limit);
  const reader = request.body.getReader();
  body.onCut = () => void reader.cancel().catch(() => undefined);
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        // The client is gone, so nobody reads this reply. But any other error would count as a fault of the server.
        throw errors.badRequest("The connection ended before the body was complete");
      });
      if (value) body.add(value);
      if (done) return ownBytes(body.whole());
      if (body.isLong) await new Promise<void>((resolve) => body.readInTurn(resolve));
    }
  } finally {
    bodies.close(body);
  }
}

/** Limits the number of values before they are parsed. @throws ApiError 400 */
function limitCount(text: string | Buffer, separator: string): void {
  let count = 0;
  for (let at = text.indexOf(separator); at !== -1; at = text.indexOf(separator, at + 1))
    if (++count >= MAX_VALUES) throw tooMany();
}

/** Parses a query string or form. @throws ApiError 400 for too many pairs, counted before parsing */
function pairsOf(text: string): URLSearchParams {
  limitCount(text, "&");
  return new URLSearchParams(text);
}

/** Reads the body of an operation. @throws ApiError 415 if it is compressed, since no arguments would be found in it */
async function readPlainBody(c: AppContext, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const body = await readBody(c, limit);
  const encoding = c.req.header("Content-Encoding") ?? "identity";
  if (body.byteLength > 0 && !/^(identity)?$/i.test(encoding))
    throw errors.bodyType("sent without Content-Encoding");
  return body;
}

async function readForm(c: AppContext, limit: number): Promise<[string, unknown][]> {
  const body = await readPlainBody(c, limit);
  if (body.byteLength === 0) return [];
  const type = c.req.header("Content-Type") ?? "";
  if (/^application\/x-www-form-urlencoded\b/i.test(type))
    return [...pairsOf(new TextDecoder().decode(body))];
  if (!/^multipart\/form-data\b/i.test(type))
    throw errors.bodyType("a form (application/x-www-form-urlencoded)");
  limitCount(Buffer.from(body.buffer, body.byteOffset, body.byteLength), "\n--");
  const form = await new Response(body, { headers: { "Content-Type": type } }).formData().catch(() => null);
  if (!form) throw errors.badRequest("The body is not a well-formed multipart form");
  return [...(form.entries() as Iterable<[string, unknown]>)];
}

/** Reads a JSON body. @throws ApiError 400, 413, 415 */
async function readJson(c: AppContext): Promise<Record<string, unknown>> {
  const body = await readPlainBody(c, bodyLimit(c, undefined));
  if (!/^application\/json\b/i.test(c.req.header("Content-Type") ?? ""))
    throw errors.bodyType("JSON (application/json)");
  return parseJsonBody(new TextDecoder().decode(body));
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

/** Largest body to read, bytes. The limit is small until the caller is authenticated. */
function bodyLimit(c: AppContext, takes: Upload | undefined): number {
  if (!c.get("caller")) return MAX_ANONYMOUS_BODY_BYTES;
  return takes ? takes.maxBytes + UPLOAD_OVERHEAD : MAX_FORM_BYTES;
}

/** What the body of a POST may hold. */
interface ExpectedBody {
  body?: "form" | "json";
  upload?: Upload;
}

/** Merges the arguments of query and form, or reads the JSON body. Files are read only where an upload is declared. */
export async function readArguments(
  c: AppContext,
  { body, upload }: ExpectedBody = {},
): Promise<ReadArguments> {
  const read: ReadArguments = { values: new Map(), json: null, upload: null, problem: null };
  const values = new Map<string, string[]>();
  try {
    for (const [name, texts] of collect(pairsOf(new URL(c.req.url).search.slice(1)))) values.set(name, texts);
    if (c.req.method !== "POST") return { ...read, values };
    if (body === "json") {
      return { ...read, values, json: await readJson(c) };
    }
    const form = await readForm(c, bodyLimit(c, upload));
    for (const [name, texts] of collect(form)) values.set(name, texts);
    return { ...read, values, upload: upload ? await fileIn(form, upload) : null };
  } catch (error) {
    if (error instanceof ApiError) return { ...read, values, problem: error };
    throw error;
  }
}
