/**
 * Admission of requests: one request per connection is handled at a time, and unsent responses are bounded. Agents'
 * messages and health checks take precedence over other requests, but only one per connection and turn of the event
 * loop: the runtime delivers all requests of a read at once, thousands if they are pipelined.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { type Connection, type Connections, type Exchange, hasBody } from "./connections.ts";
import { TasksPerTurn } from "./tasks-per-turn.ts";

/** Pipelined requests that may wait per connection. Browsers, agents and proxies do not pipeline. */
const MAX_PIPELINED = 4;
/** Pipelined requests that may wait on all connections together. */
const MAX_PIPELINED_IN_ALL = 256;
/** Non-urgent and pipelined requests started per turn of the event loop: each may take milliseconds. */
const REQUESTS_PER_TURN = 4;

/** Turns of the event loop until the kernel's answer to a reply has been read, if the peer is on this machine. */
const TURNS_OF_REPLY = 2;

/** The reply to a request whose body does not arrive in time, as the runtime writes it. */
const TIMED_OUT = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n";

export interface ArrivalLimits {
  /** Milliseconds from the head of a request to the end of its body. A long body has more time, by `minBodyRate`. */
  requestTimeout: number;
  /** Bytes per second at which a long body must arrive on average, as long as its request is not answered. */
  minBodyRate: number;
}

export interface ReplyLimits {
  /** Unsent response bytes per connection. */
  maxUnsentPerConnection: number;
  /** Unsent response bytes of all connections together. */
  maxUnsent: number;
  /** Milliseconds a client may receive nothing of its response before it is cut. */
  writeTimeout: number;
  /** Milliseconds between a response and the next pipelined request, in which a client that is gone rejects the response. */
  pipelinePause: number;
}

function isUrgent({ url }: IncomingMessage): boolean {
  return url === "/collector" || url === "/healthz";
}

function isSent({ writableEnded, writableLength }: ServerResponse): boolean {
  return writableEnded && writableLength === 0;
}

function afterTurns(turns: number, work: () => void): void {
  setImmediate(() => (turns > 1 ? afterTurns(turns - 1, work) : work()));
}

/** The gate between the listener and the app. It starts a request, lets it wait, or cuts its connection. */
export class RequestGate {
  readonly #slices = new TasksPerTurn(REQUESTS_PER_TURN);
  /** Connections with a complete response that is not fully sent, oldest first. */
  readonly #unsent = new Set<Connection>();
  #unsentBytes = 0;
  #pipelined = 0;
  /** Number of the turn of the event loop, counted in turns with requests. */
  #turn = 1;
  #isTurnCounted = false;

  /** @param monotonic milliseconds of a clock that never jumps */
  constructor(
    private readonly answer: RequestListener,
    private readonly connections: Connections,
    private readonly limits: ArrivalLimits & ReplyLimits,
    private readonly monotonic: () => number,
  ) {}

  /** Request listener of the HTTP server. */
  readonly receive = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    // A connection that was cut may still deliver requests from its read buffer.
    if (incoming.socket.destroyed) return;
    const connection = this.connections.find(incoming.socket);
    const exchange = { incoming, outgoing };
    // The response may be sent and the next request may arrive before the response emits its closing event.
    if (connection.current && isSent(connection.current.outgoing))
      this.#closed(connection, connection.current);
    const turn = this.#currentTurn();
    if (!connection.current && connection.pipelined.length === 0) {
      this.#begin(connection, exchange, isUrgent(incoming) && connection.turn !== turn);
      connection.turn = turn;
    } else if (this.#mayWait(connection, incoming)) {
      connection.pipelined.push(exchange);
      this.#pipelined++;
    } else this.#cut(connection);
  };

  /** Cuts connections whose bodies are late, or whose clients receive nothing of their responses. Call it periodically. */
  cutStalled(): void {
    const now = this.monotonic();
    for (const connection of this.connections.all()) {
      if (connection.receiving && this.#isLate(connection.receiving, now)) {
        this.#refuseLate(connection, connection.receiving.exchange);
        continue;
      }
      const unsent = connection.current?.outgoing.writableLength ?? 0;
      if (unsent === 0 || unsent !== connection.unsent) connection.unsentSince = now;
      else if (now - connection.unsentSince >= this.limits.writeTimeout) {
        this.#cut(connection);
        continue;
      }
      this.#note(connection, unsent);
    }
  }

  /**
   * Whether the body should have arrived. A caller who announces more than it may send is answered at once, so only those
   * who may send long bodies have more time for them.
   */
  #isLate({ exchange, since }: NonNullable<Connection["receiving"]>, now: number): boolean {
    const { incoming, outgoing } = exchange;
    if (incoming.complete) return false;
    const { requestTimeout, minBodyRate } = this.limits;
    const length = outgoing.writableEnded ? 0 : Number(incoming.headers["content-length"] ?? 0);
    return now - since > Math.max(requestTimeout, (length / minBodyRate) * 1000);
  }

  #refuseLate(connection: Connection, { outgoing }: Exchange): void {
    if (!outgoing.headersSent) connection.socket.write(TIMED_OUT);
    this.#cut(connection);
  }

  #mayWait({ pipelined }: Connection, incoming: IncomingMessage): boolean {
    // A waiting request's body would have to be buffered.
    if (hasBody(incoming)) return false;
    return pipelined.length < MAX_PIPELINED && this.#pipelined < MAX_PIPELINED_IN_ALL;
  }

  #currentTurn(): number {
    if (!this.#isTurnCounted) {
      this.#isTurnCounted = true;
      setImmediate(() => {
        this.#isTurnCounted = false;
        this.#turn++;
      });
    }
    return this.#turn;
  }

  /** @param atOnce whether the request may be handled even if this turn has begun as many as it may */
  #begin(connection: Connection, exchange: Exchange, atOnce: boolean): void {
    const { outgoing } = exchange;
    connection.current = exchange;
    connection.receiving = hasBody(exchange.incoming) ? { exchange, since: this.monotonic() } : null;
    this.connections.touch(connection);
    // Each event occurs at most once. `once` would allocate a wrapper for each request.
    outgoing.on("prefinish", () => this.#ended(connection, outgoing));
    outgoing.on("close", () => this.#closed(connection, exchange));
    if (atOnce) this.#answer(exchange);
    else this.#slices.begin(() => this.#answer(exchange));
  }

  #answer({ incoming, outgoing }: Exchange): void {
    if (!incoming.socket.destroyed) this.answer(incoming, outgoing);
  }

  /** The response is complete but may not be sent. */
  #ended(connection: Connection, { writableLength }: ServerResponse): void {
    if (writableLength === 0) return;
    connection.unsent = 0;
    connection.unsentSince = this.monotonic();
    this.#unsent.add(connection);
    this.#note(connection, writableLength);
    if (writableLength > this.limits.maxUnsentPerConnection) this.#cut(connection);
    else if (this.#unsentBytes > this.limits.maxUnsent) this.#relieve();
  }

  /** Cuts the connections whose responses have waited longest until the total is within the limit. */
  #relieve(): void {
    for (const connection of this.#unsent)
      this.#note(connection, connection.current?.outgoing.writableLength ?? 0);
    for (const connection of this.#unsent) {
      if (this.#unsentBytes <= this.limits.maxUnsent) return;
      this.#cut(connection);
    }
  }

  #note(connection: Connection, unsent: number): void {
    if (this.#unsent.has(connection)) this.#unsentBytes += unsent - connection.unsent;
    connection.unsent = unsent;
  }

  /** The response was sent or its connection closed. */
  #closed(connection: Connection, exchange: Exchange): void {
    if (connection.current !== exchange) return;
    this.#forget(connection);
    connection.current = null;
    if (connection.socket.destroyed) {
      this.#drop(connection);
      return;
    }
    this.connections.touch(connection);
    // Only a reply reveals whether the client has disconnected: the runtime does not report that it ended its side. If
    // it has, its further requests are not processed.
    if (connection.pipelined.length > 0) this.#afterPause(() => this.#beginNext(connection));
  }

  #afterPause(work: () => void): void {
    const { pipelinePause } = this.limits;
    if (pipelinePause === 0) afterTurns(TURNS_OF_REPLY, work);
    else setTimeout(work, pipelinePause);
  }

  #beginNext(connection: Connection): void {
    if (connection.socket.destroyed) this.#drop(connection);
    if (connection.current) return;
    const next = connection.pipelined.shift();
    if (!next) return;
    this.#pipelined--;
    this.#begin(connection, next, false);
  }

  #forget(connection: Connection): void {
    this.#note(connection, 0);
    this.#unsent.delete(connection);
  }

  #drop(connection: Connection): void {
    this.#pipelined -= connection.pipelined.splice(0).length;
  }

  #cut(connection: Connection): void {
    this.#forget(connection);
    this.#drop(connection);
    this.connections.cut(connection);
  }
}
