/** Which failure an event belongs to, and what changed before it: `reports/events/get` and `changes` in docs/api.md. */
import type { HostModel } from "../monitoring/uptime/uptime-model.ts";
import type { Random } from "../support/random.ts";
import { compare, keptSince } from "./compare.ts";
import type { Server } from "./server.ts";
import type { World } from "./world.ts";

const HOUR = 3600;
const MINUTE = 60;
const ERROR = 1;
const CHANGE = 2;
const EVENTS_AT_A_TIME = 3;
/** Only the newest changes of a program's output are kept. Changes younger than this are always kept, seconds. */
const CHANGES_KEPT = 7 * HOUR;

interface StoredError {
  id: number;
  agentId: string;
  service: string;
  eventType: number;
  limitId: number;
  date: number;
}

export async function checkErrors(world: World, { rows }: Server, random: Random): Promise<void> {
  const errors = rows.all<StoredError>(
    `select events.id, agent_id as agentId, name as service, event_type as eventType, limit_id as limitId, date
     from events join hosts on hosts.id = host_id join names on names.id = name_id
     where state = ${ERROR} and date >= $since order by events.id`,
    { since: Math.max(keptSince(world), world.now() - CHANGES_KEPT) + HOUR },
  );
  for (let i = 0; i < EVENTS_AT_A_TIME && errors.length > 0; i++) {
    const [error] = errors.splice(random.below(errors.length), 1);
    const host = error && world.fleet.hosts.get(error.agentId);
    if (host) await checkError(world, error, host);
  }
}

async function checkError(world: World, error: StoredError, host: HostModel): Promise<void> {
  const check = host.checks.find(
    (check) =>
      check.service === error.service &&
      check.eventType === error.eventType &&
      (check.limit?.id ?? 0) === error.limitId,
  );
  const failure = check?.spans().findLast(({ from }) => from <= error.date);
  const at = failure?.from ?? error.date;
  if (at - HOUR < Math.max(keptSince(world), world.now() - CHANGES_KEPT)) return;
  const client = await world.administrators.client();
  const { json: told } = await client.get("/api/1/reports/events/get", { id: error.id });
  if (told.since !== (failure?.from ?? 0) || told.ended !== (failure?.to ?? 0))
    world.fail(
      `the failure of event ${error.id} of ${host.name} is from ${told.since} to ${told.ended}` +
        ` instead of ${failure?.from} to ${failure?.to}`,
    );
  const { status, json } = await client.get("/api/1/reports/events/changes", { id: error.id });
  if (status !== 200) world.fail(`what changed before ${error.id} was answered ${status}`);
  const others = [...world.fleet.hosts.values()].filter((other) => other !== host && shareGroup(host, other));
  const changes = json.records as { date: number; hostname: string; servicename: string }[];
  compare(
    world,
    `what changed before ${error.service} of ${host.name} at ${at}`,
    changes.map(({ date, hostname, servicename }) => `${hostname} ${servicename} ${date}`),
    [
      ...changesOf(world, host, at - HOUR, at),
      ...others.flatMap((other) => changesOf(world, other, at - MINUTE, at + MINUTE)),
    ],
  );
}

function shareGroup(host: HostModel, other: HostModel): boolean {
  return host.groups.some((group) => other.groups.includes(group));
}

/** Changes reported by events, and changes of program output; both ends included. */
function changesOf(world: World, host: HostModel, from: number, to: number): string[] {
  const reported = [...host.stamps].flatMap(([stamp, date]) => {
    const [, service = "", state] = /^(.*) \d+ (\d+) \d+ \d+(?: limit \d+)?$/.exec(stamp) ?? [];
    return Number(state) === CHANGE ? { service, date } : [];
  });
  return [...reported, ...world.fleet.outputs.changesOf(host)]
    .filter(({ date }) => date >= from && date <= to)
    .map(({ service, date }) => `${host.name} ${service} ${date}`);
}
