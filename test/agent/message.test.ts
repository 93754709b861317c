import { describe, expect, test } from "bun:test";
import { MessageRefused, parseAgentMessage } from "../../src/agent/message.ts";
import { agentXml, STARTED } from "../support/agent-messages.ts";
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
    if (error instanceof MessageRefused) return error.reason;
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
    ["without a version", altered(' version="5.33.0"', ""), "Attribute version is required."],
    [
      "without an incarnation",
      FULL.replace(/ incarnation="\d+"/, ""),
      "Attribute incarnation must be a whole number from 0 to 253402300799.",
    ],
    [
      "with a poll of 0",
      altered("<poll>30", "<poll>0"),
      "Element poll must be a whole number from 1 to 86400.",
    ],
    [
      "with a poll of over a day",
      altered("<poll>30", "<poll>86401"),
      "Element poll must be a whole number from 1 to 86400.",
    ],
    [
      "with a poll of 1.5",
      altered("<poll>30", "<poll>1.5"),
      "Element poll must be a whole number from 1 to 86400.",
    ],
    [
      "with an empty poll",
      altered("<poll>30", "<poll>"),
      "Element poll must be a whole number from 1 to 86400.",
    ],
    ["with two polls", altered("<poll>30", "<poll>30</poll><poll>30"), "Element poll must not be repeated."],
    [
      "with a negative uptime",
      altered("<uptime>", "<uptime>-"),
      "Element uptime must be a whole number from 0 to 253402300799.",
    ],
    ["without a host name", altered("host-1", ""), "Element localhostname must not be empty."],
    [
      "without a server",
      FULL.replace(/<server>.*<\/server>/, ""),
      "Element server must be there and hold further elements.",
    ],
    [
      "without a platform",
      FULL.replace(/<platform>.*<\/platform>/, ""),
      "Element platform must be there and hold further elements.",
    ],
    ["without services", FULL.replace(/<services>.*<\/services>/, ""), "Element services is required."],
    [
      "with text for services",
      FULL.replace(/<services>.*<\/services>/, "<services>none</services>"),
      "Element services must be there and hold further elements.",
    ],
    [
      "with two servers",
      FULL.replace(/<server>.*<\/server>/, "$&$&"),
      "Element server must not be repeated.",
    ],
    ["with port 0", altered("<port>2812", "<port>0"), "Element port must be a whole number from 1 to 65535."],
    [
      "with port 65536",
      altered("<port>2812", "<port>65536"),
      "Element port must be a whole number from 1 to 65535.",
    ],
    ["with ssl 2", altered("<ssl>0", "<ssl>2"), "Element ssl must be a whole number from 0 to 1."],
    ["with an empty service name", altered('"web"', '""'), "Attribute name must not be empty."],
    [
      "with an empty service",
      altered("<service name=", "<service/><service name="),
      "Element service must be there and hold further elements.",
    ],
    [
      "with a service type of 100",
      altered("<type>3", "<type>100"),
      "Element type must be a whole number from 0 to 99.",
    ],
    [
      "with a status beyond 32 bits",
      altered("<status>0", "<status>4294967296"),
      "Element status must be a whole number from 0 to 4294967295.",
    ],
    [
      "with a million microseconds",
      altered("<collected_usec>0", "<collected_usec>1000000"),
      "Element collected_usec must be a whole number from 0 to 999999.",
    ],
    [
      "with an event of no service",
      altered("<event>", "<event><service/>").replace(
        /(<service\/>.*)<service>web<\/service>(<type>.<\/type><id>)/,
        "$1$2",
      ),
      "Element service must not be empty.",
    ],
    [
      "with an event without a message",
      FULL.replace(/<message>.*<\/message>/, ""),
      "Element message is required.",
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
    expect(parse(agentXml({ event: { service: "s", message: "<!DOCTYPE html>" } })).event?.message).toBe(
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
      event: { service: "Monit", serviceType: 5, eventType: 65_536, state: 2, action: 6, collectedSec: 1000 },
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
    expect(message.event?.service).toBe(short);
  });

  test("to 1024 characters where it is the control file, never within a pair", () => {
    expect(message.server.controlFile).toBe(`x${"😀".repeat(511)}`);
  });

  test("to 8192 characters where it is an event's message", () => {
    expect(message.event?.message).toBe(`x${"😀".repeat(4095)}`);
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
      if (!(error instanceof MessageRefused)) throw error;
      refused++;
    }
  }
  expect(refused).toBeGreaterThan(100);
  expect(refused).toBeLessThan(700);
});
