/**
 * The queues of new connections, which the kernel holds for each listening socket until they are accepted. The runtime
 * makes them 512 long and ignores the option `backlog` of `listen`. When a queue is full, the kernel drops further
 * connections, and their clients try again only after a second: if 10,000 agents report at once, or a client opens as
 * many sockets, everyone else waits.
 */
import { dlopen, ptr } from "bun:ffi";
import { readdirSync } from "node:fs";
import { platform } from "node:process";

/** Longest queue; the kernel shortens it to `net.core.somaxconn`, which is 4096 by default. */
const LONG = 4096;
/** Length while clients connect faster than they can be answered: one turn of the event loop accepts the whole queue. */
const SHORT = 256;

/** Names of the C library: of glibc, then of musl on both processors that Muster is built for. */
const LIBRARIES = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"];

// From Linux' socket.h and filter.h.
const SOL_SOCKET = 1;
const SO_ATTACH_FILTER = 26;
const SO_DETACH_FILTER = 27;
const SO_ACCEPTCONN = 30;
/** The only instruction of a packet filter that drops everything: return 0. */
const DROP = 6n;

function openLibrary() {
  for (const name of LIBRARIES)
    try {
      return dlopen(name, {
        getsockopt: { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" },
        setsockopt: { args: ["i32", "i32", "i32", "ptr", "u32"], returns: "i32" },
        listen: { args: ["i32", "i32"], returns: "i32" },
      });
    } catch {
      // This system has a library of another name.
    }
  return null;
}

/**
 * The queues of all sockets on which this process listens. It does nothing on systems other than Linux, or if it finds
 * no C library.
 */
export class AcceptQueues {
  readonly #system = platform === "linux" ? (openLibrary()?.symbols ?? null) : null;
  #sockets: number[] = [];

  /** Finds the sockets and lengthens their queues. Call it whenever the process starts to listen on another one. */
  find(): void {
    this.#sockets = readdirSync("/proc/self/fd")
      .map(Number)
      .filter((fd) => this.#isListening(fd));
    this.lengthen();
  }

  /** Makes the queues as long as the kernel allows. */
  lengthen(): void {
    this.#setLength(LONG);
  }

  /**
   * Keeps new connections out of the queues until `open` is called, and makes the queues short. The kernel drops
   * attempts to connect over TCP, and their clients try again after a second. Unix sockets, which only a proxy uses,
   * stay open.
   */
  shut(): void {
    const filter = new BigUint64Array([DROP]);
    const program = new BigUint64Array([BigInt(filter.length), BigInt(ptr(filter))]);
    this.#setOption(SO_ATTACH_FILTER, program);
    this.#setLength(SHORT);
  }

  /** Lets connections into the queues again. */
  open(): void {
    this.#setOption(SO_DETACH_FILTER, new BigUint64Array(1));
  }

  /** Linux changes the queue of a socket that listens already when `listen` is called again. */
  #setLength(length: number): void {
    for (const fd of this.#sockets) if (this.#isListening(fd)) this.#system?.listen(fd, length);
  }

  #setOption(option: number, value: BigUint64Array): void {
    for (const fd of this.#sockets)
      if (this.#isListening(fd))
        this.#system?.setsockopt(fd, SOL_SOCKET, option, ptr(value), value.byteLength);
  }

  /**
   * Whether a descriptor is still that of a listening socket: the socket may have been closed since, and its number
   * used again. Calling `listen` on a socket that does not listen would bind it.
   */
  #isListening(fd: number): boolean {
    const [answer, size] = [new Int32Array(1), new Int32Array([Int32Array.BYTES_PER_ELEMENT])];
    return (
      this.#system?.getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, ptr(answer), ptr(size)) === 0 && answer[0] === 1
    );
  }
}
