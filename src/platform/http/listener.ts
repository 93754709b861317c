/** The HTTP server: addresses, TLS, connection limits and orderly shutdown. */
import { chmodSync, lstatSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttpServer, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import type { Config } from "../config/config.definitions.ts";
import { type ListenAddress, listenText } from "../config/values.ts";
import { TrustedProxies } from "../net/client-address.ts";
import { StartupError } from "../startup-error.ts";
import { codeOf, reasonOf } from "../text.ts";
import { AcceptQueues } from "./accept-queue.ts";
import { AcceptTurns } from "./accept-turns.ts";
import { Connections } from "./connections.ts";
import { type ArrivalLimits, type ReplyLimits, RequestGate } from "./request-gate.ts";
import { readTls, type ServedCertificate, type Tls, tlsFilesIdentity } from "./tls-files.ts";

/** Bounds on the resources that slow, idle or too many clients can hold. */
export interface ListenerLimits extends ArrivalLimits, ReplyLimits {
  /** The most open connections. Beyond that, connections that wait for their clients are closed. */
  maxConnections: number;
  /** The most open connections per source. Loopback and trusted proxies are exempt. */
  maxConnectionsPerSource: number;
  /** Milliseconds from the first byte of a request to the end of its headers. */
  headersTimeout: number;
  /** Idle milliseconds between two requests of a connection. */
  keepAliveTimeout: number;
  /** Interval between checks of these timeouts, milliseconds. */
  connectionsCheckingInterval: number;
}

const LIMITS: ListenerLimits = {
  // Agents close their connection after each response and retry when refused, so a large site stays far below this.
  maxConnections: 10_000,
  // Agents behind one NAT address: 10,000 agents with a 30 s cycle that wait up to 5 s each.
  maxConnectionsPerSource: 2000,
  // Agents give up after 5 s.
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // 1 Mbit/s. An imported configuration of 64 MiB has 9 minutes, the largest message of an agent 32 s.
  minBodyRate: 128 * 1024,
  keepAliveTimeout: 65_000,
  // Each check visits all connections. With thousands of connections per second, one check a second took 8%
  // of CPU time.
  connectionsCheckingInterval: 5000,
  // The largest response is an export of 64 MiB, with its head. Lists of 10,000 records have several megabytes.
  maxUnsentPerConnection: 65 * 1024 * 1024,
  maxUnsent: 96 * 1024 * 1024,
  writeTimeout: 10_000,
  // More than a round trip around the world.
  pipelinePause: 300,
};

/** Interval between checks for connections that do not receive their responses, milliseconds. */
const STALL_CHECK_MS = 1000;
/** Connections accepted beyond the limit before one is closed for them, per listening address. */
const SPARE_CONNECTIONS = 50;
/** The same when enough file descriptors are available. */
const MANY_SPARE_CONNECTIONS = 1000;

/** File descriptors reserved for the database, its copies and requests to agents. */
const RESERVED_FILES = 100;

/** The most open files and sockets of this process. The runtime raises the soft limit to the hard limit. */
function maxOpenFiles(): number {
  if (process.platform !== "linux") return Number.POSITIVE_INFINITY;
  const limit = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
  return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
}

/** The most connections the descriptors allow. Without a free descriptor, accept would fail in a busy loop. */
function affordableConnections(addresses: number): number {
  return Math.max(1, maxOpenFiles() - RESERVED_FILES - SPARE_CONNECTIONS * addresses);
}

/** Requests still running this many milliseconds after shutdown began are cut, unless the caller sets another time. */
const STOP_PATIENCE_MS = 7000;
/**
 * The same for servers that a reload replaced. Nothing waits for their end, so they get more time than any import
 * takes.
 */
const RELOAD_PATIENCE_MS = 900_000;
/** Interval between checks for idle connections during shutdown, milliseconds. */
const CLOSE_IDLE_MS = 50;

/** Whether a process is listening on the socket. */
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

/** Removes a socket that a killed process left behind; it would prevent listening. */
async function removeLeftover(path: string): Promise<void> {
  const file = lstatSync(path, { throwIfNoEntry: false });
  if (!file) return;
  if (!file.isSocket()) throw new Error("a file is there that is no socket");
  if (await isAnswered(path)) throw new Error("another process listens there");
  rmSync(path);
}

interface Admission {
  limits: ListenerLimits;
  connections: Connections;
  gate: RequestGate;
  acceptQueues: AcceptQueues;
  acceptTurns: AcceptTurns;
}

async function startServer(
  { limits, connections, gate, acceptQueues, acceptTurns }: Admission,
  address: ListenAddress,
  tls: Tls,
): Promise<Server> {
  const { headersTimeout, keepAliveTimeout, connectionsCheckingInterval } = limits;
  // The gate cuts late bodies: the runtime would give a long one no more time than a short one.
  const deadlines = { headersTimeout, requestTimeout: 0, keepAliveTimeout, connectionsCheckingInterval };
  const server = tls
    ? createHttpsServer({ ...deadlines, ...tls.files }, gate.receive)
    : createHttpServer(deadlines, gate.receive);
  // Monit 5.2 ends its side of the connection as soon as it has sent its message, and waits for the response. The
  // runtime ignores the constructor's option `allowHalfOpen`, and the types lack this property.
  Object.assign(server, { httpAllowHalfOpen: true });
  const isRoomy = limits.maxConnections + MANY_SPARE_CONNECTIONS <= affordableConnections(1);
  server.maxConnections = limits.maxConnections + (isRoomy ? MANY_SPARE_CONNECTIONS : SPARE_CONNECTIONS);
  server.on("connection", (socket) => {
    acceptTurns.accepted();
    connections.add(socket);
  });
  if ("path" in address) await removeLeftover(address.path);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    if ("path" in address) server.listen(address.path, resolve);
    else server.listen(address.port, address.host, resolve);
  });
  acceptQueues.find();
  // The permissions of the socket's folder decide who may connect.
  if ("path" in address) chmodSync(address.path, 0o666);
  return server;
}

/** Why a port cannot be listened on, by the runtime's code. Its own words are questions, or repeat the address. */
const PORT_FAILURES: Readonly<Record<string, string>> = {
  // For an unknown name, as for a missing socket.
  ENOENT: "no machine has this name or address",
  EADDRINUSE: "another process listens there",
  EADDRNOTAVAIL: "this machine does not have this address",
  EACCES: "this user is not allowed to listen on this port",
};

/** Stops accepting, lets running requests finish, and cuts those that take too long. */
async function stopServer(
  server: Server,
  acceptQueues: AcceptQueues,
  patienceMs = STOP_PATIENCE_MS,
): Promise<void> {
  // The runtime would close the socket that stands in its server's place.
  acceptQueues.resume();
  const cut = setTimeout(() => server.closeAllConnections(), patienceMs);
  // A client keeps its connection alive when its request finishes during shutdown; the connection becomes
  // idle only then.
  const closing = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_MS);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearInterval(closing);
  clearTimeout(cut);
}

/** The listening addresses. Network addresses may use TLS; a unix socket, meant for a proxy, never does. */
export class Listener {
  readonly #servers: { address: ListenAddress; server: Server }[] = [];
  /** The certificate and key in use; null without TLS. */
  #tls: Tls = null;
  readonly #admission: Admission;
  readonly #stallCheck: ReturnType<typeof setInterval>;
  /** Why the files that were read last cannot be used; "" if they are in use. */
  #problem = "";
  /** Identifies the files that were read last. */
  #filesIdentity = "";
  /** Ends when the reload under way does; it never rejects. */
  #reloading: Promise<void> = Promise.resolve();

  private constructor(
    answer: RequestListener,
    private readonly config: Config,
    limits: ListenerLimits,
  ) {
    const connections = new Connections({ ...limits, proxies: new TrustedProxies(config.trustedProxy) });
    const monotonic = () => performance.now();
    const gate = new RequestGate(answer, connections, limits, monotonic);
    const acceptQueues = new AcceptQueues();
    const acceptTurns = new AcceptTurns(acceptQueues, monotonic);
    this.#admission = { limits, connections, gate, acceptQueues, acceptTurns };
    this.#stallCheck = setInterval(() => gate.cutStalled(), STALL_CHECK_MS);
  }

  /** Starts to listen. @throws when an address is not available or the certificate or key is unusable */
  static async open(answer: RequestListener, config: Config, limits = LIMITS): Promise<Listener> {
    const maxConnections = Math.min(limits.maxConnections, affordableConnections(config.listen.length));
    const listener = new Listener(answer, config, { ...limits, maxConnections });
    try {
      listener.#filesIdentity = tlsFilesIdentity(config);
      listener.#tls = readTls(config);
      for (const address of config.listen) await listener.#listen(address);
    } catch (error) {
      await listener.close();
      throw error;
    }
    return listener;
  }

  async #listen(address: ListenAddress): Promise<void> {
    const server = await this.#start(address, this.#tls);
    const isAnyPort = "port" in address && address.port === 0;
    const bound = isAnyPort ? { ...address, port: (server.address() as AddressInfo).port } : address;
    this.#servers.push({ address: bound, server });
  }

  /** @throws StartupError that names the address */
  async #start(address: ListenAddress, tls: Tls): Promise<Server> {
    try {
      return await startServer(this.#admission, address, "path" in address ? null : tls);
    } catch (error) {
      const reason = ("port" in address && PORT_FAILURES[codeOf(error)]) || reasonOf(error);
      throw new StartupError(`--listen: ${listenText(address)}: ${reason}`);
    }
  }

  /**
   * Loads a renewed certificate and key. Open connections continue. New ones are refused for a few milliseconds.
   * @throws StartupError when the files are unusable; the previous ones stay in use
   */
  reload(): Promise<void> {
    const reloaded = this.#reloading.then(() => this.#reload());
    this.#reloading = reloaded.catch(() => undefined);
    return reloaded;
  }

  /**
   * Reloads certificate and key if their files changed since they were read. A pair of which only one file is written
   * yet is unusable; it is read again when the other one changes.
   * @returns whether they were reloaded @throws StartupError as `reload` does
   */
  async reloadIfChanged(): Promise<boolean> {
    await this.#reloading;
    if (tlsFilesIdentity(this.config) === this.#filesIdentity) return false;
    await this.reload();
    return true;
  }

  async #reload(): Promise<void> {
    this.#filesIdentity = tlsFilesIdentity(this.config);
    try {
      const tls = readTls(this.config);
      if (tls) await this.#replaceTls(tls);
      this.#problem = "";
    } catch (error) {
      this.#problem = reasonOf(error);
      throw error;
    }
  }

  /** @throws StartupError when an address cannot be listened on with it; the previous one is then in use again */
  async #replaceTls(tls: Tls): Promise<void> {
    try {
      await this.#restartServers(tls);
    } catch (error) {
      await this.#restartServers(this.#tls);
      throw error;
    }
    this.#tls = tls;
  }

  /** Replaces each server by one with this certificate. A server that cannot start is tried again at the next reload. */
  async #restartServers(tls: Tls): Promise<void> {
    for (const entry of this.#servers) {
      if ("path" in entry.address) continue;
      void stopServer(entry.server, this.#admission.acceptQueues, RELOAD_PATIENCE_MS);
      entry.server = await this.#start(entry.address, tls);
    }
  }

  /** @param patienceMs how long requests may still take before they are cut */
  async close(patienceMs?: number): Promise<void> {
    clearInterval(this.#stallCheck);
    const { acceptQueues } = this.#admission;
    await Promise.all(this.#servers.map(({ server }) => stopServer(server, acceptQueues, patienceMs)));
  }

  /** The certificate in use; null without one. */
  get certificate(): ServedCertificate | null {
    return this.#tls && { expires: this.#tls.expires, problem: this.#problem };
  }

  /** The addresses in the form of --listen, with the ports actually bound. */
  get addresses(): string[] {
    return this.#servers.map(({ address }) => listenText(address));
  }

  /** Host and port under which people and agents reach this server, if the server can know them. */
  get reachableHost(): string {
    if (this.config.baseUrl) return this.config.baseUrl.host;
    for (const { address } of this.#servers) {
      if ("path" in address) continue;
      const isAny = address.host === "0.0.0.0" || address.host === "::";
      return listenText({ ...address, host: isAny ? firstAddress() : address.host });
    }
    return hostname();
  }
}

function firstAddress(): string {
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return interfaces.find((address) => address.family === "IPv4" && !address.internal)?.address ?? "localhost";
}
