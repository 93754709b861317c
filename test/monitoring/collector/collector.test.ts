import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { MAX_INFLATED_BYTES } from "../../../src/monit/inflate.ts";
import { MAX_BODY_BYTES } from "../../../src/monitoring/collector/collector.ts";
import { agentXml } from "../../support/agent-messages.ts";
import { ADMIN_PASSWORD, COLLECTOR_PASSWORD, TestApp, USER_PASSWORD } from "../../support/app.ts";
import { app, appOfEachTest } from "../../support/each-test.ts";
import { changedTables, stored } from "../../support/stored.ts";

appOfEachTest();

const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
const GOOD = basic("monit", COLLECTOR_PASSWORD);

function post(app: TestApp, body: BodyInit | null, headers: Record<string, string> = {}): Promise<Response> {
  const allHeaders = { "Content-Type": "text/xml", Authorization: GOOD, ...headers };
  return app.client("198.51.100.7").raw("/collector", { method: "POST", body, headers: allHeaders });
}

/** A post that must be refused, with nothing stored and only the refusal remembered. */
async function refused(
  body: BodyInit | null,
  headers: Record<string, string>,
  status: number,
  reason: string,
) {
  const app = new TestApp();
  const before = stored(app);
  const reply = await post(app, body, headers);
  const json = (await reply.json()) as { error: string; code: string };
  expect([reply.status, json.error]).toEqual([status, expect.stringContaining(reason)]);
  expect(changedTables(app, before)).toEqual([]);
  expect(app.muster.rejectedMessages.list()).toMatchObject([
    { address: "198.51.100.7", reason: json.error, count: 1 },
  ]);
  return reply;
}

test("a message is answered 200 with an empty body, and stored", async () => {
  const reply = await post(app, agentXml({ hostname: "web1" }));
  expect([reply.status, await reply.text()]).toEqual([200, ""]);
  expect(app.rows("select hostname from hosts")).toEqual([{ hostname: "web1" }]);
  expect(app.muster.rejectedMessages.list()).toEqual([]);
});

describe("every answer names a server for which agents compress, and no other path does", () => {
  const CASES: readonly [init: RequestInit & { headers?: Record<string, string> }, status: number][] = [
    [{ method: "POST", body: agentXml(), headers: { Authorization: GOOD } }, 200],
    [{ method: "POST", body: "x", headers: { Authorization: GOOD } }, 400],
    [{ method: "POST", body: agentXml() }, 401],
    [{ method: "GET" }, 405],
  ];
  for (const [init, status] of CASES)
    test(`${init.method}: ${status}`, async () => {
      const reply = await new TestApp().client().raw("/collector", init);
      expect(reply.status).toBe(status);
      expect(reply.headers.get("Server")).toMatch(/^mmonit\/4\.3 muster\/\d+\.\d+\.\d+/);
    });

  test("503", async () => {
    const reply = await post(new TestApp({ queueLimit: 0 }), agentXml());
    expect([reply.status, reply.headers.get("Retry-After")]).toEqual([503, "5"]);
    expect(reply.headers.get("Server")).toStartWith("mmonit/4.3");
  });

  test("elsewhere", async () => {
    const client = new TestApp().client();
    for (const path of ["/healthz", "/api/1/status/hosts/list", "/nothing"])
      expect((await client.get(path)).headers.get("Server")).toBeNull();
  });
});

test("another method is answered 405 with Allow", async () => {
  const reply = await new TestApp().client().raw("/collector", { method: "PUT", body: "x" });
  expect([reply.status, reply.headers.get("Allow")]).toEqual([405, "POST"]);
});

describe("with the name and password of an account", () => {
  for (const [uname, password] of [
    ["admin", ADMIN_PASSWORD],
    ["user", USER_PASSWORD],
    ["nobody", "at all"],
  ] as const)
    test(`of ${uname}, a message is refused in words that say what posts`, async () => {
      await refused(
        agentXml(),
        { Authorization: basic(uname, password) },
        401,
        "accounts of users cannot post messages, only agent keys and the collector's user in the settings can",
      );
    });
});

describe("without the collector's credential", () => {
  const WRONG: readonly [header: string | undefined, why: string][] = [
    [undefined, "none"],
    ["", "empty"],
    ["Basic", "no credentials"],
    ["Basic !!!", "no base64"],
    [basic("monit", "wrong"), "wrong password"],
    [basic("other", COLLECTOR_PASSWORD), "wrong user"],
    [basic("monit", ""), "no password"],
    [basic("monit", `${COLLECTOR_PASSWORD}x`), "longer"],
    [basic("admin", "admin secret"), "a user of the API"],
    [`Bearer ${COLLECTOR_PASSWORD}`, "another scheme"],
  ];
  for (const [header, why] of WRONG)
    test(`401: ${why}`, async () => {
      const headers: Record<string, string> = header === undefined ? {} : { Authorization: header };
      const before = stored(app);
      const init = { method: "POST", body: agentXml(), headers };
      const reply = await app.client().raw("/collector", init);
      expect(reply.status).toBe(401);
      expect(reply.headers.get("WWW-Authenticate")).toStartWith("Basic ");
      expect(changedTables(app, before)).toEqual([]);
    });

  test("a user's session does not compensate for it", async () => {
    const admin = await new TestApp().admin();
    expect((await admin.raw("/collector", { method: "POST", body: agentXml() })).status).toBe(401);
  });

  test("and the credential opens nothing else", async () => {
    for (const path of ["/api/1/status/hosts/list", "/api/1/admin/hosts/list"])
      expect((await app.client().get(path, {}, { Authorization: GOOD })).status).toBe(401);
    const login = { z_username: "monit", z_password: COLLECTOR_PASSWORD };
    expect((await app.client().post("/api/1/login", login)).status).toBe(401);
  });

  test("a huge body is not read", async () => {
    const pulled = { bytes: 0 };
    const body = new ReadableStream({
      pull(controller) {
        pulled.bytes += 65_536;
        controller.enqueue(new Uint8Array(65_536));
      },
    });
    const reply = await new TestApp().client().raw("/collector", { method: "POST", body });
    expect(reply.status).toBe(401);
    expect(pulled.bytes).toBeLessThan(MAX_BODY_BYTES);
  });
});

test("the scheme's case and a second space do not matter", async () => {
  const encoded = GOOD.slice("Basic ".length);
  for (const scheme of ["basic ", "BASIC ", "Basic  "])
    expect((await post(new TestApp(), agentXml(), { Authorization: scheme + encoded })).status).toBe(200);
});

describe("a body", () => {
  const REFUSED: readonly [
    body: BodyInit,
    headers: Record<string, string>,
    status: number,
    reason: string,
  ][] = [
    ["", {}, 400, "monit"],
    ["hello", {}, 400, "monit"],
    ["<html></html>", {}, 400, "monit"],
    [agentXml().slice(0, -20), {}, 400, "well-formed"],
    [agentXml().replace('<monit id="agent-1"', "<monit"), {}, 400, "id"],
    [agentXml({ id: "x".repeat(256) }), {}, 400, "id must have 1 to 255"],
    [agentXml({ id: "" }), {}, 400, "id must have 1 to 255 characters"],
    [agentXml().replace("?>", "?><!DOCTYPE monit [<!ENTITY a 'b'>]>"), {}, 400, "DOCTYPE"],
    [`${"<a>".repeat(40)}${"</a>".repeat(40)}`, {}, 400, "monit"],
    [agentXml(), { "Content-Encoding": "gzip" }, 400, "gzip"],
    [gzipSync(agentXml()).subarray(0, 100), { "Content-Encoding": "gzip" }, 400, "gzip"],
    [gzipSync(agentXml()), {}, 400, "monit"],
    [agentXml(), { "Content-Encoding": "br" }, 415, "plain or gzip"],
    [agentXml(), { "Content-Encoding": "gzip, gzip" }, 415, "plain or gzip"],
    [agentXml(), { "Content-Type": "application/json" }, 415, "XML"],
    [agentXml(), { "Content-Type": "application/x-www-form-urlencoded" }, 415, "XML"],
    [agentXml().padEnd(MAX_BODY_BYTES + 1), {}, 413, "larger"],
    [gzipSync(Buffer.alloc(MAX_INFLATED_BYTES + 1, 32)), { "Content-Encoding": "gzip" }, 413, "larger"],
  ];
  for (const [body, headers, status, reason] of REFUSED) {
    const shown = typeof body === "string" ? body.trim().slice(0, 40) : "compressed";
    test(`is refused with ${status}, ${reason}: ${shown} ${JSON.stringify(headers)}`, async () => {
      await refused(body, headers, status, reason);
    });
  }

  const TAKEN: readonly [body: BodyInit, headers: Record<string, string>, why: string][] = [
    [gzipSync(agentXml()), { "Content-Encoding": "gzip" }, "gzip"],
    [gzipSync(agentXml()), { "Content-Encoding": "GZIP" }, "case of the encoding"],
    [agentXml(), { "Content-Encoding": "identity" }, "identity"],
    [agentXml(), { "Content-Type": "text/xml; charset=ISO-8859-1" }, "a charset"],
    [agentXml(), { "Content-Type": "application/xml" }, "the other name of XML"],
    [agentXml().padEnd(MAX_BODY_BYTES), {}, "the largest"],
    [
      gzipSync(agentXml().padEnd(MAX_INFLATED_BYTES)),
      { "Content-Encoding": "gzip" },
      "the largest, inflated",
    ],
  ];
  for (const [body, headers, why] of TAKEN)
    test(`is taken: ${why}`, async () => {
      expect((await post(new TestApp(), body, headers)).status).toBe(200);
    });

  test("that is no UTF-8 is read as Latin-1", async () => {
    const bytes = Buffer.from(agentXml({ hostname: "bl\u00e5b\u00e6r" }), "latin1");
    expect((await post(app, bytes)).status).toBe(200);
    expect(app.rows("select hostname from hosts")).toEqual([{ hostname: "blåbær" }]);
  });

  test("of many small gzip members is counted as a whole", async () => {
    const member = gzipSync(Buffer.alloc(1024 * 1024, 32));
    const many = Buffer.concat(Array.from({ length: 40 }, () => member));
    await refused(many, { "Content-Encoding": "gzip" }, 413, "larger");
  });
});
