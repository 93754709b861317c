/** An unreadable part of a message costs only that value: states, failures and events stay as last reported. */
import { describe, expect, test } from "bun:test";
import { unreadableSentences } from "../../../web/hosts/unreadable.tsx";
import { agentXml, type ServiceXml, STARTED, systemXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { admin, app, appOfEachTest } from "../../support/each-test.ts";
import { BOOT } from "../../support/ledger.ts";

appOfEachTest();

const GET = "/api/1/status/hosts/get";
const SERVICES: ServiceXml[] = [
  { name: "host", type: 5, body: systemXml() },
  { name: "web", status: 512 },
  { name: "db", monitor: 0 },
];
const SERVICE_ROWS =
  "select name, type, status, status_hint, monitor_state, led, vanished_at from services join names on names.id = name_id";

/** The message as of now. */
function message(app: TestApp, services: ServiceXml[] = SERVICES, incarnation = BOOT): string {
  return agentXml({ at: app.clock.now(), incarnation, services, serviceGroups: { all: ["web"] } });
}

/** A host with a failure of "web" that is open. */
async function failing(): Promise<TestApp> {
  const app = new TestApp();
  await app.report({ at: START, incarnation: BOOT, services: SERVICES, event: { service: "web" } });
  await app.report(message(app));
  app.pass(30);
  return app;
}

describe("what is known of the agent's interface stays when the message has", () => {
  const changes: Record<string, (xml: string) => string> = {
    "a port out of range": (xml) => xml.replace(/<port>\d+/, "<port>99999"),
    "a port of words": (xml) => xml.replace(/<port>\d+/, "<port>abc"),
    "the address twice": (xml) => xml.replace(/<address>.*?<\/address>/, "$&$&"),
    "an unreadable mark of TLS": (xml) => xml.replace(/<ssl>1/, "<ssl>7"),
    "the credentials twice": (xml) => xml.replace(/<credentials>.*?<\/credentials>/s, "$&$&"),
    "the server twice": (xml) => xml.replace(/<server>.*?<\/server>/s, "$&$&"),
    "no server": (xml) => xml.replace(/<server>.*?<\/server>/s, ""),
  };
  const text = agentXml({
    at: START,
    incarnation: BOOT,
    httpd: { address: "10.1.1.1", port: 2812, ssl: true },
    credentials: { username: "monit", password: "secret" },
  });
  const COLUMNS = "select ipaddrin, portin, sslin, agentuser, agentpassword <> '' as password from hosts";
  for (const [title, change] of Object.entries(changes))
    test(title, async () => {
      expect(change(text)).not.toBe(text);
      await app.report(text);
      const before = app.rows(COLUMNS);
      expect(before).toEqual([
        { ipaddrin: "10.1.1.1", portin: 2812, sslin: 1, agentuser: "monit", password: 1 },
      ]);
      await app.report(change(text));
      expect(app.rows(COLUMNS)).toEqual(before);
    });

  test("but goes when the agent says that it has none", async () => {
    await app.report(text);
    await app.report(
      text.replace(/<httpd>.*?<\/httpd>/s, "").replace(/<credentials>.*?<\/credentials>/s, ""),
    );
    expect(app.rows(COLUMNS)).toEqual([
      { ipaddrin: "198.51.100.7", portin: -1, sslin: 0, agentuser: "", password: 0 },
    ]);
  });
});

const openFailures = (app: TestApp) =>
  app.rows("select event_type as class from downtime_intervals where ended_at is null");

describe("a failure stays open, no service vanishes, and none changes, when the message has", () => {
  const WELL = SERVICES.map((service) => ({ ...service, status: 0 }));
  const web = /<service name="web">.*?<\/service>/s;
  const changes: Record<string, (xml: string) => string> = {
    "no services": (xml) => xml.replace(/<services>.*<\/services>/s, ""),
    "words for services": (xml) =>
      xml.replace(/<services>.*<\/services>/s, "<services>all of them</services>"),
    "the services twice": (xml) => xml.replace(/<services>.*<\/services>/s, "$&$&"),
    "a service of no name in place of it": (xml) => xml.replace('<service name="web">', "<service>"),
    "an empty service in place of it": (xml) => xml.replace(web, "<service/>"),
    "its type unreadable": (xml) => xml.replace(/(name="web"><type>)3/, "$1process"),
    "no status of it": (xml) => xml.replace(/(name="web">.*?)<status>0<\/status>/s, "$1"),
    "its status unreadable": (xml) => xml.replace(/(name="web">.*?<status>)0/s, "$1fine"),
    "its status hint unreadable": (xml) =>
      xml.replace(/(name="web">.*?<status>)0(.*?<status_hint>)0/s, "$1512$2-512"),
    "no monitor of it": (xml) => xml.replace(/(name="web">.*?)<monitor>1<\/monitor>/s, "$1"),
  };
  for (const [title, change] of Object.entries(changes))
    for (const incarnation of [BOOT, BOOT + 3600])
      test(`${title}${incarnation === BOOT ? "" : ", in another run of the agent"}`, async () => {
        const app = await failing();
        const before = app.rows(SERVICE_ROWS);
        const isStatusRead = title === "no monitor of it";
        for (let i = 0; i < 5; i++) {
          const xml = message(app, WELL, incarnation);
          expect(change(xml)).not.toBe(xml);
          expect((await app.report(change(xml))).status).toBe(200);
          app.pass(30);
        }
        const after = app.rows(SERVICE_ROWS);
        const told = isStatusRead ? { status: 0, led: 2 } : {};
        expect(after).toEqual(before.map((row) => (row.name === "web" ? { ...row, ...told } : row)));
        expect(openFailures(app)).toEqual([{ class: 512 }]);
        await app.report(message(app, SERVICES.slice(0, 2), incarnation));
        expect(
          app.rows("select name from services join names on names.id = name_id where vanished_at > 0"),
        ).toEqual([{ name: "db" }]);
      });

  test("a service listed beside the unreadable one is still reported, and one not listed vanishes", async () => {
    const app = await failing();
    const xml = message(app, [{ name: "web" }, { name: "host", type: 5, status: 2 }]);
    await app.report(xml.replace(/(name="web"><type>)3/, "$1?"));
    expect(app.rows(`${SERVICE_ROWS} order by name`)).toMatchObject([
      { name: "db", vanished_at: app.clock.now() },
      { name: "host", status: 2, led: 0, vanished_at: null },
      { name: "web", status: 512, led: 0, vanished_at: null },
    ]);
  });
});

test("a new service whose state cannot be read counts as healthy and monitored", async () => {
  const xml = message(app, [{ name: "web", status: 512, monitor: 0 }]);
  await app.report(xml.replace(/<(status|monitor)>\d+/g, "<$1>?"));
  expect(app.rows(SERVICE_ROWS)).toMatchObject([{ name: "web", status: 0, monitor_state: 1, led: 2 }]);
});

test("numbers that could be read are stored beside those that could not", async () => {
  await app.report(message(app, SERVICES.slice(0, 1)).replace("<user>2</user>", "<user>many</user>"));
  const { host } = (await admin.get(GET, { id: 1 })).json.records;
  const types = host.services[0].statistics.map(({ type }: { type: number }) => type);
  expect(types).toContain(2);
  expect(types).not.toContain(1);
  expect(app.rows("select cpu, mem from hosts")).toEqual([{ cpu: 1, mem: 25 }]);
});

test("usage and samples stay while the system service cannot be read, also after messages that were not parsed", async () => {
  for (const user of [2, 2, 7.5]) {
    await app.report(message(app, [{ name: "host", type: 5, body: systemXml({ user }) }]));
    app.pass(5);
  }
  await app.report(message(app, SERVICES.slice(0, 1)).replace("<type>5", "<type>?"));
  expect(app.rows("select cpu, mem from hosts")).toEqual([{ cpu: 8.5, mem: 25 }]);
  expect(app.rows("select count(*) as n from samples")).toEqual([{ n: 3 }]);
});

test("groups stay while they cannot be read", async () => {
  const xml = agentXml({ hostGroups: ["Oslo"], services: SERVICES, serviceGroups: { all: ["web"] } });
  await app.report(xml);
  await app.report(xml.replace(/<(hostgroups|servicegroups)>.*?<\/\1>/gs, "<$1>?</$1>"));
  expect(app.rows("select count(*) as n from host_group_members")).toEqual([{ n: 1 }]);
  expect(app.rows("select count(*) as n from service_group_members")).toEqual([{ n: 1 }]);
});

describe("of the agent itself the last known value counts", () => {
  const row = (app: TestApp) =>
    app.rows("select hostname, poll, incarnation, agent_version as version, conflict from hosts");
  const KNOWN = { hostname: "host-1", poll: 30, incarnation: BOOT, version: "5.33.0", conflict: "" };
  const changes: Record<string, [from: RegExp, to: string]> = {
    "no incarnation": [/ incarnation="\d+"/, ""],
    "no version": [/ version="5[\d.]+"/, ""],
    "a poll of 0": [/<poll>30/, "<poll>0"],
    "a poll of over a day": [/<poll>30/, "<poll>86401"],
    "no host name": [/<localhostname>.*<\/localhostname>/, ""],
    "an empty host name": [/<localhostname>.*<\/localhostname>/, "<localhostname/>"],
    "no server": [/<server>.*<\/server>/s, ""],
  };
  for (const [title, [from, to]] of Object.entries(changes))
    test(title, async () => {
      const app = await failing();
      expect(row(app)).toEqual([KNOWN]);
      expect((await app.report(message(app).replace(from, to))).status).toBe(200);
      expect(row(app)).toEqual([KNOWN]);
      expect(app.rows("select deadline - lastmodified as patience from hosts")).toEqual([{ patience: 90 }]);
    });
});

describe("a new host", () => {
  test("whose agent does not say how long its cycle is has one of 120 s", async () => {
    await app.report(message(app).replace("<poll>30", "<poll>0"));
    expect(app.rows("select poll, deadline - lastmodified as patience from hosts")).toEqual([
      { poll: 120, patience: 360 },
    ]);
  });

  const NAMES: [httpd: string, source: string, name: string][] = [
    ["192.0.2.44", "198.51.100.7", "192.0.2.44"],
    ["0.0.0.0", "198.51.100.7", "198.51.100.7"],
    ["127.0.0.1", "198.51.100.7", "198.51.100.7"],
    ["0.0.0.0", "", "agent-1"],
  ];
  for (const [address, source, name] of NAMES)
    test(`without a name, with its interface at ${address}, that reports from "${source}" is called ${name}`, async () => {
      await app.report(agentXml({ hostname: "", httpd: { address } }), source);
      expect(app.rows("select hostname from hosts")).toEqual([{ hostname: name }]);
    });

  test("that says nothing but its id is a host all the same", async () => {
    expect((await app.report('<monit id="agent-7"><server/></monit>')).status).toBe(200);
    expect(app.rows("select agent_id as id, hostname, poll, incarnation, status from hosts")).toEqual([
      { id: "agent-7", hostname: "198.51.100.7", poll: 120, incarnation: START, status: 0 },
    ]);
  });
});

test("an agent whose clock was set back while it runs reports the time by its uptime, which is negative", async () => {
  const at = START - 7200;
  const services = [{ name: "web", collectedSec: START - 10 }];
  await app.report({ at, incarnation: BOOT, services, event: { service: "web", collectedSec: at - 5 } });
  expect(app.rows("select clock_offset as shift, agent_uptime as uptime from hosts")).toEqual([
    { shift: 7200, uptime: 0 },
  ]);
  expect(app.rows("select date from events")).toEqual([{ date: START - 5 }]);
});

describe("an event is stored, whatever it lacks", () => {
  const FULL = "<event>.*</event>";
  const EVENT = {
    state: 1,
    class: 512,
    name: "web",
    type: 3,
    date: START,
    action: 1,
    message: "does not exist",
  };
  const cases: [what: string, from: string, to: string, stored: object][] = [
    ["no state", "<state>1</state>", "", { state: 2 }],
    ["a state of bad", "<state>1", "<state>bad", { state: 2 }],
    ["no class", "<id>512</id>", "", { class: 2048 }],
    ["no service", "(<event>.*)<service>web</service>", "$1", { name: "Monit" }],
    ["no service type", "<type>3</type><id>", "<id>", { type: 3 }],
    [
      "no service and no type",
      "<service>web</service><type>3</type><id>",
      "<id>",
      { name: "Monit", type: 5 },
    ],
    ["no action", "<action>1</action>", "", { action: 0 }],
    ["no message", "<message>.*</message>", "", { message: "" }],
    ["no time", "<event><collected_sec>\\d+</collected_sec>", "<event>", {}],
    [
      "nothing but a text",
      FULL,
      "<event>on fire</event>",
      { state: 2, class: 2048, name: "Monit", type: 5, action: 0, message: "on fire" },
    ],
  ];
  for (const [title, from, to, stored] of cases)
    test(title, async () => {
      const xml = agentXml({ services: SERVICES, event: { service: "web" } });
      const changed = xml.replace(new RegExp(from, "s"), to);
      expect(changed).not.toBe(xml);
      expect((await app.report(changed)).status).toBe(200);
      expect(
        app.rows(
          `select state, event_type as class, name, service_type as type, date, action, message
           from events join names on names.id = name_id`,
        ),
      ).toEqual([{ ...EVENT, ...stored }]);
    });

  test("and of several in one message each", async () => {
    const xml = agentXml({ services: SERVICES, event: { service: "web" } });
    await app.report(xml.replace(/<event>.*<\/event>/s, (event) => event + event.replace("512", "32")));
    expect(app.rows("select event_type as class from events order by id")).toEqual([
      { class: 512 },
      { class: 32 },
    ]);
  });
});

describe("unreadable values are shown to administrators", () => {
  const odd = (app: TestApp) =>
    message(app)
      .replace("<poll>30", "<poll>0")
      .replace(/(name="web">.*?<monitormode>)0(.*?<onreboot>)0(.*?<pendingaction>)0/s, "$1a$2b$3c");
  const UNREADABLE = {
    count: 4,
    services: [
      { service: "", count: 1, elements: ["server/poll"] },
      { service: "web", count: 3, elements: ["monitormode", "onreboot", "pendingaction"] },
    ],
  };

  test("on their host, and no longer once a message is whole", async () => {
    const [admin, user] = [await app.admin(), await app.user()];
    const shown = async (who: typeof admin) => (await who.get(GET, { id: 1 })).json.records.host.unreadable;
    await app.report(odd(app));
    expect(await shown(admin)).toEqual(UNREADABLE);
    expect(await shown(user)).toEqual({ count: 0, services: [] });
    app.pass(30);
    await app.report(message(app));
    expect(await shown(admin)).toEqual({ count: 0, services: [] });
  });

  test("also when the message repeats: one that is not whole is never taken for a repetition", async () => {
    for (let i = 0; i < 4; i++) {
      await app.report(odd(app));
      app.pass(1);
    }
    expect(
      app.rows<{ u: string }>("select unreadable as u from hosts").map(({ u }) => JSON.parse(u)),
    ).toEqual([UNREADABLE]);
  });

  test("in words", () => {
    expect(unreadableSentences(UNREADABLE)).toEqual([
      "1 value of the agent could not be read: server/poll",
      "3 values of service web could not be read: monitormode, onreboot, pendingaction",
    ]);
    expect(
      unreadableSentences({ count: 9, services: [{ service: "a", count: 7, elements: ["pid", "ppid"] }] }),
    ).toEqual([
      "7 values of service a could not be read: pid, ppid, ...",
      "2 values of further services could not be read",
    ]);
    expect(unreadableSentences({ count: 0, services: [] })).toEqual([]);
  });
});

test("a reload with an unreadable time of its own changes no state", async () => {
  const app = await failing();
  const xml = agentXml({ at: app.clock.now(), incarnation: BOOT, services: SERVICES, event: STARTED });
  await app.report(xml.replace(/(<event><collected_sec>)\d+/, "$1?"));
  expect(app.rows("select status, heartbeat from hosts")).toEqual([{ status: 0, heartbeat: 1 }]);
  expect(openFailures(app)).toEqual([{ class: 512 }]);
});
