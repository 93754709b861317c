/** The door through which agents' messages come in. */
import { promisify } from "node:util";
import { gunzip, gunzipSync } from "node:zlib";
import { Hono } from "hono";
import type { Clock } from "../clock.ts";
import { readBody } from "../http/arguments.ts";
import type { AppContext, AppEnv } from "../http/context.ts";
import { ApiError, errors } from "../http/errors.ts";
import type { IngestQueue } from "../ingest/queue.ts";
import { VERSION } from "../version.ts";
import type { CollectorCredential } from "./collector-credential.ts";
import { MessageRefused, parseAgentMessage } from "./message.ts";
import type { AgentMessage } from "./message.types.ts";
import type { Refusals } from "./refusals.ts";

/** Largest body as sent, bytes. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** Largest body once inflated, bytes. */
export const MAX_INFLATED_BYTES = 32 * 1024 * 1024;

/** Agents compress their messages for a server that names itself so, with at least version 3.6, first. */
export const SERVER_HEADER = `mmonit/4.3 muster/${VERSION}`;

export interface CollectorParts {
  credential: CollectorCredential;
  queue: Pick<IngestQueue, "add" | "admit" | "troubled">;
  refusals: Refusals;
  clock: Clock;
}

const inflateInBackground = promisify(gunzip);

/**
 * A handover to another thread takes longer than inflating an ordinary message (2 kB) takes; only of bodies up to this
 * many bytes can it be said that they inflate to little.
 */
const INFLATED_AT_ONCE = 16 * 1024;
/** Larger bodies that are inflated at a time: each may take as much memory as an inflated body has. */
const MAX_LARGE_BODIES = 8;

class Inflater {
  #large = 0;

  /** @throws ApiError 503 when too many large bodies are under way; what zlib says of a damaged or larger one */
  async inflate(body: Uint8Array): Promise<Uint8Array> {
    const options = { maxOutputLength: MAX_INFLATED_BYTES };
    if (body.byteLength <= INFLATED_AT_ONCE) return gunzipSync(body, options);
    if (this.#large >= MAX_LARGE_BODIES) throw errors.busy("Too many large messages came at once");
    this.#large++;
    try {
      return await inflateInBackground(body, options);
    } finally {
      this.#large--;
    }
  }
}

async function decode(request: Request, inflater: Inflater): Promise<Uint8Array> {
  const type = request.headers.get("Content-Type");
  if (type && !/^(text|application)\/xml\b/i.test(type))
    throw new ApiError(415, "body.type", "The body must be XML (text/xml)");
  const encoding = request.headers.get("Content-Encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding !== "gzip" && encoding !== "identity")
    throw new ApiError(415, "body.encoding", "The body must be plain or gzip");
  const body = await readBody(request, MAX_BODY_BYTES);
  if (encoding === "identity") return body;
  try {
    return await inflater.inflate(body);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (error instanceof RangeError) throw errors.bodyTooLarge(MAX_INFLATED_BYTES);
    throw errors.badRequest("The body is no well-formed gzip");
  }
}

function parse(body: Uint8Array): AgentMessage {
  try {
    return parseAgentMessage(body);
  } catch (error) {
    if (error instanceof MessageRefused) throw new ApiError(400, "message.invalid", error.reason);
    throw error;
  }
}

async function receive(
  c: AppContext,
  { credential, queue, refusals, clock }: CollectorParts,
  inflater: Inflater,
): Promise<Response> {
  const { address } = c.get("outside");
  try {
    if (!credential.accepts(c.req.header("Authorization")))
      throw new ApiError(401, "collector.credential", "The username or password of the collector is wrong", {
        "WWW-Authenticate": 'Basic realm="Muster collector"',
      });
    queue.admit();
    const message = parse(await decode(c.req.raw, inflater));
    await queue.add({ message, receivedAt: clock.now(), source: address });
    return c.body(null, 200);
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) refusals.add(address, error.message);
    throw error;
  }
}

/** `POST /collector`. 200 only once the message is durable. */
export function collectorRoutes(parts: CollectorParts): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  const inflater = new Inflater();
  routes.use(async (c, next) => {
    await next();
    c.header("Server", SERVER_HEADER);
  });
  routes.post("/", (c) => receive(c, parts, inflater));
  routes.all("/", () => {
    throw errors.methodNotAllowed(["POST"]);
  });
  return routes;
}
