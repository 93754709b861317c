/** A TCP proxy that can stall: connections stay open, and nothing passes, as when a network drops packets. */
import { connect, createServer, type NetConnectOpts, type Server, type Socket } from "node:net";
import { eventually } from "../support.ts";

export class StallingProxy implements Disposable {
  readonly #server: Server;
  /** Both ends of each connection. */
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #isStalled = false;
  port = 0;

  /** @param target where the next connection goes */
  private constructor(target: () => NetConnectOpts) {
    this.#server = createServer({ pauseOnConnect: true }, (incoming) => {
      const outgoing = connect(target());
      const pair = [incoming, outgoing] as const;
      this.#pairs.add(pair);
      for (const [from, to] of [pair, [outgoing, incoming] as const]) {
        from.on("error", () => undefined);
        from.on("data", (bytes) => {
          if (!to.write(bytes)) from.pause();
        });
        from.on("drain", () => this.#flow(to));
        from.on("close", () => {
          this.#pairs.delete(pair);
          // Across a stalled network, no one learns that the other end is gone.
          if (!this.#isStalled) to.destroy();
        });
      }
      this.#flow(incoming);
      this.#flow(outgoing);
    });
  }

  static async start(target: () => NetConnectOpts): Promise<StallingProxy> {
    const proxy = new StallingProxy(target);
    proxy.#server.listen(0, "127.0.0.1");
    proxy.port = await eventually("the proxy listens", () => {
      const address = proxy.#server.address();
      return typeof address === "object" && address?.port;
    });
    return proxy;
  }

  #flow(socket: Socket): void {
    if (this.#isStalled) socket.pause();
    else socket.resume();
  }

  stall(): void {
    this.#isStalled = true;
    for (const pair of this.#pairs) for (const socket of pair) socket.pause();
  }

  /** What was under way arrives; ends of which the other one is gone are closed. */
  heal(): void {
    this.#isStalled = false;
    for (const pair of this.#pairs) {
      const isOver = pair.some((socket) => socket.destroyed);
      for (const socket of pair) {
        if (isOver) socket.destroy();
        else socket.resume();
      }
    }
  }

  [Symbol.dispose](): void {
    this.#server.close();
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }
}
