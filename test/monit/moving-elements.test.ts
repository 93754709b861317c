/** Every element of which a number is read is in one of the lists of the template of messages, or messages are parsed in vain. */
import { afterEach, expect, spyOn, test } from "bun:test";
import { readEvents } from "../../src/monit/agent-event.ts";
import { readServices } from "../../src/monit/agent-service.ts";
import { parseAgentMessage } from "../../src/monit/message.ts";
import { MOVING, SHARES, STILL, WHOLE } from "../../src/monit/message-template.ts";
import { type StatisticUnit, UNITS } from "../../src/monit/statistic-types.ts";
import { readStatistics } from "../../src/monit/statistics.ts";
import { ValueReader } from "../../src/monit/value-reader.ts";
import type { XmlElement } from "../../src/monit/xml.ts";

const SERVICE_TYPES = 9;

/** An element that has every child, each of which has every child, and attributes and texts that are numbers. */
const everything = new Proxy({} as XmlElement, {
  get: (_, name): Bun.XML.Value => {
    if (String(name) === "@name") return "web";
    return String(name).startsWith("#") || String(name).startsWith("@") ? "1" : everything;
  },
});
/** The same without the element that takes the place of another. */
const without = (child: string) =>
  new Proxy(everything, {
    get: (element, name) => (name === child ? undefined : Reflect.get(element, name)),
  });

const read = new Map<string, Set<string>>();
const spies = (["decimal", "optionalInteger", "integer"] as const).map((method) => {
  const original = ValueReader.prototype[method] as (...args: never[]) => number | null;
  return spyOn(ValueReader.prototype, method).mockImplementation(function (
    this: ValueReader,
    ...args: unknown[]
  ) {
    const name = String(args[1]);
    const unit = method === "decimal" ? String(args[2]) : String(args[4] ?? "none");
    read.set(name, (read.get(name) ?? new Set()).add(unit));
    return original.apply(this, args as never[]);
  });
});
afterEach(() => {
  for (const spy of spies) spy.mockRestore();
});

/** Elements of which a number was read, with the units of these numbers. Attributes have no template. */
function elementsRead(): Map<string, Set<string>> {
  const reader = new ValueReader();
  for (let type = 0; type < SERVICE_TYPES; type++)
    for (const service of [everything, without("fsflags")]) readStatistics(service, type, reader);
  for (const every of [everything, without("cron")]) {
    const service = new Proxy(everything, { get: (_, name) => (name === "every" ? every : "1") });
    readServices({ services: { service } } as XmlElement, reader, false);
  }
  readEvents({ event: everything } as XmlElement, reader);
  const server = "<server><httpd><port>1</port><ssl>0</ssl></httpd></server>";
  parseAgentMessage(Buffer.from(`<monit id="a">${server}<platform/><services/></monit>`));
  return new Map([...read].filter(([name]) => !name.startsWith("@")));
}

test("the lists of the template have every element of which a number is read, once each, and no other", () => {
  const listed = [...MOVING, ...SHARES, ...WHOLE, ...STILL];
  const elements = elementsRead();
  expect(listed.toSorted()).toEqual([...elements.keys()].toSorted());
  // A unit whose negative numbers mean that there is no value: one of these numbers may not count as a value.
  const isAbsent = (unit: string) => UNITS[unit as StatisticUnit].negative === "absent";
  const absent = [...elements].filter(([, units]) => [...units].some(isAbsent)).map(([name]) => name);
  expect(SHARES.toSorted()).toEqual(absent.toSorted());
});
