/** The way out over the network: host names are resolved here, and only an address that was checked is connected to. */
import { lookup } from "node:dns/promises";
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import type { Clock } from "../clock.ts";
import { VERSION } from "../version.ts";
import { type Reach, refusalOf } from "./addresses.ts";
import { NoAnswer, readAnswer } from "./http-answer.ts";
import { type Outlet, OutletError, type OutletRequest, type OutletResponse } from "./outlet.ts";

/** Milliseconds that an attempt may take: resolving, connecting, sending and the answer together. */
export const TIME_LIMIT_MS = 10_000;
/** Of a host's addresses so many are tried. */
const MAX_ADDRESSES = 4;

export interface NetworkOptions {
  reach: Reach;
  exec: boolean;
  clock: Clock;
  timeLimit?: number;
  /** Certificates to trust instead of those that the machine does (PEM). */
  ca?: string;
  /** All addresses of a host name. @throws when there are none */
  resolve?: (hostname: string) => Promise<string[]>;
}

async function systemResolve(hostname: string): Promise<string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Resolves when the socket is ready to be written to. */
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

/** An answer whose end never came: its status is what counts. */
function answerSoFar(bytes: Buffer): OutletResponse | null {
  try {
    return readAnswer(bytes, true);
  } catch (error) {
    if (error instanceof NoAnswer) return null;
    throw error;
  }
}

/** What has to be over at one time, however many steps it has. */
class Deadline {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sockets: Socket[] = [];
  readonly over: Promise<never>;

  constructor(milliseconds: number) {
    this.over = new Promise((_resolve, reject) => {
      this.#timer = setTimeout(() => {
        for (const socket of this.#sockets) socket.destroy();
        reject(new Error(`nothing came within ${milliseconds / 1000} seconds`));
      }, milliseconds);
    });
    // Whoever waits hears of it; nobody may be waiting.
    this.over.catch(() => undefined);
  }

  /** The socket is destroyed when the time is over. */
  watch(socket: Socket): Socket {
    this.#sockets.push(socket);
    return socket;
  }

  within<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.over]);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

export class NetworkOutlet implements Outlet {
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

  async request(address: string, request: OutletRequest): Promise<OutletResponse> {
    const url = URL.canParse(address) ? new URL(address) : null;
    if (!url || !/^https?:$/.test(url.protocol)) throw new OutletError("That is no address", true, true);
    const tls = url.protocol === "https:";
    const hostname = url.hostname.replace(/^\[(.*)\]$/, "$1");
    const deadline = new Deadline(this.timeLimit);
    try {
      const socket = await this.#connect(hostname, Number(url.port) || (tls ? 443 : 80), tls, deadline);
      return await this.#ask(socket, url, request, deadline);
    } finally {
      deadline.end();
    }
  }

  /** The addresses of a host to which there is a way. @throws OutletError when there is none */
  async #addresses(hostname: string, deadline: Deadline): Promise<string[]> {
    let all: string[];
    try {
      all = isIP(hostname) ? [hostname] : await deadline.within(this.#resolve(hostname));
    } catch (error) {
      throw new OutletError(`The address of ${hostname} is not found: ${reasonOf(error)}`, true, false);
    }
    const refusals = all.map((address) => ({ address, reason: refusalOf(address, this.#reach) }));
    const usable = refusals.filter(({ reason }) => reason === null).map(({ address }) => address);
    const [refused] = refusals;
    if (usable.length > 0) return usable.slice(0, MAX_ADDRESSES);
    if (!refused) throw new OutletError(`${hostname} has no address`, true, false);
    const { address, reason } = refused;
    const named = address === hostname ? address : `${hostname} is ${address}, which`;
    throw new OutletError(`${named} ${reason}`, true, true);
  }

  /** Nothing is sent before this is over: what goes wrong in it is certain not to have arrived. */
  async #connect(hostname: string, port: number, tls: boolean, deadline: Deadline): Promise<Socket> {
    const addresses = await this.#addresses(hostname, deadline);
    let trouble: unknown;
    for (const host of addresses) {
      const socket = deadline.watch(
        tls
          ? connectTls({ host, port, ...this.trust, ...(isIP(hostname) === 0 && { servername: hostname }) })
          : connectPlain({ host, port }),
      );
      try {
        return await deadline.within(ready(socket, tls ? "secureConnect" : "connect"));
      } catch (error) {
        trouble = error;
        // An error that comes after it was given up is nobody's.
        socket.on("error", () => undefined);
        socket.destroy();
      }
    }
    throw new OutletError(`${hostname} port ${port} cannot be reached: ${reasonOf(trouble)}`, true, false);
  }

  async #ask(socket: Socket, url: URL, request: OutletRequest, deadline: Deadline): Promise<OutletResponse> {
    const body = Buffer.from(request.body, "utf8");
    const headers = {
      Host: url.host,
      "User-Agent": `Muster/${VERSION}`,
      Accept: "*/*",
      ...request.headers,
      "Content-Length": String(body.length),
      Connection: "close",
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `${request.method} ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join("")}\r\n`;
    let isSent = false;
    let bytes = Buffer.alloc(0);
    const answered = new Promise<OutletResponse>((resolve, reject) => {
      const look = (ended: boolean) => {
        try {
          const answer = readAnswer(bytes, ended);
          if (answer) resolve(answer);
        } catch (error) {
          reject(error);
        }
      };
      socket.on("data", (chunk: Buffer) => {
        bytes = Buffer.concat([bytes, chunk]);
        look(false);
      });
      socket.on("error", reject);
      socket.on("end", () => look(true));
      socket.on("close", () => look(true));
      // UTF-8, as other encodings make line ends of some characters.
      socket.write(Buffer.concat([Buffer.from(head, "utf8"), body]), (error) => {
        isSent = !error && !socket.destroyed;
      });
    });
    try {
      return await deadline.within(answered);
    } catch (error) {
      const late = answerSoFar(bytes);
      if (late) return late;
      const mayHaveArrived = isSent || bytes.length > 0;
      throw new OutletError(`${url.hostname}: ${reasonOf(error)}`, !mayHaveArrived, false);
    } finally {
      socket.destroy();
    }
  }
}
