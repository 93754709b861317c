import { describe, expect, test } from "bun:test";
import { parseAgentMessage, RejectedMessage } from "../../src/monit/message.ts";
import { agentXml, STARTED } from "../support/agent-messages.ts";
import { START } from "../support/clock.ts";
import { captured, capturedNames } from "../support/fixtures.ts";

const parse = (xml: string) => parseAgentMessage(Buffer.from(xml));

/** A message with something of everything. */
const FULL = agentXml({
  hostGroups: ["Oslo", "Bergen & co"],
  services: [{ name: "web", every: 2 }, { name: "db" }],
  serviceGroups: { app: ["web", "db"] },
  event: { service: "web" },
});

function refusal(xml: string): string {
  try {
    parse(xml);
  } catch (error) {
    if (error instanceof RejectedMessage) return error.message;
    throw error;
  }
  throw new Error("was not refused");
}

/** The full message with one thing replaced, which must have been there. */
function altered(from: string, to: string): string {
  if (!FULL.includes(from)) throw new Error(`${from} is not in the message`);
  return FULL.replace(from, to);
}

describe("a message is refused", () => {
  const NOT_WELL_FORMED = "The document must be well-formed XML.";
  const NO_MONIT = "The document must begin with the element monit.";
  const cases: [what: string, xml: string, reason: string][] = [
    ["when it is empty", "", NO_MONIT],
    ["when it is no XML", "hello", NO_MONIT],
    ["when its root is another", "<html></html>", NO_MONIT],
    ["when it is cut short", FULL.slice(0, -20), NOT_WELL_FORMED],
    ["when more follows its root", `${FULL}<x/>`, NOT_WELL_FORMED],
    ["when tags do not match", altered("</poll>", "</pool>"), NOT_WELL_FORMED],
    ["when its root is empty", "<monit></monit>", "Element monit must hold further elements."],
    [
      "with a DOCTYPE",
      altered("<monit ", '<!DOCTYPE monit [<!ENTITY a "b">]><monit '),
      "A document with a DOCTYPE is not allowed.",
    ],
    [
      "with a DOCTYPE behind a comment",
      altered("<monit ", "<!-- --><!doctype monit><monit "),
      "A document with a DOCTYPE is not allowed.",
    ],
    ["without an id", altered(' id="agent-1"', ""), "Attribute id must have 1 to 255 characters."],
    ["with an empty id", altered('"agent-1"', '""'), "Attribute id must have 1 to 255 characters."],
    [
      "with an id of 256 characters",
      altered("agent-1", "x".repeat(256)),
      "Attribute id must have 1 to 255 characters.",
    ],
    [
      "with an empty id of the older layout",
      "<monit><server><id></id><incarnation>1</incarnation></server></monit>",
      "Attribute id must have 1 to 255 characters.",
    ],
    [
      "with two ids of the older layout",
      "<monit><server><id>a</id><id>b</id></server></monit>",
      "Attribute id must have 1 to 255 characters.",
    ],
  ];

  for (const [what, xml, reason] of cases) {
    test(what, () => expect(refusal(xml)).toBe(reason));
  }

  test("when it is nested deeper than 32", () => {
    const nested = (levels: number) =>
      altered("</monit>", `${"<x>".repeat(levels)}y${"</x>".repeat(levels)}</monit>`);
    expect(parse(nested(31)).agentId).toBe("agent-1");
    expect(refusal(nested(32))).toBe("Elements may be nested at most 32 deep.");
    expect(refusal(nested(200_000))).toBe("Elements may be nested at most 32 deep.");
  });
});

/** Where the full message says what it was sent for. */
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
      server({ hostname: "", httpd: null, credentials: null }),
    ],
    [
      "two servers",
      FULL.replace(/<server>.*<\/server>/, "$&$&"),
      ": server server/uptime server/poll",
      server({ hostname: "" }),
    ],
    ["port 0", altered("<port>2812", "<port>0"), ": server/httpd/port", server({ httpd: null })],
    ["port 65536", altered("<port>2812", "<port>65536"), ": server/httpd/port", server({ httpd: null })],
    [
      "ssl 2",
      altered("<ssl>0", "<ssl>2"),
      ": server/httpd/ssl",
      server({ httpd: { address: "0.0.0.0", port: 2812, ssl: false } }),
    ],
    [
      "text for credentials",
      FULL.replace(/<credentials>.*<\/credentials>/, "<credentials>none</credentials>"),
      ": server/credentials",
      server({ credentials: null }),
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
  for (const [what, xml, unread, rest] of cases)
    test(what, () => {
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
  for (const [what, xml, rest] of silent)
    test(what, () => expect(parse(xml)).toMatchObject({ unreadable: null, ...rest }));
});

test("an event that is nothing but text is stored with that text", () => {
  const { events, unreadable } = parse(FULL.replace(/<event>.*<\/event>/, "<event>disk on fire</event>"));
  expect(events).toEqual([
    {
      ...{ collectedSec: null, collectedUsec: 0, service: "Monit", serviceType: null },
      ...{ eventType: 2048, state: 2, action: 0, message: "disk on fire" },
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

describe("a message is taken", () => {
  test("with the bounds of its numbers", () => {
    const message = parse(agentXml({ id: "x".repeat(255), poll: 86_400, uptime: 0, version: "6.1.0" }));
    expect(message).toMatchObject({ agentId: "x".repeat(255), version: "6.1.0" });
    expect(message.server).toMatchObject({ poll: 86_400, uptime: 0 });
  });

  test("with host groups, each once", () => {
    expect(parse(FULL).hostGroups).toEqual(["Oslo", "Bergen & co"]);
    expect(parse(agentXml({ hostGroups: ["a", "a", ""] })).hostGroups).toEqual(["a"]);
  });

  test("without an HTTP interface and credentials", () => {
    expect(parse(agentXml({ httpd: null, credentials: null })).server).toMatchObject({
      httpd: null,
      credentials: null,
    });
  });

  test("with TLS on the HTTP interface", () => {
    const { server } = parse(agentXml({ httpd: { address: "::1", port: 65_535, ssl: true } }));
    expect(server.httpd).toEqual({ address: "::1", port: 65_535, ssl: true });
  });

  test("without services", () => {
    expect(parse(agentXml()).services).toEqual([]);
  });

  test("without service groups", () => {
    expect(parse(FULL.replace(/<servicegroups>.*<\/servicegroups>/, "")).serviceGroups).toEqual([]);
  });

  test("with unknown elements and attributes", () => {
    const newer = altered(
      '<service name="web">',
      '<service name="web" x="1"><errors><error>5</error></errors>',
    )
      .replace("<id>512", '<id type="bits">512')
      .replace("</monit>", "<future/></monit>");
    expect(parse(newer)).toEqual(parse(FULL));
  });

  test("with a doctype in program output", () => {
    expect(parse(agentXml({ event: { service: "s", message: "<!DOCTYPE html>" } })).events[0]?.message).toBe(
      "<!DOCTYPE html>",
    );
  });

  test("with layout between its elements and a byte order mark before them", () => {
    const spaced = `\uFEFF${FULL.replaceAll(/(?<!\])><(?=[a-z/])/g, ">\n  <")}\n`;
    expect(parse(spaced)).toEqual(parse(FULL));
  });

  test("with the first of two services of the same name", () => {
    const { services } = parse(
      agentXml({ services: [{ name: "a", type: 3 }, { name: "b" }, { name: "a", type: 2 }] }),
    );
    expect(services.map(({ name, type }) => `${name} ${type}`)).toEqual(["a 3", "b 3"]);
  });

  test("with the first of two service groups of the same name", () => {
    const twice = altered("</servicegroups>", '<servicegroup name="app"/></servicegroups>');
    expect(parse(twice).serviceGroups).toEqual([{ name: "app", services: ["web", "db"] }]);
  });

  test("with the event of the agent's start", () => {
    expect(parse(agentXml({ at: 1000, incarnation: 900, event: STARTED }))).toMatchObject({
      incarnation: 900,
      server: { uptime: 100 },
      events: [
        { service: "Monit", serviceType: 5, eventType: 65_536, state: 2, action: 6, collectedSec: 1000 },
      ],
    });
  });
});

describe("a long text is cut", () => {
  const long = `x${"😀".repeat(6000)}`;
  const message = parse(
    agentXml({
      hostname: long,
      controlFile: long,
      credentials: { username: long, password: long },
      platform: { name: long, release: long, version: long, machine: long },
      hostGroups: [long],
      services: [{ name: long, every: long }],
      serviceGroups: { [long]: [long] },
      event: { service: long, message: long },
    }),
  );
  const short = `x${"😀".repeat(127)}`;

  test("to 255 characters where it is a name", () => {
    expect(message.server.hostname).toBe(short);
    expect(message.server.credentials).toEqual({ username: short, password: short });
    expect(message.platform).toMatchObject({ name: short, release: short, version: short, machine: short });
    expect(message.hostGroups).toEqual([short]);
    expect(message.services[0]).toMatchObject({ name: short, every: short });
    expect(message.serviceGroups).toEqual([{ name: short, services: [short] }]);
    expect(message.events[0]?.service).toBe(short);
  });

  test("to 1024 characters where it is the control file, never within a pair", () => {
    expect(message.server.controlFile).toBe(`x${"😀".repeat(511)}`);
  });

  test("to 8192 characters where it is an event's message", () => {
    expect(message.events[0]?.message).toBe(`x${"😀".repeat(4095)}`);
  });
});

/** A small generator of pseudo-random numbers below `n`, the same for the same seed. */
function generator(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

const PIECES = ["<", ">", '"', "&", "]]>", "<![CDATA[", "</service>", "<service name=", "&#0;", "<x>"];
const TEXTS = [
  "0",
  "1",
  "7",
  "-1",
  "99999999999999999999",
  "1.5",
  "nan",
  "",
  " ",
  "\0",
  "\x1B[0m",
  "å",
  "😀",
  "&",
  "\uFFFF",
];

/** One random edit of the bytes: mostly another text in an element, else another byte, a gap, a repetition, an insertion. */
function mutate(bytes: Uint8Array, random: (n: number) => number): Uint8Array {
  const pick = (texts: string[]) => Buffer.from(texts[random(texts.length)] ?? "");
  const at = random(bytes.length);
  const end = Math.min(bytes.length, at + 1 + random(100));
  switch (random(12)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]);
    case 2:
      return Buffer.concat([bytes.subarray(0, end), bytes.subarray(at)]);
    case 3:
      return Buffer.concat([bytes.subarray(0, at), pick(PIECES), bytes.subarray(at)]);
    case 4:
      return Buffer.concat([bytes.subarray(0, at), Uint8Array.of(random(256)), bytes.subarray(at + 1)]);
    default: {
      const start = bytes.indexOf(0x3e /* > */, at) + 1;
      const stop = bytes.indexOf(0x3c /* < */, start);
      return Buffer.concat([bytes.subarray(0, start), pick(TEXTS), bytes.subarray(Math.max(start, stop))]);
    }
  }
}

test("of 800 damaged messages each is either refused or well-formed, and nothing else is thrown", () => {
  const random = generator(20_260_105);
  const originals = capturedNames().map(captured);
  let refused = 0;
  for (let i = 0; i < 800; i++) {
    let bytes = originals[i % originals.length] ?? new Uint8Array();
    for (let edits = 1 + random(2); edits > 0; edits--) bytes = mutate(bytes, random);
    try {
      const text = JSON.stringify(parseAgentMessage(bytes));
      // JSON.stringify escapes lone surrogates and control characters, so that they would show here.
      expect(text).not.toMatch(/\\(?:u(?:d[89a-f]|00)|[bf])/i);
    } catch (error) {
      if (!(error instanceof RejectedMessage)) throw error;
      refused++;
    }
  }
  expect(refused).toBeGreaterThan(100);
  expect(refused).toBeLessThan(700);
});
