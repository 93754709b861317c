/** What must hold at all times: stored rows and answers of the API, compared with the model. */
import { examine } from "../../src/operations/doctor/doctor.ts";
import type { StoredEvent as EventOfModel } from "../monitoring/uptime/uptime-model.ts";
import type { Random } from "../support/random.ts";
import { compare, keptSince } from "./compare.ts";
import { checkDeliveries, checkRetries } from "./delivery-checks.ts";
import { checkErrors } from "./error-checks.ts";
import { checkDetails, checkHosts, checkOutputs, checkPages, checkReported } from "./host-checks.ts";
import { checkHistory, checkOldest, checkRetention, RETENTION_SLACK } from "./retention-checks.ts";
import type { Server } from "./server.ts";
import { checkUptime } from "./uptime-checks.ts";
import type { World } from "./world.ts";

/** Documented number of messages that may wait. */
const MAX_WAITING = 10_000;
const HOUR = 3600;

export async function checkAll(world: World, random: Random): Promise<void> {
  const { server, fleet } = world;
  if (server === null || fleet.outageSince !== null || world.faults.mayRefuse) return;
  await world.disk.spare(() => checkServer(world, server, random));
}

async function checkServer(world: World, server: Server, random: Random): Promise<void> {
  const findings = examine(server.db, keptSince(world));
  if (findings.length > 0) world.fail(`doctor: ${findings.map(({ sentence }) => sentence).join("; ")}`);
  checkHosts(world, server);
  checkEvents(world, server);
  checkBounds(world, server);
  if (!world.isExact) return;
  checkFailures(world, server);
  checkOpenErrors(world, server);
  checkReported(world, server);
  checkDetails(world, server);
  checkOutputs(world, server);
  checkSamples(world, server);
  checkHistory(world, server);
  checkRetention(world, server);
  checkAlerts(world, server);
  world.outbox.check(server.rows);
  world.outbox.checkOrder();
  checkRetries(world, server);
  await checkDeliveries(world, server, random);
  await checkOldest(world, server);
  await checkPages(world, server, random);
  await checkUptime(world, server, random);
  await checkErrors(world, server, random);
  world.past.check(server, random);
  await world.answers.check(server, random);
}

interface StoredEvent {
  agentId: string;
  stamp: string;
  date: number;
  active: number;
  /** Whether a message about it still has to be sent. */
  waits: number;
  /** Whether it is the last error before the time that is kept, of a failure that lasted into it. */
  stands: number;
  n: number;
}

/** Stored fields that identify an event. */
const STAMP =
  "names.name || ' ' || events.event_type || ' ' || state || ' ' || collected_sec || ' ' || collected_usec || " +
  "iif(events.limit_id > 0, ' limit ' || events.limit_id, '')";

function stampOf({ service, eventType, state, collectedSec, collectedUsec, limit }: EventOfModel): string {
  const stamp = [service, eventType, state, collectedSec, collectedUsec];
  return [...stamp, ...(limit ? ["limit", limit.id] : [])].join(" ");
}

const ofSameCheck = (table: string) =>
  ["host_id", "name_id", "event_type", "limit_id"]
    .map((column) => `${table}.${column} = events.${column}`)
    .join(" and ");

function checkEvents(world: World, { rows }: Server): void {
  const since = keptSince(world);
  const events = rows.all<StoredEvent>(
    `select agent_id as agentId, ${STAMP} as stamp, date, active, count(*) as n, exists (
       select 1 from delivery_events join deliveries on deliveries.id = delivery_id
       where event_id = events.id and deliveries.status in ('pending', 'sending')) as waits,
       state = 1 and exists (
         select 1 from downtime_intervals as failure where ${ofSameCheck("failure")}
           and failure.started_at <= events.date and coalesce(failure.ended_at, $before + 1) > $before
       ) and not exists (
         select 1 from events as later where ${ofSameCheck("later")} and later.state = 1
           and later.date > events.date and later.date < $before
           and (later.collected_usec >= 0 or events.collected_usec < 0)
       ) as stands
     from events join hosts on hosts.id = host_id join names on names.id = name_id group by 1, 2`,
    { before: since - RETENTION_SLACK },
  );
  const twice = events.find(({ n }) => n > 1);
  if (twice) world.fail(`${twice.stamp} of ${twice.agentId} is stored ${twice.n} times`);
  // The event of an alert is kept until the alert is closed.
  const followed = world.notifications.openSince(world.now() - RETENTION_SLACK);
  const toTell = new Set(followed.map(({ host, event }) => `${host.name}: ${stampOf(event)}`));
  const late = events.find(
    ({ agentId, stamp, date, active, waits, stands }) =>
      !active && !waits && !stands && date < since - RETENTION_SLACK && !toTell.has(`${agentId}: ${stamp}`),
  );
  if (late && world.retentionIsDue()) world.fail(`${late.stamp} of ${late.agentId} is past its time`);
  const expected = [...world.fleet.hosts.values()].flatMap((host) =>
    [...host.stamps].map(([stamp, date]) => ({ line: `${host.name}: ${stamp}`, date })),
  );
  compare(
    world,
    "events",
    events.filter(({ date }) => date >= since).map(({ agentId, stamp }) => `${agentId}: ${stamp}`),
    expected.filter(({ date }) => date >= since).map(({ line }) => line),
  );
}

/** The events that represent open failures, and whether the failures are dismissed. */
function checkOpenErrors(world: World, { rows }: Server): void {
  const stored = rows.all<{ agentId: string; stamp: string; dismissed: number }>(
    `select agent_id as agentId, ${STAMP} as stamp, dismissed
     from events join hosts on hosts.id = events.host_id join names on names.id = events.name_id where active = true`,
  );
  const expected = [...world.fleet.hosts.values()].flatMap((host) =>
    host.checks.flatMap((check) => {
      const { active } = check;
      const isDismissed = world.notifications.isDismissed(check);
      return active ? `${host.name}: ${stampOf(active)}, dismissed ${Number(isDismissed)}` : [];
    }),
  );
  compare(
    world,
    "open errors",
    stored.map(({ agentId, stamp, dismissed }) => `${agentId}: ${stamp}, dismissed ${dismissed}`),
    expected,
  );
}

interface StoredFailure {
  agentId: string;
  service: string;
  eventType: number;
  limitId: number;
  from: number;
  to: number | null;
}

function checkFailures(world: World, { rows }: Server): void {
  const stored = rows.all<StoredFailure>(
    `select agent_id as agentId, name as service, event_type as eventType, limit_id as limitId, started_at as "from", ended_at as "to"
     from downtime_intervals join hosts on hosts.id = host_id join names on names.id = name_id`,
  );
  const since = keptSince(world);
  const isKept = ({ to }: { to: number | null }) => to === null || to >= since;
  const line = ({ agentId, service, eventType, limitId, from, to }: StoredFailure) =>
    `${service} ${eventType} limit ${limitId} of ${agentId} ${from}..${to ?? ""}`;
  const expected = [...world.fleet.hosts.values()].flatMap((host) =>
    host.checks.flatMap((check) =>
      check.spans().map((span) => ({
        agentId: host.name,
        service: check.service,
        eventType: check.eventType,
        limitId: check.limit?.id ?? 0,
        ...span,
      })),
    ),
  );
  compare(world, "failures", stored.filter(isKept).map(line), expected.filter(isKept).map(line));
  const old = stored.find(({ to }) => to !== null && to < since - RETENTION_SLACK);
  if (old && world.retentionIsDue()) world.fail(`${line(old)} is past its time`);
}

/** In the current hour each message has a sample. Older samples are packed. */
function checkSamples(world: World, { rows }: Server): void {
  const since = world.now() - (world.now() % HOUR);
  const stored = rows.all<{ agentId: string; at: number }>(
    "select agent_id as agentId, at from samples join hosts on hosts.id = host_id where at >= $since",
    { since },
  );
  const expected = [...world.outbox.samples].flatMap(([agentId, times]) => {
    for (const at of times) if (at < since) times.delete(at);
    return [...times].map((at) => `${agentId} ${at}`);
  });
  compare(
    world,
    "samples",
    stored.map(({ agentId, at }) => `${agentId} ${at}`),
    expected,
  );
}

function checkAlerts(world: World, { rows }: Server): void {
  const open = rows.all<{ rule: string; agentId: string; stamp: string }>(
    `select rules.name as rule, agent_id as agentId, ${STAMP} as stamp
     from alerts join rules on rules.id = rule_id join events on events.id = event_id
       join hosts on hosts.id = events.host_id join names on names.id = events.name_id where closed_at is null`,
  );
  compare(
    world,
    "open alerts",
    open.map(({ rule, agentId, stamp }) => `${rule}: ${stamp} of ${agentId}`),
    world.notifications.alerts.map(
      ({ rule, host, event }) => `${rule.name}: ${stampOf(event)} of ${host.name}`,
    ),
  );
}

/** Time after a start within which group counts that were stale when Muster ended are corrected, seconds. */
const COUNTS_AFTERMATH = 60;

function checkBounds(world: World, { rows, muster }: Server): void {
  const { loads, ...sizes } = muster.hostCache.usage;
  const hosts = world.fleet.hosts.size;
  if (Math.max(...Object.values(sizes)) > hosts)
    world.fail(`the host cache holds more than there are ${hosts} hosts: ${JSON.stringify(sizes)}`);
  // The cache exists so that few messages have to read stored rows. A failed commit drops the hosts of its messages.
  const { messages, refused } = world.sinceStart;
  if (loads > 2 * hosts + messages / 2 + refused)
    world.fail(`hosts were read ${loads} times for ${messages} stored and ${refused} refused messages`);
  const [waiting] = rows.all<{ n: number }>(
    "select count(*) as n from deliveries where status in ('pending', 'sending')",
  );
  if ((waiting?.n ?? 0) > MAX_WAITING) world.fail(`${waiting?.n} messages wait`);
  const [joining] = rows.all<{ n: number }>("select count(*) as n from group_count_changes");
  // Work left over when Muster ended is done soon after its start.
  if ((joining?.n ?? 0) > 0 && world.now() > world.startedAt + COUNTS_AFTERMATH)
    world.fail("who joined or left a group is not brought into its counts");
  const [off] = rows.all<{ n: number }>(
    `select count(*) as n from excluded_intervals
     where started_at > ended_at or (reason = 'off' and started_at = ended_at)`,
  );
  if ((off?.n ?? 0) > 0 && world.isExact) world.fail("a time ends before it begins, or is none");
}
