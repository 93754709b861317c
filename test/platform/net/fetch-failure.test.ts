import { afterEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { fetchFailure } from "../../../src/platform/net/fetch-failure.ts";

const running: Server[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function portOf(server: Server): Promise<number> {
  running.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** What is said of a request that fails. */
async function said(url: string, init: BunFetchRequestInit = {}): Promise<string> {
  const request = fetch(url, { keepalive: false, ...init }).then((response) => response.text());
  return await request.then(
    () => "it did not fail",
    (error: unknown) => fetchFailure(error),
  );
}

describe("why a request failed is said", () => {
  const answered = async (listener: RequestListener) =>
    `http://127.0.0.1:${await portOf(createServer(listener))}/`;

  test("of a port at which nobody listens", async () => {
    const server = createServer();
    const port = await portOf(server);
    running.splice(0);
    await new Promise((resolve) => server.close(resolve));
    expect(await said(`http://127.0.0.1:${port}/`)).toBe("the connection was refused");
  });

  test("of a connection that ends before or within the answer", async () => {
    const closed = "the connection was closed before there was a complete answer";
    expect(await said(await answered((request) => request.socket.destroy()))).toBe(closed);
    const partly = await answered((_request, response) => {
      response.writeHead(200, { "Content-Length": "100" }).write("part", () => response.destroy());
    });
    expect(await said(partly)).toBe(closed);
  });

  for (const [what, answer] of [
    ["another protocol, such as SSH", "SSH-2.0-OpenSSH_9.2\r\n"],
    ["a body in ill-formed pieces", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"],
    ["a length that is no number", "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n"],
  ] as const)
    test(`of ${what}`, async () => {
      await using server = createTcpServer((socket) => {
        socket.on("error", () => undefined).once("data", () => socket.write(answer));
      });
      await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
      const { port } = server.address() as AddressInfo;
      expect(await said(`http://127.0.0.1:${port}/`)).toBe("it does not speak HTTP as expected");
    });

  test("of a certificate that is not trusted", async () => {
    const folder = join(import.meta.dir, "../../fixtures/tls");
    const [cert, key] = ["cert.pem", "key.pem"].map((name) => readFileSync(join(folder, name)));
    const port = await portOf(createTlsServer({ cert, key }));
    expect(await said(`https://127.0.0.1:${port}/`)).toBe("its certificate is self-signed");
  });

  test("of a redirect that is not followed", async () => {
    const url = await answered((_request, response) => response.writeHead(302, { Location: "/x" }).end());
    expect(await said(url, { redirect: "error" })).toBe("it redirects to another address");
  });

  test("of a name and a socket that do not exist", async () => {
    expect(await said("http://no.such.host.invalid/")).toBe("its name was not found");
    expect(await said("http://localhost/", { unix: "/nonexistent/muster.sock" })).toBe(
      "there is no such socket",
    );
  });

  test("of a time limit and of what has no code, in the words of the error", async () => {
    const url = await answered(() => undefined);
    const signal = AbortSignal.abort(new DOMException("It took too long", "TimeoutError"));
    expect(await said(url, { signal })).toBe("It took too long");
    expect(fetchFailure(new Error("The reply is not JSON"))).toBe("The reply is not JSON");
  });

  test("by its code if it is unknown", () => {
    const advice = "EFOO: Is the computer able to access the url?";
    expect(fetchFailure(Object.assign(new Error(advice), { code: "EFOO" }))).toBe("EFOO");
  });
});
