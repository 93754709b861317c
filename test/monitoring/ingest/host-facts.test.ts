import { expect, test } from "bun:test";
import { FULL_REACH } from "../../../src/platform/http/scope.ts";
import type { AgentXml } from "../../support/agent-messages.ts";
import type { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { app, appOfEachTest } from "../../support/each-test.ts";
import { update } from "../../support/ledger.ts";

appOfEachTest();

const SOURCE = "198.51.100.7";

function host(app: TestApp) {
  return app.muster.hosts.get(1, FULL_REACH);
}

test("the first message makes a host with all that the agent says of itself", async () => {
  await app.report({
    id: "agent-7",
    hostname: "web1",
    poll: 20,
    httpd: { address: "192.0.2.44", port: 2813, ssl: true },
    credentials: { username: "monit-user", password: "monit pass" },
  });
  expect(host(app)).toEqual({
    id: 1,
    hostname: "web1",
    keepname: 0,
    ipaddrin: "192.0.2.44",
    ipaddrout: "",
    portin: 2813,
    portout: -1,
    sslin: 1,
    sslout: -1,
    sslverify: 1,
    agentid: "agent-7",
    agentuser: "monit-user",
    agentpassword: "monit pass",
    description: "",
    status: 0,
    skew: 3,
    poll: 20,
    lastmodified: START,
    conflict: "",
    tags: [],
    actionqueue: 0,
  });
  expect(app.rows<{ p: string }>("select agentpassword as p from hosts")[0]?.p).not.toContain("monit pass");
});

const ADDRESSES: readonly [address: string | null, source: string, ipaddrin: string, why: string][] = [
  ["192.0.2.44", SOURCE, "192.0.2.44", "the agent's own word"],
  ["agent.example.org", SOURCE, "agent.example.org", "a name"],
  ["0.0.0.0", SOURCE, SOURCE, "every address"],
  ["::", "2001:db8::7", "2001:db8::7", "every address"],
  ["*", SOURCE, SOURCE, "every address"],
  ["", SOURCE, SOURCE, "empty"],
  ["127.0.0.1", SOURCE, SOURCE, "loopback means itself elsewhere"],
  ["localhost", SOURCE, SOURCE, "loopback means itself elsewhere"],
  ["::1", SOURCE, SOURCE, "loopback means itself elsewhere"],
  ["127.0.0.1", "127.0.0.1", "127.0.0.1", "loopback from the same machine"],
  ["127.0.0.1", "::ffff:127.0.0.1", "127.0.0.1", "loopback from the same machine, over an IPv6 socket"],
  ["::1", "::1", "::1", "loopback from the same machine"],
  [null, SOURCE, SOURCE, "no interface"],
];
for (const [address, source, ipaddrin, why] of ADDRESSES)
  test(`an agent at ${source} with its interface at ${address} is reached at ${ipaddrin}: ${why}`, async () => {
    await app.report({ httpd: address === null ? null : { address } }, source);
    expect(host(app).ipaddrin).toBe(ipaddrin);
  });

test("an agent without interface and credentials has port -1, no TLS and no credentials", async () => {
  await app.report({ httpd: null, credentials: null });
  expect(host(app)).toMatchObject({ portin: -1, sslin: 0, agentuser: "", agentpassword: "" });
});

test("what the agent reports of itself follows its messages", async () => {
  await app.report({});
  await app.report({
    hostname: "renamed",
    poll: 60,
    version: "6.1",
    httpd: { address: "192.0.2.45", port: 2999, ssl: true },
    credentials: { username: "new", password: "newer" },
    platform: { name: "FreeBSD", cpu: 64, memory: 1, swap: 2 },
    startDelay: 17,
  });
  const expected = {
    ipaddrin: "192.0.2.45",
    portin: 2999,
    sslin: 1,
    agentuser: "new",
    agentpassword: "newer",
  };
  expect(host(app)).toMatchObject({ ...expected, hostname: "renamed", poll: 60, conflict: "" });
  expect(app.muster.status.get(1, false, "all").records.host).toMatchObject({
    platform: { name: "FreeBSD" },
    cpu: { count: 64 },
    memory: { size: 1 },
    swap: { size: 2 },
    agent: { version: "6.1", poll: 60, startdelay: 17, uptime: "1h" },
  });
});

test("the name follows the agent unless keepname says otherwise", async () => {
  await app.report({ hostname: "a" });
  await update({ hostname: "mine" })(app);
  await app.report({ hostname: "b" });
  expect(host(app).hostname).toBe("b");
  await update({ hostname: "mine", keepname: 1 })(app);
  await app.report({ hostname: "c" });
  expect(host(app).hostname).toBe("mine");
  await update({ hostname: "mine", keepname: 0 })(app);
  await app.report({ hostname: "c" });
  expect(host(app).hostname).toBe("c");
});

const AGENT: AgentXml = { httpd: { address: "192.0.2.44", port: 2812 } };

test("credentials set by an administrator stay, whatever the agent sends", async () => {
  await app.report(AGENT);
  await update({ agentuser: "me", agentpassword: "secret" })(app);
  await app.report({ ...AGENT, credentials: { username: "x", password: "y" } });
  await app.report({ ...AGENT, credentials: null });
  expect(host(app)).toMatchObject({ agentuser: "me", agentpassword: "secret", conflict: "" });
});

test("settings stored with the agent's own credentials leave them to the agent", async () => {
  await app.report(AGENT);
  await update({ description: "rack 7" })(app);
  await app.report({ ...AGENT, credentials: { username: "x", password: "y" } });
  expect(host(app)).toMatchObject({ agentuser: "x", agentpassword: "y" });
});

const MOVES: readonly [moved: AgentXml, source: string, named: string][] = [
  [{ httpd: { address: "203.0.113.66", port: 2812 } }, SOURCE, "ipaddrin"],
  [{ httpd: { address: "192.0.2.44", port: 6666 } }, SOURCE, "portin"],
  [{ httpd: { address: "192.0.2.44", port: 2812, ssl: true } }, SOURCE, "sslin"],
  [{ httpd: { address: "0.0.0.0", port: 2812 } }, "203.0.113.66", "ipaddrin"],
  [{ httpd: null }, "192.0.2.44", "portin"],
];
for (const [moved, source, named] of MOVES)
  test(`a message that moves ${named} (${JSON.stringify(moved.httpd)}) under an administrator's credentials is a conflict`, async () => {
    await app.report(AGENT);
    await update({ agentuser: "me", agentpassword: "secret" })(app);
    await app.report(AGENT);
    expect(host(app).conflict).toBe("");
    await app.report(moved, source);
    expect(host(app).conflict).toContain(named);
    await app.report(moved, source);
    expect(host(app).conflict).toContain(named);
    await app.report(AGENT);
    expect(host(app).conflict).not.toBe("");
    await update({})(app);
    expect(host(app).conflict).toBe("");
    await app.report(AGENT);
    expect(host(app).conflict).toBe("");
  });

test("an agent that moves keeps its own credentials without a conflict", async () => {
  await app.report(AGENT);
  await app.report({ httpd: { address: "203.0.113.66", port: 6666 } });
  expect(host(app)).toMatchObject({ conflict: "", ipaddrin: "203.0.113.66", portin: 6666 });
});

test("two agents of the same host name are two hosts, and one agent id is one host", async () => {
  await app.report({ id: "a", hostname: "same" });
  await app.report({ id: "b", hostname: "same" });
  await app.report({ id: "a", hostname: "same" });
  await app.report({ id: "A", hostname: "same" });
  expect(app.rows("select agent_id as agent from hosts order by id")).toEqual([
    { agent: "a" },
    { agent: "b" },
    { agent: "A" },
  ]);
});

const CONFLICT = "select conflict from hosts";

for (const forgetful of [false, true])
  test(`an agent id that alternates between two machines is said to be shared, ${forgetful ? "without" : "with"} the cache`, async () => {
    for (let i = 0; i < 6; i++) {
      if (forgetful) app.hostCache.forgetAll();
      const clone = i % 2;
      await app.report({ hostname: `clone-${clone}`, incarnation: START - 3600 - clone }, `192.0.2.${clone}`);
      app.pass(30);
    }
    const conflict = app.rows<{ conflict: string }>(CONFLICT)[0]?.conflict;
    expect(conflict).toMatch(/same id.*delete its id file/);
    const host = (await (await app.user()).get("/api/1/status/hosts/get", { id: 1 })).json.records.host;
    expect(host.conflict).toBe(conflict);
  });

test("an agent that is restarted again and again shares its id with nobody", async () => {
  for (let i = 0; i < 6; i++) {
    await app.report({ at: app.clock.now(), incarnation: START + Math.floor(i / 2) });
    app.pass(30);
  }
  expect(app.rows(CONFLICT)).toEqual([{ conflict: "" }]);
});
