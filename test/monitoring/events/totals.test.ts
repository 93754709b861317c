/** Totals and pages from counts and indexes equal those of a plain read of every event. */
import { expect, test } from "bun:test";
import { deleteEvents } from "../../../src/monitoring/events/event-deletion.repository.ts";
import { idsOfEvents } from "../../../src/monitoring/events/event-pages.repository.ts";
import { sourceOf } from "../../../src/monitoring/events/event-selection.repository.ts";
import { countEvents } from "../../../src/monitoring/events/event-totals.repository.ts";
import { insertEventOnce } from "../../../src/monitoring/events/events.repository.ts";
import {
  type EventListArguments,
  eventListArguments,
} from "../../../src/monitoring/events/events.schemas.ts";
import { GroupCounts } from "../../../src/monitoring/events/group-counts.service.ts";
import { deleteGroup, joinByHand, leaveByHand } from "../../../src/monitoring/groups/groups.repository.ts";
import { insertHost } from "../../../src/monitoring/hosts/hosts.repository.ts";
import { examine } from "../../../src/operations/doctor/doctor.ts";
import { validate } from "../../../src/platform/http/validate.ts";
import { TestApp } from "../../support/app.ts";
import { Random } from "../../support/random.ts";

const DAY = 86_400;
const HOSTS = 12;
const NAMES = 5;
const GROUPS = 4;
const EVENTS = 1500;
const DAYS = 8;
const COLUMNS =
  "host_id, name_id, service_type, date, collected_sec, collected_usec, event_type, state, action, message, active, dismissed, noted";

function insertEvent(app: TestApp, random: Random, at: number): void {
  const state = random.below(3);
  const id = insertEventOnce(app.db, {
    hostId: random.between(1, HOSTS),
    nameId: random.between(1, NAMES),
    serviceType: random.below(3),
    date: at,
    collectedSec: at,
    collectedUsec: random.below(1_000_000),
    eventType: random.pick([1, 2, 4, 6]),
    state,
    action: 1,
    message: `message ${random.below(20)} of ${random.pick(["sda1", "sdb", "Sda-22"])}`,
  });
  const active = state === 1 && random.chance(0.2);
  const flags = [active, active && random.chance(0.3), random.chance(0.02)];
  app.db.$client.run("update events set active = ?, dismissed = ?, noted = ? where id = ?", [...flags, id]);
}

/** Someone joins or leaves a group, a group or an event goes: at random. */
function shuffle(app: TestApp, random: Random): void {
  const [host, group] = [random.between(1, HOSTS), random.between(1, GROUPS)];
  const run = (sql: string) => app.db.$client.run(sql);
  if (random.chance(0.5)) joinByHand(app.db, group, host, app.clock.now());
  else if (random.chance(0.7)) leaveByHand(app.db, group, host, app.clock.now());
  else if (random.chance(0.9)) deleteEvents(app.db, Number.MAX_SAFE_INTEGER, random.below(20));
  else if (random.chance(0.2)) {
    deleteGroup(app.db, group, app.clock.now());
    run(`insert into host_groups (id, name) values (${group}, 'again ${random.below(1e9)}')`);
  } else if (random.chance(0.3)) {
    app.deleteHosts([host]);
    if (random.chance(0.5)) app.restoreHosts([host]);
    else {
      app.db.$client.run(`delete from deleted_hosts`);
      addHost(app, host);
    }
  }
}

function addHost(app: TestApp, id: number): void {
  const times = { createdAt: 0, poll: 30, incarnation: 0, deadline: 0, lastmodified: 0 };
  insertHost(app.db, { id, agentId: `agent ${id}`, hostname: `host ${id % 7}`, status: id % 3, ...times });
}

function randomApp(random: Random, settled: boolean, events = EVENTS): TestApp {
  const app = new TestApp();
  const run = (sql: string) => app.db.$client.run(sql);
  for (let i = 1; i <= NAMES; i++)
    run(`insert into names (id, name, name_key) values (${i}, 'name ${9 - i}', 'name ${(9 - i) >> 1}')`);
  for (let i = 1; i <= HOSTS; i++) addHost(app, i);
  for (let i = 1; i <= GROUPS; i++) run(`insert into host_groups (id, name) values (${i}, 'group ${i}')`);
  for (let host = 1; host <= HOSTS; host++) {
    run(`insert into services (id, host_id, name_id, created_at, type, monitor_state, monitor_mode, on_reboot, status, status_hint, led)
      values (${host}, ${host}, 1, 0, 3, 1, 0, 0, 0, 0, 2)`);
    run(`insert into service_groups (id, host_id, name) values (${host}, ${host}, 'g')`);
    run(`insert into service_group_members (group_id, service_id) values (${host}, ${host})`);
  }
  const counts = new GroupCounts(app.db, () => 0);
  for (let i = 0; i < events; i++) {
    // Not in the order of time, and around midnight more often.
    const day = random.below(DAYS) * DAY;
    insertEvent(
      app,
      random,
      random.chance(0.3) ? Math.max(0, day - 2 + random.below(4)) : day + random.below(DAY),
    );
    if (random.chance(0.1)) shuffle(app, random);
    if (random.chance(0.05)) counts.step();
  }
  if (settled) while (counts.step());
  return app;
}

/** Values of each filter; of each combination of filters one of each is tried. */
const FILTERS = {
  active: ["1", "2"],
  hostid: ["3", "2,5,7"],
  hostgroupid: ["1", "2,3", "9", "0", "0,2"],
  servicenameid: ["2", "1,4", "99", "0", "0,4"],
  servicegroupid: ["2"],
  servicetype: ["1", "0,2"],
  eventtype: ["2", "5"],
  state: ["1", "0,2"],
  datefrom: [`${2 * DAY}`, `${3 * DAY + 500}`, "0"],
  dateto: [`${5 * DAY - 1}`, `${3 * DAY + 7000}`, `${6 * DAY}`],
  maxid: ["700", "1400"],
  text: ["sda", "mess SD", "sda1", "2", "name host 3", "nothing"],
} as const;
type Name = keyof typeof FILTERS;

const wordsOf = (text: string) => text.toLowerCase().split(/[^a-z0-9]+/);

/** The words of the events of each app. No event comes after the first search. */
const searched = new WeakMap<TestApp, { id: number; words: string[] }[]>();

function wordsOfEvents(app: TestApp): { id: number; words: string[] }[] {
  const read = () =>
    app
      .rows<{ id: number; text: string }>(
        `select events.id, message || ' ' || hostname || ' ' || name_key as text
         from events join hosts on hosts.id = host_id join names on names.id = name_id`,
      )
      .map(({ id, text }) => ({ id, words: wordsOf(text) }));
  const events = searched.get(app) ?? read();
  searched.set(app, events);
  return events;
}

/** The ids of events of which each word of a search begins a word. */
function idsWithText(app: TestApp, text: string): number[] {
  const sought = wordsOf(text);
  return wordsOfEvents(app)
    .filter(({ words }) => sought.every((begin) => words.some((word) => word.startsWith(begin))))
    .map(({ id }) => id);
}

/** The same, written plainly. */
function plainWhere(app: TestApp, filter: ReadonlyMap<string, string[]>): string {
  const list = (name: Name) => filter.get(name)?.join(", ");
  const conditions: (string | false | undefined)[] = [
    filter.has("active") && "active = true and host_id not in (select id from hosts where status = 2)",
    list("active") === "2" && "dismissed = 0",
    list("hostid") && `host_id in (${list("hostid")})`,
    list("hostgroupid") &&
      `host_id in (select host_id from host_group_members where group_id in (${list("hostgroupid")}))`,
    list("servicenameid") && `name_id in (${list("servicenameid")})`,
    list("servicegroupid") &&
      `exists (select 1 from services s join service_group_members m on m.service_id = s.id
        where s.host_id = events.host_id and s.name_id = events.name_id and m.group_id in (${list("servicegroupid")}))`,
    list("servicetype") && `service_type in (${list("servicetype")})`,
    list("eventtype") && `event_type & ${list("eventtype")} <> 0`,
    list("state") && `state in (${list("state")})`,
    list("datefrom") && `date >= ${list("datefrom")}`,
    list("dateto") && `date <= ${list("dateto")}`,
    list("maxid") && `events.id <= ${list("maxid")}`,
    list("text") && `events.id in (${idsWithText(app, list("text") ?? "")})`,
  ];
  return conditions.filter(Boolean).join(" and ") || "true";
}

const ORDER: Record<EventListArguments["sort"], string> = {
  date: "date",
  hostname: "hostname_key",
  servicename: "name_key",
  event: "message",
  note: "noted",
};

function check(app: TestApp, query: Map<string, string[]>, random: Random): void {
  const where = plainWhere(app, query);
  const args = new Map(query);
  const sort = random.chance(0.5)
    ? "date"
    : random.pick(["hostname", "servicename", "event", "note"] as const);
  const dir = random.pick(["asc", "desc"] as const);
  const startindex = random.pick([0, 0, 1, 7, 100, 1000]);
  args
    .set("sort", [sort])
    .set("dir", [dir])
    .set("startindex", [String(startindex)]);
  const { filter } = sourceOf(app.db, validate(eventListArguments, args), "all");
  const [row] = app.rows<{ n: number }>(`select count(*) as n from events not indexed where ${where}`);
  const total = countEvents(app.db, filter);
  const asked = JSON.stringify([...args]);
  expect({ asked, total }).toEqual({ asked, total: row?.n ?? -1 });
  const expected = app
    .rows<{ id: number }>(
      `select events.id from events join hosts on hosts.id = host_id join names on names.id = name_id
       where ${where} order by ${ORDER[sort]} ${dir}, events.id ${dir} limit 20 offset ${startindex}`,
    )
    .map(({ id }) => id);
  const page = idsOfEvents(app.db, filter, 20, total);
  expect({ asked, page }).toEqual({ asked, page: expected });
}

const names = Object.keys(FILTERS) as Name[];

for (const settled of [true, false])
  for (const seed of [1, 2])
    test(`every combination of filters, seed ${seed}, groups ${settled ? "counted" : "with changes to count"}`, () => {
      const random = new Random(seed);
      const app = randomApp(random, settled);
      for (let bits = 0; bits < 1 << names.length; bits++) {
        // All of up to three filters, and some of the larger combinations.
        const chosen = names.filter((_, i) => bits & (1 << i));
        if (chosen.length > 3 && !random.chance(0.15)) continue;
        const filter = new Map(chosen.map((name) => [name, random.pick<string>(FILTERS[name]).split(",")]));
        check(app, filter, random);
      }
    });

test("of few events that fit or nearly all, pages are the same, however they are found", () => {
  const random = new Random(5);
  const app = new TestApp();
  app.db.$client.run("insert into names (id, name, name_key) values (1, 'a', 'a'), (2, 'b', 'b')");
  app.db.$client.run("insert into host_groups (id, name) values (1, 'all'), (2, 'one')");
  for (let i = 1; i <= HOSTS; i++) addHost(app, i);
  app.db.$client.run("insert into host_group_members (group_id, host_id) select 1, id from hosts");
  app.db.$client.run("insert into host_group_members (group_id, host_id) values (2, 3)");
  app.db.$client.run(
    `insert into events (${COLUMNS})
     with recursive n(i) as (select 1 union all select i + 1 from n where i < 60000)
     select 1 + i % ${HOSTS}, iif(i % 5000 = 0, 2, 1), 3, i * 13, i, 0, 512, i % 3, 1, 'text', 0, 0, i % 997 = 0 from n`,
  );
  app.recount();
  for (const filter of [
    {},
    { hostgroupid: "1" },
    { hostgroupid: "2" },
    { servicenameid: "1" },
    { servicenameid: "2" },
    { state: "1" },
  ])
    for (let i = 0; i < 12; i++)
      check(app, new Map(Object.entries(filter).map(([name, value]) => [name, [value]])), random);
});

test("what is counted stays so: after any change the doctor finds nothing", () => {
  for (const seed of [1, 2, 3]) {
    const app = randomApp(new Random(seed), false, 300);
    const counts = (findings: { sentence: string }[]) =>
      findings.map(({ sentence }) => sentence).filter((sentence) => /counts of/.test(sentence));
    expect(counts(examine(app.db, 0))).toEqual([]);
    const steps = new GroupCounts(app.db, () => 0);
    while (steps.step());
    expect(app.rows("select * from group_count_changes")).toEqual([]);
    expect(counts(examine(app.db, 0))).toEqual([]);
  }
});
