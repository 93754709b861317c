import { getConnInfo } from "@hono/node-server/conninfo";
import type { MiddlewareHandler } from "hono";
import { isLoopback, plainAddress, type TrustedProxies, UNIX_PEER } from "../net/client-address.ts";
import type { AppContext, AppEnv, ClientInfo } from "./context.ts";
import { errors } from "./errors.ts";
import { externalUserFrom, type IdentityHeaders } from "./identity-headers.ts";

export interface ClientInfoOptions {
  proxies: TrustedProxies;
  /** Origin under which people reach Muster, if configured. */
  baseUrl: URL | null;
  /** Whether Muster itself serves https. */
  tls: boolean;
  /** Headers in which trusted proxies name the user; null when they are not asked. */
  identity?: IdentityHeaders | null;
}

function peerOf(c: AppContext): string {
  return c.env?.incoming ? (getConnInfo(c).remote.address ?? UNIX_PEER) : "";
}

/** Headers by which proxies tell of themselves. */
const PROXY_HEADERS = [
  "Forwarded",
  "X-Forwarded-For",
  "X-Forwarded-Host",
  "X-Forwarded-Proto",
  "X-Real-IP",
  "Via",
];

/** Whether the request comes from a program on this machine itself, not through a proxy on it. */
export function isDirectFromThisMachine(c: AppContext): boolean {
  return isLoopback(peerOf(c)) && PROXY_HEADERS.every((name) => c.req.header(name) === undefined);
}

/**
 * @param peer address of the other end of the connection
 * @param header of the request; names are in lower case
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
    externalUser:
      options.identity && options.proxies.has(plainAddress(peer))
        ? externalUserFrom(options.identity, header)
        : null,
  };
}

/** Whether the request names two hosts: what stands before and behind a proxy may each believe another one. */
export function namesTwoHosts({ rawHeaders = [] }: { rawHeaders?: readonly string[] }): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === "host") count++;
  return count > 1;
}

/** Sets `c.var.clientInfo`. X-Forwarded-* of anyone but a trusted proxy is ignored. */
export function clientInfo(options: ClientInfoOptions): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    c.set(
      "clientInfo",
      clientInfoOf(peerOf(c), (name) => c.req.header(name), options),
    );
    const incoming = c.env?.incoming;
    if (incoming && namesTwoHosts(incoming)) throw errors.badRequest("A request has one Host header");
    await next();
  };
}
