/** One HTTP request to an address that was checked before. */
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction, type Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { VERSION } from "../version.ts";
import { EgressError, type EgressRequest, type EgressResponse, MAX_ANSWER_BYTES } from "./egress.ts";

/** A longer head is no answer, bytes. */
const MAX_HEAD_BYTES = 16 * 1024;
/** So many answers may come first that only say that the request is being worked on (100 Continue). */
const MAX_INTERIM_ANSWERS = 10;

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** What is ended when the time is over. */
export interface Destroyable {
  destroy(error: Error): unknown;
}

/** There is no connection to this address, so that nothing was sent; another address of the host may do. */
export class Unreachable extends Error {}

/** Resolves every name to one address: the connection goes nowhere else, while a certificate is checked against the name. */
function pinned(address: string): LookupFunction {
  const family = isIP(address);
  return (_hostname, { all }, done) => {
    if (all) done(null, [{ address, family }]);
    else done(null, address, family);
  };
}

/** Header values go out as the bytes of the string's code units: these are the bytes of its UTF-8. */
function utf8Headers(headers: Readonly<Record<string, string>>): Record<string, string> {
  const bytes = (text: string) => Buffer.from(text, "utf8").toString("latin1");
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, bytes(value)]));
}

/** What came of an answer so far. */
class Answer {
  readonly #chunks: Buffer[] = [];
  #length = 0;

  constructor(private readonly response: IncomingMessage) {}

  /** @returns whether this is as much as is kept */
  add(chunk: Buffer): boolean {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    return this.#length >= MAX_ANSWER_BYTES;
  }

  /** Whether an error left it without a meaning: what is no HTTP before its end is no answer. */
  isBrokenBy(error: unknown): boolean {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    return code.startsWith("HPE_") && !this.response.complete;
  }

  get value(): EgressResponse {
    // What came and was not handed on yet comes to `add` by this.
    this.response.read();
    const body = Buffer.concat(this.#chunks);
    const headers = Object.entries(this.response.headers).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value]] : [],
    );
    return {
      status: this.response.statusCode ?? 0,
      headers: Object.fromEntries(headers),
      body: body.subarray(0, MAX_ANSWER_BYTES).toString("utf8"),
    };
  }
}

function open(url: URL, address: string, { method, headers, body }: EgressRequest, trust: ConnectionOptions) {
  const options = {
    ...{ method, agent: false, lookup: pinned(address), maxHeaderSize: MAX_HEAD_BYTES },
    hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port,
    path: `${url.pathname}${url.search}`,
    headers: utf8Headers({
      Host: url.host,
      "User-Agent": `Muster/${VERSION}`,
      Accept: "*/*",
      ...headers,
      "Content-Length": String(Buffer.byteLength(body)),
      Connection: "close",
    }),
  };
  return url.protocol === "https:" ? httpsRequest({ ...options, ...trust }) : httpRequest(options);
}

/**
 * Sends a request. Redirects are answers like any other. Of the answer no more than MAX_ANSWER_BYTES are waited for, and
 * its status counts even if the rest never comes.
 * @param address of the URL's host
 * @param watch is given what is to be ended when the time is over
 * @throws Unreachable, or EgressError when the connection was made
 */
export function exchange(
  url: URL,
  address: string,
  request: EgressRequest,
  { trust, watch }: { trust: ConnectionOptions; watch: (one: Destroyable) => void },
): Promise<EgressResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<EgressResponse>();
  const sending = open(url, address, request, trust);
  let connected: Socket | null = null;
  let interimAnswers = 0;
  let answer: Answer | null = null;
  const fail = (error: unknown) => {
    if (answer && !answer.isBrokenBy(error)) return resolve(answer.value);
    if (!connected) return reject(new Unreachable(reasonOf(error)));
    // What still waits here to be sent did not arrive, so that the request did not arrive whole.
    const mayHaveArrived = answer !== null || interimAnswers > 0 || connected.writableLength === 0;
    reject(new EgressError(`${url.hostname}: ${reasonOf(error)}`, !mayHaveArrived, false));
  };
  sending.on("socket", (socket) => {
    socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => {
      connected = socket;
    });
  });
  sending.on("information", () => {
    if (++interimAnswers > MAX_INTERIM_ANSWERS) sending.destroy(new Error("it only says that it is busy"));
  });
  sending.on("response", (response) => {
    const current = new Answer(response);
    answer = current;
    response.on("data", (chunk: Buffer) => {
      if (current.add(chunk)) resolve(current.value);
    });
    response.on("end", () => resolve(current.value));
    response.on("error", fail);
  });
  sending.on("error", fail);
  sending.on("close", () => fail(new Error("the connection was closed")));
  // What still waits to be sent can be counted only before the request is destroyed.
  watch({ destroy: fail });
  // As bytes: with a text the head would be encoded like it.
  sending.end(Buffer.from(request.body, "utf8"));
  return promise.finally(() => sending.destroy());
}
