/** The bounds of a message: at the bound it is accepted, beyond it is refused by name, and nothing is stored. */
import { describe, expect, test } from "bun:test";
import { MAX_EVENTS } from "../../src/monit/agent-event.ts";
import {
  MAX_ELEMENTS,
  MAX_GROUPED_SERVICES,
  MAX_HOST_GROUPS,
  MAX_SERVICE_GROUPS,
  MAX_SERVICES,
} from "../../src/monit/limits.ts";
import { type AgentXml, agentXml, eventXml } from "../support/agent-messages.ts";
import { TestApp } from "../support/app.ts";
import { START } from "../support/clock.ts";

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `n${i}`);
const services = (count: number) => numbered(count).map((name) => ({ name }));
const groups = (count: number, members: string[]) =>
  Object.fromEntries(numbered(count).map((name) => [name, members]));

const withEvents = (count: number, message: AgentXml = {}) => {
  const events = numbered(count).map((service) => eventXml({ service }, START));
  return agentXml(message).replace("</monit>", [...events, "</monit>"].join(""));
};

/** A message with as many of something. */
const LIMITS: [what: string, limit: number, message: (count: number) => AgentXml | string][] = [
  ["services", MAX_SERVICES, (count) => ({ services: services(count) })],
  [
    "service groups",
    MAX_SERVICE_GROUPS,
    (count) => ({ services: services(1), serviceGroups: groups(count, ["n0"]) }),
  ],
  [
    "services in service groups",
    MAX_GROUPED_SERVICES,
    (count) => ({
      services: services(1000),
      serviceGroups: { ...groups(Math.floor(count / 1000), numbered(1000)), rest: numbered(count % 1000) },
    }),
  ],
  ["host groups", MAX_HOST_GROUPS, (count) => ({ hostGroups: numbered(count) })],
  ["events", MAX_EVENTS, withEvents],
];

describe("a message may hold so many", () => {
  for (const [title, limit, message] of LIMITS)
    test(title, async () => {
      const app = new TestApp();
      expect((await app.report(message(limit))).status).toBe(200);
      const other = new TestApp();
      const reply = await other.report(message(limit + 1));
      expect(reply.status).toBe(400);
      expect(await reply.text()).toContain(`A message may hold at most ${limit} ${title}.`);
      expect(other.rows("select count(*) as n from hosts")).toEqual([{ n: 0 }]);
    });
});

test("too many events are refused also where the rest of the message is known", async () => {
  const app = new TestApp();
  const known = { at: START, services: [{ name: "web" }] };
  for (let i = 0; i < 3; i++) expect((await app.report(withEvents(1, known))).status).toBe(200);
  expect((await app.report(withEvents(MAX_EVENTS + 1, known))).status).toBe(400);
  expect(app.rows("select count(*) as n from events")).toEqual([{ n: 1 }]);
});

describe("elements and attributes", () => {
  const empty = agentXml({ services: [] });
  const used = (empty.match(/<[a-z]|=/g) ?? []).length;
  const withMore = (more: string) => empty.replace("</monit>", `<more>${more}</more></monit>`);
  const room = MAX_ELEMENTS - used - 1;

  async function status(text: string): Promise<[number, boolean]> {
    const reply = await new TestApp().report(text);
    return [reply.status, (await reply.text()).includes(`at most ${MAX_ELEMENTS} elements and attributes`)];
  }

  test("as many as there may be", async () => {
    expect(await status(withMore("<a/>".repeat(room - 10)))).toEqual([200, false]);
  });
  test("too many elements", async () => {
    expect(await status(withMore("<a/>".repeat(room + 10)))).toEqual([400, true]);
  });
  test("too many attributes", async () => {
    const attributes = Array.from({ length: room + 10 }, (_, i) => `a${i}=""`).join(" ");
    expect(await status(withMore(`<a ${attributes}/>`))).toEqual([400, true]);
  });
  test("what only looks like one within a text or a comment does not count", async () => {
    const many = "<a b='c'>".repeat(MAX_ELEMENTS);
    expect(await status(withMore(`<![CDATA[${many}]]>`))).toEqual([200, false]);
    expect(await status(withMore("= ".repeat(3 * MAX_ELEMENTS)))).toEqual([200, false]);
  });
});

describe("what is long is not repaired", () => {
  const MIB = 1024 * 1024;
  const stray = (count: number) =>
    agentXml({ hostname: "web & co" }).replace("</monit>", `${" ".repeat(count)}</monit>`);

  test("but what is shorter is", async () => {
    expect((await new TestApp().report(agentXml({ hostname: "&" }).replace("&amp;", "&"))).status).toBe(200);
  });
  test("a document of more than 1 MiB with a bare &", async () => {
    const reply = await new TestApp().report(stray(MIB).replace("&amp;", "&"));
    expect(reply.status).toBe(400);
    expect(await reply.text()).toContain("must be well-formed XML");
  });
});
