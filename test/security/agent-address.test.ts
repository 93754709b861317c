/** Where Muster sends credentials to, as far as an agent's message can say. */
import { describe, expect, test } from "bun:test";
import { agentAddress } from "../../src/monitoring/ingest/host-facts.ts";
import { agentXml } from "../support/agent-messages.ts";
import { TestApp } from "../support/app.ts";

const SOURCE = "198.51.100.7";

describe("an address that an agent reports is not believed when it means another machine from here", () => {
  const NOT_BELIEVED = [
    "127.0.0.1",
    "127.8.8.8",
    "localhost",
    "localhost.",
    "LOCALHOST",
    "::1",
    "::ffff:127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "169.254.169.254",
    "2852039166",
    "0xa9fea9fe",
    "169.254.43518",
    "::ffff:169.254.169.254",
    "fe80::1",
    "FE80::1%eth0",
    "febf::1",
    "0:0:0:0:0:ffff:a9fe:a9fe",
    "0.0.0.0",
    "::",
    "*",
    "any",
    "",
  ];
  for (const reported of NOT_BELIEVED)
    test(`${reported || "nothing"}: it is reached where its message came from`, () => {
      expect(agentAddress(reported, SOURCE)).toBe(SOURCE);
    });
});

describe("an address that an agent reports is believed", () => {
  const BELIEVED: readonly [reported: string, source: string][] = [
    ["203.0.113.9", SOURCE],
    ["10.0.0.1", SOURCE],
    ["2001:db8::1", SOURCE],
    ["agent.example.org", SOURCE],
    ["127.0.0.1", "127.0.0.1"],
    ["::1", "127.0.0.1"],
    ["169.254.7.7", "169.254.9.9"],
    ["fe80::2", "fe80::1%eth0"],
  ];
  for (const [reported, source] of BELIEVED)
    test(`${reported} from ${source}`, () => {
      expect(agentAddress(reported, source)).toBe(reported);
    });
});

test("what was reported for one address is not sent to another by a message whose credentials cannot be read", async () => {
  const app = new TestApp();
  const whole = agentXml({
    httpd: { address: "10.1.1.1", port: 2812 },
    credentials: { username: "monit", password: "secret" },
  });
  const unreadable = whole.replace(/<credentials>.*?<\/credentials>/s, "$&$&");
  const known = () => app.rows("select ipaddrin, agentuser, agentpassword <> '' as password from hosts");
  await app.report(whole);
  await app.report(unreadable);
  expect(known()).toEqual([{ ipaddrin: "10.1.1.1", agentuser: "monit", password: 1 }]);
  await app.report(unreadable.replace("10.1.1.1", "10.6.6.6"));
  expect(known()).toEqual([{ ipaddrin: "10.6.6.6", agentuser: "", password: 0 }]);
  await app.report(whole);
  expect(known()).toEqual([{ ipaddrin: "10.1.1.1", agentuser: "monit", password: 1 }]);
});

test("an agent is not reached where a header says it is, unless a trusted proxy wrote that header", async () => {
  const header = {
    "X-Forwarded-For": "203.0.113.66",
    "X-Real-IP": "203.0.113.66",
    Forwarded: "for=203.0.113.66",
  };
  for (const [trustedProxy, expected] of [
    [[], SOURCE],
    [[{ address: SOURCE, bits: 32, family: "ipv4" as const }], "203.0.113.66"],
  ] as const) {
    const app = new TestApp({ trustedProxy: [...trustedProxy] });
    expect((await app.report({}, SOURCE, header)).status).toBe(200);
    expect(app.rows("select ipaddrin from hosts")).toEqual([{ ipaddrin: expected }]);
  }
});

test("an administrator may set any address, and no message changes it", async () => {
  const app = new TestApp();
  await app.report({});
  const admin = await app.admin();
  const settings = { id: 1, hostname: "h", agentuser: "u", agentpassword: "p", ipaddrout: "169.254.169.254" };
  expect((await admin.post("/api/1/admin/hosts/update", settings)).status).toBe(200);
  await app.report({ httpd: { address: "203.0.113.1" } });
  expect(app.rows("select ipaddrout from hosts")).toEqual([{ ipaddrout: "169.254.169.254" }]);
});
