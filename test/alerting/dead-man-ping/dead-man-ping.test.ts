import { afterAll, afterEach, expect, test } from "bun:test";
import { deadManPing } from "../../../src/alerting/dead-man-ping/dead-man-ping.ts";
import { NetworkEgress } from "../../../src/platform/egress/network-egress.ts";
import type { RecurringRequest } from "../../../src/platform/egress/recurring-requests.ts";
import { healthCheck } from "../../../src/platform/http/healthz.ts";
import { createLog } from "../../../src/platform/log.ts";
import { TestApp } from "../../support/app.ts";
import { admin, app, appOfEachTest } from "../../support/each-test.ts";
import { HandTimers } from "../../support/hand-timers.ts";
import { Receiver } from "../../support/receiver.ts";

appOfEachTest();

const receiver = new Receiver();
afterAll(() => receiver.close());
afterEach(() => {
  receiver.answer = () => new Response("OK");
  receiver.take();
});

/** A Muster that ticks, with a heartbeat to the receiver each minute. */
class Beating {
  readonly app = new TestApp();
  readonly logged: string[] = [];
  readonly timers = new HandTimers();
  readonly storage = { isWorking: true, isAvailable: () => this.storage.isWorking };
  readonly deadManPing: RecurringRequest;

  constructor() {
    const { clock, settings, db, muster } = this.app;
    settings.set("heartbeaturl", `${receiver.url}/ping/secret?x=1`);
    this.deadManPing = deadManPing({
      settings,
      egress: new NetworkEgress({ reach: "loopback", exec: false, clock, startTimer: this.timers.start }),
      clock,
      log: createLog((line) => this.logged.push(line)),
      healthy: healthCheck(db, this.storage, muster.monotonic),
      heartbeat: muster.metrics,
      onResult: (result) => muster.metrics.countRequest("heartbeat", result),
    });
  }

  /** @param ticking whether the heartbeat check keeps running */
  async pass(seconds: number, ticking = true): Promise<void> {
    for (let i = 0; i < seconds; i++) {
      this.app.clock.step(1);
      if (ticking) this.app.muster.metrics.ticked();
      this.deadManPing.step();
      await this.deadManPing.idle();
    }
  }

  /** Its counters of /metrics above 0, by result. */
  async counted(): Promise<Record<string, number>> {
    const { text } = await this.app.client("127.0.0.1").get("/metrics");
    const lines = [
      ...text.matchAll(/^muster_outgoing_requests_total\{to="heartbeat",result="(\w+)"\} ([1-9]\d*)$/gm),
    ];
    return Object.fromEntries(lines.map(([, result, n]) => [result, Number(n)]));
  }
}

test("the address is asked at its interval, at once when it is new, and not at all without one", async () => {
  const beating = new Beating();
  await beating.pass(121);
  expect(receiver.take().map(({ method, path, body }) => [method, path, body])).toEqual([
    ["GET", "/ping/secret?x=1", ""],
    ["GET", "/ping/secret?x=1", ""],
    ["GET", "/ping/secret?x=1", ""],
  ]);
  expect(await beating.counted()).toEqual({ ok: 3 });
  beating.app.settings.set("heartbeatinterval", 10);
  await beating.pass(20);
  expect(receiver.take().length).toBe(2);
  beating.app.settings.set("heartbeaturl", `${receiver.url}/other`);
  await beating.pass(1);
  expect(receiver.take().map(({ path }) => path)).toEqual(["/other"]);
  beating.app.settings.set("heartbeaturl", "");
  await beating.pass(300);
  expect(receiver.take()).toEqual([]);
  expect(beating.logged).toEqual([]);
});

test("it is not asked while the database takes no messages", async () => {
  const beating = new Beating();
  beating.storage.isWorking = false;
  await beating.pass(121);
  expect(receiver.take()).toEqual([]);
  expect(await beating.counted()).toEqual({ withheld: 3 });
  expect(beating.logged).toEqual([expect.stringContaining("the database cannot be written")]);
  beating.storage.isWorking = true;
  await beating.pass(60);
  expect(receiver.take().length).toBe(1);
  expect(beating.logged[1]).toContain("heartbeat to another system works again");
});

test("it is not asked while nobody looks for silent hosts", async () => {
  const beating = new Beating();
  await beating.pass(1);
  expect(receiver.take().length).toBe(1);
  await beating.pass(120, false);
  expect(receiver.take()).toEqual([]);
  expect(beating.logged).toEqual([expect.stringContaining("the heartbeat check is late")]);
  await beating.pass(60);
  expect(receiver.take().length).toBe(1);
});

test("failures are logged once per outage, without the secret part of the address, and counted", async () => {
  const beating = new Beating();
  receiver.answer = () => new Response("gone", { status: 404 });
  await beating.pass(121);
  receiver.answer = () => {
    beating.timers.end();
    return new Promise(() => undefined);
  };
  await beating.pass(60);
  expect(await beating.counted()).toEqual({ failed: 4 });
  expect(beating.logged).toEqual([expect.stringContaining("the answer is 404")]);
  receiver.answer = () => new Response("OK");
  await beating.pass(120);
  expect(await beating.counted()).toEqual({ failed: 4, ok: 2 });
  receiver.answer = () => new Response("gone", { status: 500 });
  await beating.pass(60);
  expect(beating.logged.length).toBe(3);
  expect(beating.logged.join("\n")).not.toContain("secret");
});

test("the address is a secret: sealed, hidden from tokens that only read, and from the audit log", async () => {
  const secret = "https://ping.example.org/8fd1-4711";
  const update = { heartbeaturl: secret, otlpheaders: "Authorization=Bearer%20hush-hush" };
  expect((await admin.post("/api/1/admin/settings/update", update)).status).toBe(200);
  const { token } = (await admin.post("/api/1/tokens/create", { name: "t", scope: "read" })).json;
  const read = await app.client().get("/api/1/admin/settings/get", {}, { Authorization: `Bearer ${token}` });
  expect(read.status).toBe(200);
  const everything =
    read.text + JSON.stringify([app.rows("select * from audit"), app.rows("select * from settings")]);
  expect(everything).not.toContain("4711");
  expect(everything).not.toContain("hush-hush");
  expect((await admin.get("/api/1/admin/settings/get")).text).toContain(secret);
});

test("invalid addresses and headers are refused by name", async () => {
  for (const [name, value] of [
    ["heartbeaturl", "ftp://x/"],
    ["otlpurl", "collector:4318"],
    ["otlpheaders", "a=b%0d%0ac"],
    ["otlpheaders", "a=b,Transfer-Encoding=chunked"],
    ["otlpinterval", "9"],
    ["heartbeatinterval", "86401"],
  ] as const) {
    const reply = await admin.post("/api/1/admin/settings/update", { [name]: value });
    expect([reply.status, reply.json.error.startsWith(`${name} must be`)]).toEqual([400, true]);
  }
  for (const name of ["heartbeaturl", "otlpurl", "otlpheaders"])
    expect((await admin.post("/api/1/admin/settings/update", { [name]: "" })).status).toBe(200);
});
