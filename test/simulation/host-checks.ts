/** What Muster knows about hosts: their state, their agents' last reports, and their services. */
import type { HostModel } from "../monitoring/uptime/uptime-model.ts";
import type { Random } from "../support/random.ts";
import { compare, inWords, keptSince } from "./compare.ts";
import type { Server } from "./server.ts";
import { SOURCE, type World } from "./world.ts";

/** Number of hosts checked one by one each time: of all hosts, and of hosts with failures. */
const HOSTS_AT_A_TIME = 2;
/** Codes of the statistic types whose values the model knows, by service, and of program output. */
const KNOWN_TYPES: Readonly<Record<string, readonly number[]>> = { web: [8], disk: [0, 1, 2] };
const PROGRAM_OUTPUT = 35;
/** Minimum number of newest changes of a program's output that are kept. */
const KEPT_CHANGES = 40;

/** Checks the states of hosts and when they reported. */
export function checkHosts(world: World, { rows }: Server): void {
  const hosts = [...world.fleet.hosts.values()];
  const line = (name: string, ...values: number[]) => [name, ...values].join(" ");
  compare(
    world,
    "hosts (status, stopped, heartbeat, last message)",
    rows.hosts().map((row) => line(row.agentId, row.status, row.stopped, row.heartbeat, row.lastmodified)),
    hosts.map((host) => line(host.name, host.status, Number(host.stopped), host.heartbeat, host.lastMessage)),
  );
}

/** Checks each host's last report and its services. */
export function checkReported(world: World, { rows }: Server): void {
  const hosts = rows.all<{
    agentId: string;
    poll: number;
    incarnation: number;
    deadline: number;
    status: number;
    cpu: number;
    mem: number;
  }>("select agent_id as agentId, poll, incarnation, deadline, status, cpu, mem from hosts");
  const line = (...values: (string | number | null)[]) => values.join(" ");
  const simulated = [...world.fleet.hosts.values()];
  const systems = new Set(
    simulated.filter(({ last }) => last.server.cpu !== undefined).map(({ name }) => name),
  );
  compare(
    world,
    "hosts (poll, incarnation, deadline, cpu, memory)",
    hosts.map(({ agentId, poll, incarnation, deadline, status, cpu, mem }) =>
      line(
        agentId,
        poll,
        incarnation,
        status === 0 ? deadline : "",
        ...(systems.has(agentId) ? [cpu, mem] : []),
      ),
    ),
    simulated.map(({ name, status, deadline, last: { server, incarnation } }) => {
      const usage = server.cpu === undefined ? [] : [server.cpu, server.mem ?? -1];
      return line(name, server.poll, incarnation, status === 0 ? deadline : "", ...usage);
    }),
  );
  const services = rows.all<{
    agentId: string;
    name: string;
    monitor: number;
    status: number;
    hint: number;
    led: number;
  }>(
    `select agent_id as agentId, name, monitor_state as monitor, services.status, status_hint as hint, services.led
     from services join hosts on hosts.id = host_id join names on names.id = name_id where vanished_at is null`,
  );
  compare(
    world,
    "services (monitored, status, hint, light)",
    services.map(({ agentId, name, monitor, status, hint, led }) =>
      line(agentId, name, monitor, status, hint, led),
    ),
    simulated.flatMap((host) =>
      host.last.services.map(({ name, monitor, status, statusHint }) =>
        line(
          host.name,
          name,
          monitor,
          status,
          statusHint,
          lightOf(monitor ?? 1, (status ?? 0) & ~statusHint, world.fleet.limits.level(host, name)),
        ),
      ),
    ),
  );
}

/** The LED of a service: 3 gray, 0 red, 1 orange, 2 green. @param level of the worst limit it exceeds */
function lightOf(monitor: number, failing: number, level: number): number {
  if (monitor === 0) return 3;
  if (failing !== 0 || level === 2) return 0;
  return monitor === 2 || monitor === 4 || level === 1 ? 1 : 2;
}

/** Checks the addresses of agents and the groups of hosts and services. */
export function checkDetails(world: World, { rows }: Server): void {
  const hosts = [...world.fleet.hosts.values()];
  const members = rows.all<{ agentId: string; name: string }>(
    `select agent_id as agentId, host_groups.name from host_group_members
     join hosts on hosts.id = host_id join host_groups on host_groups.id = group_id`,
  );
  compare(
    world,
    "members of host groups",
    members.map(({ agentId, name }) => `${agentId} in ${name}`),
    hosts.flatMap(({ name, groups }) => groups.map((group) => `${name} in ${group}`)),
  );
  const expected = hosts.flatMap(({ name, last: { details, services } }) =>
    details ? [{ name, details, listed: new Set(services.map((service) => service.name)) }] : [],
  );
  const isKnown = new Set(expected.map(({ name }) => name));
  const stored = (sql: string) =>
    rows
      .all<{ agentId: string; line: string }>(sql)
      .filter(({ agentId }) => isKnown.has(agentId))
      .map(({ agentId, line }) => `${agentId}: ${line}`);
  compare(
    world,
    "addresses of agents",
    stored("select agent_id as agentId, ipaddrin || ' ' || portin || ' ' || sslin as line from hosts"),
    expected.map(({ name, details: { httpd } }) => {
      const address = httpd.isHere ? SOURCE : httpd.address;
      return `${name}: ${address} ${httpd.port} ${Number(httpd.ssl)}`;
    }),
  );
  compare(
    world,
    "service groups",
    stored(`select agent_id as agentId, service_groups.name || ' ' || coalesce(names.name, '') as line
      from service_groups join hosts on hosts.id = service_groups.host_id
        left join service_group_members on service_group_members.group_id = service_groups.id
        left join services on services.id = service_id left join names on names.id = services.name_id`),
    expected.flatMap(({ name, details: { serviceGroups }, listed }) =>
      Object.entries(serviceGroups).flatMap(([group, services]) => {
        const present = services.filter((service) => listed.has(service));
        return (present.length > 0 ? present : [""]).map((member) => `${name}: ${group} ${member}`);
      }),
    ),
  );
}

/** Checks what the pages of some hosts show. */
export async function checkPages(world: World, server: Server, random: Random): Promise<void> {
  const hosts = [...world.fleet.hosts.values()];
  // Only failing services can be acknowledged.
  const failing = hosts.filter(({ checks }) => checks.some((check) => check.isFailing));
  for (const some of [hosts, failing])
    for (let i = 0; i < HOSTS_AT_A_TIME && some.length > 0; i++) {
      const [host] = some.splice(random.below(some.length), 1);
      if (host) await checkPage(world, server, host);
    }
}

async function checkPage(world: World, { rows }: Server, host: HostModel): Promise<void> {
  const id = rows.host(host.name)?.id ?? 0;
  const client = await world.administrators.client();
  const reply = await client.get("/api/1/status/hosts/get", { id });
  if (reply.status !== 200) world.fail(`the state of ${host.name} was answered ${reply.status}`);
  const told = reply.json.records.host;
  const { details, server } = host.last;
  const { version, startdelay: startDelay, uptime } = told.agent;
  if (uptime !== inWords(Math.max(0, server.uptime)))
    world.fail(`${host.name} runs for ${uptime} instead of ${server.uptime} s`);
  const platform = { ...told.platform, cpu: told.cpu.count, memory: told.memory.size, swap: told.swap.size };
  const expected = details && {
    version: details.version,
    startDelay: details.startDelay,
    platform: details.platform,
  };
  if (expected && !Bun.deepEquals({ version, startDelay, platform }, expected))
    world.fail(`${host.name} is told as ${JSON.stringify(told)} instead of ${JSON.stringify(expected)}`);
  compare(
    world,
    `services of ${host.name} (events, end of the acknowledgement, values)`,
    (told.services as ToldService[]).map((service) => toldLine(service, world, details !== undefined)),
    host.last.services.map(({ name, values = {}, output }) => {
      const numbers = Object.entries(values).map(([type, value]) => `${type}=${value}`);
      const printed = output === undefined ? [] : [`${PROGRAM_OUTPUT}=${output}`];
      const events = world.administrators.eventDays === null ? host.eventsOf(name) : "";
      return [name, events, careOf(world, host, name), ...numbers, ...printed].join(" ");
    }),
  );
}

interface ToldService {
  name: string;
  events: number;
  acknowledged: { until: number | null } | null;
  statistics: { type: number; value: number; text?: string }[];
}

function toldLine({ name, events, acknowledged, statistics }: ToldService, world: World, isKnown: boolean) {
  const types = isKnown ? (KNOWN_TYPES[name] ?? []) : [];
  const numbers = new Set(
    statistics.filter(({ type }) => types.includes(type)).map(({ type, value }) => `${type}=${value}`),
  );
  const texts = statistics.flatMap(({ type, text }) => (type === PROGRAM_OUTPUT ? `${type}=${text}` : []));
  const printed = name === "script" ? texts : [];
  const until = acknowledged === null ? "nobody" : (acknowledged.until ?? "its end");
  const count = world.administrators.eventDays === null ? events : "";
  return [name, count, until, ...[...numbers].sort(), ...printed].join(" ");
}

/** Until when all failures of a service are acknowledged. */
function careOf(world: World, host: HostModel, service: string): string | number {
  const failing = host.checks.filter((check) => check.service === service && check.isFailing);
  const ends = failing.map((check) => world.notifications.acknowledgedUntil(check, world.now()));
  const cared = ends.filter((end) => end !== null);
  if (failing.length === 0 || cared.length < ends.length) return "nobody";
  const first = Math.min(...cared);
  return first === Number.POSITIVE_INFINITY ? "its end" : first;
}

/** Checks changes of program output, of which the newest are kept. */
export function checkOutputs(world: World, { rows }: Server): void {
  const stored = rows.all<{ agentId: string; date: number; line: string }>(
    `select agent_id as agentId, date, names.name || ' ' || date || ' ' || "before" || ' -> ' || "after" as line
     from output_changes join hosts on hosts.id = output_changes.host_id
       join services on services.id = service_id join names on names.id = name_id order by date, output_changes.id`,
  );
  const since = keptSince(world);
  const byHost = Map.groupBy(stored, ({ agentId }) => agentId);
  for (const host of world.fleet.hosts.values()) {
    const changes = world.fleet.outputs
      .changesOf(host)
      .filter(({ date }) => date >= since)
      .sort((a, b) => a.date - b.date)
      .slice(-KEPT_CHANGES);
    const from = changes.length < KEPT_CHANGES ? since : (changes[0]?.date ?? 0) + 1;
    compare(
      world,
      `changes of output of ${host.name}`,
      (byHost.get(host.name) ?? []).filter(({ date }) => date >= from).map(({ line }) => line),
      changes
        .filter(({ date }) => date >= from)
        .map(({ service, date, before, after }) => `${service} ${date} ${before} -> ${after}`),
    );
  }
}
