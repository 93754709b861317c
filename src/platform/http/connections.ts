/** The open connections of all addresses: how many there are, from where, and which is given up for a new one. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isLoopback, sourceOf, type TrustedProxies, UNIX_PEER } from "../net/client-address.ts";

/** A request and its reply. */
export interface Exchange {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
}

export class Connection {
  /** What is being answered; its reply may still be on its way. */
  current: Exchange | null = null;
  /** Requests that came before that was done. */
  readonly pipelined: Exchange[] = [];
  /** Unsent bytes of the reply when they were last looked at, and since when they have been as many. */
  unsent = 0;
  unsentSince = 0;

  constructor(
    readonly socket: Socket,
    /** The client's network; null for those that are not counted by network. */
    readonly source: string | null,
  ) {}

  /** Whether the next step is the client's: to send a head or a body, or to take a reply. */
  get isWaiting(): boolean {
    if (!this.current) return true;
    const { incoming, outgoing } = this.current;
    return outgoing.writableEnded || (hasBody(incoming) && !incoming.complete);
  }
}

/** Whether a body belongs to the request, be it here already or not. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** How many of those that do nothing are looked at for one to give up. */
const MAX_LOOKED_AT = 100;

interface Options {
  maxConnections: number;
  maxConnectionsPerSource: number;
  proxies: TrustedProxies;
}

/**
 * Bounds the open connections. A new one is let in at the expense of the one whose client has been doing nothing for
 * the longest time: of its own source if that has too many, else of all. So sockets that say nothing keep nobody out.
 * Programs on this machine and trusted proxies speak for many clients and are not counted by source.
 */
export class Connections {
  /** Those with the oldest activity first, as in the sets of the sources. */
  readonly #open = new Set<Connection>();
  readonly #ofSource = new Map<string, Set<Connection>>();
  readonly #bySocket = new WeakMap<Socket, Connection>();

  constructor(private readonly options: Options) {}

  /** All that are open. */
  all(): Iterable<Connection> {
    return this.#open;
  }

  /** How many are open. */
  get size(): number {
    return this.#open.size;
  }

  find(socket: Socket): Connection {
    return this.#bySocket.get(socket) ?? this.add(socket);
  }

  /** Takes in a socket that was accepted; closes it, or another one, when there are too many. */
  add(socket: Socket): Connection {
    const connection = new Connection(socket, this.#sourceOf(socket));
    this.#bySocket.set(socket, connection);
    socket.once("close", () => this.#remove(connection));
    this.touch(connection);
    const { maxConnections, maxConnectionsPerSource } = this.options;
    const siblings = connection.source === null ? undefined : this.#ofSource.get(connection.source);
    if (siblings && siblings.size > maxConnectionsPerSource) this.#giveUpOne(siblings);
    if (this.#open.size > maxConnections) this.#giveUpOne(this.#open);
    return connection;
  }

  /** Notes that the client did something. */
  touch(connection: Connection): void {
    this.#open.delete(connection);
    this.#open.add(connection);
    const { source } = connection;
    if (source === null) return;
    const siblings = this.#ofSource.get(source);
    if (!siblings) this.#ofSource.set(source, new Set([connection]));
    else {
      siblings.delete(connection);
      siblings.add(connection);
    }
  }

  /** Ends a connection at once; what its client has not taken yet is lost. */
  cut(connection: Connection): void {
    this.#remove(connection);
    connection.socket.destroy();
  }

  /** Cuts the one that has been waiting for its client the longest; else the oldest one that was looked at last. */
  #giveUpOne(crowd: Iterable<Connection>): void {
    let looked = 0;
    let chosen: Connection | undefined;
    for (const connection of crowd) {
      chosen = connection;
      if (connection.isWaiting || ++looked === MAX_LOOKED_AT) break;
    }
    if (chosen) this.cut(chosen);
  }

  #remove(connection: Connection): void {
    this.#open.delete(connection);
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
