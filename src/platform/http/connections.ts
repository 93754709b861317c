/** Open connections: their number in total and per source, and which to close when there are too many. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isLoopback, sourceOf, type TrustedProxies, UNIX_PEER } from "../net/client-address.ts";

/** A request and its response. */
export interface Exchange {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
}

/** An open connection, with the exchange in progress and the requests that wait for it. */
export class Connection {
  /** The exchange in progress. Its response may be complete but not yet sent. */
  current: Exchange | null = null;
  /** Requests that arrived while `current` was in progress. */
  readonly pipelined: Exchange[] = [];
  /** The last exchange whose request has a body, which may still be arriving, and when it began; null if a later one has none. */
  receiving: { exchange: Exchange; since: number } | null = null;
  /** The turn of the event loop in which its last request arrived without waiting for another; 0 if none did. */
  turn = 0;
  /** Unsent bytes at the last check, and the time since which that number has not changed. */
  unsent = 0;
  unsentSince = 0;

  constructor(
    readonly socket: Socket,
    /** The client's network; null for clients that are exempt from the bound per source. */
    readonly source: string | null,
  ) {}

  /** Whether the server is waiting for the client to send a head or body, or to receive a response. */
  get isWaiting(): boolean {
    if (!this.current) return true;
    const { incoming, outgoing } = this.current;
    return outgoing.writableEnded || (hasBody(incoming) && !incoming.complete);
  }
}

/** Whether the request has a body, received or not. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** The most connections examined to find one that is waiting for its client. */
const MAX_LOOKED_AT = 100;

interface Options {
  maxConnections: number;
  maxConnectionsPerSource: number;
  proxies: TrustedProxies;
}

/**
 * Bounds the open connections. A new connection replaces the one whose client has been inactive the longest:
 * of its own source if that exceeds its bound, otherwise of all. Idle sockets can therefore not lock others
 * out. Loopback and trusted proxies act for many clients and are exempt from the bound per source.
 */
export class Connections {
  /** Ordered by last activity, oldest first, as are the sets per source. */
  readonly #open = new Map<Socket, Connection>();
  readonly #ofSource = new Map<string, Set<Connection>>();
  /** The last in that order. Its activity does not change the order. */
  #newest: Connection | null = null;

  constructor(private readonly options: Options) {}

  all(): Iterable<Connection> {
    return this.#open.values();
  }

  get size(): number {
    return this.#open.size;
  }

  /** The connection of a socket, which is registered if it is new: see `add`. */
  find(socket: Socket): Connection {
    return this.#open.get(socket) ?? this.add(socket);
  }

  /** Registers an accepted socket. Closes it or another one when there are too many. */
  add(socket: Socket): Connection {
    const connection = new Connection(socket, this.#sourceOf(socket));
    socket.on("close", () => this.#remove(connection));
    this.touch(connection);
    const { maxConnections, maxConnectionsPerSource } = this.options;
    const siblings = connection.source === null ? undefined : this.#ofSource.get(connection.source);
    if (siblings && siblings.size > maxConnectionsPerSource) this.#giveUpOne(siblings);
    if (this.#open.size > maxConnections) this.#giveUpOne(this.#open.values());
    return connection;
  }

  /** Records activity of the client. */
  touch(connection: Connection): void {
    if (connection === this.#newest) return;
    this.#newest = connection;
    const { source, socket } = connection;
    this.#open.delete(socket);
    this.#open.set(socket, connection);
    if (source === null) return;
    const siblings = this.#ofSource.get(source);
    if (!siblings) this.#ofSource.set(source, new Set([connection]));
    else {
      siblings.delete(connection);
      siblings.add(connection);
    }
  }

  /** Closes a connection immediately; data not yet received by the client is lost. */
  cut(connection: Connection): void {
    this.#remove(connection);
    connection.socket.destroy();
  }

  /**
   * Closes the connection that has waited longest for its client. If none of those examined is waiting,
   * closes the last one examined.
   */
  #giveUpOne(crowd: Iterable<Connection>): void {
    let looked = 0;
    let longestWaiting: Connection | undefined;
    for (const connection of crowd) {
      longestWaiting = connection;
      if (connection.isWaiting || ++looked === MAX_LOOKED_AT) break;
    }
    if (longestWaiting) this.cut(longestWaiting);
  }

  #remove(connection: Connection): void {
    if (connection === this.#newest) this.#newest = null;
    this.#open.delete(connection.socket);
    const { source } = connection;
    if (source === null) return;
    const siblings = this.#ofSource.get(source);
    siblings?.delete(connection);
    if (siblings?.size === 0) this.#ofSource.delete(source);
  }

  #sourceOf({ remoteAddress = UNIX_PEER }: Socket): string | null {
    if (isLoopback(remoteAddress) || this.options.proxies.has(remoteAddress)) return null;
    return sourceOf(remoteAddress);
  }
}
