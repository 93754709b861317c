/** An unreadable part costs only that value or element, and so does what agents of some versions leave out. */
import { describe, expect, test } from "bun:test";
import { agentXml } from "../support/agent-messages.ts";
import { START } from "../support/clock.ts";
import { altered, FULL, parse } from "./altered-messages.ts";

const EVENT = { service: "web", serviceType: 3, eventType: 512, state: 1, action: 1, collectedSec: START };

describe("what cannot be read costs that value or element alone", () => {
  const server = (changes: object) => ({ server: changes });
  const web = (changes: object) => ({ services: [{ name: "web", ...changes }, { name: "db" }] });
  const event = (changes: object) => ({ events: [{ ...EVENT, ...changes }] });
  const cases: [what: string, xml: string, unread: string, rest: object][] = [
    ["no incarnation", FULL.replace(/ incarnation="\d+"/, ""), ": incarnation", { incarnation: 0 }],
    ["a poll of 0", altered("<poll>30", "<poll>0"), ": server/poll", server({ poll: 0 })],
    ["a poll of over a day", altered("<poll>30", "<poll>86401"), ": server/poll", server({ poll: 0 })],
    ["a poll of 1.5", altered("<poll>30", "<poll>1.5"), ": server/poll", server({ poll: 0 })],
    ["an empty poll", altered("<poll>30", "<poll>"), ": server/poll", server({ poll: 0 })],
    ["two polls", altered("<poll>30", "<poll>30</poll><poll>30"), ": server/poll", server({ poll: 0 })],
    [
      "a poll with children",
      altered("<poll>30</poll>", "<poll><x/></poll>"),
      ": server/poll",
      server({ poll: 0 }),
    ],
    ["no uptime", FULL.replace(/<uptime>\d+<\/uptime>/, ""), ": server/uptime", server({ uptime: -1 })],
    [
      "a start delay of never",
      altered("<startdelay>0", "<startdelay>never"),
      ": server/startdelay",
      server({ startDelay: 0 }),
    ],
    [
      "no server",
      FULL.replace(/<server>.*<\/server>/, ""),
      ": server/uptime server/poll",
      server({ hostname: "", httpd: undefined, credentials: undefined }),
    ],
    [
      "two servers",
      FULL.replace(/<server>.*<\/server>/, "$&$&"),
      ": server server/uptime server/poll",
      server({ hostname: "" }),
    ],
    ["port 0", altered("<port>2812", "<port>0"), ": server/httpd/port", server({ httpd: undefined })],
    ["port 65536", altered("<port>2812", "<port>65536"), ": server/httpd/port", server({ httpd: undefined })],
    [
      "ssl 2",
      altered("<ssl>0", "<ssl>2"),
      ": server/httpd/ssl",
      server({ httpd: { address: "0.0.0.0", port: 2812, ssl: undefined } }),
    ],
    [
      "text for credentials",
      FULL.replace(/<credentials>.*<\/credentials>/, "<credentials>none</credentials>"),
      ": server/credentials",
      server({ credentials: undefined }),
    ],
    [
      "a platform of words",
      FULL.replace(/<platform>.*<\/platform>/, "<platform>Linux</platform>"),
      ": platform",
      { platform: { name: "", cpuCount: 0 } },
    ],
    [
      "a memory of much",
      altered("<memory>4096000", "<memory>much"),
      ": platform/memory",
      { platform: { name: "Linux", memoryKb: 0 } },
    ],
    [
      "text for host groups",
      FULL.replace(/<hostgroups>.*<\/hostgroups>/, "<hostgroups>all</hostgroups>"),
      ": hostgroups",
      { hostGroups: null },
    ],
    [
      "text for service groups",
      FULL.replace(/<servicegroups>.*<\/servicegroups>/, "<servicegroups>all</servicegroups>"),
      ": servicegroups",
      { serviceGroups: null },
    ],
    [
      "a service group without a name",
      altered('<servicegroup name="app">', "<servicegroup>"),
      ": servicegroups/name",
      { serviceGroups: [] },
    ],
    [
      "no services",
      FULL.replace(/<services>.*<\/services>/, ""),
      ": services",
      { services: [], unreadServices: "any" },
    ],
    [
      "text for services",
      FULL.replace(/<services>.*<\/services>/, "<services>none</services>"),
      ": services",
      { services: [], unreadServices: "any" },
    ],
    [
      "a service without a name",
      altered('<service name="web">', "<service>"),
      ": service/name",
      { services: [{ name: "db" }], unreadServices: "any" },
    ],
    [
      "an empty service",
      altered("<service name=", "<service/><service name="),
      ": service",
      { ...web({}), unreadServices: "any" },
    ],
    [
      "a service type of 100",
      altered("<type>3", "<type>100"),
      "web: type",
      { services: [{ name: "db" }], unreadServices: ["web"] },
    ],
    [
      "a service without a type",
      altered("<type>3</type>", ""),
      "web: type",
      { services: [{ name: "db" }], unreadServices: ["web"] },
    ],
    [
      "a status beyond 32 bits",
      altered("<status>0", "<status>4294967296"),
      "web: status",
      web({ status: null, monitor: 1 }),
    ],
    ["no status", altered("<status>0</status>", ""), "web: status", web({ status: null })],
    [
      "a status hint of maybe",
      altered("<status_hint>0", "<status_hint>maybe"),
      "web: status_hint",
      web({ status: null }),
    ],
    ["no monitor", altered("<monitor>1</monitor>", ""), "web: monitor", web({ status: 0, monitor: null })],
    [
      "a million microseconds",
      altered("<collected_usec>0", "<collected_usec>1000000"),
      "web: collected_usec",
      web({ collectedUsec: 0 }),
    ],
    [
      "no time of the check",
      altered(`<collected_sec>${START}</collected_sec>`, ""),
      "web: collected_sec",
      web({ collectedSec: 0 }),
    ],
    [
      "a schedule of many cycles",
      altered("<number>2", "<number>many"),
      "web: every/number",
      web({ every: "" }),
    ],
    [
      "an event of no service",
      altered("<event>", "<event><service/>").replace(
        /(<service\/>.*)<service>web<\/service>(<type>.<\/type><id>)/,
        "$1$2",
      ),
      ": event/service",
      event({ service: "Monit" }),
    ],
    [
      "an event of no time",
      FULL.replace(/(<event>)<collected_sec>\d+<\/collected_sec>/, "$1"),
      ": event/collected_sec",
      event({ collectedSec: null }),
    ],
    ["an event of no class", altered("<id>512</id>", ""), ": event/id", event({ eventType: 2048 })],
    ["an event of the class x", altered("<id>512", "<id>x"), ": event/id", event({ eventType: 2048 })],
    ["an event of no state", altered("<state>1</state>", ""), ": event/state", event({ state: 2 })],
    ["an event of no action", altered("<action>1</action>", ""), ": event/action", event({ action: 0 })],
    [
      "an event of no service type",
      altered("<type>3</type><id>", "<id>"),
      ": event/type",
      event({ serviceType: null }),
    ],
  ];
  for (const [title, xml, unread, rest] of cases)
    test(title, () => {
      const message = parse(xml);
      expect(message.unreadable?.services.map((of) => `${of.service}: ${of.elements.join(" ")}`)).toEqual([
        unread,
      ]);
      expect(message.unreadable?.count).toBe(unread.split(" ").length - 1);
      expect(message).toMatchObject(rest);
    });
});

describe("what agents of some versions do not send, or send on purpose, is not held against them", () => {
  const silent: [what: string, xml: string, rest: object][] = [
    ["no version", altered(' version="5.33.0"', ""), { version: "" }],
    ["no onreboot", FULL.replaceAll(/<onreboot>0<\/onreboot>/g, ""), { services: [{ onReboot: 0 }, {}] }],
    ["no pendingaction", FULL.replaceAll(/<pendingaction>0<\/pendingaction>/g, ""), {}],
    ["no monitormode", FULL.replaceAll(/<monitormode>0<\/monitormode>/g, ""), {}],
    [
      "no status_hint",
      FULL.replaceAll(/<status_hint>0<\/status_hint>/g, ""),
      { services: [{ statusHint: 0 }, {}] },
    ],
    ["no swap", altered("<swap>0</swap>", ""), { platform: { swapKb: 0 } }],
    ["no platform", FULL.replace(/<platform>.*<\/platform>/, ""), { platform: { name: "", memoryKb: 0 } }],
    ["no httpd", FULL.replace(/<httpd>.*<\/httpd>/, ""), { server: { httpd: null } }],
    [
      "an httpd on a unix socket",
      FULL.replace(/<httpd>.*<\/httpd>/, "<httpd><unixsocket>/run/monit</unixsocket></httpd>"),
      { server: { httpd: null } },
    ],
    ["no credentials", FULL.replace(/<credentials>.*<\/credentials>/, ""), { server: { credentials: null } }],
    ["an empty host name", altered("host-1", ""), { server: { hostname: "" } }],
    ["a negative uptime", FULL.replace(/<uptime>\d+/, "<uptime>-3600"), { server: { uptime: -3600 } }],
    ["no event's message", FULL.replace(/<message>.*<\/message>/, ""), { events: [{ message: "" }] }],
    ["an empty event", FULL.replace(/<event>.*<\/event>/, "<event/>"), { events: [] }],
    ["text for an event", FULL.replace(/<event>.*<\/event>/, ""), { events: [] }],
    ["seconds with their unit", altered("<poll>30", "<poll>30 s"), { server: { poll: 30 } }],
    ["memory in MB", altered("<memory>4096000", "<memory>4000 MB"), { platform: { memoryKb: 4_096_000 } }],
    ["memory in GB", altered("<memory>4096000", "<memory>1.5GB"), { platform: { memoryKb: 1_572_864 } }],
  ];
  for (const [title, xml, rest] of silent)
    test(title, () => expect(parse(xml)).toMatchObject({ unreadable: null, ...rest }));
});

test("an event that is nothing but text is stored with that text", () => {
  const { events, unreadable } = parse(FULL.replace(/<event>.*<\/event>/, "<event>disk on fire</event>"));
  expect(events).toEqual([
    {
      collectedSec: null,
      collectedUsec: 0,
      service: "Monit",
      serviceType: null,
      eventType: 2048,
      state: 2,
      action: 0,
      message: "disk on fire",
    },
  ]);
  expect(unreadable?.count).toBe(6);
});

test("of two events both are taken", () => {
  const two = FULL.replace(/<event>.*<\/event>/, "$&$&").replace("<id>512", "<id>32");
  expect(parse(two).events.map(({ eventType }) => eventType)).toEqual([32, 512]);
});

test("of very many things that cannot be read few are listed, and all are counted", () => {
  const long = "x".repeat(255);
  const names = Array.from({ length: 50 }, (_, i) => `${i}${long}`);
  const xml = agentXml({ services: names.map((name) => ({ name, body: "<pid>?</pid>".repeat(9) })) });
  const odd = xml.replaceAll(/<(status_hint|monitor|monitormode|onreboot|pendingaction)>\d/g, "<$1>?");
  const { unreadable } = parse(odd);
  expect(unreadable?.count).toBe(50 * 6);
  expect(unreadable?.services).toHaveLength(10);
  expect(unreadable?.services[0]).toMatchObject({ count: 6, elements: { length: 5 } });
  expect(JSON.stringify(unreadable).length).toBeLessThan(6000);
});
