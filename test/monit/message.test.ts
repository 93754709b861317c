/** The requirements for a message to be accepted, and what is cut. */
import { describe, expect, test } from "bun:test";
import { RejectedMessage } from "../../src/monit/rejected-message.ts";
import { agentXml, STARTED } from "../support/agent-messages.ts";
import { altered, FULL, parse } from "./altered-messages.ts";

function refusal(xml: string): string {
  try {
    parse(xml);
  } catch (error) {
    if (error instanceof RejectedMessage) return error.message;
    throw error;
  }
  throw new Error("was not refused");
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

  for (const [title, xml, reason] of cases) {
    test(title, () => expect(refusal(xml)).toBe(reason));
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
