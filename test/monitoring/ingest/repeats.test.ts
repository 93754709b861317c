/** Messages that differ from the last one of their host only in numbers are not parsed: that must change nothing. */
import { describe, expect, test } from "bun:test";
import { parseAgentMessage } from "../../../src/monit/message.ts";
import { TemplateReader } from "../../../src/monit/message-template.ts";
import { MessageReader } from "../../../src/monitoring/ingest/reading.ts";
import {
  type AgentXml,
  agentXml,
  filesystemXml,
  portXml,
  processXml,
  programXml,
  type ServiceXml,
  systemXml,
} from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { app, appOfEachTest } from "../../support/each-test.ts";
import { captured, capturedNames } from "../../support/fixtures.ts";
import { Random } from "../../support/random.ts";

appOfEachTest();

const SOURCE = "198.51.100.7";

/** How the reader treats the next message of an agent. */
function reading(app: TestApp): (text: string | Uint8Array, source?: string) => "repeat" | "parsed" {
  const reader = new MessageReader(app.hostCache);
  return (text, source = SOURCE) => {
    const post = reader.read(Buffer.from(text), { receivedAt: app.clock.now(), source });
    void app.queue.add(post);
    app.queue.drain();
    return "message" in post ? "parsed" : "repeat";
  };
}

const SERVICES: ServiceXml[] = [
  { name: "host", type: 5, body: systemXml() },
  { name: "app", body: processXml() },
  { name: "root", type: 0, body: filesystemXml() },
  { name: "shop", type: 4, body: portXml() },
  { name: "backup", type: 7, body: programXml() },
];
const TEXT = agentXml({ services: SERVICES });

describe("from the second on, a message is a repetition", () => {
  for (const name of capturedNames())
    test(name, () => {
      const bytes = captured(name);
      const { events, server, incarnation, services } = parseAgentMessage(bytes);
      app.clock.step(incarnation + server.uptime - app.clock.now());
      const read = reading(app);
      const isRepeated = events.length === 0;
      expect(read(bytes)).toBe("parsed");
      // A failure without an event is news until it is open.
      if (services.some(({ monitor, status }) => monitor === 1 && status !== 0)) {
        app.clock.step(3 * server.poll);
        expect(read(bytes)).toBe("parsed");
      }
      expect([read(bytes), read(bytes)]).toEqual([
        isRepeated ? "repeat" : "parsed",
        isRepeated ? "repeat" : "parsed",
      ]);
    });
});

test("a status that reports a failure without an event does not hide the one that opens it", () => {
  const read = reading(app);
  const failing = (at: number) =>
    agentXml({ at, incarnation: START, services: [{ name: "app", status: 512 }] });
  const opened = () => app.rows("select id from downtime_intervals").length;
  expect([read(failing(START)), read(failing(START)), opened()]).toEqual(["parsed", "parsed", 0]);
  app.clock.step(1);
  expect([read(failing(START + 1)), opened(), read(failing(START + 1))]).toEqual(["parsed", 1, "repeat"]);
});

test("also while a failure lasts, as long as each message reports it", async () => {
  const read = reading(app);
  const failing = agentXml({ services: [{ name: "app", status: 512 }] });
  await app.report({ services: [{ name: "app", status: 512 }], event: { service: "app" } });
  expect([read(failing), read(failing), read(failing)]).toEqual(["repeat", "repeat", "repeat"]);
  expect(app.rows("select ended_at, clear_count from downtime_intervals")).toEqual([
    { ended_at: null, clear_count: 0 },
  ]);
  expect(app.rows("select count(*) as n from samples")).toEqual([{ n: 4 }]);
});

describe("but not", () => {
  const CASES: Record<string, (app: TestApp, read: ReturnType<typeof reading>) => string> = {
    "another status": (_, read) => read(TEXT.replace("<status>0</status>", "<status>512</status>")),
    "another text": (_, read) => read(TEXT.replace("fine", "bad")),
    "another name": (_, read) => read(TEXT.replace('name="app"', 'name="apq"')),
    "another incarnation": (_, read) => read(agentXml({ services: SERVICES, incarnation: START - 60 })),
    "another address": (_, read) => read(TEXT, "198.51.100.8"),
    "another clock": (app, read) => {
      app.clock.step(120);
      return read(TEXT);
    },
    "what was forgotten": (app, read) => {
      app.hostCache.forgetAll();
      return read(TEXT);
    },
    "a host that an administrator changed": (app, read) => {
      const [host] = app.rows<{ id: number }>("select id from hosts");
      app.hostCache.forget(host?.id ?? 0);
      return read(TEXT);
    },
    "an impossible date": (_, read) => read(TEXT.replace(/(<collected_usec>)0/, "$11000000")),
    "a percentage that the agent does not have": (_, read) =>
      read(TEXT.replace("<user>2</user>", "<user>-1.0</user>")),
  };
  for (const [name, change] of Object.entries(CASES))
    test(name, () => {
      const read = reading(app);
      expect([read(TEXT), read(TEXT)]).toEqual(["parsed", "repeat"]);
      expect(change(app, read)).toBe("parsed");
    });

  describe("a host with an open failure", () => {
    const failing = agentXml({ services: [{ name: "app", status: 512 }] });
    const clear = (check: number) =>
      agentXml({ services: [{ name: "app", status: 0, collectedSec: START + check }] });
    const openFailures = (app: TestApp) =>
      app.rows("select ended_at is null as open, clear_count as clear from downtime_intervals");

    test("that shows itself clear: each report counts until three end the failure", async () => {
      const read = reading(app);
      await app.report({ services: [{ name: "app", status: 512 }], event: { service: "app" } });
      for (let i = 1; i < 3; i++) {
        expect(read(clear(30 * i))).toBe("parsed");
        expect(openFailures(app)).toEqual([{ open: 1, clear: i }]);
      }
      expect(read(clear(90))).toBe("parsed");
      expect(openFailures(app)).toEqual([{ open: 0, clear: 0 }]);
      expect(read(clear(90))).toBe("repeat");
    });

    test("that was clear once and fails again: the count begins anew before messages repeat", async () => {
      const read = reading(app);
      await app.report({ services: [{ name: "app", status: 512 }], event: { service: "app" } });
      expect([read(clear(30)), read(failing)]).toEqual(["parsed", "parsed"]);
      expect(openFailures(app)).toEqual([{ open: 1, clear: 0 }]);
      expect(read(failing)).toBe("repeat");
    });
  });

  test("a message whose texts hold numbers that move", () => {
    const read = reading(new TestApp());
    const output = (n: number) =>
      agentXml({
        services: [{ name: "app", type: 7, body: programXml({ output: `<percent>${n}</percent>` }) }],
      });
    for (let n = 0; n < 4; n++) expect(read(output(n))).toBe("parsed");
  });
});

test("a byte 0 in place of a number does not take a number from another host's message", () => {
  const reader = new MessageReader(app.hostCache);
  const of = (id: string) => agentXml({ id, services: [...SERVICES.slice(1), SERVICES[0] as ServiceXml] });
  const read = (text: string) =>
    reader.read(Buffer.from(text), { receivedAt: app.clock.now(), source: SOURCE });
  for (let i = 0; i < 2; i++) {
    void app.queue.add(read(of("mine")));
    app.queue.drain();
  }
  read(`${of("another")}<percent>99</percent>`.replace("</monit>", "").concat("</monit>"));
  const broken = of("mine").replace(/(.*<percent>)[^<]*/s, "$1\0");
  const post = read(broken);
  const { unreadable } = "message" in post ? post.message : { unreadable: null };
  expect(unreadable?.services).toEqual([{ service: "host", count: 1, elements: ["system/swap/percent"] }]);
});

describe("a number that is not used does not hide what the parser cannot read", () => {
  const twice = (usec: number) =>
    agentXml({ services: [...SERVICES, { name: "app", body: "" }] }).replace(
      /(.*<collected_usec>)\d+/s,
      `$1${usec}`,
    );
  test("the microseconds of a second service of the same name", () => {
    const read = reading(app);
    for (let i = 0; i < 3; i++) read(twice(5));
    expect(read(twice(1_000_000))).toBe("parsed");
    expect(app.rows("select unreadable <> '' as is_told from hosts")).toEqual([{ is_told: 1 }]);
  });
});

describe("a text cut within a number is not a repetition when that number moves", () => {
  for (const first of [1, 2, 3, 4, 5, 6, 7, 8, 9])
    test(`its first digit is ${first}`, () => {
      const read = reading(app);
      const cut = (n: number) => {
        const output = `${"x".repeat(8192 - 10)}<percent>${n}</percent>`;
        return agentXml({ services: [{ name: "app", type: 7, body: programXml({ output }) }] });
      };
      const last = 10 - first;
      for (const n of [10 * first, 10 * first, 10 * first + 5, 10 * last + 3]) read(cut(n));
      expect(app.rows("select substr(text, -1) as last from statistics where text like 'xx%'")).toEqual([
        { last: String(last) },
      ]);
    });
});

test("a repetition whose host changed while it waited is parsed after all", async () => {
  const read = reading(app);
  for (let i = 0; i < 2; i++) read(TEXT);
  const reader = new MessageReader(app.hostCache);
  const post = reader.read(Buffer.from(TEXT.replace("<avg01>0.5", "<avg01>0.75")), {
    receivedAt: app.clock.now(),
    source: SOURCE,
  });
  expect("message" in post).toBe(false);
  const message = parseAgentMessage(Buffer.from(agentXml({ services: [{ name: "host", type: 5 }] })));
  const receivedAt = app.clock.now();
  await Promise.all([app.queue.add({ message, receivedAt, source: SOURCE }), app.queue.add(post)]);
  expect(app.rows("select count(*) as n from services where vanished_at is null")).toEqual([{ n: 5 }]);
  expect(app.rows("select count(*) as n from samples")).toEqual([{ n: 4 }]);
});

test("hosts that are set up alike are read by one plan", () => {
  const read = reading(app);
  const templates = new TemplateReader();
  const decoders = ["a", "b"].map((id, i) => {
    const text = agentXml({
      id,
      services: SERVICES.with(0, { name: id, type: 5, body: systemXml({ user: i + 1 }) }),
    });
    expect([read(text), read(text)]).toEqual(["parsed", "repeat"]);
    return app.hostCache.templateOf(templates.read(Buffer.from(text)) ?? 0n)?.decoder;
  });
  expect(decoders[0]).toBeTruthy();
  expect(decoders[1]).toBe(decoders[0] ?? null);
});

test("hosts that differ in the sign of a zero that does not move are not read by one plan", () => {
  const read = reading(app);
  for (const id of ["a", "b"]) {
    const text = agentXml({ id, services: [{ name: "root", type: 0, body: filesystemXml() }] });
    const signed = text.replace(/<uid>[^<]*/, `<uid>${id === "a" ? "0" : "-0"}`);
    expect(signed).toContain("<uid>");
    expect([read(signed), read(signed)]).toEqual(["parsed", "repeat"]);
  }
  for (const host of [1, 2]) {
    const values = app.rows(`select distinct hex("values") from samples where host_id = ${host}`);
    expect(values).toHaveLength(1);
  }
});

/** Everything that messages change; passwords are sealed differently each time. */
const TABLES = [
  "names",
  "services",
  "statistics",
  "sample_layouts",
  "samples",
  "events",
  "suspected_failures",
  "downtime_intervals",
  "excluded_intervals",
  "silent_recoveries",
  "output_changes",
  "service_groups",
  "service_group_members",
];

function kept(app: TestApp): Record<string, unknown[]> {
  const hosts = app.rows("select * from hosts").map((host) => ({ ...host, agentpassword: null }));
  return { hosts, ...Object.fromEntries(TABLES.map((table) => [table, app.rows(`select * from ${table}`)])) };
}

/** Messages of some agents, most of which change nothing but numbers. */
class Life {
  readonly #agents = Array.from({ length: 3 }, (_, i) => ({
    id: `agent-${i}`,
    incarnation: START - 1000 * i - 100,
    skew: 0,
    down: false,
    services: 5,
    source: SOURCE,
  }));

  constructor(private readonly random: Random) {}

  next(now: number): { message: AgentXml; source: string } {
    const { random } = this;
    const agent = random.pick(this.#agents);
    if (random.chance(0.03)) agent.incarnation = now - random.below(50);
    if (random.chance(0.03)) agent.skew = random.pick([0, 0, 30, 3600, -7200]);
    if (random.chance(0.03)) agent.services = random.between(1, 5);
    if (random.chance(0.02)) agent.source = `198.51.100.${random.between(1, 3)}`;
    const turns = random.chance(0.05);
    if (turns) agent.down = !agent.down;
    const at = Math.max(agent.incarnation, now + agent.skew);
    const number = () => random.below(1000) / 10;
    const services = [
      { name: "host", type: 5, body: systemXml({ user: number(), memory: number(), load: number() }) },
      {
        name: "app",
        status: agent.down ? 512 : 0,
        body: processXml({ pid: 4711, uptime: at, cpu: number(), memory: number() }),
      },
      { name: "root", type: 0, body: filesystemXml({ percent: number() }) },
      { name: "shop", type: 4, body: portXml({ seconds: random.chance(0.1) ? -1 : number() }) },
      { name: "backup", type: 7, body: programXml({ output: random.chance(0.97) ? "fine" : "slow" }) },
    ].slice(0, agent.services);
    const event = turns && agent.services > 1 ? { service: "app", state: agent.down ? 1 : 0 } : null;
    const message: AgentXml = { id: agent.id, at, incarnation: agent.incarnation, services, event };
    if (agent.skew === 30) message.serviceGroups = { all: ["app"] };
    return { message, source: agent.source };
  }
}

for (const seed of [1, 2, 3])
  test(`a long run of messages stores the same as if each was parsed (seed ${seed})`, async () => {
    const [shortcut, thorough] = [new TestApp(), new TestApp()];
    const [random, life] = [new Random(seed), new Life(new Random(seed))];
    let repeats = 0;
    const add = shortcut.queue.add.bind(shortcut.queue);
    shortcut.queue.add = (post) => {
      if (!("message" in post)) repeats++;
      return add(post);
    };
    for (let i = 0; i < 300; i++) {
      const { message, source } = life.next(shortcut.clock.now());
      for (const app of [shortcut, thorough]) {
        if (app === thorough) app.hostCache.forgetAll();
        expect((await app.report(message, source)).status).toBe(200);
      }
      const seconds = random.chance(0.02) ? 120 : random.below(6);
      for (const app of [shortcut, thorough]) app.pass(seconds);
    }
    expect(kept(shortcut)).toEqual(kept(thorough));
    expect(repeats).toBeGreaterThan(30);
  });

describe("a message with an event", () => {
  const failing = [{ name: "app", status: 512 }];
  const withEvent = (second: number) =>
    agentXml({
      services: failing,
      event: { service: "app", collectedUsec: second, message: `event ${second}` },
    });
  const readWith = (app: TestApp, reader: MessageReader, text: string) => {
    const post = reader.read(Buffer.from(text), { receivedAt: app.clock.now(), source: SOURCE });
    void app.queue.add(post);
    app.queue.drain();
    return post;
  };

  test("is decoded from the second with its layout on, and only its event is parsed", () => {
    const app = new TestApp();
    const reader = new MessageReader(app.hostCache);
    const posts = [1, 2, 3].map((n) => readWith(app, reader, withEvent(n)));
    expect(posts.map((post) => "message" in post && post.reading !== undefined)).toEqual([false, true, true]);
    expect(app.rows("select message from events order by id")).toEqual([
      { message: "event 1" },
      { message: "event 2" },
      { message: "event 3" },
    ]);
  });

  test("leaves a layout of which the next message can be a repetition", () => {
    const app = new TestApp();
    const reader = new MessageReader(app.hostCache);
    readWith(app, reader, withEvent(1));
    expect("message" in readWith(app, reader, agentXml({ services: failing }))).toBe(false);
  });

  test("leaves none if more than the event follows the rest, or the event has another form", () => {
    const groups = "<hostgroups><name>Oslo</name></hostgroups></monit>";
    for (const text of [
      withEvent(1).replace("</monit>", groups),
      withEvent(1).replace("<event>", "<event >"),
    ]) {
      const app = new TestApp();
      const reader = new MessageReader(app.hostCache);
      for (let i = 0; i < 3; i++) readWith(app, reader, text);
      expect("message" in readWith(app, reader, agentXml({ services: failing }))).toBe(true);
    }
  });
});
