/** Messages that hold an event and nothing else, as other programs send them beside an agent or in place of it. */
import { describe, expect, test } from "bun:test";
import { HEARTBEAT } from "../../../src/monit/event-types.ts";
import {
  type AgentXml,
  type EventXml,
  eventXml,
  STARTED,
  STOPPED,
  systemXml,
} from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { update } from "../../support/ledger.ts";
import { changedTables, stored } from "../../support/stored.ts";

const SOURCE = "198.51.100.7";
const BOOT = START - 3600;
const AGENT: AgentXml = {
  incarnation: BOOT,
  poll: 30,
  hostGroups: ["web"],
  serviceGroups: { all: ["web"] },
  services: [
    { name: "system", type: 5, body: systemXml() },
    { name: "web", type: 3 },
  ],
};

interface EventMessage {
  /** Attributes of the document besides the id. */
  identity?: string;
  /** The content of `<server>`. */
  server?: string;
  /** Further elements of the document. */
  more?: string;
  event?: Partial<EventXml> | null;
}

/** A message without platform and services. */
function eventOnly(
  { identity = "", server = "", more = "", event = {} }: EventMessage = {},
  at = START,
): string {
  const element = event === null ? "" : eventXml({ service: "web", collectedSec: at, ...event }, at);
  return `<?xml version="1.0"?><monit id="agent-1" ${identity}><server>${server}</server>${more}${element}</monit>`;
}

/** All that another program may report about itself. */
const FOREIGN: EventMessage = {
  identity: `incarnation="${BOOT - 86_400}" version="1.0"`,
  server:
    "<uptime>5</uptime><poll>3</poll><startdelay>9</startdelay><localhostname>elsewhere</localhostname>" +
    "<controlfile>/none</controlfile><httpd><address>203.0.113.9</address><port>1</port><ssl>1</ssl></httpd>" +
    "<credentials><username>x</username><password>y</password></credentials>",
  more: "<hostgroups><name>other</name></hostgroups><servicegroups/>",
};

function row(app: TestApp): Record<string, unknown> {
  const [host] = app.rows("select * from hosts where id = 1");
  if (!host) throw new Error("there is no host");
  return host;
}

async function reported(): Promise<TestApp> {
  const app = new TestApp();
  await app.report(AGENT);
  app.pass(20);
  return app;
}

describe("a message with only an event changes only the event of its host", () => {
  const MESSAGES: Record<string, EventMessage> = {
    "that says nothing of its sender": {},
    "that says everything of its sender": FOREIGN,
    "that calls its event external": { ...FOREIGN, more: "<externalevent>1</externalevent>" },
    "that calls its event internal": { ...FOREIGN, more: "<externalevent>0</externalevent>" },
  };
  for (const [title, message] of Object.entries(MESSAGES))
    test(title, async () => {
      const app = await reported();
      const [before, host] = [stored(app), row(app)];
      const now = app.clock.now();
      expect((await app.report(eventOnly(message, now))).status).toBe(200);
      expect(changedTables(app, before).filter((table) => !table.includes("word"))).toEqual([
        "downtime_intervals",
        "events",
        "hosts",
        "services",
      ]);
      const changes = { lastmodified: now, deadline: now + 90, events: 1 };
      expect(row(app)).toEqual({ ...host, ...changes });
      expect(app.rows("select date, event_type as class, state, active from events")).toEqual([
        { date: now, class: 512, state: 1, active: 1 },
      ]);
    });
});

test("an event alone counts as a report: it ends an outage, and the next one begins after the agent's cycles", async () => {
  const app = await reported();
  app.pass(100);
  expect(row(app).heartbeat).toBe(0);
  await app.report(eventOnly(FOREIGN, app.clock.now()));
  expect(row(app)).toMatchObject({ heartbeat: 1, deadline: app.clock.now() + 90 });
  expect(app.rows(`select state from events where event_type = ${HEARTBEAT} order by id`)).toEqual([
    { state: 1 },
    { state: 0 },
  ]);
  app.pass(90);
  expect(row(app).heartbeat).toBe(1);
  app.pass(1);
  expect(row(app).heartbeat).toBe(0);
});

test("an event alone creates a host that nobody has reported, described by the first message of its agent", async () => {
  const app = new TestApp();
  await app.report(eventOnly({ server: "<localhostname>pbx</localhostname>" }));
  expect(row(app)).toMatchObject({ hostname: "pbx", ipaddrin: SOURCE, heartbeat: 1, platform_name: "" });
  expect(app.rows("select count(*) as events from events")).toEqual([{ events: 1 }]);
  expect(app.rows("select * from services")).toEqual([]);
  app.pass(5);
  await app.report({ ...AGENT, hostname: "pbx" });
  expect(row(app)).toMatchObject({
    incarnation: BOOT,
    agent_version: "5.33.0",
    platform_name: "Linux",
    conflict: "",
    services_total: 2,
  });
});

test("a failure that only an event reported ends with the event of its recovery, not with a status of the agent", async () => {
  const app = await reported();
  const send = (state: number) => app.report(eventOnly({ ...FOREIGN, event: { state } }, app.clock.now()));
  await send(1);
  const down = () => app.rows("select started_at as since, ended_at as until from downtime_intervals");
  const failing =
    AGENT.services?.map((service) => ({ ...service, status: service.name === "web" ? 512 : 0 })) ?? [];
  app.pass(10);
  await app.report({ ...AGENT, at: app.clock.now(), services: failing });
  expect(down()).toEqual([{ since: START + 20, until: null }]);
  app.pass(10);
  await send(0);
  expect(down()).toEqual([{ since: START + 20, until: START + 40 }]);
});

test("messages that the agent repeats meanwhile are stored as before", async () => {
  const app = new TestApp();
  const report = () => {
    app.pass(10);
    return app.report({ ...AGENT, at: app.clock.now() });
  };
  for (let i = 0; i < 3; i++) await report();
  const host = row(app);
  await app.report(eventOnly({ ...FOREIGN, event: { state: 2 } }, app.clock.now()), "203.0.113.66");
  for (let i = 0; i < 3; i++) await report();
  const now = app.clock.now();
  const changes = { lastmodified: now, deadline: now + 90, agent_uptime: now - BOOT, events: 1 };
  expect(row(app)).toEqual({ ...host, ...changes });
  expect(app.rows("select count(*) as samples from samples")).toEqual([{ samples: 6 }]);
});

describe("an event alone from another address, under credentials that an administrator set", () => {
  const CASES: readonly [what: string, server: string, source: string, named: string | null][] = [
    ["the agent's own address is no conflict", "", SOURCE, null],
    ["another source is a conflict", "", "203.0.113.66", "ipaddrin"],
    [
      "another port is a conflict",
      "<httpd><address/><port>6666</port><ssl>0</ssl></httpd>",
      SOURCE,
      "portin",
    ],
  ];
  for (const [title, server, source, named] of CASES)
    test(title, async () => {
      const app = await reported();
      await update({ agentuser: "me", agentpassword: "secret" })(app);
      const { ipaddrin, portin } = row(app);
      await app.report(eventOnly({ server }, app.clock.now()), source);
      expect(row(app)).toMatchObject({ ipaddrin, portin });
      if (named === null) expect(row(app).conflict).toBe("");
      else expect(row(app).conflict).toContain(named);
    });
});

test("an event of another program does not say whether the agent runs", async () => {
  const app = await reported();
  const send = (message: EventMessage) => app.report(eventOnly(message, app.clock.now()));
  await send({ ...FOREIGN, event: STOPPED });
  expect(row(app)).toMatchObject({ stopped: 0, status: 0, incarnation: BOOT });
  const ofRun = { identity: `incarnation="${BOOT}"`, server: "<uptime>3620</uptime>" };
  await send({ ...ofRun, event: { ...STOPPED, collectedUsec: 1 } });
  expect(row(app)).toMatchObject({ stopped: 1, status: 1 });
  app.pass(10);
  await send({ ...FOREIGN, event: STARTED });
  expect(row(app)).toMatchObject({ stopped: 1, status: 1 });
  await send({ ...ofRun, server: "<uptime>3630</uptime>", event: {} });
  expect(row(app)).toMatchObject({ stopped: 0, status: 0 });
});

test("a message with neither event nor services is a status message like any other", async () => {
  const app = await reported();
  await app.report(eventOnly({ ...FOREIGN, event: null }));
  expect(row(app)).toMatchObject({ agent_version: "1.0", incarnation: BOOT - 86_400, platform_name: "" });
});
