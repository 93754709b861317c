/** The HTTP server around the app: addresses, TLS, deadlines of connections, and an orderly end. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer as createHttpServer, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { networkInterfaces } from "node:os";
import { createAdaptorServer } from "@hono/node-server";
import type { Hono } from "hono";
import { type Config, ConfigError } from "./config.ts";
import type { AppEnv } from "./http/context.ts";

/** Milliseconds. Agents give up after 5 s; these bound what a slow or idle client can hold. */
const DEADLINES = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1000,
};

/** Requests that are still running then, milliseconds after the stop began, are cut. */
const STOP_PATIENCE_MS = 7000;
/** Between two looks for connections that became idle during the stop, milliseconds. */
const CLOSE_IDLE_MS = 50;

/** @throws ConfigError with the flag, when the file cannot be read or `parse` finds something else in it */
function readPem<T>(flag: string, path: string, what: string, parse: (pem: Buffer) => T) {
  try {
    const pem = readFileSync(path);
    return { pem, parsed: parse(pem) };
  } catch (error) {
    const isFileTrouble = error instanceof Error && "syscall" in error;
    throw new ConfigError(`${flag}: ${isFileTrouble ? error.message : `${path} holds no ${what} (PEM)`}`);
  }
}

function readTls({ tlsCert, tlsKey }: Config) {
  if (tlsCert === null || tlsKey === null) return null;
  const cert = readPem("--tls-cert", tlsCert, "certificate", (pem) => new X509Certificate(pem));
  const key = readPem("--tls-key", tlsKey, "private key", (pem) => createPrivateKey(pem));
  if (!cert.parsed.checkPrivateKey(key.parsed))
    throw new ConfigError("--tls-key: is not the key of the certificate of --tls-cert");
  return { cert: cert.pem, key: key.pem };
}

/** Starts to listen. @throws when the address cannot be had, or certificate or key not be used */
export async function listen(app: Hono<AppEnv>, config: Config): Promise<Server> {
  const { host, port } = config.listen;
  const tls = readTls(config);
  const server = createAdaptorServer({
    fetch: app.fetch,
    createServer: (tls ? createHttpsServer : createHttpServer) as typeof createHttpServer,
    serverOptions: { ...DEADLINES, ...tls },
  }) as Server;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return server;
}

/** Accepts no more, lets what is running finish, cuts what does not. */
export async function stopListening(server: Server): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), STOP_PATIENCE_MS);
  // A connection whose request finishes meanwhile is kept alive by its client: it is idle only then.
  const closing = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_MS);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearInterval(closing);
  clearTimeout(cut);
}

function firstAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find((address) => address.family === "IPv4" && !address.internal)?.address ?? "localhost";
}

/** Where people and agents reach this server, as far as it can tell by itself: host and port. */
export function reachableHost(config: Config, port: number): string {
  if (config.baseUrl) return config.baseUrl.host;
  const { host } = config.listen;
  const named = host === "0.0.0.0" || host === "::" ? firstAddress() : host;
  return `${named.includes(":") ? `[${named}]` : named}:${port}`;
}
