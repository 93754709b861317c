import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../e2e/support.ts";

const ROOT = join(import.meta.dir, "../../..");
const TLS = join(ROOT, "test/fixtures/tls");

const healthy = () => Response.json({ status: "ok" });
const waiting = (code: string) => () => Response.json({ code }, { status: 503 });

/** Runs the command in a process of its own, since variables for proxies are read when it starts. */
async function check(args: readonly string[], env: Record<string, string> = {}) {
  const child = Bun.spawn([process.execPath, "src/main.ts", "healthcheck", ...args], {
    cwd: ROOT,
    env: { PATH: "/usr/bin:/bin", ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out: out.trim(), err: err.trim() };
}

const OK = { code: 0, out: '{"status":"ok"}', err: "" };

test("the server is asked itself, not through a proxy for other requests", async () => {
  const received: string[] = [];
  await using proxy = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => {
      received.push(url);
      return new Response("a page of the proxy", { status: 502 });
    },
  });
  await using server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: healthy });
  const { origin } = proxy.url;
  const env = { HTTP_PROXY: origin, http_proxy: origin, HTTPS_PROXY: origin, ALL_PROXY: origin };
  expect(await check(["--listen", `127.0.0.1:${server.port}`], env)).toEqual(OK);
  expect(received).toEqual([]);
});

test("it is asked over TLS with any certificate, and through a socket without TLS", async () => {
  using folder = temporaryFolder();
  const files = ["cert", "key"].map((name) => join(TLS, `${name}.pem`)) as [string, string];
  const [cert, key] = files.map((path) => readFileSync(path));
  await using secure = Bun.serve({ hostname: "127.0.0.1", port: 0, tls: { cert, key }, fetch: healthy });
  const socket = join(folder.path, "socket");
  await using local = Bun.serve({ unix: socket, fetch: healthy });
  const tls = ["--tls-cert", files[0], "--tls-key", files[1]];
  expect(await check(["--listen", `0.0.0.0:${secure.port}`, ...tls])).toEqual(OK);
  expect(await check(["--listen", `unix:${socket}`, ...tls])).toEqual(OK);
  expect(local.pendingRequests).toBe(0);
});

test("a standby is healthy if it could take over", async () => {
  for (const [code, exit] of [
    ["standby", 0],
    ["upgrade", 0],
    ["database", 1],
  ] as const) {
    await using server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: waiting(code) });
    expect(await check(["--listen", `127.0.0.1:${server.port}`])).toMatchObject({ code: exit });
  }
});

test("a server that does not run is told in one line, with its address", async () => {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: healthy });
  const { port } = server;
  await server.stop(true);
  expect(await check(["--listen", `127.0.0.1:${port}`])).toEqual({
    code: 1,
    out: "",
    err: `muster: the server at 127.0.0.1:${port} does not answer: the connection was refused`,
  });
});
