/**
 * The fast path of the collector, which saves a quarter of the CPU time of a steady message: 0.22 ms instead of 0.30
 * ms. It handles agents' posts in front of the Hono app. Every response other than plain success is produced by the
 * app. The headers of the success response also come from the app, once, and are reused.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import type { Bodies, IncomingBody } from "../../platform/http/bodies.ts";
import { type ClientInfoOptions, clientInfoOf, namesTwoHosts } from "../../platform/http/client-info.ts";
import type { AppEnv, ClientInfo, RequestOutcome } from "../../platform/http/context.ts";
import { errors } from "../../platform/http/errors.ts";
import { UNIX_PEER } from "../../platform/net/client-address.ts";
import type { Collector } from "./collector.ts";

/** Counts the collector's responses. */
interface CollectorMetrics {
  /** @param code error code, null for an accepted message @param seconds time from request to response */
  answered(surface: "collector", status: number, code: string | null, seconds: number): void;
}

export interface NodeDependencies {
  app: Hono<AppEnv>;
  collector: Collector;
  clientInfo: ClientInfoOptions;
  bodies: Bodies;
  metrics: CollectorMetrics;
  /** Monotonic clock, milliseconds. */
  monotonic: () => number;
}

/**
 * Reads a request body and closes it.
 * @throws ApiError 413 if it exceeds its limit, 503 if all bodies together take too much memory
 * @throws Error if the connection closes before the end of the body
 */
function readBody(incoming: IncomingMessage, bodies: Bodies, body: IncomingBody): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      try {
        body.add(chunk);
      } catch (error) {
        fail(error);
        return;
      }
      if (!body.isLong) return;
      incoming.pause();
      body.readInTurn(() => incoming.resume());
    };
    const onEnd = () => {
      try {
        resolve(body.whole());
        bodies.close(body);
      } catch (error) {
        fail(error);
      }
    };
    const onEnded = () => {
      if (bodies.has(body)) fail(new Error("the connection ended within a message"));
    };
    const onDiscarded = (chunk: Buffer) => {
      bodies.discarded(chunk.byteLength);
      incoming.pause();
      body.readInTurn(() => incoming.resume());
    };
    const fail = (error: unknown) => {
      incoming.off("data", onData).off("end", onEnd);
      incoming.on("data", onDiscarded);
      bodies.close(body);
      reject(error);
    };
    // The listeners stay after the end of the body; they do nothing then.
    body.onCut = onEnd;
    incoming.on("data", onData).on("end", onEnd).on("error", onEnded).on("close", onEnded);
  });
}

class NodeCollector {
  /** Headers of the success response, by whether the client uses https. They never change. */
  readonly #accepted = new Map<boolean, Record<string, string>>();
  readonly #outcomes = new WeakMap<IncomingMessage, RequestOutcome>();
  readonly viaApp: RequestListener;

  constructor(private readonly dependencies: NodeDependencies) {
    this.viaApp = getRequestListener(
      (request, env) =>
        dependencies.app.fetch(request, {
          ...env,
          outcome: this.#outcomes.get(env.incoming as IncomingMessage),
        }),
      // By default the adapter replaces the global Response with its own, which Bun does not accept. It answers 400
      // to a request without a host, but health checks of load balancers are HTTP/1.0 without one.
      { overrideGlobalObjects: false, hostname: "localhost" },
    );
  }

  async receive(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { collector, metrics, monotonic } = this.dependencies;
    const startedAt = monotonic();
    const { headers } = incoming;
    const peer = incoming.socket.remoteAddress ?? UNIX_PEER;
    const header = (name: string) => headers[name] as string | undefined;
    const clientInfo = clientInfoOf(peer, header, this.dependencies.clientInfo);
    try {
      await collector.receive({
        authorization: headers.authorization,
        contentType: headers["content-type"],
        contentEncoding: headers["content-encoding"],
        address: clientInfo.address,
        body: (limit, account) => this.#body(incoming, clientInfo.address, limit, account),
      });
    } catch (error) {
      // The client has disconnected.
      if (incoming.socket.destroyed) return;
      this.#outcomes.set(incoming, { startedAt, error });
      return this.viaApp(incoming, outgoing);
    }
    const accepted = this.#accepted.get(clientInfo.secure);
    if (accepted) metrics.answered("collector", 200, null, (monotonic() - startedAt) / 1000);
    outgoing.writeHead(
      200,
      accepted ?? (await this.#headersOfApp(incoming, outgoing, clientInfo, startedAt)),
    );
    outgoing.end();
  }

  #body(incoming: IncomingMessage, address: string, limit: number, account?: string): Promise<Uint8Array> {
    if (Number(incoming.headers["content-length"] ?? 0) > limit) throw errors.bodyTooLarge(limit);
    const { bodies } = this.dependencies;
    return readBody(incoming, bodies, bodies.open(address, limit, account));
  }

  /** The headers of the success response, as the app sets them. The app counts this request too. */
  async #headersOfApp(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    { secure }: ClientInfo,
    startedAt: number,
  ): Promise<Record<string, string>> {
    const request = new Request("http://muster/collector", { method: "POST" });
    const outcome = { startedAt, error: null };
    const response = await this.dependencies.app.fetch(request, { incoming, outgoing, outcome });
    // Bun writes an object of headers in half the time of a list.
    const headers = { ...Object.fromEntries(response.headers), "Content-Length": "0" };
    this.#accepted.set(secure, headers);
    return headers;
  }
}

/** The request listener of the Node HTTP server. */
export function nodeListener(dependencies: NodeDependencies): RequestListener {
  const collector = new NodeCollector(dependencies);
  return (incoming, outgoing) => {
    const isPost = incoming.method === "POST" && incoming.url === "/collector";
    if (isPost && !namesTwoHosts(incoming)) void collector.receive(incoming, outgoing);
    else collector.viaApp(incoming, outgoing);
  };
}
