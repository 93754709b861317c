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
const QUEUE_LENGTH = 4096;

/** Names of the C library: of glibc, then of musl on both processors that Muster is built for. */
const LIBRARIES = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"];

// From Linux' socket.h.
const SOL_SOCKET = 1;
const SO_ACCEPTCONN = 30;

function openLibrary() {
  for (const name of LIBRARIES)
    try {
      return dlopen(name, {
        getsockopt: { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" },
        listen: { args: ["i32", "i32"], returns: "i32" },
      });
    } catch {
      // This system has another one.
    }
  return null;
}

/**
 * Makes the queues of all sockets on which this process listens as long as the kernel allows. Linux changes the queue of
 * a socket that listens already when `listen` is called again. Elsewhere, and without a C library, they stay as they are.
 */
export function lengthenAcceptQueues(): void {
  const library = platform === "linux" ? openLibrary() : null;
  if (library === null) return;
  const { getsockopt, listen } = library.symbols;
  const [isListening, size] = [new Int32Array(1), new Int32Array([Int32Array.BYTES_PER_ELEMENT])];
  for (const fd of readdirSync("/proc/self/fd").map(Number)) {
    // Fails for what is no socket. Calling `listen` on a socket that does not listen would bind it.
    const failed = getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, ptr(isListening), ptr(size));
    if (failed === 0 && isListening[0] === 1) listen(fd, QUEUE_LENGTH);
  }
  library.close();
}
