import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { getConnInfo } from "@hono/node-server/conninfo";
import type { MiddlewareHandler } from "hono";
import { isLoopback, type TrustedProxies, UNIX_PEER } from "../net/client-address.ts";
import type { AppContext, AppEnv, ClientInfo, ExternalUser } from "./context.ts";
import { errors } from "./errors.ts";

/** Headers in which a proxy names the user it authenticated. Read them only from a trusted proxy. */
export interface IdentityHeaders {
  user: string;
  /** Header with comma-separated groups; null when groups are not configured. */
  groups: string | null;
}

/**
 * A name with a comma is refused: it may be two headers that were joined, one from the proxy and one from the client.
 */
const USER_NAME = /^[^\p{Cc},]{1,255}$/u;

/**
 * The text of a header. Proxies send UTF-8, but the runtime reads Latin-1. Bytes that are not valid UTF-8 stay
 * Latin-1.
 */
function utf8In(header: string): string {
  const bytes = Buffer.from(header, "latin1");
  return bytes.toString("latin1") === header && isUtf8(bytes) ? bytes.toString("utf8") : header;
}

/** The user that the headers name; null if they name none. @param header reads a header by its lower-case name */
function externalUserFrom(
  { user, groups }: IdentityHeaders,
  header: (name: string) => string | undefined,
): ExternalUser | null {
  const textOf = (name: string) => utf8In(header(name.toLowerCase()) ?? "");
  const uname = textOf(user).trim();
  if (!USER_NAME.test(uname)) return null;
  const names = groups === null ? null : textOf(groups).split(",");
  return { uname, groups: names?.map((group) => group.trim()).filter(Boolean) ?? null };
}

export interface ClientInfoOptions {
  proxies: TrustedProxies;
  /** Origin under which people reach Muster, if configured. */
  baseUrl: URL | null;
  /** Whether Muster itself serves https. */
  tls: boolean;
  /** Headers in which trusted proxies name the user; null when proxy sign-in is off. */
  identity?: IdentityHeaders | null;
  /** Login name of the user that everyone is taken for, in a demonstration. */
  everyone?: string;
}

function peerOf(c: AppContext): string {
  return c.env?.incoming ? (getConnInfo(c).remote.address ?? UNIX_PEER) : "";
}

const PROXY_HEADERS = [
  "forwarded",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
  "via",
];

/**
 * Whether a request comes directly from a program on this machine, not through a local proxy.
 * @param peer remote address @param header reads a request header by its lower-case name
 */
export function isDirectFromHere(peer: string, header: (name: string) => unknown): boolean {
  return isLoopback(peer) && PROXY_HEADERS.every((name) => header(name) === undefined);
}

/** The same as `isDirectFromHere`, for a request to the app. */
export function isDirectFromThisMachine(c: AppContext): boolean {
  return isDirectFromHere(peerOf(c), (name) => c.req.header(name));
}

function externalUserOf(
  peer: string,
  header: (name: string) => string | undefined,
  { everyone, identity, proxies }: ClientInfoOptions,
): ExternalUser | null {
  if (everyone !== undefined) return { uname: everyone, groups: null };
  return identity && proxies.has(peer) ? externalUserFrom(identity, header) : null;
}

/**
 * What is known of the client of a request.
 * @param peer remote address
 * @param header reads a request header by its lower-case name
 */
export function clientInfoOf(
  peer: string,
  header: (name: string) => string | undefined,
  options: ClientInfoOptions,
): ClientInfo {
  const forwarded = (name: string) =>
    options.proxies.has(peer) ? header(name)?.split(",")[0]?.trim() : undefined;
  const scheme = forwarded("x-forwarded-proto") ?? options.baseUrl?.protocol.slice(0, -1);
  return {
    address: options.proxies.clientOf(peer, header("x-forwarded-for")),
    host: options.baseUrl?.host ?? forwarded("x-forwarded-host") ?? header("host") ?? "",
    secure: scheme ? scheme === "https" : options.tls && peer !== UNIX_PEER,
    externalUser: externalUserOf(peer, header, options),
  };
}

/** The headers of a request, as the server has read them. */
type RequestHeaders = Partial<Pick<IncomingMessage, "headers" | "rawHeaders">>;

/** Whether a request has a header more than once. @param name in lower case */
function isRepeated(rawHeaders: readonly string[], name: string): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const other = rawHeaders[i];
    if (other?.length === name.length && other.toLowerCase() === name) count++;
  }
  return count > 1;
}

/** Whether there is more than one Host header. A proxy and Muster could use different ones. */
export function namesTwoHosts({ headers, rawHeaders = [] }: RequestHeaders): boolean {
  // `headers` is read first: after `rawHeaders`, the runtime builds it in JavaScript, which costs twice as much as this
  // function.
  return headers?.host !== undefined && isRepeated(rawHeaders, "host");
}

/** Whether one of the headers that name the user was sent more than once: one of them by the client. */
function namesUserTwice(rawHeaders: readonly string[], { user, groups }: IdentityHeaders): boolean {
  return [user, groups].some((name) => name !== null && isRepeated(rawHeaders, name.toLowerCase()));
}

/** Sets `c.var.clientInfo`. X-Forwarded-* headers are ignored unless a trusted proxy sent them. */
export function clientInfo(options: ClientInfoOptions): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const info = clientInfoOf(peerOf(c), (name) => c.req.header(name), options);
    const incoming = c.env?.incoming;
    const { identity } = options;
    const isDoubtful = info.externalUser && identity && namesUserTwice(incoming?.rawHeaders ?? [], identity);
    c.set("clientInfo", isDoubtful ? { ...info, externalUser: null } : info);
    if (incoming && namesTwoHosts(incoming))
      throw errors.badRequest("A request must have a single Host header");
    await next();
  };
}
