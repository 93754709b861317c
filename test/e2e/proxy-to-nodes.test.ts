/** A real nginx in front of two nodes, set up as docs/cluster.md says. */
import { afterEach, beforeEach, expect } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathOf } from "../../scripts/test-tools.ts";
import { blocksOf } from "../docs/markdown.ts";
import { endGroupWithTests } from "../support/groups.ts";
import { needing } from "../support/programs.ts";
import { replaced } from "./documented.ts";
import { eventually, freePort, temporaryFolder } from "./support.ts";

const { test } = needing("nginx");

let folder: ReturnType<typeof temporaryFolder>;
let nodes: Bun.Server<unknown>[];

beforeEach(() => {
  folder = temporaryFolder();
  // nginx works as another user than root.
  chmodSync(folder.path, 0o755);
  nodes = [];
});
afterEach(async () => {
  for (const node of nodes) await node.stop(true);
  folder.remove();
});

/** @returns its address */
function node(answer: (path: string) => Response | Promise<Response>): string {
  const fetch = (request: Request) => answer(new URL(request.url).pathname);
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch });
  nodes.push(server);
  return `127.0.0.1:${server.port}`;
}

/** Starts nginx in front of two nodes, with less patience for a message than documented. @returns its address */
function startNginx(active: string, standby: string) {
  const documented = blocksOf("docs/cluster.md").find(({ language }) => language === "nginx")?.text ?? "";
  const port = freePort();
  const server = replaced(documented, [
    ["10.0.0.1:8080", active],
    ["10.0.0.2:8080", standby],
    ["listen 80;", `listen 127.0.0.1:${port};`],
    ["proxy_read_timeout 5s;", "proxy_read_timeout 1s;"],
  ]);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((of) => `${of}_temp_path ${of};`);
  writeFileSync(
    join(folder.path, "nginx.conf"),
    `daemon off; pid nginx.pid; error_log error.log; events {} http { access_log off; ${paths.join(" ")}\n${server} }\n`,
  );
  const nginx = Bun.spawn(["setsid", pathOf("nginx"), "-p", folder.path, "-c", "nginx.conf"], {
    env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin" },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit",
  });
  endGroupWithTests(nginx);
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      nginx.kill("SIGTERM");
      await nginx.exited;
    },
  };
}

test("a request may take longer than a message, which a node that hangs does not get for long", async () => {
  const report = Promise.withResolvers<Response>();
  const received: string[] = [];
  const active = node((path) => {
    received.push(path);
    if (path === "/healthz") return new Response("ok");
    return path === "/collector" ? new Promise(() => undefined) : report.promise;
  });
  const standby = node((path) => new Response("", { status: path === "/collector" ? 200 : 503 }));
  await using nginx = startNginx(active, standby);
  await eventually("nginx passes on", async () => (await fetch(`${nginx.url}/healthz`)).status === 200);

  const answer = fetch(`${nginx.url}/api/1/reports/uptime/get`);
  await eventually("the report is being made", () => received.includes("/api/1/reports/uptime/get"));
  const send = () => fetch(`${nginx.url}/collector`, { method: "POST", body: "<monit/>" });
  // nginx takes turns. It has given up the message to the node that hangs when this one is answered.
  while (!received.includes("/collector")) await send();
  report.resolve(new Response("a report"));
  expect(await (await answer).text()).toBe("a report");
});
