import { getConnInfo } from "@hono/node-server/conninfo";
import type { MiddlewareHandler } from "hono";
import type { TrustedProxies } from "./client-address.ts";
import type { AppContext, AppEnv, Outside } from "./context.ts";

export interface OutsideOptions {
  proxies: TrustedProxies;
  /** Origin under which people reach Muster, if configured. */
  baseUrl: URL | null;
  /** Whether Muster itself serves https. */
  tls: boolean;
}

function peerOf(c: AppContext): string {
  return c.env?.incoming ? (getConnInfo(c).remote.address ?? "") : "";
}

function seenFromOutside(c: AppContext, options: OutsideOptions): Outside {
  const peer = peerOf(c);
  const forwarded = (name: string) =>
    options.proxies.has(peer) ? c.req.header(name)?.split(",")[0]?.trim() : undefined;
  const scheme = forwarded("X-Forwarded-Proto") ?? options.baseUrl?.protocol.slice(0, -1);
  return {
    address: options.proxies.clientOf(peer, c.req.header("X-Forwarded-For")),
    host: options.baseUrl?.host ?? forwarded("X-Forwarded-Host") ?? c.req.header("Host") ?? "",
    secure: scheme ? scheme === "https" : options.tls,
  };
}

/** Sets `c.var.outside`. X-Forwarded-* of anyone but a trusted proxy is ignored. */
export function outside(options: OutsideOptions): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    c.set("outside", seenFromOutside(c, options));
    await next();
  };
}
