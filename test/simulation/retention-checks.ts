/** Checks for every kind of row that expired rows are gone and that others, as far as the model knows them, still exist. */
import { compare, keptSince } from "./compare.ts";
import { DAY } from "./plan.ts";
import type { Server } from "./server.ts";
import type { World } from "./world.ts";

const HOUR = 3600;
/** Seconds after expiry within which rows are deleted. */
export const RETENTION_SLACK = 1800;
/** Latest time after the end of an hour or a day at which it is packed, seconds. */
const PACKING_SLACK = 300;
/** Idle time after which a session has ended, seconds. */
const SESSION_IDLE = 1800;

/** The end of the oldest row of a kind, unix seconds. */
const OLDEST: Readonly<Record<string, string>> = {
  samples: "select min(at) as at from samples",
  "recoveries without an event": "select min(date) as at from silent_recoveries",
  "times that do not count": "select min(ended_at) as at from excluded_intervals",
  "changes of output": "select min(date) as at from output_changes",
  "services that vanished": "select min(vanished_at) as at from services where events = 0",
  "the audit log": "select min(date) as at from audit",
};
/** Checks for rows that nothing refers to any more. */
const UNUSED: Readonly<Record<string, string>> = {
  names: `select name as what from names
    where id not in (select name_id from services union select name_id from events
      union select name_id from downtime_intervals union select name_id from silent_recoveries
      union select name_id from alerts union select name_id from limit_states)`,
  "words of messages": `select words as what from event_word_sets
    where id not in (select word_set_id from events where word_set_id is not null)`,
};
/** Statistics by the length of their periods, and the time that one row covers, seconds. */
const HISTORY = [
  { resolution: 0, span: HOUR },
  { resolution: 300, span: HOUR },
  { resolution: HOUR, span: DAY },
];

export function checkRetention(world: World, { rows }: Server): void {
  if (!world.retentionIsDue()) return;
  const now = world.now();
  const since = keptSince(world);
  for (const [title, sql] of Object.entries(OLDEST)) {
    const at = rows.all<{ at: number | null }>(sql)[0]?.at;
    if (at != null && at < since - RETENTION_SLACK) world.fail(`${title} of ${at} are past their time`);
  }
  for (const [title, sql] of Object.entries(UNUSED)) {
    const unused = rows.all<{ what: string }>(sql)[0]?.what;
    if (unused !== undefined) world.fail(`of ${title}, nothing uses ${unused} any more`);
  }
  const [session] = rows.all<{ at: number | null }>("select min(used_at) as at from sessions");
  if (session?.at != null && session.at < now - SESSION_IDLE - RETENTION_SLACK)
    world.fail(`a session is stored that was last used at ${session.at}`);
}

/** Checks what the settings say about the oldest data. */
export async function checkOldest(world: World, { rows }: Server): Promise<void> {
  const client = await world.administrators.client();
  const { json } = await client.get("/api/1/admin/settings/get");
  const oldest = (sql: string) => rows.all<{ at: number | null }>(sql)[0]?.at ?? null;
  const event = oldest("select min(date) as at from events");
  const sample = oldest("select min(start) as at from history_blocks");
  const { oldestevent, oldestsample } = json.database;
  if (oldestevent !== event || oldestsample !== sample)
    world.fail(
      `the oldest data is told as of ${oldestevent} and ${oldestsample}, not ${event} and ${sample}`,
    );
}

/** Checks that the messages of each past hour or day that has not expired are packed. */
export function checkHistory(world: World, { rows }: Server): void {
  const since = keptSince(world);
  const packedThrough = world.now() - PACKING_SLACK;
  const stored = rows.all<{ agentId: string; resolution: number; start: number }>(
    "select agent_id as agentId, resolution, start from history_blocks join hosts on hosts.id = host_id",
  );
  for (const { resolution, span } of HISTORY) {
    const blocks = stored.filter((block) => block.resolution === resolution);
    const old = blocks.find(({ start }) => start < since - span - RETENTION_SLACK);
    if (old && world.retentionIsDue())
      world.fail(`history (${resolution}) of ${old.agentId} of ${old.start} is past its time`);
    if (!world.wasCalmFor(PACKING_SLACK)) continue;
    // Packed an hour late, because a day is summed up from packed hours.
    const isDue = (start: number) => start >= since && start + Math.max(span, 2 * HOUR) <= packedThrough;
    compare(
      world,
      `history (${resolution})`,
      blocks.filter(({ start }) => isDue(start)).map(({ agentId, start }) => `${agentId} ${start}`),
      [...world.outbox.hours].flatMap(([agentId, hours]) =>
        [...hours]
          .map((hour) => hour - (hour % span))
          .filter(isDue)
          .map((start) => `${agentId} ${start}`),
      ),
    );
  }
}
