/** What Muster sends to agents, and how much of their replies it accepts. */
import { afterEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import {
  ACTIONS,
  type AgentEndpoint,
  AgentError,
  pingAgent,
  sendAction,
} from "../../src/monit/agent.client.ts";

const TLS = join(import.meta.dir, "../fixtures/tls");

const running: Server[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function listen(server: Server): Promise<AgentEndpoint> {
  running.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { address: "127.0.0.1", port, ssl: false, sslverify: true, user: "me", password: "s3cret" };
}

const agent = (listener: RequestListener) => listen(createServer(listener));

/** What was thrown, as the administrator is told it. */
async function told(call: Promise<void>): Promise<string> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(AgentError);
  const { message } = error as AgentError;
  expect(message).not.toContain("s3cret");
  expect(message).not.toContain(btoa("me:s3cret"));
  return message;
}

describe("an action", () => {
  const NAMES = ["a&action=exec", "x=y", "ø æ +%26", "a;b", '"quoted"', "new\r\nline", "../..?q#f", "ключ"];

  test("carries any name of a service as that and nothing else", async () => {
    const bodies: string[] = [];
    const urls: (string | undefined)[] = [];
    const endpoint = await agent((request, response) => {
      urls.push(`${request.method} ${request.url}`);
      request.setEncoding("utf8").on("data", (chunk: string) => bodies.push(chunk));
      request.on("end", () => response.writeHead(302).end());
    });
    await sendAction(endpoint, "stop", NAMES);
    const form = new URLSearchParams(bodies.join(""));
    expect(form.getAll("service")).toEqual(NAMES);
    expect(form.getAll("action")).toEqual(["stop"]);
    expect([...new Set(form.keys())]).toEqual(["service", "action", "securitytoken"]);
    expect(urls).toEqual(["POST /_doaction"]);
  });

  test("is one of five, none of which runs a command of the caller's", () => {
    expect([...ACTIONS]).toEqual(["start", "stop", "restart", "monitor", "unmonitor"]);
  });
});

describe("a redirect", () => {
  for (const status of [301, 302, 303, 307, 308])
    test(`${status} is not followed, so that credentials stay here`, async () => {
      const elsewhere: unknown[] = [];
      const other = await agent((request, response) => {
        elsewhere.push(request.headers);
        response.end("pong");
      });
      const endpoint = await agent((_request, response) => {
        response.writeHead(status, { Location: `http://127.0.0.1:${other.port}/_ping` }).end();
      });
      expect(await told(pingAgent(endpoint))).toContain(`status ${status}`);
      if (status === 302) await sendAction(endpoint, "start", ["web"]);
      else expect(await told(sendAction(endpoint, "start", ["web"]))).toContain(`status ${status}`);
      expect(elsewhere).toEqual([]);
    });
});

describe("a certificate", () => {
  async function tlsAgent(): Promise<AgentEndpoint & { asked: string[] }> {
    const asked: string[] = [];
    const files = { cert: readFileSync(join(TLS, "cert.pem")), key: readFileSync(join(TLS, "key.pem")) };
    const server = createTlsServer(files, (request, response) => {
      asked.push(request.headers.authorization ?? "");
      response.end("pong");
    });
    return { ...(await listen(server)), ssl: true, asked };
  }

  test("that nobody vouches for is refused, and nothing is sent", async () => {
    const endpoint = await tlsAgent();
    const reason = "its certificate is self-signed";
    expect(await told(pingAgent(endpoint))).toEndWith(`${endpoint.port} cannot be reached: ${reason}`);
    expect(endpoint.asked).toEqual([]);
  });

  test("is not asked for where the administrator said so", async () => {
    const endpoint = await tlsAgent();
    await pingAgent({ ...endpoint, sslverify: false });
    expect(endpoint.asked).toEqual([`Basic ${btoa("me:s3cret")}`]);
    // It was not remembered for the next one.
    expect(await told(pingAgent(endpoint))).toContain("cannot be reached");
    expect(endpoint.asked).toHaveLength(1);
  });
});

describe("the time for an answer covers all of it", () => {
  /** What comes before it is over. */
  const SLOW: readonly [what: string, begin: (response: ServerResponse) => unknown][] = [
    ["nothing comes", () => undefined],
    ["only the status line comes", (response) => response.writeHead(200).flushHeaders()],
    ["the body drips", (response) => response.writeHead(200).write("p")],
  ];
  for (const [title, begin] of SLOW)
    test(title, async () => {
      let limit = new AbortController();
      const endpoint = await agent((request, response) => {
        begin(response);
        // What was written is on its way before the time is over.
        request
          .resume()
          .on("end", () => setTimeout(() => limit.abort(new DOMException("", "TimeoutError")), 20));
      });
      const late = "did not answer within 10 seconds";
      expect(await told(pingAgent(endpoint, limit.signal))).toContain(late);
      limit = new AbortController();
      expect(await told(sendAction(endpoint, "stop", ["web"], limit.signal))).toContain(late);
    });
});

describe("of an answer", () => {
  test("without end only a little is read", async () => {
    let sent = 0;
    const endpoint = await agent((_request, response) => {
      const chunk = Buffer.alloc(64 * 1024, "x");
      const more = () => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    });
    expect(await told(pingAgent(endpoint))).toContain("not a Monit agent");
    expect(sent).toBeLessThan(16 * 1024 * 1024);
  });

  test("nothing is inflated", async () => {
    // 256 MiB in 256 KiB.
    const bomb = gzipSync(Buffer.alloc(256 * 1024 * 1024));
    const endpoint = await agent((request, response) => {
      expect(request.headers["accept-encoding"]).toBe("identity");
      response.writeHead(200, { "Content-Encoding": "gzip", "Content-Length": bomb.length }).end(bomb);
    });
    expect(await told(pingAgent(endpoint))).toContain("not a Monit agent");
  });

  test("not even a little is inflated: agents do not compress", async () => {
    const endpoint = await agent((_request, response) =>
      response.writeHead(200, { "Content-Encoding": "gzip" }).end(gzipSync("pong")),
    );
    expect(await told(pingAgent(endpoint))).toContain("not a Monit agent");
  });

  test("what it says is not passed on", async () => {
    const endpoint = await agent((_request, response) => response.writeHead(500).end("root:x:0:0:the reply"));
    expect(await told(pingAgent(endpoint))).toBe("The agent answered with status 500");
  });
});

describe("an address", () => {
  const HOSTILE = [
    "evil.test/",
    "a@evil.test",
    "evil.test#",
    "evil.test?x",
    "a b",
    "[::1]:1/x",
    "\\\\evil",
    "%2e",
    "127.0.0.1:2812",
    "",
  ];
  for (const address of HOSTILE)
    test(`that is more than one is refused: ${JSON.stringify(address)}`, async () => {
      const endpoint = { ...(await agent((_request, response) => response.end("pong"))), address };
      expect(await told(pingAgent(endpoint))).toBe(`"${address}" is not an address`);
    });

  test("with a zone is refused", async () => {
    const endpoint = {
      ...(await agent((_request, response) => response.end("pong"))),
      address: "fe80::1%lo",
    };
    expect(await told(pingAgent(endpoint))).toBe('"fe80::1%lo" has a zone, which cannot be used');
  });

  test("with other letters than ASCII is connected to", async () => {
    const endpoint = await agent((_request, response) => response.end("pong"));
    await pingAgent({ ...endpoint, address: "ｌｏｃａｌｈｏｓｔ" });
  });

  for (const address of ["bücher.invalid", "xn--bcher-kva.invalid", "my_host.invalid"])
    test(`that is a name is looked up: ${address}`, async () => {
      const endpoint = { ...(await agent((_request, response) => response.end("pong"))), address };
      expect(await told(pingAgent(endpoint))).toContain("cannot be reached");
    });
});
