import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { readHeaders } from "../../../src/platform/egress/header-list.ts";
import { NetworkEgress } from "../../../src/platform/egress/network-egress.ts";
import type { RecurringRequest } from "../../../src/platform/egress/recurring-requests.ts";
import { createLog } from "../../../src/platform/log.ts";
import { otlpPush } from "../../../src/publishing/otlp/otlp-push.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { captured } from "../../support/fixtures.ts";
import { HandTimers } from "../../support/hand-timers.ts";
import { Receiver } from "../../support/receiver.ts";
import { readExposition } from "../metrics/exposition.ts";

const receiver = new Receiver();
const { url } = receiver;
afterAll(() => receiver.close());
afterEach(() => {
  receiver.answer = () => Response.json({});
  receiver.take();
});

/**
 * Lets the receiver answer nothing until the returned function is called.
 * @param asked is called when it is asked
 */
function holdAnswers(asked: () => void = () => undefined): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  receiver.answer = () => {
    asked();
    return promise.then(() => Response.json({}));
  };
  return resolve;
}

interface Attribute {
  key: string;
  value: { stringValue: string };
}

interface Metric {
  name: string;
  description: string;
  unit: string;
  gauge?: { dataPoints: DataPoint[] };
  sum?: { dataPoints: DataPoint[]; isMonotonic: boolean; aggregationTemporality: number };
}

interface DataPoint {
  attributes: Attribute[];
  startTimeUnixNano?: string;
  timeUnixNano: string;
  asDouble: number;
}

interface Body {
  resourceMetrics: {
    resource: { attributes: Attribute[] };
    scopeMetrics: { scope: { name: string }; metrics: Metric[] }[];
  }[];
}

const attributesOf = (attributes: Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

/** What was pushed, in the form of the text format's reader. */
function pushed(): { families: Map<string, Map<string, number>>; metrics: Metric[]; bodies: Body[] } {
  const bodies = receiver.take().map(({ body }) => JSON.parse(body) as Body);
  const metrics = bodies.flatMap(({ resourceMetrics }) =>
    resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics)),
  );
  const families = new Map<string, Map<string, number>>();
  for (const { name, gauge, sum } of metrics) {
    const samples = families.get(name) ?? new Map<string, number>();
    families.set(name, samples);
    for (const { attributes, asDouble } of (gauge ?? sum)?.dataPoints ?? []) {
      const labels = Object.entries(attributesOf(attributes)).map(
        ([key, value]) => `${key}="${escaped(value)}"`,
      );
      expect(samples.has(labels.join(","))).toBe(false);
      samples.set(labels.join(","), asDouble);
    }
  }
  return { families, metrics, bodies };
}

class Pushing {
  readonly app = new TestApp();
  readonly results: string[] = [];
  readonly logged: string[] = [];
  readonly timers = new HandTimers();
  readonly push: RecurringRequest;

  constructor(to = `${url}/v1/metrics`) {
    const { app } = this;
    app.settings.set("otlpurl", to);
    this.push = otlpPush({
      fleet: app.muster.fleetMetrics,
      settings: app.settings,
      egress: new NetworkEgress({
        reach: "loopback",
        exec: false,
        clock: app.clock,
        startTimer: this.timers.start,
      }),
      clock: app.clock,
      log: createLog((line) => this.logged.push(line)),
      onResult: (result) => this.results.push(result),
    });
  }

  async step(seconds = 60): Promise<void> {
    this.app.clock.step(seconds);
    this.push.step();
    await this.push.idle();
  }
}

describe("what is pushed", () => {
  test("is what /metrics/fleet tells, with help, unit and time", async () => {
    const pushing = new Pushing();
    const { app } = pushing;
    await app.report(new Uint8Array(captured("status-of-every-service-type.xml")));
    await app.report({ id: "agent-2", hostname: 'a"b\\c', services: [{ name: "web", status: 512 }] });
    await pushing.step(1);
    expect(pushing.results).toEqual(["ok"]);
    const [request] = receiver.requests;
    expect([request?.method, request?.path, request?.headers.get("Content-Type")]).toEqual([
      "POST",
      "/v1/metrics",
      "application/json",
    ]);
    const { families, metrics, bodies } = pushed();
    const NOW = `${START + 1}000000000`;
    const scraped = readExposition((await (await app.user()).get("/metrics/fleet")).text);
    expect([...families.keys()]).toEqual([...scraped.keys()]);
    for (const [name, { samples }] of scraped)
      expect([name, Object.fromEntries(families.get(name) ?? [])]).toEqual([
        name,
        Object.fromEntries(samples),
      ]);
    for (const { name, description, unit, gauge, sum } of metrics) {
      const type = scraped.get(name)?.type;
      expect([name, description, unit.length > 0]).toEqual([name, scraped.get(name)?.help ?? "", true]);
      expect([name, gauge !== undefined, sum !== undefined]).toEqual([
        name,
        type === "gauge",
        type === "counter",
      ]);
      if (sum) expect([sum.isMonotonic, sum.aggregationTemporality]).toEqual([true, 2]);
      for (const { startTimeUnixNano, timeUnixNano } of (gauge ?? sum)?.dataPoints ?? [])
        expect([timeUnixNano, startTimeUnixNano]).toEqual([NOW, gauge ? undefined : NOW]);
    }
    expect(attributesOf(bodies[0]?.resourceMetrics[0]?.resource.attributes ?? [])).toMatchObject({
      "service.name": "muster",
    });
  });

  test("of a counter says since when it grows: since its first push, or since it began anew", async () => {
    const pushing = new Pushing();
    const { app } = pushing;
    const report = (host: number, total: number) => {
      const direction = (name: string) =>
        `<${name}><bytes><now>1</now><total>${total}</total></bytes></${name}>`;
      const body = `<link><state>1</state>${direction("download")}${direction("upload")}</link>`;
      const services = [{ name: "eth0", type: 8, body }];
      return app.report({ id: `agent-${host}`, hostname: `host-${host}`, at: app.clock.now(), services });
    };
    /** Seconds from the start of the clock at which the counter of each host began. */
    const starts = () =>
      pushed()
        .metrics.filter(({ name }) => name === "muster_link_download_bytes_total")
        .flatMap(({ sum }) => sum?.dataPoints ?? [])
        .map(({ startTimeUnixNano = "", attributes }) => [
          attributesOf(attributes).host,
          Number(BigInt(startTimeUnixNano) / 1_000_000_000n) - START,
        ]);
    await report(1, 5000);
    await pushing.step(60);
    expect(starts()).toEqual([["host-1", 60]]);
    await report(1, 5000);
    await report(2, 100);
    await pushing.step(60);
    expect(starts()).toEqual([
      ["host-1", 60],
      ["host-2", 120],
    ]);
    // A push that fails forgets nothing.
    receiver.answer = () => new Response("no", { status: 500 });
    await pushing.step(60);
    receiver.answer = () => Response.json({});
    receiver.take();
    await report(1, 9000);
    await report(2, 99);
    await pushing.step(60);
    expect(starts()).toEqual([
      ["host-1", 60],
      ["host-2", 240],
    ]);
    // No point begins after its time, also when the clock is set back.
    await pushing.step(-3600);
    expect(starts()).toEqual([
      ["host-1", 240 - 3600],
      ["host-2", 240 - 3600],
    ]);
  });

  test("of a large fleet comes in requests of a bounded size, nothing missing, nothing twice", async () => {
    const pushing = new Pushing();
    const services = Array.from({ length: 400 }, (_, i) => ({ name: `service-${i}` }));
    for (let i = 0; i < 5; i++)
      await pushing.app.report({ id: `agent-${i}`, hostname: `host-${i}`, services });
    await pushing.step();
    expect(receiver.requests.length).toBeGreaterThan(2);
    for (const { body } of receiver.requests) expect(body.length).toBeLessThan(1_000_000);
    const { families } = pushed();
    expect(families.get("muster_service_failing")?.size).toBe(2000);
    expect(families.get("muster_service_led")?.size).toBe(2000);
    expect(families.get("muster_host_up")?.size).toBe(5);
  });
});

describe("when and where", () => {
  test("at its interval, with its headers, and not without an address", async () => {
    const pushing = new Pushing();
    const { settings } = pushing.app;
    settings.set("otlpheaders", "Authorization=Basic%20eDp5, X-Scope-OrgID=one");
    settings.set("otlpinterval", 30);
    await pushing.step(0);
    for (let i = 0; i < 60; i++) await pushing.step(1);
    expect(receiver.requests.length).toBe(3);
    const [first] = receiver.take();
    expect([first?.headers.get("Authorization"), first?.headers.get("X-Scope-OrgID")]).toEqual([
      "Basic eDp5",
      "one",
    ]);
    settings.set("otlpurl", "");
    await pushing.step(3600);
    expect(receiver.take()).toEqual([]);
    settings.set("otlpurl", `${url}/elsewhere`);
    await pushing.step(1);
    expect(receiver.take().map(({ path }) => path)).toEqual(["/elsewhere"]);
  });

  test("a clock that was set back does not end it", async () => {
    const pushing = new Pushing();
    await pushing.step();
    await pushing.step(-86_400);
    expect(pushing.results).toEqual(["ok", "ok"]);
  });
});

describe("a receiver that fails", () => {
  test("is logged once per outage, and told of again when it works", async () => {
    const pushing = new Pushing();
    receiver.answer = () => new Response("no", { status: 500 });
    for (let i = 0; i < 3; i++) await pushing.step();
    expect(pushing.results).toEqual(["failed", "failed", "failed"]);
    expect(pushing.logged.map((line) => line.replace(/^\S+ /, ""))).toEqual([
      expect.stringContaining("push of metrics failed"),
    ]);
    expect(pushing.logged[0]).toContain("the answer is 500");
    receiver.answer = () => Response.json({});
    await pushing.step();
    expect(pushing.logged[1]).toContain("push of metrics works again");
    await pushing.step();
    expect(pushing.logged.length).toBe(2);
    expect(pushing.results.slice(3)).toEqual(["ok", "ok"]);
  });

  test("may also be one that takes only a part", async () => {
    const pushing = new Pushing();
    receiver.answer = () =>
      Response.json({ partialSuccess: { rejectedDataPoints: "7", errorMessage: "too old" } });
    await pushing.step();
    expect(pushing.logged[0]).toContain("7 data points were rejected: too old");
    receiver.answer = () => Response.json({ partialSuccess: {} });
    await pushing.step();
    receiver.answer = () => new Response("thanks");
    await pushing.step();
    expect(pushing.results).toEqual(["failed", "ok", "ok"]);
  });

  test("gets everything else when it rejects points of one request, and the failure is logged", async () => {
    const pushing = new Pushing();
    const services = Array.from({ length: 1000 }, (_, i) => ({ name: `service-${i}` }));
    await pushing.app.report({ services });
    let requests = 0;
    receiver.answer = () =>
      Response.json(
        ++requests === 1 ? { partialSuccess: { rejectedDataPoints: "1", errorMessage: "too many" } } : {},
      );
    await pushing.step();
    expect(pushing.results).toEqual(["failed"]);
    expect(pushing.logged[0]).toContain("1 data points were rejected: too many");
    const { families } = pushed();
    expect(families.get("muster_service_failing")?.size).toBe(1000);
    expect(families.get("muster_service_monitored")?.size).toBe(1000);
  });

  test("keeps the start of the counters that it accepted before a request failed", async () => {
    const pushing = new Pushing();
    const { app } = pushing;
    const services = Array.from({ length: 999 }, (_, i) => ({ name: `service-${i}` }));
    const direction = (name: string) => `<${name}><bytes><now>1</now><total>5</total></bytes></${name}>`;
    const body = `<link><state>1</state>${direction("download")}${direction("upload")}</link>`;
    await app.report({ services: [{ name: "eth0", type: 8, body }, ...services] });
    const starts: number[] = [];
    for (let i = 0; i < 3; i++) {
      let requests = 0;
      receiver.answer = () => (++requests === 1 ? Response.json({}) : new Response("full", { status: 507 }));
      await pushing.step();
      const { metrics } = pushed();
      const [point] =
        metrics.find(({ name }) => name === "muster_link_download_bytes_total")?.sum?.dataPoints ?? [];
      starts.push(Number(BigInt(point?.startTimeUnixNano ?? 0) / 1_000_000_000n) - START);
    }
    expect(pushing.results).toEqual(["failed", "failed", "failed"]);
    expect(starts).toEqual([60, 60, 60]);
  });

  test("is given up for this time: nothing more is sent to it", async () => {
    const pushing = new Pushing();
    const services = Array.from({ length: 1000 }, (_, i) => ({ name: `service-${i}` }));
    await pushing.app.report({ services });
    receiver.answer = () => new Response("", { status: 503 });
    await pushing.step();
    expect(receiver.requests.length).toBe(1);
  });

  test("holds up no agent while it does not answer, and no other push begins meanwhile", async () => {
    const pushing = new Pushing();
    const { app, push } = pushing;
    const release = holdAnswers();
    app.clock.step(60);
    push.step();
    expect((await app.report({})).status).toBe(200);
    expect(pushing.results).toEqual([]);
    app.clock.step(60);
    push.step();
    release();
    await push.idle();
    expect(pushing.results).toEqual(["ok"]);
    expect(receiver.requests.length).toBe(1);
  });

  test("is given up when it never answers, and asked again at the next push", async () => {
    const pushing = new Pushing();
    const release = holdAnswers(pushing.timers.end);
    await pushing.step();
    expect(pushing.results).toEqual(["failed"]);
    release();
    receiver.answer = () => Response.json({});
    await pushing.step();
    expect(pushing.results.at(-1)).toBe("ok");
  });

  test("that is not there is a failure like any other", async () => {
    using gone = new Receiver();
    const address = gone.url;
    gone.close();
    const pushing = new Pushing(address);
    await pushing.step();
    expect(pushing.results).toEqual(["failed"]);
  });
});

test("nothing is touched after the stop", async () => {
  const pushing = new Pushing();
  const release = holdAnswers();
  const services = Array.from({ length: 1000 }, (_, i) => ({ name: `service-${i}` }));
  await pushing.app.report({ services });
  pushing.app.clock.step(60);
  pushing.push.step();
  while (receiver.requests.length === 0) await Bun.sleep(1);
  pushing.push.stop();
  release();
  await pushing.push.idle();
  await pushing.step();
  expect([pushing.results, pushing.logged, receiver.requests.length]).toEqual([[], [], 1]);
});

describe("headers", () => {
  test("are pairs, percent-encoded", () => {
    expect(readHeaders("")).toEqual({});
    expect(readHeaders(" a = b , c=d%2Ce%3D ,")).toEqual({ a: "b", c: "d,e=" });
  });

  for (const wrong of ["a", "=b", "a b=c", "a=%zz", "a=b%0d%0ac", "a=%c3%a5", "a:b"])
    test(`${wrong} is none`, () => {
      expect(readHeaders(wrong)).toBeNull();
    });
});
