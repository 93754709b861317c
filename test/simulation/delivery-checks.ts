/** Pending deliveries: when they are tried again, and how `admin/deliveries/list` lists them. */
import type { Random } from "../support/random.ts";
import { compare } from "./compare.ts";
import { SLOWEST_COMMIT } from "./faults.ts";
import type { Server } from "./server.ts";
import type { World } from "./world.ts";

/** Maximum number of rows of a page. */
const PAGE = 200;
const HOUR = 3600;
/** Seconds after a failed attempt until the next: "Channels that fail" of docs/alerts.md. The last repeats. */
const TRIED_AGAIN = [10, 30, 60, 120, 300, 600, 1800, 3600];
/** Seconds for which a channel is held after three consecutive failed attempts, and after more. */
const HELD = [60, 120, 300];
const HOLDING = 3;

interface Delivery {
  id: number;
  date: number;
  status: string;
  ruleid: number | null;
  channelid: number | null;
  eventid: number | null;
}

/** Lists the deliveries that share a field with one of them. */
export async function checkDeliveries(world: World, { rows }: Server, random: Random): Promise<void> {
  const deliveries = rows.all<Delivery>(
    `select id, created_at as date, status, rule_id as ruleid, channel_id as channelid, event_id as eventid
     from deliveries left join delivery_events on delivery_id = id order by id`,
  );
  if (deliveries.length === 0) return;
  const delivery = random.pick(deliveries);
  const [datefrom, dateto] = [delivery.date - random.pick([0, HOUR]), delivery.date + random.pick([0, HOUR])];
  const keys = (["status", "ruleid", "channelid", "eventid"] as const).filter(
    (key) => delivery[key] !== null,
  );
  const chosen = keys.filter(() => random.chance(0.4));
  const matching = deliveries.filter(
    (other) =>
      other.date >= datefrom && other.date <= dateto && chosen.every((key) => other[key] === delivery[key]),
  );
  const ids = new Set(matching.map(({ id }) => id));
  const fields = Object.fromEntries(chosen.map((key) => [key, delivery[key] ?? ""]));
  const client = await world.administrators.client();
  const asked = { ...fields, datefrom, dateto, results: PAGE };
  const { json } = await client.get("/api/1/admin/deliveries/list", asked);
  if (json.totalRecords !== ids.size)
    world.fail(`${JSON.stringify(asked)}: there are ${json.totalRecords} messages instead of ${ids.size}`);
  if (ids.size > PAGE) return;
  const told = (json.records as Delivery[]).map(({ id, date, status }) => `${id} ${date} ${status}`);
  compare(
    world,
    `messages of ${JSON.stringify(asked)}`,
    told,
    matching.map(({ id, date, status }) => `${id} ${date} ${status}`),
  );
}

/** When messages are tried again, and for how long channels are held. */
export function checkRetries(world: World, { rows }: Server): void {
  const waiting = rows.all<{ key: string; channel: string; attempts: number; nextAt: number; id: number }>(
    `select channel_name || ' ' || kind || ' ' || rule_name || ' ' || created_at as key, channel_name as channel,
       attempts, next_at as nextAt, id from deliveries where next_at is not null order by id`,
  );
  const last = TRIED_AGAIN.at(-1) ?? 0;
  for (const { key, channel, attempts, nextAt, id } of waiting) {
    const failedAt = world.network.failedAt.get(key);
    const isOne = waiting.filter((other) => other.key === key).length === 1;
    if (failedAt === undefined || !isOne || attempts === 0 || !world.ranWellSince(failedAt)) continue;
    // It may wait for a delivery that has to arrive first.
    const isBehind = waiting.some(
      (other) => other.id < id && other.channel === channel && other.nextAt === nextAt,
    );
    // A failure counts from the time at which it is stored.
    const late = nextAt - failedAt - (TRIED_AGAIN[attempts - 1] ?? last);
    if ((late < 0 || late > SLOWEST_COMMIT) && !isBehind)
      world.fail(`${key} failed at ${failedAt} for the ${attempts}th time and is tried again at ${nextAt}`);
  }
  const channels = rows.all<{ name: string; failures: number; heldUntil: number | null; lastAt: number }>(
    "select name, failures, held_until as heldUntil, last_at as lastAt from channels where last_at is not null",
  );
  for (const { name, failures, heldUntil, lastAt } of channels) {
    if (!world.ranWellSince(lastAt)) continue;
    const seconds = failures < HOLDING ? null : (HELD[failures - HOLDING] ?? HELD.at(-1) ?? 0);
    if (heldUntil !== (seconds === null ? null : lastAt + seconds))
      world.fail(`${name} failed ${failures} times, the last at ${lastAt}, and is held until ${heldUntil}`);
  }
}
