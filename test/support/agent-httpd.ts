/** Stands for the HTTP interface of an agent, on loopback: answers as the real one does and keeps what it was asked. */
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface Asked {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
}

export interface AgentHttpdOptions {
  user?: string;
  password?: string;
  /** Answers instead of the agent: status and body. */
  answer?: (asked: Asked) => [status: number, body: string];
}

export class AgentHttpd {
  readonly asked: Asked[] = [];

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async start(options: AgentHttpdOptions = {}): Promise<AgentHttpd> {
    const { user = "admin", password = "monit" } = options;
    const expected = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const asked = {
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString("utf8"),
      };
      httpd.asked.push(asked);
      const [status, body] = options.answer?.(asked) ?? answerOf(asked, expected);
      response.writeHead(status, status === 302 ? { Location: "/elsewhere" } : {});
      response.end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const httpd = new AgentHttpd(server, (server.address() as AddressInfo).port);
    return httpd;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

function answerOf({ method, path, headers, body }: Asked, expected: string): [number, string] {
  if (headers.authorization !== expected) return [401, "Unauthorized"];
  if (method === "GET" && path === "/_ping") return [200, "pong\n"];
  if (method !== "POST" || path !== "/_doaction") return [404, "Not found"];
  const form = new URLSearchParams(body);
  const token = form.get("securitytoken");
  if (!token || headers.cookie !== `securitytoken=${token}`) return [403, "Invalid CSRF Token"];
  return form.getAll("service").includes("unknown to the agent") ? [400, "There is no service"] : [302, ""];
}
