/** Resolves host names itself and connects only to addresses that it checked. */
import { lookup } from "node:dns/promises";
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import type { Clock } from "../clock.ts";
import { forbiddenReason, type Reach } from "../net/addresses.ts";
import { reasonOf } from "../text.ts";
import { type Egress, EgressError, type EgressRequest, type EgressResponse } from "./egress.ts";
import { type Destroyable, exchange, Unreachable } from "./egress-http.ts";

/** Time limit of one attempt, milliseconds: resolving, connecting, sending and the response together. */
export const TIME_LIMIT_MS = 10_000;
/** Most addresses of a host that are tried. */
const MAX_ADDRESSES = 4;

export interface NetworkOptions {
  reach: Reach;
  exec: boolean;
  clock: Clock;
  timeLimit?: number;
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
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #watched: Destroyable[] = [];
  #late: Error | null = null;
  readonly over: Promise<never>;

  constructor(milliseconds: number) {
    this.over = new Promise((_resolve, reject) => {
      this.#timer = setTimeout(() => {
        this.#late = new Error(`nothing came within ${milliseconds / 1000} seconds`);
        for (const one of this.#watched) one.destroy(this.#late);
        reject(this.#late);
      }, milliseconds);
    });
    // The promise may reject while nothing awaits it.
    this.over.catch(() => undefined);
  }

  /** Destroys the object at the time limit, or immediately if that has passed. */
  watch<T extends Destroyable>(one: T): T {
    this.#watched.push(one);
    if (this.#late) one.destroy(this.#late);
    return one;
  }

  within<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.over]);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

export class NetworkEgress implements Egress {
  readonly exec: boolean;
  readonly timeLimit: number;
  readonly trust: Pick<ConnectionOptions, "ca">;
  readonly #reach: Reach;
  readonly #clock: Clock;
  readonly #resolve: (hostname: string) => Promise<string[]>;

  constructor({
    reach,
    exec,
    clock,
    timeLimit = TIME_LIMIT_MS,
    ca,
    resolve = systemResolve,
  }: NetworkOptions) {
    this.exec = exec;
    this.timeLimit = timeLimit;
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
        throw new Unreachable(reasonOf(error));
      }
    });
  }

  async request(address: string, request: EgressRequest): Promise<EgressResponse> {
    const url = URL.parse(address);
    if (!url || !/^https?:$/.test(url.protocol)) throw new EgressError("That is no address", true, true);
    const hostname = url.hostname.replace(/^\[(.*)\]$/, "$1");
    return this.#attempt(hostname, `${hostname} cannot be reached`, (one, deadline) =>
      exchange(url, one, request, { trust: this.trust, watch: (sending) => void deadline.watch(sending) }),
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
    const deadline = new Deadline(this.timeLimit);
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
    throw new EgressError(`${failure}: ${reason}`, true, false);
  }

  /** The allowed addresses of a host. @throws EgressError when there are none */
  async #addresses(hostname: string, deadline: Deadline): Promise<string[]> {
    let all: string[];
    try {
      all = isIP(hostname) ? [hostname] : await deadline.within(this.#resolve(hostname));
    } catch (error) {
      throw new EgressError(`The address of ${hostname} is not found: ${reasonOf(error)}`, true, false);
    }
    const checked = all.map((address) => ({ address, reason: forbiddenReason(address, this.#reach) }));
    const usable = checked.filter(({ reason }) => reason === null).map(({ address }) => address);
    const [forbidden] = checked;
    if (usable.length > 0) return usable.slice(0, MAX_ADDRESSES);
    if (!forbidden) throw new EgressError(`${hostname} has no address`, true, false);
    const { address, reason } = forbidden;
    const named = address === hostname ? address : `${hostname} is ${address}, which`;
    throw new EgressError(`${named} ${reason}`, true, true);
  }
}
