/** Sends one HTTP request to an address that was already checked. */
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction, type Socket } from "node:net";
import { unescape as percentDecodedOrAsIs } from "node:querystring";
import type { ConnectionOptions } from "node:tls";
import { hostnameOf } from "../net/client-address.ts";
import { connectionFailure } from "../net/fetch-failure.ts";
import { codeOf } from "../text.ts";
import { VERSION } from "../version.ts";
import { EgressError, type EgressRequest, type EgressResponse, MAX_ANSWER_BYTES } from "./egress.ts";

/** Largest response head, bytes. A longer one is an error. */
const MAX_HEAD_BYTES = 16 * 1024;
/** The most interim responses (100 Continue and the like) before the final one. */
const MAX_INTERIM_ANSWERS = 10;

/** Something to destroy when the time limit is reached. */
export interface Destroyable {
  destroy(error: Error): unknown;
}

/** The address could not be connected to, so nothing was sent. Another address of the host may work. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    const isPlain = codeOf(cause) === "ERR_SSL_WRONG_VERSION_NUMBER";
    super(isPlain ? "it does not speak TLS there" : connectionFailure(cause));
  }
}

/** A lookup that returns only the checked address. The certificate is verified against the host name. */
function pinned(address: string): LookupFunction {
  const family = isIP(address);
  return (_hostname, { all }, done) => {
    if (all) done(null, [{ address, family }]);
    else done(null, address, family);
  };
}

/** Node sends header values as Latin-1: this encodes them so that the bytes sent are UTF-8. */
function utf8Headers(headers: Readonly<Record<string, string>>): Record<string, string> {
  const bytes = (text: string) => Buffer.from(text, "utf8").toString("latin1");
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, bytes(value)]));
}

class PartialResponse {
  readonly #chunks: Buffer[] = [];
  #length = 0;

  constructor(
    private readonly response: IncomingMessage,
    private readonly maxBytes: number,
  ) {}

  /** @returns whether the part of the body to keep is complete */
  add(chunk: Buffer): boolean {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    return this.#length >= this.maxBytes;
  }

  /** Whether an error invalidates the response: it is malformed HTTP and not complete. */
  isBrokenBy(error: unknown): boolean {
    return codeOf(error).startsWith("HPE_") && !this.response.complete;
  }

  get value(): EgressResponse {
    // Flushes buffered data, which reaches `add` through the data event.
    this.response.read();
    const bytes = Buffer.concat(this.#chunks).subarray(0, this.maxBytes);
    const headers = Object.entries(this.response.headers).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value]] : [],
    );
    return {
      status: this.response.statusCode ?? 0,
      headers: Object.fromEntries(headers),
      body: bytes.toString("utf8"),
      bytes,
    };
  }
}

/** The login in the address, as a header. */
function authorizationOf({ username, password }: URL) {
  if (username === "" && password === "") return {};
  const login = `${percentDecodedOrAsIs(username)}:${percentDecodedOrAsIs(password)}`;
  return { Authorization: `Basic ${Buffer.from(login).toString("base64")}` };
}

function open(
  url: URL,
  address: string,
  { method, headers }: EgressRequest,
  body: Buffer,
  trust: ConnectionOptions,
) {
  const options = {
    method,
    agent: false,
    lookup: pinned(address),
    maxHeaderSize: MAX_HEAD_BYTES,
    hostname: hostnameOf(url),
    port: url.port,
    path: `${url.pathname}${url.search}`,
    headers: utf8Headers({
      Host: url.host,
      "User-Agent": `Muster/${VERSION}`,
      Accept: "*/*",
      ...authorizationOf(url),
      ...headers,
      "Content-Length": String(body.length),
      Connection: "close",
    }),
  };
  return url.protocol === "https:" ? httpsRequest({ ...options, ...trust }) : httpRequest(options);
}

/**
 * Sends a request. Redirects are not followed. It stops reading the response body after the bytes that are kept; the
 * status counts even if the rest never arrives.
 * @param address one of the addresses of the URL's host
 * @param watch registers what to destroy at the time limit
 * @throws Unreachable, or EgressError once the connection was made
 */
export function exchange(
  url: URL,
  address: string,
  request: EgressRequest,
  { trust, watch }: { trust: ConnectionOptions; watch: (connection: Destroyable) => void },
): Promise<EgressResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<EgressResponse>();
  // As bytes: Node would encode the head like a string body.
  const body =
    typeof request.body === "string"
      ? Buffer.from(request.body, "utf8")
      : Buffer.from(request.body.buffer, request.body.byteOffset, request.body.byteLength);
  const sending = open(url, address, request, body, trust);
  let connected: Socket | null = null;
  let interimAnswers = 0;
  let answer: PartialResponse | null = null;
  const fail = (error: unknown) => {
    if (answer && !answer.isBrokenBy(error)) return resolve(answer.value);
    if (!connected) return reject(new Unreachable(error));
    // Data still in the send buffer did not arrive, so the remote cannot have the complete request.
    const mayHaveArrived = answer !== null || interimAnswers > 0 || connected.writableLength === 0;
    reject(
      new EgressError(`${url.hostname}: ${connectionFailure(error)}`, {
        certain: !mayHaveArrived,
        final: false,
      }),
    );
  };
  sending.on("socket", (socket) => {
    socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => {
      connected = socket;
    });
  });
  sending.on("information", () => {
    if (++interimAnswers > MAX_INTERIM_ANSWERS) sending.destroy(new Error("it sends only interim responses"));
  });
  sending.on("response", (response) => {
    const current = new PartialResponse(response, request.maxAnswerBytes ?? MAX_ANSWER_BYTES);
    answer = current;
    response.on("data", (chunk: Buffer) => {
      if (current.add(chunk)) resolve(current.value);
    });
    response.on("end", () => resolve(current.value));
    response.on("error", fail);
  });
  sending.on("error", fail);
  sending.on("close", () => fail(new Error("the connection was closed")));
  // The send buffer must be read before the request is destroyed.
  watch({ destroy: fail });
  sending.end(body);
  return promise.finally(() => sending.destroy());
}
