import { describe, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { parseAgentMessage } from "../../src/monit/message.ts";
import type { AgentMessage } from "../../src/monit/message.types.ts";
import { agentXml } from "../support/agent-messages.ts";
import { captured } from "../support/fixtures.ts";

const EVERY_TYPE = "status-of-every-service-type.xml";

const parse = (name: string) => parseAgentMessage(captured(name));

function serviceOf(message: AgentMessage, name: string) {
  const service = message.services.find((candidate) => candidate.name === name);
  if (service === undefined) throw new Error(`no service ${name}`);
  return service;
}

/** A service's statistics, each as "type descriptor = value". */
function statisticsOf(message: AgentMessage, name: string): string[] {
  return serviceOf(message, name).statistics.map(({ type, descriptor, value, text }) =>
    [type, descriptor, "=", value, text === null ? "" : JSON.stringify(text)]
      .filter((part) => part !== "")
      .join(" "),
  );
}

describe("a status message", () => {
  const message = parse(EVERY_TYPE);

  test("tells of the agent and its platform", () => {
    const { agentId, incarnation, version, server, platform, hostGroups, events } = message;
    expect({ agentId, incarnation, version, server, platform, hostGroups, events }).toEqual({
      agentId: "0123456789abcdef0123456789abcdef",
      incarnation: 1795230117,
      version: "5.33.0",
      server: {
        uptime: 32,
        poll: 2,
        startDelay: 0,
        hostname: "web-1.example.org",
        controlFile: "/srv/web-1/monitrc",
        httpd: { address: "127.0.0.1", port: 2812, ssl: false },
        credentials: { username: "admin", password: "monit" },
      },
      platform: {
        name: "Linux",
        release: "6.1.0-18-amd64",
        version: "#1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1",
        machine: "x86_64",
        cpuCount: 2,
        memoryKb: 4028416,
        swapKb: 0,
      },
      hostGroups: [],
      events: [],
    });
  });

  test("lists the services in the agent's order, every type among them", () => {
    expect(message.services.map(({ name, type }) => `${type} ${name}`)).toEqual([
      "5 web-1.example.org",
      "0 rootfs",
      "1 data",
      "2 app.conf",
      "2 notes",
      "2 hourly",
      "2 daytime",
      "6 pipe",
      "3 worker",
      "3 ghost",
      "4 peer",
      "7 colour",
      "7 fine",
      "8 lo",
      "8 nowhere",
    ]);
  });

  test("lists the service groups", () => {
    expect(message.serviceGroups).toEqual([
      { name: "web", services: ["ghost"] },
      { name: "app", services: ["rootfs", "data", "app.conf"] },
    ]);
  });

  test("gives the state of a service", () => {
    expect({ ...serviceOf(message, "app.conf"), statistics: [] }).toEqual({
      name: "app.conf",
      type: 2,
      collectedSec: 1795230147,
      collectedUsec: 385156,
      status: 1,
      statusHint: 1,
      monitor: 1,
      monitorMode: 0,
      onReboot: 0,
      pendingAction: 0,
      every: "",
      statistics: [],
    });
    expect(serviceOf(message, "nowhere").status).toBe(8_388_608);
    expect(serviceOf(message, "ghost")).toMatchObject({
      status: 4608,
      statusHint: 0,
      monitor: 2,
      statistics: [],
    });
  });

  test("gives the schedule of a service that is not checked each cycle", () => {
    expect(serviceOf(message, "fine").every).toBe("2 cycles");
    for (const every of [0, 1]) {
      const text = agentXml({ services: [{ name: "always", every }] });
      expect(serviceOf(parseAgentMessage(Buffer.from(text)), "always").every).toBe("");
    }
    expect(serviceOf(message, "hourly")).toMatchObject({ every: "* * * * *", monitor: 5 });
    expect(serviceOf(message, "daytime")).toMatchObject({
      every: "not * 0-23 * * *",
      monitor: 6,
      statistics: [],
    });
  });

  /** Statistics as "type descriptor = value", separated by "|" and new lines. */
  const expected: Record<string, string> = {
    "web-1.example.org": `
      114 = 538 | 115 = 0 | 116 = 2466190 | 0 1min = 0.17 | 0 5min = 0.1 | 0 15min = 0.03 | 1 = 0.8
      2 = 0.6 | 3 = 0 | 100 = 0 | 101 = 0 | 102 = 0.1 | 103 = 0.4 | 104 = 0 | 105 = 0 | 4 = 1.7
      5 = 431364 | 6 = 0 | 7 = 0
    `,
    rootfs: `
      18 = 9.1 | 19 = 23584.3 | 20 = 258019.6 | 21 = 2.5 | 22 = 414710 | 23 = 16777216 | 53 = 0 "ext4"
      25 = 0 "rw,relatime" | 26 = 755 | 27 = 0 | 28 = 0 | 120 = 34269 | 121 = 2577654784 | 122 = 3
      123 = 102682 | 124 = 20649 | 125 = 1901223936 | 126 = 2 | 127 = 22657 | 132 = 0.751 | 133 = 0.429
    `,
    data: `
      26 = 755 | 27 = 0 | 28 = 0 | 33 access = 1795230117 | 33 change = 1795230117
      33 modify = 1795230117
    `,
    "app.conf": `
      26 = 644 | 27 = 0 | 28 = 0 | 33 access = 1795230117 | 33 change = 1795230138
      33 modify = 1795230138 | 29 = 10 | 32 MD5 = 0 "52a9be660ccc9243d88e57f8cb5882e0"
    `,
    pipe: `
      26 = 600 | 27 = 0 | 28 = 0 | 33 access = 1795230117 | 33 change = 1795230117
      33 modify = 1795230117
    `,
    worker: `
      30 = 8010 | 31 = 8000 | 27 = 0 | 106 = 0 | 28 = 0 | 34 = 30 | 52 = 1 | 14 = 0 | 10 = 0 | 11 = 0
      12 = 1692 | 13 = 1692 | 8 = 0 | 9 = 0 | 110 = 3 | 111 = 3 | 112 = 20000 | 113 = 20000 | 120 = 0
      121 = 0 | 128 = 0 | 129 = 6976 | 122 = 0 | 123 = 10 | 124 = 0 | 125 = 0 | 130 = 0 | 131 = 0
      126 = 0 | 127 = 0 | 15 localhost:8080 [HTTP/TCP] = 0.000338 | 16 /srv/web-1/app.sock = 0.000332
    `,
    peer: `
      17 = 0.000062 | 15 127.0.0.1:1 [DEFAULT/TCP] = -1 | 15 127.0.0.1:8443 [HTTP/TCP] = 0.078949
      75 127.0.0.1:8443 [HTTP/TCP] = 89 | 15 127.0.0.1:8080 [HTTP/TCP] = 0.001129
      15 127.0.0.1:8080 [HTTP/TCP] /health?full=1&deep=1 = 0.000133
    `,
    colour: `
      33 started = 1795230147 | 24 = 3 | 35 = 0 "\uFFFD[31mred\uFFFD[0m & <b> ]]> done"
    `,
    fine: `
      33 started = 1795230147 | 24 = 0 | 35 = 0 "fine"
    `,
    lo: `
      140 = 1 | 141 = -1 | 142 = -1 | 150 = 25 | 151 = 1517 | 152 = 4556 | 153 = 308314 | 154 = 0
      155 = 0 | 160 = 25 | 161 = 1517 | 162 = 4556 | 163 = 308314 | 164 = 0 | 165 = 0
    `,
  };

  for (const [name, lines] of Object.entries(expected)) {
    test(`gives the statistics of ${name}`, () => {
      expect(statisticsOf(message, name)).toEqual(lines.trim().split(/\s*[|\n]\s*/));
    });
  }

  test("is the same when it was compressed", () => {
    expect(parseAgentMessage(gunzipSync(captured(`${EVERY_TYPE}.gz`)))).toEqual(message);
  });
});

describe("an event message", () => {
  const INSTANCE = { service: "Monit", serviceType: 5, eventType: 65_536, state: 2 };

  test("of the agent's start names the service Monit, and no service is checked yet", () => {
    const { events, services } = parse("started.xml");
    expect(events).toHaveLength(1);
    expect(events[0]).toEqual({
      ...INSTANCE,
      collectedSec: 1795230117,
      collectedUsec: 454611,
      action: 6,
      message: "Monit 5.33.0 started",
    });
    expect(services).toHaveLength(15);
    expect(services.every(({ monitor, statistics }) => monitor === 2 && statistics.length === 0)).toBe(true);
  });

  test("of a reload has a new incarnation", () => {
    const { events, incarnation } = parse("reloaded.xml");
    expect(events[0]).toMatchObject({ ...INSTANCE, action: 6, message: "Monit reloaded" });
    expect(incarnation).toBeGreaterThan(parse(EVERY_TYPE).incarnation);
  });

  test("of a graceful stop has the action stop", () => {
    expect(parse("stopped.xml").events[0]).toMatchObject({
      ...INSTANCE,
      action: 3,
      message: "Monit 5.33.0 stopped",
    });
  });

  test("of a failure has the state error", () => {
    const message = parse("file-missing.xml");
    expect(message.events[0]).toEqual({
      collectedSec: 1795230117,
      collectedUsec: 463013,
      service: "notes",
      serviceType: 2,
      eventType: 512,
      state: 1,
      action: 2,
      message: "file doesn't exist",
    });
    expect(serviceOf(message, "notes")).toMatchObject({ status: 512, statusHint: 0 });
  });

  test("of a recovery has the state success", () => {
    const message = parse("file-found-again.xml");
    expect(message.events[0]).toMatchObject({
      service: "notes",
      eventType: 512,
      state: 0,
      message: "file exists",
    });
    expect(serviceOf(message, "notes").status).toBe(0);
  });

  test("of a change has the state change", () => {
    expect(parse("checksum-changed.xml").events[0]).toMatchObject({
      service: "app.conf",
      eventType: 1,
      state: 2,
      message: "checksum changed to 52a9be660ccc9243d88e57f8cb5882e0",
    });
  });

  test("of unmonitoring shows the service with monitor 0 and no statistics", () => {
    const message = parse("unmonitored.xml");
    expect(message.events[0]).toMatchObject({
      service: "data",
      eventType: 131_072,
      message: "unmonitor action done",
    });
    expect(serviceOf(message, "data")).toMatchObject({ monitor: 0, statistics: [] });
  });

  test("of a program keeps its colours visible as replaced characters", () => {
    expect(parse("program-failed-in-colour.xml").events[0]).toMatchObject({
      service: "colour",
      serviceType: 7,
      eventType: 2_097_152,
      message: "status failed (3) -- \uFFFD[31mred\uFFFD[0m & <b> ]]> done",
    });
  });
});

describe("a process that does not start", () => {
  test("is initializing with its failing bit while the agent waits for it", () => {
    const message = parse("process-restarting.xml");
    expect(message.events).toEqual([]);
    expect(serviceOf(message, "ghost")).toMatchObject({
      monitor: 2,
      status: 512,
      statusHint: 0,
      statistics: [],
    });
  });

  test("causes an event of the class exec afterwards", () => {
    const message = parse("process-start-failed.xml");
    expect(message.events[0]).toMatchObject({
      service: "ghost",
      serviceType: 3,
      eventType: 4096,
      state: 1,
      action: 1,
    });
    expect(serviceOf(message, "ghost").status).toBe(4608);
  });
});

describe("what agents do not escape", () => {
  const message = parse("names-not-escaped.xml");

  test("is repaired in names of services, in groups and in the password", () => {
    expect(message.services.map(({ name }) => name)).toEqual([
      "web-1.example.org",
      "a & b",
      "x<y",
      "smørbrød",
    ]);
    expect(message.serviceGroups).toEqual([{ name: "app", services: ["a & b", "x<y"] }]);
    expect(message.server.credentials).toEqual({ username: "admin", password: "p&w<x" });
  });
});

describe("an agent with a unix socket only", () => {
  const message = parse("output-in-another-encoding.xml");

  test("has neither an HTTP interface nor credentials", () => {
    expect(message.server).toMatchObject({ httpd: null, credentials: null });
  });
});

describe("a program that prints Latin-1 on a host that uses UTF-8", () => {
  const name = "output-in-another-encoding.xml";

  test("is readable, and does not garble the names of the other services", () => {
    expect(() => new TextDecoder("utf-8", { fatal: true }).decode(captured(name))).toThrow();
    const message = parse(name);
    expect(message.services.map((service) => service.name)).toEqual([
      "web-1.example.org",
      "smørbrød",
      "latin",
    ]);
    expect(statisticsOf(message, "latin").at(-1)).toBe('35 = 0 "brød"');
  });
});
