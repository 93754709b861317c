import { afterEach, describe, expect, test } from "bun:test";
import { AgentHttpd, type AgentHttpdOptions } from "../../support/agent-httpd.ts";
import { TestApp } from "../../support/app.ts";
import { snapshot } from "../../support/ledger.ts";
import { expectRefusal } from "../../support/stored.ts";

const ACTION = "/api/1/admin/hosts/action";
const services = [{ name: "web" }, { name: "a & b=c" }, { name: "unknown to the agent" }];
const running: AgentHttpd[] = [];
afterEach(async () => {
  for (const httpd of running.splice(0)) await httpd.stop();
});

/** An agent that reported, with its interface on loopback, and an administrator. */
async function agent(options: AgentHttpdOptions = {}) {
  const httpd = await AgentHttpd.start(options);
  running.push(httpd);
  const app = new TestApp();
  await app.report({ httpd: { address: "127.0.0.1", port: httpd.port }, services }, "127.0.0.1");
  return { app, httpd, admin: await app.admin() };
}

for (const action of ["start", "stop", "restart", "monitor", "unmonitor"])
  test(`${action} is sent to the agent as it wants it, and its redirect is not followed`, async () => {
    const { httpd, admin } = await agent();
    const reply = await admin.post(ACTION, { id: 1, action, service: ["web", "a & b=c"] });
    expect([reply.status, reply.json]).toEqual([200, { service: ["web", "a & b=c"], action }]);
    expect(httpd.asked).toHaveLength(1);
    const [asked] = httpd.asked;
    expect([asked?.method, asked?.path]).toEqual(["POST", "/_doaction"]);
    expect(asked?.headers.authorization).toBe(`Basic ${Buffer.from("admin:monit").toString("base64")}`);
    const form = new URLSearchParams(asked?.body);
    expect(form.getAll("service")).toEqual(["web", "a & b=c"]);
    expect(form.getAll("action")).toEqual([action]);
  });

test("nothing of the host is stored: the effect comes back as events", async () => {
  const { app, admin } = await agent();
  const before = snapshot(app);
  expect((await admin.post(ACTION, { id: 1, action: "stop", service: "web" })).status).toBe(200);
  expect(snapshot(app)).toEqual(before);
});

describe("before anything is sent", () => {
  const WRONG: readonly [fields: Record<string, string>, status: number, code: string, why: string][] = [
    [{ id: "9", action: "start", service: "web" }, 404, "object.unknown", "unknown host"],
    [{ id: "1", action: "start", service: "nothing" }, 404, "object.unknown", "unknown service"],
  ];
  for (const [fields, status, code, why] of WRONG)
    test(`${why}: ${status}`, async () => {
      const { app, httpd, admin } = await agent();
      await expectRefusal(app, () => admin.post(ACTION, fields), status, code);
      expect(httpd.asked).toEqual([]);
    });

  test("one unknown service among known ones: 404", async () => {
    const { app, httpd, admin } = await agent();
    const post = () => admin.post(ACTION, { id: 1, action: "stop", service: ["web", "nothing"] });
    await expectRefusal(app, post, 404, "object.unknown");
    expect(httpd.asked).toEqual([]);
  });

  test("a service that vanished: 404", async () => {
    const { app, httpd, admin } = await agent();
    await app.report({ httpd: { address: "127.0.0.1", port: httpd.port } }, "127.0.0.1");
    await expectRefusal(
      app,
      () => admin.post(ACTION, { id: 1, action: "stop", service: "web" }),
      404,
      "object.unknown",
    );
  });

  test("an agent that moved under the administrator's credentials: 409 until an administrator confirms", async () => {
    const { app, httpd, admin } = await agent({ user: "me", password: "secret" });
    const settings = { id: 1, hostname: "host-1", agentuser: "me", agentpassword: "secret" };
    await admin.post("/api/1/admin/hosts/update", settings);
    const thief = await AgentHttpd.start({ answer: () => [302, ""] });
    running.push(thief);
    await app.report({ httpd: { address: "127.0.0.1", port: thief.port }, services }, "127.0.0.1");
    const post = () => admin.post(ACTION, { id: 1, action: "stop", service: "web" });
    await expectRefusal(app, post, 409, "host.conflict");
    expect([...httpd.asked, ...thief.asked]).toEqual([]);
    await admin.post("/api/1/admin/hosts/update", settings);
    expect((await post()).status).toBe(200);
    expect(thief.asked).toHaveLength(1);
  });
});

describe("an agent that does not do it is answered 502", () => {
  const CASES: readonly [options: AgentHttpdOptions, service: string, told: string][] = [
    [{ password: "changed" }, "web", "refused the user name or password"],
    [{ answer: () => [403, "read-only"] }, "web", "read-only"],
    [{}, "unknown to the agent", "status 400"],
    [{ answer: () => [500, "x"] }, "web", "status 500"],
    [{ answer: () => [404, "x"] }, "web", "status 404"],
  ];
  for (const [options, service, told] of CASES)
    test(told, async () => {
      const { app, admin } = await agent(options);
      const reply = await expectRefusal(
        app,
        () => admin.post(ACTION, { id: 1, action: "stop", service }),
        502,
        "agent.failed",
      );
      expect(reply.json.error).toContain(told);
    });

  test("nobody listens there", async () => {
    const { app, httpd, admin } = await agent();
    await httpd.stop();
    const reply = await expectRefusal(
      app,
      () => admin.post(ACTION, { id: 1, action: "stop", service: "web" }),
      502,
      "agent.failed",
    );
    expect(reply.json.error).toBe(
      `The agent at 127.0.0.1:${httpd.port} cannot be reached: the connection was refused`,
    );
    expect(reply.text).not.toContain("monit:");
  });

  test("no HTTP interface at all", async () => {
    const app = new TestApp();
    await app.report({ httpd: null, services });
    const admin = await app.admin();
    const reply = await expectRefusal(
      app,
      () => admin.post(ACTION, { id: 1, action: "stop", service: "web" }),
      502,
      "agent.failed",
    );
    expect(reply.json.error).toContain("set httpd");
  });
});

test("address, port and credentials set by the administrator are used", async () => {
  const { httpd, app, admin } = await agent({ user: "me", password: "s3:cret æ" });
  await app.report({ id: "b", httpd: { address: "203.0.113.1", port: 1, ssl: true }, services });
  const settings = {
    id: 2,
    hostname: "b",
    agentuser: "me",
    agentpassword: "s3:cret æ",
    ipaddrout: "127.0.0.1",
    portout: httpd.port,
    sslout: 0,
  };
  expect((await admin.post("/api/1/admin/hosts/update", settings)).status).toBe(200);
  expect((await admin.post(ACTION, { id: 2, action: "stop", service: "web" })).status).toBe(200);
});

describe("test", () => {
  const TEST = "/api/1/admin/hosts/test";
  const fields = (port: number, rest = {}) => ({
    ipaddr: "127.0.0.1",
    port,
    ssl: 0,
    agentuser: "admin",
    agentpassword: "monit",
    ...rest,
  });

  test("is green for an agent that answers", async () => {
    const { httpd, admin } = await agent();
    const reply = await admin.post(TEST, fields(httpd.port));
    expect(reply.json).toEqual({
      status: "green",
      description: `The agent at 127.0.0.1:${httpd.port} answered`,
    });
    expect(httpd.asked.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /_ping"]);
  });

  test("takes localhost as well as an address", async () => {
    const { httpd, admin } = await agent();
    expect((await admin.post(TEST, fields(httpd.port, { ipaddr: "localhost" }))).json.status).toBe("green");
  });

  const RED: readonly [options: AgentHttpdOptions, rest: object, told: string][] = [
    [{}, { agentpassword: "wrong" }, "user name or password"],
    [{ answer: () => [200, "<html>hello</html>"] }, {}, "not a Monit agent"],
    [{ answer: () => [200, "x".repeat(1_000_000)] }, {}, "not a Monit agent"],
    [{ answer: () => [302, ""] }, {}, "status 302"],
    [{ answer: () => [503, ""] }, {}, "status 503"],
    [{}, { ssl: 1 }, "cannot be reached: it does not speak TLS as expected"],
    [{}, { ipaddr: "::1", port: 1 }, "The agent at [::1]:1 cannot be reached"],
    [{}, { ipaddr: "127.0.0.1/@evil.test" }, "is not an address"],
    [{}, { ipaddr: "evil.test#" }, "is not an address"],
    [{}, { ipaddr: "user@evil.test" }, "is not an address"],
    [{}, { ipaddr: "no.such.host.invalid" }, "cannot be reached: its name was not found"],
  ];
  for (const [options, rest, told] of RED)
    test(`is red, ${told}: ${JSON.stringify(rest)}`, async () => {
      const { httpd, admin } = await agent(options);
      const { status, json } = await admin.post(TEST, fields(httpd.port, rest));
      expect([status, json.status]).toEqual([200, "red"]);
      expect(json.description).toContain(told);
      expect(Object.keys(json)).toEqual(["status", "description"]);
    });
});
