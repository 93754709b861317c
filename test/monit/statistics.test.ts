import { describe, expect, test } from "bun:test";
import { parseAgentMessage } from "../../src/monit/message.ts";
import { STATISTIC, STATISTIC_NAMES, STATISTIC_UNITS } from "../../src/monit/statistic-types.ts";
import { decodeDocument, parseDocument } from "../../src/monit/xml.ts";
import { agentXml, filesystemXml, portXml, processXml, programXml } from "../support/agent-messages.ts";
import { captured, capturedNames, written, writtenNames } from "../support/fixtures.ts";

/** Elements of a service that are its state, its schedule, or what nobody keeps. */
const NO_STATISTIC =
  /^(type|collected_sec|collected_usec|status|status_hint|monitor|monitormode|onreboot|pendingaction|every|@name|@type|name|group|status_message|errors)$/;
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
  if (typeof value === "string") return name.startsWith("percent") && value.startsWith("-") ? [] : [value];
  if (Array.isArray(value)) return value.flatMap((item) => leaves(name, item));
  return Object.keys(value).flatMap((key) => leaves(key, value[key]));
}

const parsed = (type: number, body: string) =>
  parseAgentMessage(Buffer.from(agentXml({ services: [{ name: "s", type, body }] })));

function statisticsOf(type: number, body: string) {
  return parsed(type, body).services[0]?.statistics ?? [];
}

const brief = (type: number, body: string) =>
  statisticsOf(type, body).map((s) => [s.type, s.descriptor, s.text ?? s.value]);

/** Services of a document, wherever its layout has them. */
function servicesIn(document: Bun.XML.Element): Bun.XML.Element[] {
  const { services = document } = document as Record<string, Bun.XML.Element>;
  return [services.service ?? []].flat() as Bun.XML.Element[];
}

describe("messages of every version", () => {
  const messages = [
    ...capturedNames().map((name) => [name, captured(name)] as const),
    ...writtenNames().map((name) => [name, written(name)] as const),
  ];
  for (const [name, bytes] of messages) {
    test(`lose no value: ${name}`, () => {
      const sent = servicesIn(parseDocument(decodeDocument(bytes))).map((service) =>
        Object.keys(service)
          .filter((key) => !NO_STATISTIC.test(key))
          .flatMap((key) => leaves(key, service[key]))
          .filter((leaf) => leaf !== "nan")
          .map((leaf) => leaf.replaceAll("]]&gt;", "]]>").replace(/^([\d.]+) MB$/, "$1"))
          .map((leaf) => (Number.isNaN(Number(leaf)) ? leaf : String(Number(leaf))))
          .sort(),
      );
      const { services, unreadable } = parseAgentMessage(bytes);
      const read = services.map((service) =>
        service.statistics.map(({ value, text }) => text ?? String(value)).sort(),
      );
      expect(read).toEqual(sent);
      expect(unreadable).toBeNull();
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
    const ports = brief(3, processXml() + portXml().repeat(1000)).filter(([type]) => type === 15);
    expect(new Set(ports.map(([, descriptor]) => descriptor)).size).toBe(1000);
  });
});

test("a number the agent does not have is left out", () => {
  const body = filesystemXml().replace("<percent>1.0</percent>", "<percent>-nan</percent>");
  expect(body).toContain("-nan");
  const types = brief(0, body).map(([type]) => type);
  expect(types).not.toContain(21);
  expect(types).toContain(22);
});

for (const value of [
  "many",
  "",
  " ",
  "0x10",
  "1e3",
  "1,5",
  "Infinity1",
  "--1",
  "1.",
  "\u0661",
  "5 MB",
  "5 parsecs",
])
  test(`a number of ${JSON.stringify(value)} is left out, and reported as unreadable`, () => {
    const { services, unreadable } = parsed(3, `<pid>${value}</pid><ppid>1</ppid>`);
    expect(services[0]?.statistics.map(({ type }) => type)).toEqual([STATISTIC.parentPid.code]);
    expect(unreadable).toEqual({ count: 1, services: [{ service: "s", count: 1, elements: ["pid"] }] });
  });

test("a repeated number is left out, since either could be right", () => {
  const { services, unreadable } = parsed(3, "<pid>1</pid><pid>2</pid><ppid>1</ppid>");
  expect(services[0]?.statistics).toHaveLength(1);
  expect(unreadable?.count).toBe(1);
});

test("an element within others is named with them", () => {
  const body = `${portXml({ seconds: Number.NaN }).replace("NaN", "soon")}<memory>much</memory><cpu><percent>x</percent></cpu>`;
  const { unreadable } = parsed(3, body);
  expect(unreadable?.services[0]?.elements.toSorted()).toEqual([
    "cpu/percent",
    "memory",
    "port/responsetime",
  ]);
});

test("an agent reports an unknown percentage as a negative one", () => {
  const body = "<cpu><percent>-1.0</percent><percenttotal>2.0</percenttotal></cpu><uid>-1</uid>";
  const { services, unreadable } = parsed(3, body);
  expect(services[0]?.statistics.map(({ type, value }) => [type, value])).toEqual([
    [STATISTIC.uid.code, -1],
    [STATISTIC.processCpuTotal.code, 2],
  ]);
  expect(unreadable).toBeNull();
});

const UNITS: readonly [type: number, body: string, code: number, value: number][] = [
  [0, "<block><usage>25638.3 MB</usage></block>", STATISTIC.spaceMb.code, 25_638.3],
  [0, "<block><usage>1.5 GB</usage></block>", STATISTIC.spaceMb.code, 1536],
  [0, "<block><total>2TB</total></block>", STATISTIC.spaceTotal.code, 2_097_152],
  [0, "<block><usage>512 kB</usage></block>", STATISTIC.spaceMb.code, 0.5],
  [0, "<block><percent>12.5%</percent></block>", STATISTIC.spacePercent.code, 12.5],
  [0, "<servicetime><read>1.5 s</read></servicetime>", STATISTIC.serviceTimeRead.code, 1500],
  [2, "<size>3 kB</size>", STATISTIC.size.code, 3072],
  [2, "<size>17 B</size>", STATISTIC.size.code, 17],
  [3, "<memory><kilobyte>4 MB</kilobyte></memory>", STATISTIC.processMemoryKb.code, 4096],
  [3, "<uptime>90 s</uptime>", STATISTIC.uptime.code, 90],
  [4, portXml({ seconds: 3 }).replace(">3<", ">250 ms<"), STATISTIC.portResponse.code, 0.25],
];
for (const [type, body, code, value] of UNITS)
  test(`${body.match(/>([^<>]+)<\/(?!port|host|type|request|protocol)/)?.[1] ?? "3 s"} in ${body.slice(0, 30)} is ${value} ${STATISTIC_UNITS[code]}`, () => {
    expect(statisticsOf(type, body).find((statistic) => statistic.type === code)?.value).toBe(value);
  });

test("what newer and older agents send has a type", () => {
  expect(brief(2, "<hardlink>2</hardlink>")).toEqual([[STATISTIC.hardLinks.code, "", 2]]);
  expect(brief(5, "<uptime>90061</uptime><boottime>1795000000</boottime>")).toEqual([
    [34, "", 90_061],
    [33, "boot", 1_795_000_000],
  ]);
  expect(brief(2, "<timestamp>1468351670</timestamp>")).toEqual([[33, "", 1_468_351_670]]);
  expect(brief(0, "<flags>4096</flags>")).toEqual([[25, "", "4096"]]);
  expect(brief(0, "<flags>4096</flags><fsflags>rw</fsflags>")).toEqual([[25, "", "rw"]]);
});

test("a service of an unknown type is kept without statistics", () => {
  expect(statisticsOf(42, processXml())).toEqual([]);
});

test("program output is cut to 8192 characters, never within a pair", () => {
  const [, , output] = statisticsOf(7, programXml({ output: `x${"😀".repeat(5000)}` }));
  expect(output?.text).toBe(`x${"😀".repeat(4095)}`);
});
