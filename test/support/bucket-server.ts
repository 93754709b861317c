/** A server with the part of S3's interface that backups use. Tests make it fail. */
import { createHash, createHmac } from "node:crypto";

export const BUCKET = "muster-backups";
export const KEY_ID = "AKIATEST";
export const SECRET = "secret of the bucket";
const REGION = "us-east-1";

interface Upload {
  key: string;
  parts: Map<number, Buffer>;
}

/** What a request asks for. */
export interface BucketRequest {
  method: string;
  key: string;
  query: URLSearchParams;
}

/** A fault: a response in place of the right one, or null to answer as usual. */
export type Fault = (request: BucketRequest) => Response | "unanswered" | null;

const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex");
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

const failure = (status: number, code: string) =>
  new Response(
    `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code} happened</Message></Error>`,
    {
      status,
    },
  );

/** Whether the request is signed with the secret, and its body is what was signed (AWS Signature Version 4). */
function isSigned(request: Request, body: Buffer): boolean {
  const url = new URL(request.url);
  const header = (name: string) => request.headers.get(name) ?? "";
  const [, day = "", names = "", signature = ""] =
    /Credential=[^/]+\/(\d{8})\/\S+, ?SignedHeaders=([^,]+), ?Signature=(\w+)/.exec(
      header("authorization"),
    ) ?? [];
  if (
    !header("authorization").includes(`Credential=${KEY_ID}/`) ||
    header("x-amz-content-sha256") !== sha256(body)
  )
    return false;
  const query = [...url.searchParams]
    .map((pair) => pair.map(encoded).join("="))
    .sort()
    .join("&");
  const headers = names.split(";").map((name) => `${name}:${header(name).trim()}\n`);
  const path = url.pathname.split("/").map((part) => encoded(decodeURIComponent(part)));
  const canonical = [request.method, path.join("/"), query, headers.join(""), names, sha256(body)].join("\n");
  const scope = `${day}/${REGION}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", header("x-amz-date"), scope, sha256(canonical)].join("\n");
  const key = ["aws4_request"].reduce(hmac, hmac(hmac(hmac(`AWS4${SECRET}`, day), REGION), "s3"));
  return hmac(key, text).toString("hex") === signature;
}

export class BucketServer {
  readonly objects = new Map<string, Buffer>();
  readonly uploads = new Map<string, Upload>();
  readonly requests: string[] = [];
  fault: Fault = () => null;
  /** Whether lists contain what is below a prefix, too, as of services that do not know the delimiter. */
  ignoresDelimiter = false;
  readonly #server: Bun.Server<unknown>;

  constructor() {
    this.#server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      maxRequestBodySize: 1024 ** 3,
      fetch: (request) => this.#answer(request),
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  /** The settings that store backups here. */
  get settings() {
    return {
      backupplace: `s3://${BUCKET}/muster`,
      backupendpoint: this.url,
      backupkeyid: KEY_ID,
      backupsecret: SECRET,
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const [, bucket, ...rest] = url.pathname.split("/");
    const key = rest.map(decodeURIComponent).join("/");
    const { method } = request;
    const query = url.searchParams;
    this.requests.push(`${method} ${[...query.keys()].join("+")}`.trim());
    const body = Buffer.from(await request.arrayBuffer());
    const wrong = this.fault({ method, key, query });
    if (wrong === "unanswered") {
      request.signal.throwIfAborted();
      return new Promise(() => undefined);
    }
    if (wrong) return wrong;
    if (!isSigned(request, body)) return failure(403, "SignatureDoesNotMatch");
    if (bucket !== BUCKET) return failure(404, "NoSuchBucket");
    if (key === "") return this.#list(query);
    if (query.has("uploadId") || query.has("uploads")) return this.#multipart(method, key, query, body);
    return this.#object(method, key, request.headers.get("range"));
  }

  #list(query: URLSearchParams): Response {
    const prefix = query.get("prefix") ?? "";
    const delimiter = this.ignoresDelimiter ? null : query.get("delimiter");
    /** The object, or what several share up to the delimiter. */
    const listed = (name: string) => {
      const end = delimiter === null ? -1 : name.indexOf(delimiter, prefix.length);
      return end < 0 ? name : name.slice(0, end + 1);
    };
    const under = [...this.objects.keys()].filter((name) => name.startsWith(prefix));
    const names = [...new Set(under.map(listed))].sort();
    // Two at a time, so that lists have several pages.
    const from = Number(query.get("continuation-token") ?? 0);
    const page = names.slice(from, from + 2);
    const entries = page.map((name) => {
      const bytes = this.objects.get(name)?.length;
      return bytes === undefined
        ? `<CommonPrefixes><Prefix>${name}</Prefix></CommonPrefixes>`
        : `<Contents><Key>${name}</Key><Size>${bytes}</Size></Contents>`;
    });
    const next = from + 2 < names.length ? `<NextContinuationToken>${from + 2}</NextContinuationToken>` : "";
    return new Response(
      `<?xml version="1.0"?><ListBucketResult>${entries.join("")}${next}</ListBucketResult>`,
    );
  }

  #multipart(method: string, key: string, query: URLSearchParams, body: Buffer): Response {
    if (query.has("uploads")) {
      const id = `upload-${this.uploads.size + 1}`;
      this.uploads.set(id, { key, parts: new Map() });
      return new Response(
        `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      );
    }
    const id = query.get("uploadId") ?? "";
    const upload = this.uploads.get(id);
    if (!upload || upload.key !== key) return failure(404, "NoSuchUpload");
    if (method === "PUT") {
      upload.parts.set(Number(query.get("partNumber")), body);
      return new Response("", { headers: { ETag: `"${sha256(body).slice(0, 32)}"` } });
    }
    const tags = [...body.toString().matchAll(/<ETag>"?(\w+)"?<\/ETag>/g)].map(([, tag]) => tag);
    const parts = tags.map((_, i) => upload.parts.get(i + 1) ?? Buffer.alloc(0));
    if (parts.some((part, i) => sha256(part).slice(0, 32) !== tags[i])) return failure(400, "InvalidPart");
    this.objects.set(key, Buffer.concat(parts));
    this.uploads.delete(id);
    return new Response("<CompleteMultipartUploadResult></CompleteMultipartUploadResult>");
  }

  #object(method: string, key: string, range: string | null): Response {
    const bytes = this.objects.get(key);
    if (method === "DELETE") {
      this.objects.delete(key);
      return new Response(null, { status: 204 });
    }
    if (!bytes) return method === "HEAD" ? new Response(null, { status: 404 }) : failure(404, "NoSuchKey");
    if (method === "HEAD") return new Response(null, { headers: { "Content-Length": String(bytes.length) } });
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(range ?? "") ?? [];
    const part = from === undefined ? bytes : bytes.subarray(Number(from), Number(to) + 1);
    return new Response(new Uint8Array(part), { status: from === undefined ? 200 : 206 });
  }
}
