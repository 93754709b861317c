import { describe, expect, test } from "bun:test";
import { Histogram, MetricCounter } from "../../../src/publishing/metrics/metrics.ts";
import { agentXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import { app, freshAppOfEachTest } from "../../support/each-test.ts";

freshAppOfEachTest();

/** Samples by name and labels. */
function samplesOf(text: string): Map<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const [, name = "", value = ""] = /^(\w+(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
      return [name, Number(value)];
    }),
  );
}

async function metricsOf(app: TestApp): Promise<Map<string, number>> {
  const reply = await app.client("127.0.0.1").get("/metrics");
  expect(reply.status).toBe(200);
  return samplesOf(reply.text);
}

describe("GET /metrics", () => {
  const LOCAL = ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"];
  for (const address of LOCAL)
    test(`is open to ${address}`, async () => {
      const reply = await new TestApp().client(address).get("/metrics");
      expect(reply.status).toBe(200);
      expect(reply.headers.get("Content-Type")).toBe("text/plain; version=0.0.4; charset=utf-8");
      expect(reply.headers.get("Cache-Control")).toBe("no-store");
    });

  for (const name of [
    "X-Forwarded-For",
    "X-Forwarded-Proto",
    "X-Forwarded-Host",
    "X-Real-IP",
    "Forwarded",
    "Via",
  ])
    test(`is closed to what a proxy on this machine passes on (${name})`, async () => {
      const reply = await new TestApp().client("127.0.0.1").get("/metrics", {}, { [name]: "127.0.0.1" });
      expect([reply.status, reply.json.code]).toEqual([401, "session.required"]);
    });

  test("is closed to others, unless they have a login or an API token, if only for reading", async () => {
    expect((await app.client().get("/metrics")).status).toBe(401);
    const user = await app.user();
    expect((await user.get("/metrics")).status).toBe(200);
    const id = app.rows<{ id: number }>("select id from users where uname = 'user'")[0]?.id ?? 0;
    const { token } = app.muster.tokens.create(id, { name: "prometheus", scope: "read", expires: null });
    const bearer = { Authorization: `Bearer ${token}` };
    expect((await app.client().get("/metrics", {}, bearer)).status).toBe(200);
    expect((await app.client().get("/metrics", {}, { Authorization: "Bearer muster_x" })).status).toBe(401);
  });

  test("is closed to users who see only some hosts, as it counts what all of them do", async () => {
    app.muster.grants.set({ uname: "user", view: [], operate: [], manage: [], restricted: true });
    const reply = await (await app.user()).get("/metrics");
    expect([reply.status, reply.json.code]).toEqual([403, "role.level"]);
  });

  test("takes no other method", async () => {
    const reply = await new TestApp().client("127.0.0.1").post("/metrics");
    expect([reply.status, reply.headers.get("Allow")]).toEqual([405, "GET"]);
  });

  test("explains each family once, before its samples", async () => {
    await app.report({});
    const { text } = await app.client("127.0.0.1").get("/metrics");
    const families = [...text.matchAll(/^# HELP (\w+) .+\.\n# TYPE \1 (counter|gauge|histogram)$/gm)].map(
      (match) => match[1] ?? "",
    );
    expect(new Set(families).size).toBe(families.length);
    expect(text).toEndWith("\n");
    for (const name of samplesOf(text).keys())
      expect(families).toContain(name.replace(/\{.*/, "").replace(/_(bucket|sum|count)$/, ""));
  });

  test("counts messages and outgoing requests from 0, so that Prometheus sees that there are none, and the first one", async () => {
    const samples = await metricsOf(app);
    expect(samples.get("muster_messages_total")).toBe(0);
    for (const to of ["heartbeat", "otlp"])
      for (const result of ["ok", "failed", "withheld"])
        expect(samples.get(`muster_outgoing_requests_total{to="${to}",result="${result}"}`)).toBe(0);
  });

  test("counts messages and, by reason, what was refused", async () => {
    await app.report({});
    await app.report({});
    await app.report("<no xml");
    await app.client().report(agentXml({}), "wrong");
    const samples = await metricsOf(app);
    expect(samples.get("muster_messages_total")).toBe(2);
    expect(samples.get('muster_messages_refused_total{reason="message.invalid"}')).toBe(1);
    expect(samples.get('muster_messages_refused_total{reason="collector.credential"}')).toBe(1);
    expect(samples.get('muster_http_requests_total{surface="collector",status="2xx"}')).toBe(2);
    expect(samples.get('muster_http_request_duration_seconds_count{surface="collector"}')).toBe(4);
  });

  test("times the API apart from the collector", async () => {
    const admin = await app.admin();
    await admin.get("/api/1/status/hosts/list");
    await admin.get("/api/1/no/such");
    const samples = await metricsOf(app);
    expect(samples.get('muster_http_requests_total{surface="api",status="2xx"}')).toBe(2);
    expect(samples.get('muster_http_requests_total{surface="api",status="4xx"}')).toBe(1);
    expect(samples.get('muster_http_request_duration_seconds_bucket{surface="api",le="+Inf"}')).toBe(3);
    expect([...samples.keys()].filter((name) => name.includes('surface="collector"'))).toEqual([]);
  });

  test("tells how late the heartbeat is, and how large the database", async () => {
    app.muster.metrics.ticked();
    app.clock.step(1);
    expect((await metricsOf(app)).get("muster_heartbeat_lag_seconds")).toBe(0);
    app.clock.step(6);
    expect((await metricsOf(app)).get("muster_heartbeat_lag_seconds")).toBe(6);
    app.muster.metrics.ticked();
    // The tick that came late is remembered until the next.
    const samples = await metricsOf(app);
    expect(samples.get("muster_heartbeat_lag_seconds")).toBe(6);
    expect(samples.get("muster_database_bytes")).toBe(
      app.rows<{ bytes: number }>(
        "select page_count * page_size as bytes from pragma_page_count, pragma_page_size",
      )[0]?.bytes,
    );
    expect(samples.get("muster_queue_length")).toBe(0);
  });
});

test("a histogram's buckets add up", () => {
  const histogram = new Histogram("h", "Help.", [1, 2]);
  for (const value of [0.5, 1, 1.5, 3]) histogram.observe({ of: "x" }, value);
  expect(histogram.lines().slice(2)).toEqual([
    'h_bucket{of="x",le="1"} 2',
    'h_bucket{of="x",le="2"} 3',
    'h_bucket{of="x",le="+Inf"} 4',
    'h_sum{of="x"} 6',
    'h_count{of="x"} 4',
  ]);
});

test("labels are escaped", () => {
  const counter = new MetricCounter("c", "Help.");
  counter.add({ x: 'a"b\\c\nd' });
  expect(counter.lines()[2]).toBe('c{x="a\\"b\\\\c\\nd"} 1');
});
