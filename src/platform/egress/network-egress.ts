/** The network egress client. It resolves host names itself and connects only to addresses that it checked. */
import { lookup } from "node:dns/promises";
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import type { Clock } from "../clock.ts";
import { forbiddenReason, type Reach } from "../net/addresses.ts";
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

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Resolves when the socket is ready for writing. */
function ready(socket: Socket, event: "connect" | "secureConnect"): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const closed = () => reject(new Error("the connection was closed"));
    socket.once("error", reject);
    socket.once("close", closed);
    socket.once(event, () => {
      socket.removeListener("close", closed);
      socket.removeListener("error", reject);
      resolve(socket);
    });
  });
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

/**
 * Tries addresses in turn until one can be connected to. @throws EgressError when none can, so nothing was
 * sent
 */
async function firstReached<T>(
  addresses: readonly string[],
  failure: string,
  attempt: (address: string) => Promise<T>,
): Promise<T> {
  let reason = "";
  for (const address of addresses) {
    try {
      return await attempt(address);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      reason = error.message;
    }
  }
  throw new EgressError(`${failure}: ${reason}`, true, false);
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

  async connect(hostname: string, port: number, tls: boolean): Promise<Socket> {
    const deadline = new Deadline(this.timeLimit);
    try {
      return await this.#connect(hostname, port, tls, deadline);
    } finally {
      deadline.end();
    }
  }

  async request(address: string, request: EgressRequest): Promise<EgressResponse> {
    const url = URL.canParse(address) ? new URL(address) : null;
    if (!url || !/^https?:$/.test(url.protocol)) throw new EgressError("That is no address", true, true);
    const hostname = url.hostname.replace(/^\[(.*)\]$/, "$1");
    const deadline = new Deadline(this.timeLimit);
    try {
      const addresses = await this.#addresses(hostname, deadline);
      const { trust } = this;
      const watch = (sending: Destroyable) => void deadline.watch(sending);
      return await firstReached(addresses, `${hostname} cannot be reached`, (one) =>
        exchange(url, one, request, { trust, watch }),
      );
    } finally {
      deadline.end();
    }
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

  async #connect(hostname: string, port: number, tls: boolean, deadline: Deadline): Promise<Socket> {
    const addresses = await this.#addresses(hostname, deadline);
    return firstReached(addresses, `${hostname} port ${port} cannot be reached`, async (host) => {
      const socket = deadline.watch(
        tls
          ? connectTls({ host, port, ...this.trust, ...(isIP(hostname) === 0 && { servername: hostname }) })
          : connectPlain({ host, port }),
      );
      try {
        return await deadline.within(ready(socket, tls ? "secureConnect" : "connect"));
      } catch (error) {
        // Errors after the connection was abandoned are irrelevant.
        socket.on("error", () => undefined);
        socket.destroy();
        throw new Unreachable(reasonOf(error));
      }
    });
  }
}
