/** Messages of agents of every version, through the real app. The captured ones of 5.33 have tests of their own. */
import { describe, expect, test } from "bun:test";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { written, writtenNames } from "../../support/fixtures.ts";

const INCARNATION = 1_795_230_000;
/** When all these messages were made. */
const SENT = INCARNATION + 3600;
const AGENT_ID = "0123456789abcdef0123456789abcdef";

interface Service {
  name: string;
  type: string;
  status: string;
  led: number;
  every: string;
  statistics: { type: number; descriptor: string; value: number; text?: string }[];
}

function appAtThatTime(): TestApp {
  const app = new TestApp();
  app.clock.step(SENT - START);
  return app;
}

async function detail(app: TestApp) {
  const admin = await app.admin();
  return (await admin.get("/api/1/status/hosts/get", { id: 1 })).json.records.host;
}

/** "type descriptor = value or text" of each statistic. */
function valuesOf({ statistics }: Service): string[] {
  return statistics.map(({ type, descriptor, value, text }) =>
    [type, descriptor, "=", text ?? value].filter((part) => part !== "").join(" "),
  );
}

const SYSTEM = [
  "0 15min = 0.03",
  "0 1min = 0.17",
  "0 5min = 0.1",
  "1 = 2.5",
  "2 = 1.5",
  "3 = 0.5",
  "4 = 30.5",
];
const SPACE = ["18 = 41.5", "19 = 25638.3", "20 = 61778.4", "21 = 2.5", "22 = 98304", "23 = 3932160"];
const PROCESS = [
  "8 = 0",
  "9 = 1.5",
  "10 = 0.5",
  "11 = 2.5",
  "12 = 20480",
  "13 = 102400",
  "14 = 4",
  "30 = 1420",
];
const CHECKSUM = "32 MD5 = 52a9be660ccc9243d88e57f8cb5882e0";

interface Expected {
  version: string;
  poll: number;
  led: number;
  text: string;
  /** By name: status and LED, then values that must be there. */
  services: Record<string, [status: string, led: number, ...values: string[]]>;
}

const CASES: Record<string, Expected> = {
  "monit-5.0.3/status.xml": {
    version: "5.0.3",
    poll: 120,
    led: 1,
    text: "4 out of 5 services are available",
    services: {
      nginx: ["Ok", 2, ...PROCESS, "15 www.example.org:80 [HTTP/TCP] = 0.025", "34 = 3540"],
      "r & d.conf": ["Ok", 2, "26 = 644", "29 = 18432", CHECKSUM, "33 = 1795229000"],
      rootfs: ["Ok", 2, ...SPACE, "25 = 4096", "26 = 755"],
      shop: ["Connection", 0, "15 shop.example.org:80 [HTTP/TCP] = -1", "17 = 0.003"],
      "web-1.example.org": ["Ok", 2, ...SYSTEM, "5 = 1228800"],
    },
  },
  "monit-5.2.5/status.xml": {
    version: "5.2.5",
    poll: 120,
    led: 1,
    text: "4 out of 5 services are available",
    services: {
      nginx: ["Ok", 2, ...PROCESS, "15 www.example.org:80 [HTTP/TCP] = 0.025"],
      "r & d.conf": ["Ok", 2, "33 = 1795229000", CHECKSUM],
      rootfs: ["Ok", 2, ...SPACE, "25 = 4096"],
      sshd: ["Nonexist", 0],
      "web-1.example.org": ["Ok", 2, ...SYSTEM, "6 = 12.5", "7 = 131072"],
    },
  },
  "monit-5.6/status.xml": {
    version: "5.6",
    poll: 120,
    led: 2,
    text: "All 4 services are available",
    services: {
      backup: ["Ok", 2, "24 = 0", "33 started = 1795233590"],
      nginx: ["Ok", 2, ...PROCESS],
      rootfs: ["Ok", 2, ...SPACE, "25 = 4096"],
      "web-1.example.org": ["Ok", 2, ...SYSTEM],
    },
  },
  "monit-5.14/status.xml": {
    version: "5.14",
    poll: 30,
    led: 1,
    text: "3 out of 4 services are available",
    services: {
      eth0: ["Ok", 2, "140 = 1", "141 = 1000000000", "150 = 12", "152 = 2048", "163 = 12345678"],
      "hello.pid": ["Nonexist", 0],
      rootfs: ["Ok", 2, ...SPACE, "25 = 4096"],
      "web-1.example.org": ["Ok", 2, ...SYSTEM],
    },
  },
  "monit-5.17.1/status.xml": {
    version: "5.17.1",
    poll: 30,
    led: 1,
    text: "4 out of 5 services are available",
    services: {
      nginx: ["Ok", 2, ...PROCESS, "27 = 33", "28 = 33"],
      queue: ["Ok", 2, "26 = 600", "33 = 1795229100"],
      rootfs: ["Ok", 2, ...SPACE, "25 = 4096"],
      "web-1.example.org": ["Ok", 2, ...SYSTEM],
      worker: ["Initializing", 1, "10 = 0.5", "14 = 4"],
    },
  },
  "monit-5.20.0/status.xml": {
    version: "5.20.0",
    poll: 60,
    led: 2,
    text: "All 4 services are available",
    services: {
      data: ["Ok", 2, "26 = 755", "33 = 1795229200"],
      nginx: ["Ok", 2, ...PROCESS, "15 www.example.org:80 [HTTP/TCP] = 0.025431", "52 = 9"],
      rootfs: ["Ok", 2, ...SPACE, "25 = 4096"],
      "web-1.example.org": ["Ok", 2, ...SYSTEM],
    },
  },
  "monit-5.25.1/status.xml": {
    version: "5.25.1",
    poll: 30,
    led: 1,
    text: "4 out of 5 services are available",
    services: {
      "app.conf": ["Ok", 2, CHECKSUM, "33 access = 1795229003", "33 modify = 1795229001"],
      backup: ["Status", 0, "24 = 1", "35 = disk & tape: 2 errors"],
      nginx: ["Ok", 2, ...PROCESS, "75 www.example.org:443 [HTTP/TCP/SSL] = 57", "124 = 128"],
      rootfs: ["Ok", 2, ...SPACE, "25 = rw,relatime", "53 = ext4", "121 = 2577654784", "132 = 0.751"],
      "web-1.example.org": ["Ok", 2, ...SYSTEM],
    },
  },
  "monit-5.35.2/status.xml": {
    version: "5.35.2",
    poll: 30,
    led: 2,
    text: "All 4 services are available",
    services: {
      "app.conf": ["Ok", 2, CHECKSUM, "107 = 2"],
      nginx: ["Ok", 2, ...PROCESS, "110 = 12", "113 = 524288"],
      rootfs: ["Ok", 2, ...SPACE],
      "web-1.example.org": ["Ok", 2, ...SYSTEM, "33 boot = 1795143539", "34 = 90061", "103 = 0.4"],
    },
  },
  "monit-6.1.0/status.xml": {
    version: "6.1.0",
    poll: 30,
    led: 1,
    text: "4 out of 5 services are available",
    services: {
      "app.conf": ["Ok", 2, CHECKSUM, "107 = 2"],
      nginx: ["Ok", 2, ...PROCESS],
      rootfs: ["Ok", 2, "18 = 41.5", "22 = 0", "23 = 0"],
      "shop & co": ["Connection", 0, "15 shop.example.org:443 [HTTP/TCP/TLS] = -1", "17 = 0.003112"],
      "web-1.example.org": ["Ok", 2, ...SYSTEM, "34 = 90061"],
    },
  },
};

for (const [name, expected] of Object.entries(CASES))
  test(`a status of Monit ${expected.version} is taken in whole`, async () => {
    const app = appAtThatTime();
    expect((await app.report(written(name))).status).toBe(200);
    const host = await detail(app);
    expect(host).toMatchObject({
      name: "web-1.example.org",
      led: expected.led,
      status: expected.text,
      heartbeat: 1,
      agent: { id: AGENT_ID, version: expected.version, poll: expected.poll, uptime: "1h" },
    });
    expect(host.memory.size).toBe(4_028_416);
    const services = host.services as Service[];
    expect(services.map((service) => service.name).sort()).toEqual(Object.keys(expected.services).sort());
    for (const service of services) {
      const [status, led, ...values] = expected.services[service.name] ?? [];
      expect([service.name, service.status, service.led]).toEqual([service.name, status ?? "", led ?? -1]);
      expect(valuesOf(service)).toEqual(expect.arrayContaining(values));
    }
    expect(app.rows("select cpu, mem, clock_offset, portin, unreadable from hosts")).toEqual([
      {
        cpu: name.includes("-5.35") || name.includes("-6.1") ? 5 : 4.5,
        mem: 30.5,
        clock_offset: 0,
        portin: 2812,
        unreadable: "",
      },
    ]);
    expect(app.muster.rejectedMessages.list()).toEqual([]);
  });

test("what an agent of old does not send stands at its neutral value", async () => {
  const app = appAtThatTime();
  await app.report(written("monit-5.0.3/status.xml"));
  expect(app.rows("select swap_kb, agentuser, ipaddrin from hosts")).toEqual([
    { swap_kb: 0, agentuser: "", ipaddrin: "192.0.2.10" },
  ]);
  expect(app.rows("select distinct on_reboot, monitor_mode, every from services")).toEqual([
    { on_reboot: 0, monitor_mode: 0, every: "" },
  ]);
  await app.report(written("monit-5.6/status.xml"));
  expect((await detail(app)).services.map(({ every }: Service) => every)).toContain("10 cycles");
});

test("an event of Monit 5.0 names no service but its own, and the others stay as they are", async () => {
  const app = appAtThatTime();
  await app.report(written("monit-5.0.3/status.xml"));
  const before = { services: app.rows("select * from services"), samples: app.rows("select * from samples") };
  const [host] = app.rows("select cpu, mem, services_total, services_ok, led from hosts");
  app.pass(5);
  await app.report(written("monit-5.0.3/event.xml"));
  expect(app.rows("select * from services")).toEqual(
    before.services.map((row) => ({ ...row, events: row.id === 5 ? 1 : 0 })),
  );
  expect(app.rows("select * from samples")).toEqual(before.samples);
  expect(app.rows("select cpu, mem, services_total, services_ok, led from hosts")).toEqual([host ?? {}]);
  expect(app.rows("select event_type as class, state, action, message, service_type from events")).toEqual([
    {
      class: 32,
      state: 1,
      action: 1,
      service_type: 4,
      message: "'shop' failed protocol test [HTTP] & <reset>",
    },
  ]);
});

describe("an event is stored as it was reported", () => {
  const events: Record<string, object> = {
    "monit-5.2.5/event.xml": {
      class: 512,
      state: 1,
      action: 2,
      name: "sshd",
      message: "process is not running",
    },
    "monit-5.14/stopped.xml": {
      class: 65_536,
      state: 2,
      action: 3,
      name: "Monit",
      message: "Monit 5.14 stopped",
    },
    "monit-6.1.0/event.xml": {
      class: 32,
      state: 1,
      action: 1,
      name: "shop & co",
      message: "shop & co: connection refused",
    },
  };
  for (const [name, expected] of Object.entries(events))
    test(name, async () => {
      const app = appAtThatTime();
      await app.report(written(name));
      expect(
        app.rows(
          "select event_type as class, state, action, name, message from events join names on names.id = name_id",
        ),
      ).toEqual([expected as Record<string, unknown>]);
    });
});

test("a stop of Monit 5.14 stops its host", async () => {
  const app = appAtThatTime();
  await app.report(written("monit-5.14/stopped.xml"));
  expect(await detail(app)).toMatchObject({ status: "Stopped", statusid: 1 });
});

test("host groups of Monit 5.35 and 6.1 are joined", async () => {
  const app = appAtThatTime();
  await app.report(written("monit-5.35.2/status.xml"));
  await app.report(written("monit-6.1.0/status.xml"));
  expect(app.rows("select name from host_groups order by name")).toEqual([
    { name: "Oslo" },
    { name: "R & D" },
  ]);
});

test("a host that upgrades its Monit, from version to version, stays the same host", async () => {
  const app = appAtThatTime();
  for (const name of Object.keys(CASES)) {
    expect((await app.report(written(name))).status).toBe(200);
    app.pass(20);
  }
  expect(app.rows("select id, agent_version as version, conflict from hosts")).toEqual([
    { id: 1, version: "6.1.0", conflict: "" },
  ]);
  const rootfs = "select count(*) as n from services join names on names.id = name_id where name = 'rootfs'";
  expect(app.rows(rootfs)).toEqual([{ n: 1 }]);
});

test("every message that was written has been tried", () => {
  const tried = [...Object.keys(CASES), "monit-5.0.3/event.xml", "monit-5.2.5/event.xml"];
  expect(writtenNames().toSorted()).toEqual(
    [...tried, "monit-5.14/stopped.xml", "monit-6.1.0/event.xml"].toSorted(),
  );
});
