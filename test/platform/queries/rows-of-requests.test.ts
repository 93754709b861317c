/**
 * How many rows the thread that takes messages reads for a request, of a database with many of everything: those that
 * statements return, and those that they visit, by the plan of each and how many rows share what it looks for (`Visits`).
 */
import { expect, test } from "bun:test";
import { changesState } from "../../../src/platform/http/operation.ts";
import { calls, examples, send, startedOn } from "../../publishing/openapi/examples.ts";
import { AgentHttpd } from "../../support/agent-httpd.ts";
import type { Fields } from "../../support/client.ts";
import { largeWorld, MANY } from "./large-world.ts";
import { RowsRead } from "./rows-read.ts";
import { Visits } from "./visits.ts";

/** The most rows that a request may read there, whatever the size of the database. */
const MOST = 250;
/** Writes that read more, of what there is a bounded number, or in steps between which others are served. */
const BOUNDED: Readonly<Record<string, string>> = {
  "/admin/hosts/update": "the services of a host, of which there are at most 1,000",
  "/admin/hosts/action": "the services of a host",
  "/admin/hosts/action/queue": "the services of a host",
  "/admin/hosts/bulk/update": "the services of hosts, in steps",
  "/admin/hosts/bulk/delete": "all that belongs to hosts, in steps",
  "/admin/hosts/delete": "all that belongs to a host, in steps",
  "/admin/dependencies/create": "dependencies, of which there are at most 10,000",
  "/admin/rules/delete": "rules, of which there are at most 500",
  "/admin/rules/move": "rules",
};
/**
 * What statements on that thread may visit many rows of, by table or index, and why there is a bound. A statement that
 * reads in the order of an index up to a limit visits no more than that.
 */
const VISITED_BY_WRITES: Readonly<Record<string, string>> = {
  // Without a bound of its own.
  agent_keys: "there are at most 1,000",
  channels: "there are at most 1,000",
  deliveries_due: "at most 10,000 messages wait",
  deliveries_waiting: "at most 10,000 messages wait",
  dependencies: "there are at most 10,000",
  dependencies_by_cause: "there are at most 10,000",
  expected_hosts: "there are at most 10,000",
  event_notes_by_event: "notes of 50 events that are deleted with their host, in steps",
  limits: "there are at most 500",
  mail_reports: "there are at most 200",
  maintenance_windows: "there are at most 1,000 windows and 1,000 mutes",
  on_call_schedules: "there are at most 100",
  rule_channels_by_channel: "there are at most 500 rules",
  rules: "there are at most 500",
  saved_filters: "there are at most 200",
  saved_views: "there are at most 200",
  services_of_host: "a host has at most 1,000, and as many that vanished",
  sqlite_autoindex_host_group_members_1: "the members of a group, which are deleted with it by one statement",
  status_pages: "there are at most 500",
  view_tokens: "there are at most 200",
  weekly_rehearsals: "there are at most 200",
};
const VISITED_BY_READS: Readonly<Record<string, string>> = {
  // The health of Muster, once a minute however many ask.
  backups: "at most 746 are kept, and attempts that failed for 30 days",
  channels: "there are at most 1,000",
  deliveries_due: "at most 10,000 messages wait",
  finding_acknowledgements: "people make them, and they are deleted with their findings",
  view_tokens: "there are at most 200",
};

test("no request that changes something takes more than a fixed number of rows of that thread", async () => {
  const agent = await AgentHttpd.start();
  const counter = new RowsRead();
  counter.start();
  try {
    const options = { runQueries: counter.runQueries, runTransfers: counter.runQueries };
    const { app, ...before } = await largeWorld(counter, agent.port);
    const snapshot = app.snapshot();
    const tooMany: string[] = [];
    const visits = new Visits(app.db.$client, MOST);
    for (const [operation, method] of calls(app.operations)) {
      if (!changesState(operation.kind)) continue;
      const world = await startedOn(snapshot, before, options);
      counter.reset();
      const { status, text } = await send(
        world.admin,
        method,
        operation.path,
        examples(world)[operation.path] ?? {},
      );
      expect([operation.path, status, text]).toEqual([operation.path, 200, text]);
      if (counter.rows > MOST) tooMany.push(operation.path);
      visits.note(operation.path, counter.statements);
    }
    expect(tooMany.sort()).toEqual(Object.keys(BOUNDED).sort());
    expect([...visits.scans.keys()].sort()).toEqual(Object.keys(VISITED_BY_WRITES).sort());
  } finally {
    counter.stop();
    await agent.stop();
  }
});

/** The most rows that a step reads and writes: 500 tags, and those that their hosts had. */
const MOST_OF_STEP = 1200;
/** Changes that name many objects, which are made in steps. */
const IN_STEPS: Readonly<Record<string, (ids: { hosts: number[]; events: number[] }) => Fields>> = {
  "/admin/groups/add": ({ hosts }) => ({ id: 2, hostid: hosts }),
  "/admin/groups/remove": ({ hosts }) => ({ id: 2, hostid: hosts }),
  "/admin/tags/add": ({ hosts }) => ({ hosts, tags: TAGS }),
  "/admin/tags/remove": ({ hosts }) => ({ hosts, tags: TAGS }),
  "/problems/acknowledge": ({ events }) => ({ id: events, note: "a new disk" }),
  "/problems/unacknowledge": ({ events }) => ({ id: events }),
  "/reports/events/dismiss": ({ events }) => ({ id: events }),
  "/reports/events/undismiss": ({ events }) => ({ id: events }),
};
const TAGS = Array.from({ length: 40 }, (_, i) => `n=${i}`);

test("no request that names many objects takes more than a fixed number of rows of that thread at once", async () => {
  const counter = new RowsRead();
  counter.start();
  try {
    const { app, admin } = await largeWorld(counter);
    const ids = (sql: string) => app.rows<{ id: number }>(sql).map(({ id }) => id);
    const named = {
      hosts: ids("select id from hosts"),
      events: ids("select id from events where active = true"),
    };
    expect(Math.min(named.hosts.length, named.events.length)).toBeGreaterThan(MANY);
    expect(
      app.operations
        .filter(({ stepped }) => stepped)
        .map(({ path }) => path)
        .sort(),
    ).toEqual(Object.keys(IN_STEPS).sort());
    for (const [path, fields] of Object.entries(IN_STEPS)) {
      const { taken, status } = await rowsOfTurns(counter, () => send(admin, "POST", path, fields(named)));
      expect([path, status, taken.length > MANY / 50]).toEqual([path, 200, true]);
      expect([path, taken.filter((rows) => rows > MOST_OF_STEP)]).toEqual([path, []]);
    }
  } finally {
    counter.stop();
  }
});

/** The numbers of rows that a request took of the thread each time before the event loop came round. */
async function rowsOfTurns(counter: RowsRead, request: () => Promise<{ status: number }>) {
  const taken: number[] = [];
  let isOver = false;
  const note = () => {
    if (counter.rows > 0) taken.push(counter.rows);
    counter.reset();
  };
  const watch = () => {
    note();
    if (!isOver) setImmediate(watch);
  };
  counter.reset();
  setImmediate(watch);
  const { status } = await request();
  isOver = true;
  note();
  return { taken, status };
}

test("no request that reads takes more than a fixed number of rows of the thread that takes messages", async () => {
  const counter = new RowsRead();
  counter.start();
  try {
    const world = await largeWorld(counter);
    const reading = calls(world.app.operations).filter(([{ kind }]) => kind === "read" || kind === "query");
    const tooMany: string[] = [];
    const visits = new Visits(world.app.db.$client, MOST);
    for (const [operation, method] of reading) {
      counter.reset();
      const args = examples(world)[operation.path] ?? {};
      const { status } = await send(world.admin, method, operation.path, args);
      expect([operation.path, status]).toEqual([operation.path, 200]);
      if (counter.rows > MOST) tooMany.push(operation.path);
      visits.note(operation.path, counter.statements);
    }
    expect([...new Set(tooMany)].sort()).toEqual([]);
    for (const path of ["/s/shelf", "/s/shelf/badge.svg", "/s/shelf?renew=0", "/healthz"]) {
      counter.reset();
      expect([path, (await world.app.app.request(path)).status]).toEqual([path, 200]);
      expect([path, counter.rows]).toEqual([path, Math.min(counter.rows, MOST)]);
    }
    counter.reset();
    const metrics = await world.admin.get("/metrics/fleet");
    expect([metrics.status, metrics.text.match(/^muster_host_up/gm)?.length]).toEqual([200, MANY + 2]);
    expect(counter.rows).toBeLessThan(MOST);
    visits.note("/metrics/fleet", counter.statements);
    expect([...visits.scans.keys()].sort()).toEqual(Object.keys(VISITED_BY_READS).sort());
  } finally {
    counter.stop();
  }
});
