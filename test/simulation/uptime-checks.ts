/** Compares the uptime that the API reports for hosts and services, and their bars, with the model. */
import type { Segment } from "../monitoring/uptime/timeline.ts";
import { countStates, type HostModel, type State } from "../monitoring/uptime/uptime-model.ts";
import type { Reply } from "../support/client.ts";
import type { Random } from "../support/random.ts";
import { compare, inWords, keptSince } from "./compare.ts";
import { DAY } from "./plan.ts";
import type { Server } from "./server.ts";
import type { World } from "./world.ts";

/** Number of hosts whose bars are checked at a time, and of hosts checked more closely. */
const HOSTS_AT_A_TIME = 12;
const FEW_HOSTS = 3;
const CELLS = 24;
/** Seconds by which a report may end in the future, which counts neither as up nor as down. */
const AHEAD = 1000;
const HALF_HOUR = 1800;
const HEARTBEAT = 1_048_576;
const MONIT = "Monit";
/** How the API reports a cell of a bar. */
const BEAT = { excluded: 0, up: 1, failing: 2, down: 3 };

/** A host or service as a report lists it. */
interface Subject {
  name: string;
  active: boolean;
  events: number;
  states: readonly Segment<State>[];
}

interface Item {
  name: string;
  active: number;
  uptime: number;
  downtime: string;
  events: number;
  cells: number[];
}

interface Window {
  datefrom: number;
  dateto: number;
  cells: number;
}

export async function checkUptime(world: World, server: Server, random: Random): Promise<void> {
  await checkRanges(world, random);
  await checkHosts(world, random);
  const hosts = [...world.fleet.hosts.values()];
  const some = Array.from({ length: Math.min(HOSTS_AT_A_TIME, hosts.length) }, () =>
    hosts.splice(random.below(hosts.length), 1),
  ).flat();
  const few = some.slice(0, FEW_HOSTS);
  await checkBeats(world, server, few);
  for (const host of some) await checkBars(world, server, host, random);
  for (const host of few) await checkServices(world, server, host, random);
}

/** The start of a range that reports select by a code, with dates in UTC. */
function startOfRange(range: number, now: number): number {
  const date = new Date(now * 1000);
  if (range === 0) return now - (now % DAY);
  if (range === 5) return now - 7 * DAY;
  const months = { 6: 1, 7: 3, 8: 6, 9: 12 }[range] ?? 0;
  return Math.floor(date.setUTCMonth(date.getUTCMonth() - months) / 1000);
}

async function checkRanges(world: World, random: Random): Promise<void> {
  const now = world.now();
  const range = random.pick([0, 5, 6, 7, 8, 9]);
  const client = await world.administrators.client();
  const { json } = await client.get("/api/1/reports/uptime/list", { range });
  if (json.datefrom !== startOfRange(range, now) || json.dateto !== now)
    world.fail(`the range ${range} is from ${json.datefrom} to ${json.dateto}`);
}

/** A window from which nothing was deleted. */
function windowOf(world: World, random: Random): Window {
  const now = world.now();
  const datefrom = Math.max(random.between(world.end - 3 * DAY, now - 100), keptSince(world));
  const dateto = random.between(datefrom + 50, now + AHEAD);
  return { datefrom, dateto, cells: random.between(24, 96) };
}

/** Uptime of all hosts, and the number of events of each. */
async function checkHosts(world: World, random: Random): Promise<void> {
  const window = windowOf(world, random);
  const client = await world.administrators.client();
  const reply = await client.get("/api/1/reports/uptime/list", { range: 12, ...window });
  const subjects = [...world.fleet.hosts.values()].map((host) => ({
    name: host.name,
    active: host.counts,
    events: host.events,
    states: host.states(world.now(), world.fleet.off),
  }));
  checkReport(world, "uptime of hosts", reply, subjects, window);
}

/** Uptime of the services of a host. A service that is no longer listed appears only if some of the time counts. */
async function checkServices(world: World, { rows }: Server, host: HostModel, random: Random): Promise<void> {
  const window = windowOf(world, random);
  const client = await world.administrators.client();
  const id = rows.host(host.name)?.id ?? 0;
  const reply = await client.get("/api/1/reports/uptime/get", { id, range: 12, ...window });
  const subjects = [...host.services.values()].flatMap((service) => {
    const { name, monitor, present } = service;
    const states = host.statesOf(service, world.now());
    const { up, down } = countStates(states, window.datefrom, window.dateto);
    if (!present && up + down === 0) return [];
    const active = host.counts && monitor !== 0 && present;
    return [{ name, active, events: host.eventsOf(name), states }];
  });
  checkReport(world, `uptime of services of ${host.name}`, reply, subjects, window);
}

function checkReport(
  world: World,
  what: string,
  reply: Reply,
  subjects: readonly Subject[],
  { datefrom, dateto, cells }: Window,
): void {
  if (reply.status !== 200) world.fail(`${what}: the answer is ${reply.status} ${reply.text}`);
  const isKept = world.administrators.eventDays !== null;
  const edge = (i: number) => datefrom + Math.round(((dateto - datefrom) * i) / cells);
  const beatOf = (states: Subject["states"], i: number) => {
    const { up, down } = countStates(states, edge(i), edge(i + 1));
    return up + down === 0 ? BEAT.excluded : down > 0 ? BEAT.down : BEAT.up;
  };
  const expected = subjects.map((subject) => {
    const { up, down } = countStates(subject.states, datefrom, dateto);
    const bar = Array.from({ length: cells }, (_, i) => beatOf(subject.states, i)).join("");
    return { ...subject, bar, down, counted: up + down, percent: percentOf(up, down) };
  });
  compare(
    world,
    `${what} from ${datefrom} to ${dateto} (active, percent, downtime, events, bar)`,
    (reply.json.items as Item[]).map(({ name, active, uptime, downtime, events, cells: bar }) =>
      [name, active, uptime.toFixed(6), downtime, isKept ? "" : events, bar.join("")].join(" "),
    ),
    expected.map(({ name, active, percent, down, events, bar }) =>
      [name, Number(active), percent.toFixed(6), inWords(down), isKept ? "" : events, bar].join(" "),
    ),
  );
  // Only those of which some time counts.
  const withTime = expected.filter(({ counted }) => counted > 0);
  const mean = (values: number[], none: number) =>
    values.length === 0 ? none : values.reduce((sum, value) => sum + value, 0) / values.length;
  const percents = mean(
    withTime.map(({ percent }) => percent),
    100,
  );
  const downtime = inWords(
    mean(
      withTime.map(({ down }) => down),
      0,
    ),
  );
  if (Math.abs(reply.json.uptime - percents) > 1e-6 || reply.json.downtime !== downtime)
    world.fail(
      `${what}: the mean is ${reply.json.uptime}, ${reply.json.downtime}, not ${percents}, ${downtime}`,
    );
}

function percentOf(up: number, down: number): number {
  return up + down === 0 ? 100 : (100 * up) / (up + down);
}

/** The last day of hosts in half hours and as a percentage, as host lists show it. */
async function checkBeats(world: World, { rows }: Server, hosts: readonly HostModel[]): Promise<void> {
  if (hosts.length === 0) return;
  const now = world.now();
  const ids = hosts.map(({ name }) => rows.host(name)?.id ?? 0);
  const client = await world.administrators.client();
  const reply = await client.get("/api/1/status/hosts/glance", { id: ids });
  if (reply.status !== 200) world.fail(`the last day of hosts was answered ${reply.status}`);
  const records = reply.json.records as { id: number; uptime: number; beats: number[] }[];
  for (const [i, host] of hosts.entries()) {
    const { up, down } = countStates(host.states(now, world.fleet.off), now - DAY, now);
    const expected = [up + down === 0 ? -1 : percentOf(up, down), ...beatsOf(host, world)];
    const record = records.find(({ id }) => id === ids[i]);
    const told = [record?.uptime, ...(record?.beats ?? [])];
    if (told.join(" ") !== expected.join(" "))
      world.fail(`the last day of ${host.name} is told as ${told} instead of ${expected}`);
  }
}

/** The half hours of the last day in which a host was down, services of it failed, or neither. */
function beatsOf(host: HostModel, world: World): number[] {
  const end = world.now();
  const states = host.states(end, world.fleet.off);
  const failures = host.checks
    .filter(({ service, eventType }) => service !== MONIT || eventType !== HEARTBEAT)
    .filter(({ limit }) => limit?.downtime !== false)
    .flatMap((check) => check.spans());
  return Array.from({ length: DAY / HALF_HOUR }, (_, cell) => {
    const from = end - DAY + cell * HALF_HOUR;
    const { up, down } = countStates(states, from, from + HALF_HOUR);
    if (up + down === 0) return BEAT.excluded;
    if (down > 0) return BEAT.down;
    const isFailing = failures.some(
      (failure) => failure.from < from + HALF_HOUR && (failure.to ?? end) > from,
    );
    return isFailing ? BEAT.failing : BEAT.up;
  });
}

/** Compares to the second, over a window from which nothing was deleted. */
async function checkBars(world: World, { rows }: Server, host: HostModel, random: Random): Promise<void> {
  const now = world.now();
  const earliest = Math.max(host.createdAt - 400, keptSince(world));
  if (earliest >= now - 100) return;
  const datefrom = random.between(earliest, now - 60);
  const dateto = random.between(datefrom + 30, now + (random.chance(0.2) ? AHEAD : 0));
  const edge = (i: number) => datefrom + Math.round(((dateto - datefrom) * i) / CELLS);
  const id = rows.host(host.name)?.id ?? 0;
  const items = [
    { name: null, states: host.states(now, world.fleet.off), isListed: true },
    ...[...host.services.values()].map((service) => ({
      name: service.name,
      states: host.statesOf(service, now),
      isListed: service.present,
    })),
  ];
  const client = await world.administrators.client();
  for (const { name, states, isListed } of items) {
    const fields = { id, range: 12, datefrom, dateto, cells: CELLS, ...(name !== null && { service: name }) };
    const reply = await client.get("/api/1/reports/uptime/bars", fields);
    if (reply.status === 404 && !isListed) continue;
    if (reply.status !== 200)
      world.fail(`uptime of ${host.name} was answered ${reply.status}: ${reply.text}`);
    for (let i = 0; i < CELLS; i++) {
      const expected = { datefrom: edge(i), ...countStates(states, edge(i), edge(i + 1)) };
      if (!Bun.deepEquals(reply.json.cells[i], expected))
        world.fail(
          `uptime of ${name ?? "the host"} of ${host.name} from ${edge(i)} to ${edge(i + 1)} is ` +
            `${JSON.stringify(reply.json.cells[i])} instead of ${JSON.stringify(expected)}`,
        );
    }
  }
}
