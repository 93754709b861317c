/**
 * The queues of new connections, which the kernel holds for each listening socket until they are accepted. The runtime
 * makes them 512 long and ignores the option `backlog` of `listen`. When a queue is full, the kernel drops further
 * connections, and their clients try again only after a second: if 10,000 agents report at once, or a client opens as
 * many sockets, everyone else waits. The runtime also accepts until a queue is empty, which `pause` ends.
 */
import { dlopen, ptr } from "bun:ffi";
import { readdirSync } from "node:fs";
import { platform } from "node:process";

/** Longest queue; the kernel shortens it to `net.core.somaxconn`, which is 4096 by default. */
const LONG = 4096;

/** Names of the C library: of glibc, then of musl on both processors that Muster is built for. */
const LIBRARIES = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"];

// From Linux' socket.h and fcntl.h.
const SOL_SOCKET = 1;
const SO_ACCEPTCONN = 30;
const AF_UNIX = 1;
const SOCK_STREAM = 1;
const O_CLOEXEC = 0o2000000;
const F_DUPFD_CLOEXEC = 1030;

function openLibrary() {
  for (const name of LIBRARIES)
    try {
      return dlopen(name, {
        getsockopt: { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" },
        listen: { args: ["i32", "i32"], returns: "i32" },
        socket: { args: ["i32", "i32", "i32"], returns: "i32" },
        fcntl: { args: ["i32", "i32", "i32"], returns: "i32" },
        dup3: { args: ["i32", "i32", "i32"], returns: "i32" },
        close: { args: ["i32"], returns: "i32" },
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
  /** While paused, the listening sockets: where the runtime expects each one, and the copy that keeps it open. */
  #paused: { fd: number; copy: number }[] = [];

  /** Finds the sockets and lengthens their queues. Call it whenever the process starts to listen on another one. */
  find(): void {
    if (!this.#system) return;
    this.resume();
    this.#sockets = readdirSync("/proc/self/fd")
      .map(Number)
      .filter((fd) => this.#isListening(fd));
    // Linux changes the queue of a socket that listens already when `listen` is called again.
    for (const fd of this.#sockets) this.#system.listen(fd, LONG);
  }

  /**
   * Ends the runtime's loop of accepting: until `resume` is called, it finds nothing to accept. Connections wait in
   * the queues, and none is dropped. The event loop goes on watching the sockets, which stay open as copies. Resume
   * before anything waits for events or closes a socket.
   */
  pause(): void {
    // It does not listen, so accepting from it fails at once.
    const placeholder = this.#system?.socket(AF_UNIX, SOCK_STREAM | O_CLOEXEC, 0) ?? -1;
    // Without free descriptors, the loop goes on until the queues are empty.
    if (!this.#system || placeholder < 0) return;
    for (const fd of this.#sockets) {
      if (!this.#isListening(fd)) continue;
      const copy = this.#system.fcntl(fd, F_DUPFD_CLOEXEC, 0);
      if (copy < 0) continue;
      this.#system.dup3(placeholder, fd, O_CLOEXEC);
      this.#paused.push({ fd, copy });
    }
    this.#system.close(placeholder);
  }

  /** Lets the runtime accept again. */
  resume(): void {
    for (const { fd, copy } of this.#paused.splice(0)) {
      this.#system?.dup3(copy, fd, O_CLOEXEC);
      this.#system?.close(copy);
    }
  }

  /**
   * Whether a descriptor is still that of a listening socket: the socket may have been closed since, and its number
   * used again.
   */
  #isListening(fd: number): boolean {
    const [answer, size] = [new Int32Array(1), new Int32Array([Int32Array.BYTES_PER_ELEMENT])];
    return (
      this.#system?.getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, ptr(answer), ptr(size)) === 0 && answer[0] === 1
    );
  }
}
