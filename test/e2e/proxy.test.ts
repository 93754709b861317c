/** Muster behind a real nginx, set up as docs/operations.md says. */
import { expect } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathOf } from "../../scripts/test-tools.ts";
import { TestClient } from "../support/client.ts";
import { endGroupWithTests } from "../support/groups.ts";
import { ADMIN_PASSWORD } from "../support/passwords.ts";
import { needing } from "../support/programs.ts";
import { eventually, freePort, Muster, temporaryFolder } from "./support.ts";

const { afterAll, beforeAll, test } = needing("nginx");

const TLS = join(import.meta.dir, "../fixtures/tls");
const folder = temporaryFolder();
const port = freePort();
/** As people see it. */
const clientInfo = `https://127.0.0.1:${port}`;
const socket = join(folder.path, "run", "muster.sock");

let muster: Muster;
let nginx: Bun.Subprocess;

function configuration(): string {
  const passOn = (to: string) => `
        proxy_pass ${to};
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        proxy_set_header X-Forwarded-Proto $scheme;
        client_max_body_size 4m;`;
  return `
daemon off;
pid nginx.pid;
error_log error.log;
events {}
http {
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    server {
        listen 127.0.0.1:${port} ssl;
        ssl_certificate ${TLS}/cert.pem;
        ssl_certificate_key ${TLS}/key.pem;
        location / {${passOn(`http://127.0.0.1:${muster.port}`)}
        }
        location /by-socket/ {${passOn(`http://unix:${socket}:/`)}
        }
    }
}
`;
}

const insecurely: RequestInit = { tls: { rejectUnauthorized: false }, redirect: "manual" } as RequestInit;
const ask = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${clientInfo}${path}`, { ...insecurely, headers });
const client = (prefix = "") =>
  new TestClient((request) => {
    const url = new URL(request.url);
    return fetch(new Request(`${clientInfo}${prefix}${url.pathname}${url.search}`, request), insecurely);
  }, clientInfo);

beforeAll(async () => {
  // nginx works as another user than root.
  chmodSync(folder.path, 0o755);
  mkdirSync(join(folder.path, "run"), { mode: 0o755 });
  muster = await Muster.start({
    cwd: folder.path,
    listen: `127.0.0.1:0,unix:${socket}`,
    args: ["--base-url", clientInfo, "--trusted-proxy", "127.0.0.1"],
  });
  const [, port = ""] = /listen=127\.0\.0\.1:(\d+)/.exec(muster.output) ?? [];
  muster.url = `http://127.0.0.1:${port}`;
  const prefix = join(folder.path, "nginx");
  mkdirSync(prefix);
  writeFileSync(join(prefix, "nginx.conf"), configuration());
  nginx = Bun.spawn(["setsid", pathOf("nginx"), "-p", prefix, "-c", "nginx.conf"], {
    env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin" },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  endGroupWithTests(nginx);
  await eventually("nginx passes on", async () => (await ask("/healthz")).status === 200);
});
afterAll(async () => {
  nginx?.kill("SIGTERM");
  await nginx?.exited;
  await muster?.kill();
  folder.remove();
});

test("a login gets a cookie for https only, which works", async () => {
  const admin = client();
  const reply = await admin.post("/api/1/login", { z_username: "admin", z_password: ADMIN_PASSWORD });
  expect(reply.status).toBe(200);
  expect(reply.headers.get("Set-Cookie")).toContain("Secure");
  expect((await admin.get("/api/1/status/hosts/list")).status).toBe(200);
  const origin = await ask("/api/1/login", { Origin: "https://elsewhere.example" });
  expect(origin.status).not.toBe(200);
});

test("browsers are told to insist on https", async () => {
  expect((await ask("/")).headers.get("Strict-Transport-Security")).toStartWith("max-age=");
});

test("agents report through it", async () => {
  const reply = await client().report({ hostname: "behind.example.org" }, "collector secret");
  expect(reply.status).toBe(200);
});

test("failed logins count for the client's address, not for that of the proxy", async () => {
  const guess = (forwarded: string) =>
    client().post(
      "/api/1/login",
      { z_username: "nobody", z_password: "x" },
      { "X-Forwarded-For": forwarded },
    );
  const statuses: number[] = [];
  for (let i = 0; i < 6; i++) statuses.push((await guess("198.51.100.7")).status);
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  expect((await guess("198.51.100.8")).status).toBe(401);
});

test("metrics are not passed on without a token", async () => {
  expect((await ask("/metrics")).status).toBe(401);
  expect((await fetch(`${muster.url}/metrics`)).status).toBe(200);
});

test("it may connect through a unix socket, and is believed there", async () => {
  const admin = client("/by-socket");
  const reply = await admin.post("/api/1/login", { z_username: "admin", z_password: ADMIN_PASSWORD });
  expect(reply.status).toBe(200);
  expect(reply.headers.get("Set-Cookie")).toContain("Secure");
  expect((await ask("/by-socket/metrics")).status).toBe(401);
});
