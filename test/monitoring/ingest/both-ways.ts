/**
 * The same messages through the reader, which parses as little of them as it can, and parsed as a whole, each into a database
 * of its own, and the comparison of all that is stored or said.
 */

import { parseAgentMessage } from "../../../src/monit/message.ts";
import { MessageReader } from "../../../src/monitoring/ingest/reading.ts";
import { TestApp } from "../../support/app.ts";
import { limitWith } from "../../support/limits.ts";
import { type MutatedMessage, mutatedMessages } from "../../support/mutated-messages.ts";
import { Random } from "../../support/random.ts";

/** After so many messages everything is compared, and both begin anew. */
const EPISODE = 250;

/** One episode of so many has limits, which cost more than all the rest. */
const LIMITED_EPISODES = 4;

/** All that messages change. */
const TABLES = [
  "hosts",
  "names",
  "services",
  "statistics",
  "sample_layouts",
  "samples",
  "events",
  "suspected_failures",
  "downtime_intervals",
  "excluded_intervals",
  "silent_recoveries",
  "host_groups",
  "host_group_members",
  "service_groups",
  "service_group_members",
  "limit_states",
  "limit_sums",
  "output_changes",
];

interface Outcome {
  /** What was said to the agent; null when the message was stored. */
  refusal: string | null;
  /** How the message was read; null when it was refused. */
  way: Way | null;
}

type Way = "repeated" | "decoded" | "decoded with events" | "parsed";

function wayOf(post: Parameters<TestApp["queue"]["add"]>[0]): Way {
  if (!("message" in post)) return "repeated";
  if (post.reading === undefined) return "parsed";
  return post.message.events.length > 0 ? "decoded with events" : "decoded";
}

async function outcome(app: TestApp, read: () => Parameters<TestApp["queue"]["add"]>[0]): Promise<Outcome> {
  let way: Way | null = null;
  try {
    const post = read();
    way = wayOf(post);
    const added = app.queue.add(post);
    app.queue.drain();
    await added;
    return { refusal: null, way };
  } catch (error) {
    return { refusal: String(error), way };
  }
}

/** Every value of a table; passwords are sealed differently each time. */
function stored(app: TestApp, table: string): string {
  const rows = app.rows(`select * from ${table}`).map((row) => ({
    ...row,
    agentpassword: app.box.open(String(row.agentpassword ?? "")),
    values: row.values && Buffer.from(row.values as Uint8Array).toString("hex"),
    statistic_ids: row.statistic_ids && Buffer.from(row.statistic_ids as Uint8Array).toString("hex"),
  }));
  return JSON.stringify(rows);
}

/** Of everything that agents report, some values pass a limit now and then. */
function withLimits(): TestApp {
  const app = new TestApp();
  const create = (limit: object) =>
    app.muster.statisticLimits.create(limitWith({ name: JSON.stringify(limit), warning: null, ...limit }));
  create({ statistics: [1, 2, 3], warning: 10, critical: 50, minutes: 1 });
  create({ statistics: [4, 18, 21], warning: 40, clearvalue: 30, clearminutes: 1, missing: "clear" });
  create({ statistics: [0], perprocessor: true, direction: "below", warning: 0.1, missing: "warn" });
  create({ statistics: [34], critical: 1000 });
  create({ statistics: [121, 125], period: "month", warning: 1_000_000 });
  create({ statistics: [153, 163], period: "month", timezone: "Asia/Kolkata", warning: 1000, minutes: 1 });
  return app;
}

class Episode {
  readonly #short: TestApp;
  readonly #long: TestApp;
  readonly #reader: MessageReader;

  constructor(isLimited: boolean) {
    [this.#short, this.#long] = isLimited ? [withLimits(), withLimits()] : [new TestApp(), new TestApp()];
    this.#reader = new MessageReader(this.#short.hostCache);
  }

  /** @returns how it was read @throws when the two ways differ */
  async take({ bytes, receivedAt, source }: MutatedMessage): Promise<Way | null> {
    const short = await outcome(this.#short, () => this.#reader.read(bytes, { receivedAt, source }));
    const long = await outcome(this.#long, () => ({ message: parseAgentMessage(bytes), receivedAt, source }));
    if (short.refusal !== long.refusal)
      throw new Error(`one way says ${short.refusal}, the other ${long.refusal}`);
    if (short.way !== "parsed" && short.way !== null) this.#compareNewest(receivedAt);
    return short.way;
  }

  /** The sample and the hosts' rows, so that what differs is found at the message that made it so. */
  #compareNewest(receivedAt: number): void {
    const newest = (app: TestApp) =>
      JSON.stringify([
        app.rows('select hex("values") as v, host_id, "at" from samples order by rowid desc limit 1'),
        app.rows(`select cpu, mem, agent_uptime, deadline from hosts where lastmodified = ${receivedAt}`),
        app.rows("select * from events order by id desc limit 2"),
      ]);
    const [short, long] = [newest(this.#short), newest(this.#long)];
    if (short !== long) throw new Error(`one way stores ${short}, the other ${long}`);
  }

  /** @returns how many failures were opened by the status of the agent alone @throws when the two ways differ */
  close(): number {
    for (const table of TABLES) {
      const [short, long] = [stored(this.#short, table), stored(this.#long, table)];
      if (short !== long) throw new Error(`${table} differ: ${short} and ${long}`);
    }
    const opened = this.#short.rows("select id from events where collected_usec < 0").length;
    for (const app of [this.#short, this.#long]) app.db.$client.close();
    return opened;
  }
}

export interface Comparison {
  messages: number;
  /** How many of them were read in each way. */
  ways: Record<Way, number>;
  /** Failures that the status alone opened. */
  opened: number;
}

/**
 * @param more says, before each message, whether another is to be compared
 * @throws with the seed and the number of the message when the two ways differ
 */
export async function compareBothWays(
  seed: number,
  more: (messages: number) => boolean,
): Promise<Comparison> {
  const messages = mutatedMessages(new Random(seed));
  let episode = new Episode(false);
  const ways: Record<Way, number> = { repeated: 0, decoded: 0, "decoded with events": 0, parsed: 0 };
  let [count, opened] = [0, 0];
  try {
    for (; more(count); count++) {
      if (count > 0 && count % EPISODE === 0) {
        opened += episode.close();
        episode = new Episode((count / EPISODE) % LIMITED_EPISODES === 0);
      }
      const way = await episode.take(messages.next().value);
      if (way !== null) ways[way]++;
    }
    opened += episode.close();
  } catch (error) {
    throw new Error(`seed ${seed}, message ${count}: ${error}`, { cause: error });
  }
  return { messages: count, ways, opened };
}

if (import.meta.main) {
  const [limit = "100000", seed = String(Date.now() % 1e9)] = process.argv.slice(2);
  const minutes = /^(\d+)m$/.exec(limit)?.[1];
  const end = performance.now() + Number(minutes ?? 0) * 60_000;
  const more = (n: number) => (minutes === undefined ? n < Number(limit) : performance.now() < end);
  console.log(`seed ${seed}`);
  console.log(await compareBothWays(Number(seed), more));
  console.log(`${process.cpuUsage().user / 1e6} s of CPU`);
}
