/** The HTTP server around what answers: addresses, TLS, bounds of connections, and an orderly end. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { chmodSync, existsSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttpServer, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import type { Config } from "../config/config.definitions.ts";
import { ConfigError, type ListenAddress } from "../config/values.ts";
import { TrustedProxies } from "../net/client-address.ts";
import { Connections } from "./connections.ts";
import { type ReplyLimits, RequestGate } from "./request-gate.ts";

/** What a slow, idle or too numerous clientele can hold of a server. */
export interface Limits extends ReplyLimits {
  /** Open at a time; for more, those whose clients do nothing are closed. */
  maxConnections: number;
  /** The same from one source, but for this machine and trusted proxies. */
  maxConnectionsPerSource: number;
  /** Milliseconds from the first byte of a request to the end of its head. */
  headersTimeout: number;
  /** Milliseconds to the end of its body. */
  requestTimeout: number;
  /** Milliseconds between two requests of a connection. */
  keepAliveTimeout: number;
  /** Between two looks for connections that are past these, milliseconds. */
  connectionsCheckingInterval: number;
}

const LIMITS: Limits = {
  // Agents close after each answer, and one that is turned away comes again: this is far more than a fleet has open.
  maxConnections: 10_000,
  // A fleet behind one address has one open for each message under way: this is 10,000 agents of 30 s that wait for 5 s.
  maxConnectionsPerSource: 2000,
  // Agents give up after 5 s.
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  // Each look goes over all connections: with thousands of them a second, a look a second took 8% of the time.
  connectionsCheckingInterval: 5000,
  // The largest replies are exports and lists of 10,000 records, some megabytes each.
  maxUnsentPerConnection: 32 * 1024 * 1024,
  maxUnsent: 64 * 1024 * 1024,
  writeTimeout: 10_000,
};

/** Between two looks for connections that take nothing of their replies, milliseconds. */
const STALL_CHECK_MS = 1000;
/** Accepted beyond the limit before another one is closed for them; each address counts for itself. */
const SPARE_CONNECTIONS = 50;
/** The same where there are descriptors enough: as many as wait to be accepted when the server comes to it. */
const MANY_SPARE_CONNECTIONS = 1000;

/** File descriptors that are not for connections: database, copies of it, pictures, requests to agents. */
const RESERVED_FILES = 100;

/** How many files and sockets this process may have open. The runtime raises the soft limit to the hard one. */
function maxOpenFiles(): number {
  if (process.platform !== "linux") return Number.POSITIVE_INFINITY;
  const limit = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
  return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
}

/** Without a descriptor left, accepting would fail again and again, at the cost of all CPU time. */
function affordableConnections(addresses: number): number {
  return Math.max(1, maxOpenFiles() - RESERVED_FILES - SPARE_CONNECTIONS * addresses);
}

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
    const isFileError = error instanceof Error && "syscall" in error;
    throw new ConfigError(`${flag}: ${isFileError ? error.message : `${path} holds no ${what} (PEM)`}`);
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

type Tls = ReturnType<typeof readTls>;

/** Whether somebody listens on the socket. */
function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path);
    probe.once("connect", () => {
      probe.destroy();
      resolve(true);
    });
    probe.once("error", () => resolve(false));
  });
}

/** A socket that a process left when it was killed would keep this one from listening. */
async function removeLeftover(path: string): Promise<void> {
  if (!existsSync(path)) return;
  if (await isAnswered(path)) throw new Error(`${path} is in use by another process`);
  rmSync(path);
}

interface Door {
  limits: Limits;
  connections: Connections;
  gate: RequestGate;
}

async function startServer(
  { limits, connections, gate }: Door,
  address: ListenAddress,
  tls: Tls,
): Promise<Server> {
  const { headersTimeout, requestTimeout, keepAliveTimeout, connectionsCheckingInterval } = limits;
  const deadlines = { headersTimeout, requestTimeout, keepAliveTimeout, connectionsCheckingInterval };
  const server = tls
    ? createHttpsServer({ ...deadlines, ...tls }, gate.receive)
    : createHttpServer(deadlines, gate.receive);
  const isRoomy = limits.maxConnections + MANY_SPARE_CONNECTIONS <= affordableConnections(1);
  server.maxConnections = limits.maxConnections + (isRoomy ? MANY_SPARE_CONNECTIONS : SPARE_CONNECTIONS);
  server.on("connection", (socket) => connections.add(socket));
  if ("path" in address) await removeLeftover(address.path);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    if ("path" in address) server.listen(address.path, resolve);
    else server.listen(address.port, address.host, resolve);
  });
  // Who may connect is decided by the folder it is in.
  if ("path" in address) chmodSync(address.path, 0o666);
  return server;
}

/** Accepts no more, lets what is running finish, cuts what does not. */
async function stopServer(server: Server): Promise<void> {
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

function textOf(address: ListenAddress): string {
  if ("path" in address) return `unix:${address.path}`;
  return `${address.host.includes(":") ? `[${address.host}]` : address.host}:${address.port}`;
}

/** The addresses that are listened on. TLS is for those of the network; a unix socket is for a proxy. */
export class Listener {
  readonly #servers: { address: ListenAddress; server: Server }[] = [];
  readonly #door: Door;
  readonly #stallCheck: ReturnType<typeof setInterval>;

  private constructor(
    answer: RequestListener,
    private readonly config: Config,
    limits: Limits,
  ) {
    const connections = new Connections({ ...limits, proxies: new TrustedProxies(config.trustedProxy) });
    const gate = new RequestGate(answer, connections, limits, () => performance.now());
    this.#door = { limits, connections, gate };
    this.#stallCheck = setInterval(() => gate.cutStalled(), STALL_CHECK_MS);
  }

  /** Starts to listen. @throws when an address cannot be had, or certificate or key not be used */
  static async open(answer: RequestListener, config: Config, limits = LIMITS): Promise<Listener> {
    const maxConnections = Math.min(limits.maxConnections, affordableConnections(config.listen.length));
    const listener = new Listener(answer, config, { ...limits, maxConnections });
    const tls = readTls(config);
    try {
      for (const address of config.listen) await listener.#listen(address, tls);
    } catch (error) {
      await listener.close();
      throw error;
    }
    return listener;
  }

  async #listen(address: ListenAddress, tls: Tls): Promise<void> {
    const server = await startServer(this.#door, address, "path" in address ? null : tls);
    const isAnyPort = "port" in address && address.port === 0;
    const { port } = isAnyPort ? (server.address() as AddressInfo) : { port: 0 };
    this.#servers.push({ address: isAnyPort ? { ...address, port } : address, server });
  }

  /**
   * Takes a renewed certificate and key into use. Connections that are open go on as they are; new ones find nobody for
   * some milliseconds.
   * @throws ConfigError when they cannot be used; then those before stay
   */
  async reload(): Promise<void> {
    const tls = readTls(this.config);
    if (!tls) return;
    for (const { address, server } of this.#servers.splice(0)) {
      if ("path" in address) {
        this.#servers.push({ address, server });
        continue;
      }
      void stopServer(server);
      await this.#listen(address, tls);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#stallCheck);
    await Promise.all(this.#servers.map(({ server }) => stopServer(server)));
  }

  /** As they are given to --listen, with the ports that were found. */
  get addresses(): string[] {
    return this.#servers.map(({ address }) => textOf(address));
  }

  /** Where people and agents reach this server, as far as it can tell by itself: host and port. */
  get reachableHost(): string {
    if (this.config.baseUrl) return this.config.baseUrl.host;
    for (const { address } of this.#servers) {
      if ("path" in address) continue;
      const isAny = address.host === "0.0.0.0" || address.host === "::";
      return textOf({ ...address, host: isAny ? firstAddress() : address.host });
    }
    return hostname();
  }
}

function firstAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find((address) => address.family === "IPv4" && !address.internal)?.address ?? "localhost";
}
