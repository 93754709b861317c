/**
 * State machines as a ledger: one line per input, with the reason and what it changes. Everything that a line does
 * not mention must be as after the previous line, and no other event may have been stored.
 */

import { expect, test } from "bun:test";
import { examine } from "../../src/operations/doctor/doctor.ts";
import { FULL_REACH } from "../../src/platform/http/scope.ts";
import { type AgentXml, agentXml } from "./agent-messages.ts";
import { TestApp } from "./app.ts";
import { START } from "./clock.ts";

/** Start of the agent's first run in every ledger. */
export const BOOT = START - 3600;

export type Input = (app: TestApp) => void | Promise<void>;

/** Dates are written as seconds since the clock's start. What is of limit 1 ends with "limit 1". */
export interface Expected {
  status?: number;
  heartbeat?: number;
  led?: number;
  /** The host's status text. */
  text?: string;
  /** Events stored by this line: "error 512 web @60". */
  events?: string[];
  /** All failures so far: "512 web 60..90", an open one "512 web 60..". */
  down?: string[];
  /** Events that are active errors: "512 web @60", with " dismissed". */
  active?: string[];
}

/** The limit of a row, if it is of one. */
const OF_LIMIT = "iif(limit_id > 0, ' limit ' || limit_id, '')";

export type Line = readonly [reason: string, input: Input, expected: Expected];

const STATES = ["success", "error", "change"];

/** A message of the agent, dated now unless it says otherwise. */
export function send(message: AgentXml | ((now: number) => AgentXml) = {}, address?: string): Input {
  return async (app) => {
    const now = app.clock.now();
    const sent = typeof message === "function" ? message(now) : message;
    const reply = await app.report(agentXml({ at: now, incarnation: BOOT, ...sent }), address);
    expect(reply.status).toBe(200);
  };
}

/** Time passes, in ticks of a second. */
export function pass(seconds: number): Input {
  return (app) => app.pass(seconds);
}

/** The clock moves without a tick: Muster stalls, or the clock was set. */
export function jump(seconds: number): Input {
  return (app) => {
    app.clock.step(seconds);
    app.heartbeat.tick();
  };
}

/** An administrator stores settings of the host. */
export function update(changes: Record<string, string | number>): Input {
  return (app) => {
    const { id, hostname, agentuser, agentpassword } = app.muster.hosts.get(1, FULL_REACH);
    app.muster.hosts.update({ id, hostname, agentuser, agentpassword, ...changes }, FULL_REACH);
  };
}

function stateOf(app: TestApp): Required<Omit<Expected, "events">> {
  const [host] = app.rows<{ status: number; heartbeat: number; led: number; text: string }>(
    "select status, heartbeat, led, status_text as text from hosts where id = 1",
  );
  if (!host) return { status: -1, heartbeat: -1, led: -1, text: "", down: [], active: [] };
  const down = app.rows<{ t: string }>(
    `select event_type || ' ' || name || ' ' || (started_at - ${START}) || '..' || ifnull(ended_at - ${START}, '') || ${OF_LIMIT} as t
     from downtime_intervals join names on names.id = name_id order by started_at, downtime_intervals.event_type, limit_id`,
  );
  const active = app.rows<{ t: string }>(
    `select event_type || ' ' || name || ' @' || (date - ${START}) || iif(dismissed, ' dismissed', '') || ${OF_LIMIT}
       || iif(severity = 2, ' critical', '') as t
     from events join names on names.id = name_id where active = true order by date, events.id`,
  );
  return { ...host, down: down.map((row) => row.t), active: active.map((row) => row.t) };
}

/** Events in the order of storing, from the one after `id` on. */
export function eventsAfter(app: TestApp, id: number): string[] {
  return app
    .rows<{ state: number; t: string }>(
      `select state, event_type || ' ' || name || ' @' || (date - ${START}) || ${OF_LIMIT} as t
       from events join names on names.id = name_id where events.id > ${id} order by events.id`,
    )
    .map((row) => `${STATES[row.state] ?? row.state} ${row.t}`);
}

function newestEvent(app: TestApp): number {
  return app.rows<{ id: number | null }>("select max(id) as id from events")[0]?.id ?? 0;
}

const TABLES: Readonly<Record<string, string>> = {
  names: "*",
  hosts:
    "id, hostname, ipaddrin, portin, sslin, agentuser, poll, incarnation, clock_offset, status, stopped, heartbeat, " +
    "deadline, lastmodified, conflict, led, status_text, cpu, mem, events, services_total, services_ok",
  services: "*",
  statistics: "*",
  sample_layouts: "id, host_id, hex(statistic_ids) as ids",
  samples: 'id, host_id, layout_id, at, hex("values") as packed',
  service_groups: "*",
  service_group_members: "*",
  host_groups: "*",
  host_group_members: "*",
  events: "*",
  silent_recoveries: "*",
  output_changes: "*",
  suspected_failures: "*",
  downtime_intervals: "*",
  excluded_intervals: "*",
  limit_states: "*",
};

/** Everything that agents' messages and the clock can change. */
export function snapshot(app: TestApp): Record<string, unknown[]> {
  return Object.fromEntries(
    Object.entries(TABLES).map(([table, columns]) => [
      table,
      app.rows(`select ${columns} from ${table} order by 1, 2`),
    ]),
  );
}

async function play(lines: readonly Line[], forgetful: boolean): Promise<TestApp> {
  const app = new TestApp();
  let before = stateOf(app);
  for (const [index, [reason, input, { events = [], ...changes }]] of lines.entries()) {
    const last = newestEvent(app);
    if (forgetful) app.hostCache.forgetAll();
    await input(app);
    const state = stateOf(app);
    const line = `${index + 1}. ${reason}`;
    expect({ line, ...state, events: eventsAfter(app, last) }).toEqual({
      line,
      ...before,
      ...changes,
      events,
    });
    before = state;
  }
  return app;
}

/** Runs the lines as a test: with the cache of hosts, without it, and both must leave the same rows. */
export function ledger(name: string, lines: readonly Line[]): void {
  test(name, async () => {
    const cached = await play(lines, false);
    const uncached = await play(lines, true);
    expect(snapshot(uncached)).toEqual(snapshot(cached));
    expect(examine(cached.db, 0)).toEqual([]);
  });
}
