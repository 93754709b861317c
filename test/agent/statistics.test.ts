import { describe, expect, test } from "bun:test";
import { MessageRefused, parseAgentMessage } from "../../src/agent/message.ts";
import { STATISTIC, STATISTIC_NAMES, STATISTIC_UNITS } from "../../src/agent/statistics.ts";
import { decodeDocument, parseDocument } from "../../src/agent/xml.ts";
import { agentXml, filesystemXml, portXml, processXml, programXml } from "../support/agent-messages.ts";
import { captured, capturedNames } from "../support/fixtures.ts";

/** Elements of a service that are its state, its schedule, or a part of a descriptor. */
const NO_STATISTIC =
  /^(type|collected_sec|collected_usec|status|status_hint|monitor|monitormode|onreboot|pendingaction|every|@name)$/;
const PART_OF_A_DESCRIPTOR = new Set([
  "hostname",
  "portnumber",
  "request",
  "protocol",
  "type",
  "path",
  "@type",
]);

/** Every number and text below an element that must be found again among the statistics. */
function leaves(name: string, value: Bun.XML.Value | Bun.XML.Value[] | undefined): string[] {
  if (value === undefined || PART_OF_A_DESCRIPTOR.has(name)) return [];
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap((item) => leaves(name, item));
  return Object.keys(value).flatMap((key) => leaves(key, value[key]));
}

function statisticsOf(type: number, body: string) {
  const message = parseAgentMessage(Buffer.from(agentXml({ services: [{ name: "s", type, body }] })));
  return message.services[0]?.statistics ?? [];
}

const brief = (type: number, body: string) =>
  statisticsOf(type, body).map((s) => [s.type, s.descriptor, s.text ?? s.value]);

describe("captured messages", () => {
  for (const name of capturedNames()) {
    test(`lose no value: ${name}`, () => {
      const services = parseDocument(decodeDocument(captured(name))).services as Bun.XML.Element;
      const sent = ([services.service].flat() as Bun.XML.Element[]).map((service) =>
        Object.keys(service)
          .filter((key) => !NO_STATISTIC.test(key))
          .flatMap((key) => leaves(key, service[key]))
          .map((leaf) => (Number.isNaN(Number(leaf)) ? leaf.replaceAll("]]&gt;", "]]>") : Number(leaf)))
          .sort(),
      );
      const read = parseAgentMessage(captured(name)).services.map((service) =>
        service.statistics.map(({ value, text }) => text ?? value).sort(),
      );
      expect(read).toEqual(sent);
    });
  }
});

describe("statistic types", () => {
  const codes = Object.values(STATISTIC).map(({ code }) => code);

  test("have a code of their own, a name and a unit each", () => {
    expect(new Set(codes).size).toBe(codes.length);
    for (const code of codes) {
      expect(STATISTIC_NAMES[code]).toBeTruthy();
      expect(STATISTIC_UNITS[code]).toBeTruthy();
    }
  });

  test("cover every code of the specification", () => {
    for (let code = 0; code <= 34; code++) expect(codes).toContain(code);
  });
});

describe("a repeated test", () => {
  test("is told apart by its request, else by a number", () => {
    const body = [
      portXml(),
      portXml({ request: "/a" }),
      portXml({ request: "/a" }),
      portXml(),
      portXml({ port: 443 }),
    ].join("");
    expect(brief(4, body).map(([, descriptor]) => descriptor)).toEqual([
      "localhost:80 [HTTP/TCP]",
      "localhost:80 [HTTP/TCP] /a",
      "localhost:80 [HTTP/TCP] #3",
      "localhost:80 [HTTP/TCP] #4",
      "localhost:443 [HTTP/TCP]",
    ]);
  });

  test("without a descriptor has the number alone", () => {
    const ping = "<icmp><type>Ping</type><responsetime>0.1</responsetime></icmp>";
    expect(brief(4, ping + ping)).toEqual([
      [17, "", 0.1],
      [17, "#2", 0.1],
    ]);
  });

  test("of a thousand ports takes no time and stays unique", () => {
    const found = brief(3, processXml() + portXml().repeat(1000)).filter(([type]) => type === 15);
    expect(new Set(found.map(([, descriptor]) => descriptor)).size).toBe(1000);
  });
});

test("a number the agent does not have is left out", () => {
  const body = filesystemXml().replace("<percent>1.0</percent>", "<percent>-nan</percent>");
  expect(body).toContain("-nan");
  const types = brief(0, body).map(([type]) => type);
  expect(types).not.toContain(21);
  expect(types).toContain(22);
});

for (const value of ["many", "", " ", "0x10", "1e3", "1,5", "Infinity1", "--1", "1.", "\u0661"]) {
  test(`a statistic of ${JSON.stringify(value)} is refused`, () => {
    const body = `<pid>${value}</pid>`;
    expect(() => statisticsOf(3, body)).toThrow(new MessageRefused("Element pid must be a number."));
  });
}

test("a repeated number is refused", () => {
  expect(() => statisticsOf(3, "<pid>1</pid><pid>2</pid>")).toThrow(
    new MessageRefused("Element pid must not be repeated."),
  );
});

test("a service of an unknown type is kept without statistics", () => {
  expect(statisticsOf(42, processXml())).toEqual([]);
});

test("program output is cut to 8192 characters, never within a pair", () => {
  const [, , output] = statisticsOf(7, programXml({ output: `x${"😀".repeat(5000)}` }));
  expect(output?.text).toBe(`x${"😀".repeat(4095)}`);
});
