/**
 * A flush of many messages stores the same as its messages one by one. On PostgreSQL a flush reads and writes for all
 * of its messages at once.
 */

import { expect, spyOn, test } from "bun:test";
import { parseAgentMessage } from "../../../src/monit/message.ts";
import type { AgentMessage } from "../../../src/monit/message.types.ts";
import { type Db, transaction } from "../../../src/platform/storage/open.ts";
import { executeScript } from "../../../src/platform/storage/open-postgres.ts";
import { PostgresSession } from "../../../src/platform/storage/postgres/session.ts";
import { agentXml, type EventXml, eventXml, processXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import { insertChannel } from "../../support/channels.ts";
import { START } from "../../support/clock.ts";
import { isOnPostgres } from "../../support/database.ts";
import { Random } from "../../support/random.ts";
import { notifying } from "../../support/rules.ts";

const HOSTS = 8;
const ROUNDS = isOnPostgres() ? 15 : 60;
const SERVICES = ["httpd", "sshd", "cron"];

/** The columns that distinguish events, and references to them: ids may differ, but not their order. */
const EVENT =
  "events.host_id, events.name_id, events.event_type, events.limit_id, state, collected_sec, collected_usec";
const WHOLE = {
  events: `select ${EVENT}, date, action, message, active, dismissed, words from events
    left join event_word_sets on event_word_sets.id = word_set_id`,
  words: "select words, word from event_word_sets join event_words on set_id = event_word_sets.id",
  alerts: `select rule_id, ${EVENT}, created_at, due_at, closed_at, outcome from alerts join events on events.id = event_id`,
  acknowledgements: `select ${EVENT}, uname, ended_at from acknowledgements join events on events.id = event_id`,
  intervals: `select host_id, name_id, event_type, limit_id, started_at, ended_at, incarnation, clear_count, clear_since,
    clear_collected_sec from downtime_intervals`,
  recoveries: "select host_id, name_id, event_type, date from silent_recoveries",
  excluded: "select host_id, service_id, reason, started_at, ended_at from excluded_intervals",
  counts: "select * from event_counts where n <> 0",
  names: "select * from event_name_counts where n <> 0",
  hostCounts: "select * from host_counts where n <> 0",
  hosts: "select * from hosts",
  services: "select * from services",
  outputs: 'select host_id, service_id, date, "before", "after" from output_changes',
  groups: "select * from host_group_members",
};

/** Passwords are sealed differently each time. */
function asText(row: object): string {
  return JSON.stringify({ ...row, agentpassword: undefined });
}

function stored(app: TestApp): Record<string, string[]> {
  const tables = Object.entries(WHOLE).map(([table, sql]) => [table, app.rows(sql).map(asText).sort()]);
  const eventsInOrder = app.rows(`select ${EVENT} from events order by id`).map(asText);
  return { ...Object.fromEntries(tables), eventsInOrder, samples: samplesOf(app) };
}

/** The statistics of each sample. Ids of statistics may differ. */
function samplesOf(app: TestApp): string[] {
  const statistics = app.rows<{ id: number; text: string }>(
    `select statistics.id, service_id || ' ' || statistics.type || ' ' || descriptor as text
     from statistics join services on services.id = service_id`,
  );
  const names = new Map(statistics.map(({ id, text }) => [id, text]));
  return app
    .rows<{ host: number; at: number; ids: Uint8Array }>(
      `select samples.host_id as host, "at", statistic_ids as ids
       from samples join sample_layouts on sample_layouts.id = layout_id`,
    )
    .map(({ host, at, ids }) => {
      const listed = [...new Uint32Array(ids.slice().buffer)].map((id) => names.get(id) ?? "unknown");
      return `${host} ${at} ${listed}`;
    })
    .sort();
}

/** Messages of random hosts, some with events: new ones, late ones, and ones that were sent before. */
class Fleet {
  readonly #sent: { host: number; event: EventXml }[] = [];
  #number = 0;

  constructor(private readonly random: Random) {}

  messages(now: number): AgentMessage[] {
    const count = this.random.between(1, 2 * HOSTS);
    return Array.from({ length: count }, () => this.#message(this.random.below(HOSTS), now));
  }

  #event(host: number, now: number): EventXml {
    const { random } = this;
    const earlier = this.#sent.filter((message) => message.host === host);
    if (earlier.length > 0 && random.chance(0.1)) return random.pick(earlier).event;
    const isLate = random.chance(0.15);
    const event = {
      service: random.chance(0.1) ? "Monit" : random.pick(SERVICES),
      id: random.pick([512, 512, 32]),
      state: random.pick([0, 0, 1, 1, 1, 2]),
      message: random.pick(["process is not running", "load of 3.5 is high", "12", "it is well"]),
      collectedSec: now - (isLate ? random.between(1, 400) : 0),
      collectedUsec: random.chance(0.2) ? 0 : this.#number++,
    };
    this.#sent.push({ host, event });
    return event;
  }

  #message(host: number, now: number): AgentMessage {
    const { random } = this;
    const events = Array.from({ length: random.pick([0, 1, 1, 1, 2]) }, () => this.#event(host, now));
    const text = agentXml({
      id: `agent-${host}`,
      hostname: `host-${host}`,
      at: now,
      incarnation: 1_000_000 + (random.chance(0.02) ? 1 : 0),
      hostGroups: random.chance(0.1) ? ["all", `group-${random.below(3)}`] : ["all"],
      services: SERVICES.filter(() => !random.chance(0.02)).map((name) => ({
        name,
        status: random.pick([0, 0, 512]),
        body: random.chance(0.3) ? "" : processXml({ pid: random.below(2) }),
        monitor: random.chance(0.03) ? 0 : 1,
      })),
    });
    const more = events.map((event) => eventXml(event, now)).join("");
    return parseAgentMessage(Buffer.from(text.replace("</monit>", `${more}</monit>`)));
  }
}

async function app(): Promise<TestApp> {
  const made = new TestApp();
  const admin = await made.admin();
  const channelid = insertChannel(made.db, {
    name: "channel",
    kind: "webhook",
    settings: "",
    createdAt: START,
  });
  const rules = [
    { name: "flapping", flapcount: 2, flapwindow: 10, filter: { states: [0, 1, 2] } },
    { name: "of a group", filter: { servicenames: ["*d"], states: [1] } },
  ];
  for (const rule of rules)
    expect(await admin.post("/api/1/admin/rules/create", { ...rule, ...notifying(channelid) })).toMatchObject(
      {
        status: 200,
      },
    );
  return made;
}

/** Someone dismisses or acknowledges an error that is open. */
function care(app: TestApp, nth: number): void {
  const open = app.rows<{ id: number }>(`select id from events where active = true order by ${EVENT}`);
  const id = open[nth % Math.max(1, open.length)]?.id;
  if (id === undefined) return;
  if (nth % 2 === 0) app.db.$client.run("update events set dismissed = true where id = ?", id);
  else
    app.db.$client.run(
      "insert into acknowledgements (event_id, uname, note, created_at) values (?, 'admin', '', 0) on conflict do nothing",
      id,
    );
}

for (const seed of isOnPostgres() ? [1] : [1, 2, 3])
  test(`a flush stores what its messages store one by one (seed ${seed})`, async () => {
    const random = new Random(seed);
    const fleet = new Fleet(random);
    const [together, apart] = [await app(), await app()];
    for (let round = 0; round < ROUNDS; round++) {
      for (const each of [together, apart]) each.clock.step(5);
      const receivedAt = together.clock.now();
      const messages = fleet.messages(receivedAt);
      const post = (to: TestApp, message: AgentMessage) =>
        to.queue.add({ message, receivedAt, source: "198.51.100.7" });
      await Promise.all(messages.map((message) => post(together, message)));
      for (const message of messages) await post(apart, message);
      expect(stored(together)).toEqual(stored(apart));
      if (!random.chance(0.2)) continue;
      const nth = random.below(100);
      for (const each of [together, apart]) care(each, nth);
    }
    expect(together.rows("select * from alerts").length).toBeGreaterThan(10);
  });

/** Posts a flush of messages, one of each host, in which its process ends or runs again. */
async function postFlush(freshApp: TestApp, hosts: number, state: number): Promise<void> {
  freshApp.clock.step(5);
  const at = freshApp.clock.now();
  const messages = Array.from({ length: hosts }, (_, i) => {
    const event = { service: "httpd", state, message: "status of the process" };
    const services = [{ name: "httpd", status: state * 512, body: state === 0 ? processXml() : "" }];
    return agentXml({
      id: `agent-${i}`,
      hostname: `host-${i}`,
      at,
      incarnation: 1_000_000,
      services,
      event,
    });
  }).map((text) => parseAgentMessage(Buffer.from(text)));
  await Promise.all(
    messages.map((message) => freshApp.queue.add({ message, receivedAt: at, source: "198.51.100.7" })),
  );
}

/** The round trips to the server of two flushes, of a process that runs again, and ends: the host has other numbers. */
async function tripsOf(hosts: number): Promise<string[][]> {
  const freshApp = await app();
  await postFlush(freshApp, hosts, 1);
  const run = spyOn(PostgresSession.prototype, "run");
  for (const state of [0, 1]) await postFlush(freshApp, hosts, state);
  const trips = run.mock.calls.map(([statements]) => statements.map(({ text }) => text));
  run.mockRestore();
  expect(freshApp.rows("select * from events")).toHaveLength(3 * hosts);
  return trips;
}

/** The tables and indexes that SQLite reads completely for a statement, without a condition. */
function wholeScans(freshApp: TestApp, statement: string): string[] {
  const plan = freshApp
    .rows<{ detail: string }>(`explain query plan ${statement}`)
    .map(({ detail }) => detail);
  // The values of a statement are rows of their own.
  return plan.filter((detail) => /^SCAN (?!CONSTANT ROW|\d+-ROW VALUES|rows$|json_each)/.test(detail));
}

interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  Plans?: PlanNode[];
}

/** The tables and indexes that a plan reads completely. */
function wholeReads(node: PlanNode): string[] {
  const isWhole = /^(Seq|Index|Index Only|Bitmap Index) Scan$/.test(node["Node Type"]) && !node["Index Cond"];
  const scanned = isWhole ? [node["Index Name"] ?? node["Relation Name"] ?? ""] : [];
  return [...scanned, ...(node.Plans ?? []).flatMap(wholeReads)];
}

/**
 * The tables that a statement reads completely, whatever its parameters.
 * @param db an empty one, as when a node first starts
 */
function earlyWholeReads(db: Db, statement: string): string[] {
  const count = new Set(statement.match(/\$\d+/g)).size;
  const call = count === 0 ? "early" : `early(${Array(count).fill("null")})`;
  const lines = transaction(db, () => {
    executeScript(db, "set local plan_cache_mode = force_generic_plan");
    executeScript(db, `prepare early as ${statement}`);
    const plan = db.$client.query<Record<string, string>>(`explain (format json) execute ${call}`).all();
    executeScript(db, "deallocate early");
    return plan;
  });
  const [{ Plan: plan }] = JSON.parse(lines[0]?.["QUERY PLAN"] ?? "") as [{ Plan: PlanNode }];
  return wholeReads(plan);
}

if (isOnPostgres()) {
  test("a flush of many messages with an event takes as many statements as one of a few", async () => {
    expect((await tripsOf(40)).flat()).toHaveLength((await tripsOf(5)).flat().length);
  });

  test("the words of messages are looked up together, before anything is written", async () => {
    const trips = (await tripsOf(5)).map((texts) => texts.join("; "));
    const lookUps = trips.flatMap((texts, i) => (texts.includes(" event_word_sets ") ? [i] : []));
    expect(lookUps).toHaveLength(2);
    for (const i of lookUps) expect(trips[i]).not.toMatch(/insert|update/);
  });

  test("the first message of a host takes few round trips, and asks for nothing twice", async () => {
    const freshApp = await app();
    const receivedAt = freshApp.clock.now();
    const services = SERVICES.map((name) => ({ name, body: processXml() }));
    const post = (id: string) => {
      const text = agentXml({ id, at: receivedAt, hostGroups: ["all"], services });
      const message = parseAgentMessage(Buffer.from(text));
      return freshApp.queue.add({ message, receivedAt, source: "198.51.100.7" });
    };
    // The names of its services and its groups are known of another host.
    await post("agent-1");
    const run = spyOn(PostgresSession.prototype, "run");
    await post("agent-2");
    const trips = run.mock.calls.map(([statements]) => statements.map(({ text }) => text));
    run.mockRestore();
    const reads = trips.flat().filter((text) => /^\s*select/.test(text));
    expect(reads.filter((each, i) => reads.indexOf(each) !== i)).toEqual([]);
    expect(trips.length).toBeLessThanOrEqual(13);
  });

  test("no statement of a flush reads a whole table, even if it was planned while there were no hosts", async () => {
    const statements = new Set((await tripsOf(5)).flat().filter((text) => / from | into /.test(text)));
    expect(statements.size).toBeGreaterThan(10);
    const { db } = new TestApp();
    const scans = [...statements].map((text) => ({ text, whole: earlyWholeReads(db, text) }));
    // There are few rules.
    expect(scans.filter(({ whole }) => whole.some((name) => name !== "rules"))).toEqual([]);
  });

  test("no index of hosts has a column that every message changes", () => {
    const indexed = new TestApp().rows<{ attname: string }>(
      `select distinct attname from pg_index join pg_attribute on attrelid = indrelid and attnum = any (indkey)
       where indrelid = 'hosts'::regclass`,
    );
    const columns = new Set(indexed.map(({ attname }) => attname));
    expect(columns).toContain("hostname_key");
    for (const changing of ["lastmodified", "deadline", "agent_uptime", "cpu", "mem"])
      expect(columns).not.toContain(changing);
  });
} else {
  test("no statement of a flush reads a whole table", async () => {
    const freshApp = await app();
    const { $client: client } = freshApp.db;
    const prepare = spyOn(client, "prepare");
    for (const state of [1, 0, 1]) await postFlush(freshApp, 3, state);
    const statements = new Set(prepare.mock.calls.map(([sql]) => sql));
    prepare.mockRestore();
    expect(statements.size).toBeGreaterThan(10);
    // The groups of agents are counted up to their bound, and one expected host is enough to look for others.
    const unbounded = [...statements].filter(
      (text) => !/from (host_groups|"expected_hosts") .*limit \+?\?/.test(text),
    );
    const scans = unbounded.map((text) => ({ text, whole: wholeScans(freshApp, text) }));
    expect(scans.filter(({ whole }) => whole.length > 0)).toEqual([]);
  });
}
