import { getConnInfo } from "@hono/node-server/conninfo";
import type { MiddlewareHandler } from "hono";
import { plainAddress, type TrustedProxies, UNIX_PEER } from "./client-address.ts";
import type { AppContext, AppEnv, Outside } from "./context.ts";

export interface OutsideOptions {
  proxies: TrustedProxies;
  /** Origin under which people reach Muster, if configured. */
  baseUrl: URL | null;
  /** Whether Muster itself serves https. */
  tls: boolean;
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
  const peer = plainAddress(peerOf(c));
  const isLoopback = peer === "::1" || peer.startsWith("127.");
  return isLoopback && PROXY_HEADERS.every((name) => c.req.header(name) === undefined);
}

function seenFromOutside(c: AppContext, options: OutsideOptions): Outside {
  const peer = peerOf(c);
  const forwarded = (name: string) =>
    options.proxies.has(peer) ? c.req.header(name)?.split(",")[0]?.trim() : undefined;
  const scheme = forwarded("X-Forwarded-Proto") ?? options.baseUrl?.protocol.slice(0, -1);
  return {
    address: options.proxies.clientOf(peer, c.req.header("X-Forwarded-For")),
    host: options.baseUrl?.host ?? forwarded("X-Forwarded-Host") ?? c.req.header("Host") ?? "",
    secure: scheme ? scheme === "https" : options.tls && peer !== UNIX_PEER,
  };
}

/** Sets `c.var.outside`. X-Forwarded-* of anyone but a trusted proxy is ignored. */
export function outside(options: OutsideOptions): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    c.set("outside", seenFromOutside(c, options));
    await next();
  };
}
