import { describe, expect, test } from "bun:test";
import { MAX_RECORDS } from "../../../src/alerting/notifications/preview-records.ts";
import { MAX_EVENTS } from "../../../src/alerting/notifications/rule-preview.service.ts";
import { CHANGE, ERROR, SUCCESS } from "../../../src/monit/event-types.ts";
import { nameIdOf } from "../../../src/monitoring/events/events.repository.ts";
import type { Fields } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { Random } from "../../support/random.ts";
import { escalating, notifying } from "../../support/rules.ts";
import { changedTables, stored } from "../../support/stored.ts";
import { Alerting, fails } from "./support.ts";

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

interface Shown {
  date: number;
  kind: string;
  title: string;
  events: number[];
  findings: number[];
  heldback: string;
  channels: number[];
}

interface Reply {
  records: Shown[];
  total: number;
  matched: number;
  taken: number;
  datefrom: number;
  dateto: number;
  truncated: boolean;
  current: unknown[];
}

/** Channels 1 "mail" and 2 "phone"; hosts 1 to 3, of which the first is in group 1 "edge". It is Monday, 12:00 UTC. */
async function world(): Promise<Alerting> {
  const alerting = await Alerting.create();
  alerting.channel("mail");
  alerting.channel("phone");
  await alerting.report({ hostGroups: ["edge"] });
  for (const n of [2, 3]) await alerting.report({ id: `agent-${n}`, hostname: `host-${n}` });
  return alerting;
}

const textOf = (state: number) => `is ${["back", "gone", "other"][state]}`;

/** Stores an event that happens now. */
function happens(
  { app }: Alerting,
  state: number,
  hostId = 1,
  service = "web",
  { eventType = 512, message = textOf(state) } = {},
): void {
  const date = app.clock.now();
  const nameId = nameIdOf(app.db, service);
  const stamp = { date, collectedSec: date, collectedUsec: 0 };
  app.events.record(
    { hostId, nameId, serviceType: 3, eventType, state, action: 1, message, ...stamp },
    0,
    date,
  );
}

/** Arguments of a preview: a rule that notifies nobody yet, unless the fields say otherwise. */
const unstored = (fields: object = {}) => ({ rule: { name: "new", steps: [{}], ...fields } });

async function preview({ app }: Alerting, fields: Fields): Promise<Reply> {
  const admin = await app.admin();
  const before = stored(app);
  const reply = await admin.post("/api/1/admin/rules/preview", fields);
  expect([reply.status, reply.json.error]).toEqual([200, undefined]);
  expect(changedTables(app, before)).toEqual([]);
  return reply.json;
}

/** As lines, oldest first: which channels get what, or why they do not. */
const lines = ({ records }: Reply) =>
  records.toReversed().map(({ date, kind, title, heldback, channels }) => {
    const where = heldback === "" ? channels.join("+") : `(${heldback})`;
    return `@${date - START} ${where} ${kind}: ${title}`;
  });

describe("a preview shows the messages of the rule", () => {
  const RULES: Readonly<Record<string, Fields>> = {
    "at once": {},
    "after a delay": { delay: 5 },
    "with reminders": { repeat: 7, recovery: false },
    "with an escalation": { delay: 2, repeat: 20, ...escalating([1], 15, 2) },
    "to the same channel at an escalation": { ...escalating([1], 10, 1, 2) },
    "of one host, of every state": { filter: { hosts: [1], states: [0, 1, 2] } },
    "of a group": { filter: { hostgroups: [1] }, delay: 1 },
    "of services by name": { filter: { servicenames: ["d*"] }, repeat: 30 },
    "when a check flaps": { flapcount: 2, flapwindow: 15 },
    "when a check flaps, after a delay": {
      flapcount: 2,
      flapwindow: 120,
      delay: 3,
      repeat: 6,
      recovery: false,
    },
    "when a check flaps for long": {
      flapcount: 2,
      flapwindow: 30,
      repeat: 9,
      ...escalating([1], 11, 2),
      quiet: { from: "12:50", to: "13:05", timezone: "UTC" },
    },
    "but not that a check flaps": { flapcount: 0 },
    "but for quiet hours": { quiet: { from: "12:20", to: "13:10", timezone: "UTC" }, repeat: 10 },
  };
  for (const [label, fields] of Object.entries(RULES))
    test(`${label}, to the second, whatever happened`, async () => {
      const alerting = await world();
      const { app } = alerting;
      const id = await alerting.rule({ ...notifying(1), ...fields });
      const schedule = { kind: "weekly", days: [1], from: "13:15", minutes: 20, timezone: "UTC" };
      const filter = { hosts: [1, 2] };
      await alerting.call("admin/maintenance/create", { name: "patching", filter, schedule });
      const random = new Random(label.length);
      const outages = new Set<number>();
      const isUnsteady = label.startsWith("when a check flaps");
      const states = isUnsteady ? [SUCCESS, ERROR] : [SUCCESS, ERROR, ERROR, CHANGE];
      const services = isUnsteady ? ["web"] : ["web", "db"];
      while (app.clock.now() < START + 2 * HOUR) {
        // What happens in a second is known to the dispatcher in the same one.
        app.clock.step(1);
        const hostId = random.between(1, 3);
        if (random.chance(0.25)) {
          if (outages.delete(hostId)) app.events.recordReturn(hostId, app.clock.now());
          else {
            outages.add(hostId);
            app.events.recordOutage(hostId, app.clock.now(), "is silent");
          }
        } else {
          const state = random.pick(states);
          // Each text differs, so that it shows which error a message quotes.
          happens(alerting, state, hostId, random.pick(services), {
            message: `${textOf(state)} ${app.clock.now()}`,
          });
        }
        await alerting.work();
        await alerting.pass(random.chance(0.3) ? random.between(1, 8) : random.between(10, 10 * MINUTE));
      }
      const shown = await preview(alerting, { id });
      expect(shown.truncated).toBe(false);
      expect(shown.total).toBe(shown.records.length);

      const arrived = alerting.arrived.map(
        ({ at, channel, message }) =>
          `@${at} ${channel} ${message.kind}: ${message.title} ${message.events.map((event) => event.id)}`,
      );
      const messages = shown.records.filter(({ heldback }) => heldback === "");
      const expected = messages.flatMap(({ date, kind, title, events, channels }) =>
        channels.map(
          (channel) => `@${date - START} ${["", "mail", "phone"][channel]} ${kind}: ${title} ${events}`,
        ),
      );
      expect(expected.toSorted()).toEqual(arrived.toSorted());
      expect(expected.length).toBeGreaterThan(2);
      const kinds = new Set(messages.map(({ kind }) => kind));
      if (isUnsteady) expect(kinds).toContain("flapping");

      const closed = app.rows<{ id: number; outcome: string }>(
        "select event_id as id, outcome from alerts where closed_at is not null and outcome <> '' order by 1",
      );
      const suppressed = shown.records.filter(({ heldback }) => heldback !== "");
      expect(suppressed.map(({ events: [event], heldback }) => [event, heldback]).sort()).toEqual(
        closed.map(({ id, outcome }) => [id, outcome] as [number, string]).sort(),
      );
    });
});

describe("a preview of a rule that is not there", () => {
  test("says what it would have told, of what, and to whom", async () => {
    const alerting = await world();
    happens(alerting, ERROR);
    await alerting.pass(10 * MINUTE);
    happens(alerting, SUCCESS);
    happens(alerting, CHANGE, 2, "db", { eventType: 262_144 });
    await alerting.pass(HOUR);
    const shown = await preview(alerting, unstored({ delay: 5, ...notifying(1, 2) }));
    const common = { findings: [], heldback: "", channels: [1, 2], people: [] };
    // The two of one second are in no order.
    const records = shown.records.toSorted((a, b) => b.date - a.date || a.kind.localeCompare(b.kind));
    expect({ ...shown, records }).toEqual({
      current: [],
      records: [
        { date: START + 605, kind: "change", title: "db on host-2: is other", events: [3], ...common },
        {
          date: START + 605,
          kind: "recovery",
          events: [1],
          ...common,
          title: "Recovered after 10m: web on host-1: is gone",
        },
        { date: START + 305, kind: "problem", title: "web on host-1: is gone", events: [1], ...common },
      ],
      total: 3,
      matched: 2,
      taken: 0,
      truncated: false,
      datefrom: alerting.app.clock.now() - 7 * DAY,
      dateto: alerting.app.clock.now(),
    });
    expect(lines(await preview(alerting, unstored({ delay: 15 })))).toEqual([
      "@600 (recovered before the delay) problem: web on host-1: is gone",
      "@605  change: db on host-2: is other",
    ]);
  });

  test("is asked after the rules that are there, unless they are no longer in force", async () => {
    const alerting = await world();
    await alerting.rule({ name: "last word", filter: { hosts: [1] }, ...notifying(1), final: true });
    await alerting.rule({ name: "one of many", ...notifying(1) });
    happens(alerting, ERROR);
    happens(alerting, ERROR, 2);
    await alerting.pass(MINUTE);
    expect(await preview(alerting, unstored())).toMatchObject({ matched: 1, taken: 1 });
    expect(await preview(alerting, { id: 2 })).toMatchObject({ matched: 1, taken: 1 });
    expect(await preview(alerting, { id: 1 })).toMatchObject({ matched: 1, taken: 0 });
    await alerting.call("admin/rules/update", { id: 1, enabled: false });
    expect(await preview(alerting, unstored())).toMatchObject({ matched: 2, taken: 0 });
  });

  test("looks back as many days as asked", async () => {
    const alerting = await world();
    happens(alerting, ERROR);
    alerting.app.clock.step(2 * DAY);
    happens(alerting, ERROR, 2);
    alerting.app.clock.step(DAY);
    expect((await preview(alerting, { ...unstored(), days: 4 })).matched).toBe(2);
    expect((await preview(alerting, { ...unstored(), days: 2 })).matched).toBe(1);
    expect((await preview(alerting, { ...unstored(), days: 1 })).matched).toBe(1);
  });
});

test("a preview of a stored rule may have other values, which are not stored", async () => {
  const alerting = await world();
  const id = await alerting.rule(notifying(1));
  happens(alerting, ERROR);
  await alerting.pass(20 * MINUTE);
  expect(lines(await preview(alerting, { id }))).toEqual(["@5 1 problem: web on host-1: is gone"]);
  expect(
    lines(await preview(alerting, { id, ...unstored({ name: "rule", delay: 10, ...notifying(2) }) })),
  ).toEqual(["@605 2 problem: web on host-1: is gone"]);
  const wrong = { id, ...unstored({ quiet: { from: "22:00" } }) };
  const reply = await alerting.admin.post("/api/1/admin/rules/preview", wrong);
  expect([reply.status, reply.json.error.split(" ")[0]]).toEqual([400, "rule.quiet.to"]);
});

test("of more events than are looked at the newest count, and the reply says since when", async () => {
  const alerting = await world();
  const { app } = alerting;
  const nameId = nameIdOf(app.db, "web");
  const insert = app.db.$client.prepare(
    "insert into events (host_id, name_id, service_type, date, collected_sec, collected_usec, event_type, state, action, message) values (1, ?, 3, ?, ?, 0, 512, 2, 1, 'other')",
  );
  app.db.$client.transaction(() => {
    for (let i = 1; i <= MAX_EVENTS + 10; i++) insert.run(nameId, START + 10 * i, START + 10 * i);
  })();
  app.clock.step(10 * (MAX_EVENTS + 11));
  const shown = await preview(alerting, unstored(notifying(1)));
  expect(shown).toMatchObject({ matched: MAX_EVENTS, total: MAX_EVENTS, truncated: true });
  expect(shown.datefrom).toBe(START + 110);
  expect(shown.records.length).toBe(MAX_RECORDS);
  expect(shown.records[0]?.date).toBe(START + 10 * (MAX_EVENTS + 10) + 5);
});

test("so many reminders that nobody would count them end the preview early", async () => {
  const alerting = await world();
  for (let i = 0; i < 500; i++) happens(alerting, ERROR, 1, `service ${i}`);
  alerting.app.clock.step(6 * DAY);
  const shown = await preview(alerting, unstored({ repeat: 1 }));
  expect(shown.truncated).toBe(true);
  expect(shown.dateto).toBeLessThan(alerting.app.clock.now());
});

test("a preview shows the messages of the rule, and that a service was no longer monitored", async () => {
  const alerting = await world();
  const id = await alerting.rule(notifying(1));
  const agent = { id: "agent-2", hostname: "host-2" };
  await fails({}, agent)(alerting);
  await alerting.pass(10);
  await alerting.report({ ...agent, services: [{ name: "web", monitor: 0 }] });
  await alerting.pass(10);
  const titles = alerting.arrived.map(({ message }) => message.title);
  expect(titles).toEqual(["web on host-2: is gone", "No longer monitored after 10s: web on host-2: is gone"]);
  const { records } = await preview(alerting, { id });
  expect(records.toReversed().map(({ title }) => title)).toEqual(titles);
});

test("a preview shows the messages of the rule, and when a failure was acknowledged", async () => {
  const alerting = await world();
  const { app } = alerting;
  const id = await alerting.rule({ repeat: 5, ...escalating([1], 12, 2) });
  const take = (verb: string, fields: Fields = {}) =>
    alerting.call(`problems/${verb}`, {
      id: app.rows<{ id: number }>("select id from events where active = true").map((event) => event.id),
      ...fields,
    });
  const random = new Random(16);
  for (let i = 0; i < 60; i++) {
    app.clock.step(1);
    happens(alerting, random.pick([SUCCESS, ERROR, ERROR]), 1, random.pick(["web", "db"]));
    await alerting.work();
    await alerting.pass(random.between(1, 2 * MINUTE));
    app.clock.step(1);
    const isFailing = app.rows("select id from events where active = true").length > 0;
    if (isFailing && random.chance(0.6))
      await take(
        "acknowledge",
        random.chance(0.5) ? { until: app.clock.now() + random.between(1, 600) } : {},
      );
    else if (isFailing && random.chance(0.4)) await take("unacknowledge");
    await alerting.work();
    await alerting.pass(random.between(1, 4 * MINUTE));
  }
  const arrived = alerting.arrived.map(({ at, channel, message }) => `@${at} ${channel} ${message.kind}`);
  const shown = (await preview(alerting, { id })).records.toReversed();
  const expected = shown.flatMap(({ date, kind, channels }) =>
    channels.map((channel) => `@${date - START} ${["", "mail", "phone"][channel]} ${kind}`),
  );
  expect(arrived.length).toBeGreaterThan(20);
  expect(expected.sort()).toEqual(arrived.sort());
});

test("a preview shows the messages of the rule, and those that mutes suppressed, ended early or not", async () => {
  const alerting = await world();
  const { app } = alerting;
  const id = await alerting.rule({ ...notifying(1), repeat: 5 });
  const random = new Random(61);
  let mute = 0;
  for (let i = 0; i < 60; i++) {
    app.clock.step(1);
    happens(alerting, random.pick([SUCCESS, ERROR, ERROR]), random.between(1, 2));
    await alerting.work();
    await alerting.pass(random.between(1, 2 * MINUTE));
    app.clock.step(1);
    if (mute === 0 && random.chance(0.4))
      mute = await alerting.call("mutes/create", { filter: { hosts: [1] }, minutes: 40 });
    else if (mute !== 0 && random.chance(0.4)) {
      await alerting.call("mutes/delete", { id: mute });
      mute = 0;
    }
    await alerting.work();
    await alerting.pass(random.between(1, 4 * MINUTE));
  }
  const arrived = alerting.arrived.map(({ at, channel, message }) => `@${at} ${channel} ${message.kind}`);
  const shown = (await preview(alerting, { id })).records.toReversed();
  const expected = shown.flatMap(({ date, kind, heldback }) =>
    heldback === "" ? [`@${date - START} mail ${kind}`] : [],
  );
  expect(arrived.length).toBeGreaterThan(20);
  expect(expected.sort()).toEqual(arrived.sort());
  const closed = alerting.outcomes().filter((outcome) => outcome === "muted by admin");
  expect(shown.filter(({ heldback }) => heldback === "muted by admin").length).toBeGreaterThanOrEqual(
    closed.length,
  );
});
