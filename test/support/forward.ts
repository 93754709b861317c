/**
 * Forwards TCP connections to another address: `bun forward.ts HOST PORT`. A separate process, since the thread of a
 * test stands still while it waits for a database. Prints the port at which it listens on loopback.
 */
import { connect, createServer } from "node:net";

const [host = "", port = ""] = process.argv.slice(2);
const server = createServer((socket) => {
  const to = connect(Number(port), host);
  for (const [from, other] of [
    [socket, to],
    [to, socket],
  ] as const) {
    from.on("error", () => other.destroy());
    from.pipe(other);
  }
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  console.log(typeof address === "object" ? address?.port : address);
});
