import { expect, test } from "bun:test";
import { systemXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";

const GET = "/api/1/status/hosts/get";

test("get shows a host with all that its agent says", async () => {
  const freshApp = new TestApp();
  await freshApp.report({
    at: START,
    incarnation: START - 93_784,
    services: [
      { name: "web", every: 2 },
      { name: "s", type: 5, body: systemXml() },
    ],
  });
  const [admin, plain] = [await freshApp.admin(), await freshApp.user()];
  const { records } = (await admin.get(GET, { id: 1 })).json;
  expect(records.is_user_admin).toBe(true);
  expect((await plain.post(GET, { id: 1 })).json.records.is_user_admin).toBe(false);
  const { services, ...host } = records.host;
  expect(host).toEqual({
    id: 1,
    name: "host-1",
    led: 2,
    status: "All 2 services are available",
    statusid: 0,
    heartbeat: 1,
    lastmodified: START,
    conflict: "",
    platform: { name: "Linux", release: "6.1.0", version: "#1 SMP", machine: "x86_64" },
    cpu: { count: 2 },
    memory: { size: 4_096_000 },
    swap: { size: 0 },
    agent: {
      id: "agent-1",
      version: "5.33.0",
      controlfile: "/etc/monit/monitrc",
      poll: 30,
      startdelay: 0,
      uptime: "1d 2h",
    },
    unreadable: { count: 0, services: [] },
    groupsleftout: 0,
    description: "",
    groups: [],
    muted: null,
    tags: [],
    agentkey: null,
  });
  expect(
    services.map(({ name, type, typeid, every }: Record<string, unknown>) => [name, type, typeid, every]),
  ).toEqual([
    ["s", "System", 5, ""],
    ["web", "Process", 3, "2 cycles"],
  ]);
  expect(Object.keys(services[0]).sort()).toEqual(
    [
      "id",
      "name",
      "nameid",
      "type",
      "typeid",
      "monitorstate",
      "monitormode",
      "onreboot",
      "status",
      "led",
      "events",
      "every",
      "statistics",
      "acknowledged",
      "muted",
    ].sort(),
  );
});

test("a host that is not there is answered 404", async () => {
  const user = await new TestApp().user();
  const reply = await user.get(GET, { id: 99 });
  expect([reply.status, reply.json.code]).toEqual([404, "object.unknown"]);
});

test("get shows no secret of the host", async () => {
  const app = new TestApp();
  await app.report({ credentials: { username: "agent user", password: "agent secret" } });
  const user = await app.admin();
  const reply = await user.get(GET, { id: 1 });
  expect(reply.status).toBe(200);
  expect(reply.text).not.toMatch(/agent user|agent secret|password/);
});
