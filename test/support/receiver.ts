/** A real HTTP server on a free port of this machine, which keeps its requests. */

export interface Received {
  method: string;
  path: string;
  headers: Headers;
  body: string;
}

export type Answer = () => Response | Promise<Response>;

export class Receiver {
  readonly requests: Received[] = [];
  answer: Answer = () => Response.json({});
  readonly #server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const { method, headers } = request;
      const { pathname, search } = new URL(request.url);
      this.requests.push({ method, path: pathname + search, headers, body: await request.text() });
      return this.answer();
    },
  });

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  /** The requests since the last call. */
  take(): Received[] {
    return this.requests.splice(0);
  }

  close(): void {
    this.#server.stop(true);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
