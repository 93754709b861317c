/** Resolves host names itself and connects only to addresses that it checked. */
import { lookup } from "node:dns/promises";
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { type Clock, type StartTimer, systemTimer } from "../clock.ts";
import { type AddressReach, forbiddenReason } from "../net/addresses.ts";
import { hostnameOf } from "../net/client-address.ts";
import { connectionFailure } from "../net/fetch-failure.ts";
import { webUrl } from "../net/web-url.ts";
import { type Egress, EgressError, type EgressRequest, type EgressResponse } from "./egress.ts";
import { type Destroyable, exchange, Unreachable } from "./egress-http.ts";

/** Time limit of one attempt, milliseconds: resolving, connecting, sending and the response together. */
const TIME_LIMIT_MS = 10_000;
/** The most addresses of a host that are tried. */
const MAX_ADDRESSES = 4;

export interface NetworkOptions {
  reach: AddressReach;
  exec: boolean;
  clock: Clock;
  timeLimit?: number;
  startTimer?: StartTimer;
  /** Certificates (PEM) to trust instead of the system's. */
  ca?: string;
  /** Resolves a host name to all its addresses. @throws when there are none */
  resolve?: (hostname: string) => Promise<string[]>;
}

async function systemResolve(hostname: string): Promise<string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

/** Resolves when the socket is ready for writing. */
function ready(socket: Socket, event: "connect" | "secureConnect"): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const closed = () => reject(new Error("the connection was closed"));
  socket.once("error", reject).once("close", closed).once(event, resolve);
  return promise.finally(() => socket.off("error", reject).off("close", closed));
}

/** One time limit for an attempt of several steps. */
class Deadline {
  readonly #watched: Destroyable[] = [];
  #late: Error | null = null;
  readonly over: Promise<never>;
  /** Cancels the time limit. */
  readonly end: () => void;

  constructor({ timeLimit, startTimer }: NetworkEgress) {
    const { promise, reject } = Promise.withResolvers<never>();
    this.over = promise;
    // The promise may reject while nothing awaits it.
    promise.catch(() => undefined);
    this.end = startTimer(() => {
      const late = new Error(`there was no response within ${timeLimit / 1000} seconds`);
      this.#late = late;
      for (const connection of this.#watched) connection.destroy(late);
      reject(late);
    }, timeLimit);
  }

  /** Destroys the object at the time limit, or immediately if that has passed. */
  watch<T extends Destroyable>(connection: T): T {
    this.#watched.push(connection);
    if (this.#late) connection.destroy(this.#late);
    return connection;
  }

  within<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.over]);
  }
}

/**
 * Sends to addresses within its reach only. An EgressError says whether a request certainly did not arrive.
 */
export class NetworkEgress implements Egress {
  readonly exec: boolean;
  readonly timeLimit: number;
  readonly startTimer: StartTimer;
  readonly trust: Pick<ConnectionOptions, "ca">;
  readonly #reach: AddressReach;
  readonly #clock: Clock;
  readonly #resolve: (hostname: string) => Promise<string[]>;

  constructor({
    reach,
    exec,
    clock,
    timeLimit = TIME_LIMIT_MS,
    startTimer = systemTimer,
    ca,
    resolve = systemResolve,
  }: NetworkOptions) {
    this.exec = exec;
    this.timeLimit = timeLimit;
    this.startTimer = startTimer;
    this.trust = ca === undefined ? {} : { ca };
    this.#reach = reach;
    this.#clock = clock;
    this.#resolve = resolve;
  }

  now(): number {
    return this.#clock.now();
  }

  connect(hostname: string, port: number, tls: boolean): Promise<Socket> {
    return this.#attempt(hostname, `${hostname} port ${port} cannot be reached`, async (host, deadline) => {
      const socket = deadline.watch(
        tls
          ? connectTls({ host, port, ...this.trust, ...(isIP(hostname) === 0 && { servername: hostname }) })
          : connectPlain({ host, port }),
      );
      try {
        await deadline.within(ready(socket, tls ? "secureConnect" : "connect"));
        return socket;
      } catch (error) {
        // Errors after the connection was abandoned are irrelevant.
        socket.on("error", () => undefined);
        socket.destroy();
        throw new Unreachable(error);
      }
    });
  }

  async request(address: string, request: EgressRequest): Promise<EgressResponse> {
    const url = webUrl(address);
    if (!url) throw new EgressError("That is not an address", { certain: true, final: true });
    const hostname = hostnameOf(url);
    return this.#attempt(hostname, `${hostname} cannot be reached`, (host, deadline) =>
      exchange(url, host, request, { trust: this.trust, watch: (sending) => void deadline.watch(sending) }),
    );
  }

  /**
   * Tries the addresses of a host in turn, within one time limit, until one can be connected to.
   * @throws EgressError when none can, so nothing was sent
   */
  async #attempt<T>(
    hostname: string,
    failure: string,
    attempt: (address: string, deadline: Deadline) => Promise<T>,
  ): Promise<T> {
    const deadline = new Deadline(this);
    let reason = "";
    try {
      for (const address of await this.#addresses(hostname, deadline)) {
        try {
          return await attempt(address, deadline);
        } catch (error) {
          if (!(error instanceof Unreachable)) throw error;
          reason = error.message;
        }
      }
    } finally {
      deadline.end();
    }
    throw new EgressError(`${failure}: ${reason}`, { certain: true, final: false });
  }

  /** The allowed addresses of a host. @throws EgressError when there are none */
  async #addresses(hostname: string, deadline: Deadline): Promise<string[]> {
    let addresses: string[];
    try {
      addresses = isIP(hostname) ? [hostname] : await deadline.within(this.#resolve(hostname));
    } catch (error) {
      throw new EgressError(`${hostname} cannot be reached: ${connectionFailure(error)}`, {
        certain: true,
        final: false,
      });
    }
    const checked = addresses.map((address) => ({ address, reason: forbiddenReason(address, this.#reach) }));
    const usable = checked.filter(({ reason }) => reason === null).map(({ address }) => address);
    const [forbidden] = checked;
    if (usable.length > 0) return usable.slice(0, MAX_ADDRESSES);
    if (!forbidden) throw new EgressError(`${hostname} has no address`, { certain: true, final: false });
    const { address, reason } = forbidden;
    const subject = address === hostname ? address : `${hostname} is ${address}, which`;
    throw new EgressError(`${subject} ${reason}`, { certain: true, final: true });
  }
}
