/** A real Prometheus scrapes Muster, set up as docs/integrations.md says. */
import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathOf } from "../../scripts/test-tools.ts";
import { EXPRESSIONS } from "../publishing/metrics/dashboard.ts";
import { systemXml } from "../support/agent-messages.ts";
import { captured } from "../support/fixtures.ts";
import { needing } from "../support/programs.ts";
import { eventually, freePort, Muster, temporaryFolder } from "./support.ts";

const { afterAll, beforeAll, test } = needing("prometheus", "promtool");

const folder = temporaryFolder();
const port = freePort();
let muster: Muster;
let prometheus: Bun.Subprocess;
let bearer: Record<string, string>;

const configuration = (target: string, token: string) => `
global:
  scrape_interval: 1s
  scrape_timeout: 1s
scrape_configs:
  - job_name: muster
    authorization: { credentials: ${token} }
    static_configs: [{ targets: ["${target}"] }]
  - job_name: muster-fleet
    metrics_path: /metrics/fleet
    authorization: { credentials: ${token} }
    static_configs: [{ targets: ["${target}"] }]
  - job_name: muster-systems
    metrics_path: /metrics/fleet
    params:
      servicetype: ["5"]
      family: [muster_cpu_user_ratio, muster_load_average]
    authorization: { credentials: ${token} }
    static_configs: [{ targets: ["${target}"] }]
`;

interface Series {
  metric: Record<string, string>;
  value: [at: number, value: string];
}

/** The series of an expression; null without any. */
async function query(expression: string): Promise<Series[] | null> {
  const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expression)}`;
  const reply = (await (await fetch(url)).json()) as { data: { result: Series[] } };
  return reply.data.result.length > 0 ? reply.data.result : null;
}

/** The value of an expression that gives one series, once it is there. */
async function numberOf(expression: string): Promise<number> {
  const [series] = await eventually(`${expression} is there`, () => query(expression));
  return Number(series?.value[1]);
}

beforeAll(async () => {
  muster = await Muster.start({ cwd: folder.path });
  const at = Math.floor(Date.now() / 1000);
  await muster.report(new TextDecoder("latin1").decode(captured("status-of-every-service-type.xml")));
  await muster.report({
    id: "agent-2",
    hostname: 'web "2"',
    at,
    hostGroups: ["production"],
    services: [
      { name: 'web "2"', type: 5, body: systemXml({}) },
      { name: "nginx", status: 512 },
    ],
    event: { service: "nginx" },
  });
  const admin = await muster.admin();
  const { token } = (await admin.post("/api/1/tokens/create", { name: "prometheus", scope: "read" })).json;
  bearer = { Authorization: `Bearer ${token}` };
  const config = join(folder.path, "prometheus.yml");
  writeFileSync(config, configuration(`127.0.0.1:${muster.port}`, token));
  prometheus = Bun.spawn(
    [
      pathOf("prometheus"),
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder.path, "tsdb")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--log.level=error",
    ],
    { env: { HOME: folder.path }, stdin: "ignore", stdout: "ignore", stderr: "inherit" },
  );
});

afterAll(async () => {
  prometheus?.kill("SIGKILL");
  await prometheus?.exited;
  await muster?.kill();
  folder.remove();
});

test("everything that it scrapes is up", async () => {
  for (const job of ["muster", "muster-fleet", "muster-systems"])
    expect(await eventually(`${job} is up`, () => query(`up{job="${job}"} == 1`))).toHaveLength(1);
});

test("it has the numbers of hosts and services, as Muster knows them", async () => {
  const fleet = '{job="muster-fleet"}';
  // The captured agent reports every few seconds, and may count as down by now.
  expect(await numberOf(`count(muster_host_up${fleet})`)).toBe(2);
  expect(
    await numberOf('muster_service_failing{job="muster-fleet",host="web \\"2\\"",service="nginx"}'),
  ).toBe(1);
  expect(await numberOf(`sum(muster_service_failing${fleet})`)).toBeGreaterThanOrEqual(1);
  expect(await numberOf('muster_events_total{job="muster-fleet",state="error"}')).toBeGreaterThanOrEqual(1);
  expect(await numberOf('muster_host_group{job="muster-fleet",hostgroup="production"}')).toBe(1);
  const reply = await (await muster.admin()).get("/api/1/status/hosts/get", { id: 2 });
  const { services } = reply.json.records.host;
  const values = services
    .flatMap(
      ({ statistics }: { statistics: { type: number; descriptor: string; value: number }[] }) => statistics,
    )
    .filter(
      ({ type, descriptor }: { type: number; descriptor: string }) => type === 0 && descriptor === "5min",
    );
  expect(values).toHaveLength(1);
  expect(await numberOf('muster_load_average{job="muster-fleet",hostid="2",descriptor="5min"}')).toBe(
    values[0].value,
  );
  expect(await numberOf('sum(muster_messages_total{job="muster"})')).toBe(2);
});

test("arguments select what a job scrapes", async () => {
  await eventually("there are series", () => query('muster_load_average{job="muster-systems"}'));
  const names = await query('count by (__name__) ({job="muster-systems",__name__=~"muster_.+"})');
  expect(names?.map(({ metric }) => metric.__name__).sort()).toEqual([
    "muster_cpu_user_ratio",
    "muster_load_average",
  ]);
});

test("every panel of the dashboard has something to show", async () => {
  const filled = (expression: string) =>
    expression
      .replaceAll("$hostgroup", ".*")
      .replaceAll("$host", ".+")
      .replaceAll("$__rate_interval", "1m")
      .replaceAll("{host", '{job="muster-fleet",host');
  for (const expression of EXPRESSIONS)
    await eventually(`there is an answer to ${expression}`, () => query(filled(expression)));
});

test("its own tool has no complaint about a single metric", async () => {
  for (const path of ["/metrics", "/metrics/fleet"]) {
    const { text } = await muster.client().get(path, {}, bearer);
    const checked = Bun.spawnSync([pathOf("promtool"), "check", "metrics"], { stdin: Buffer.from(text) });
    expect([path, `${checked.stdout}${checked.stderr}`, checked.exitCode]).toEqual([path, "", 0]);
  }
});
