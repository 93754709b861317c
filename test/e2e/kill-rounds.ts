/** Agents that post until Muster is killed, repeatedly, and what must be true of its data after each kill. */

import { Database } from "bun:sqlite";
import { deepEqual, equal } from "node:assert/strict";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type AgentXml, agentXml } from "../support/agent-messages.ts";
import { Random } from "../support/random.ts";
import { Muster, run, temporaryFolder } from "./support.ts";

const AGENTS_AT_ONCE = 16;
/** After this, another agent takes the place of one, so that there are always new hosts. */
const MESSAGES_PER_AGENT = 40;
/** The number of newest messages of which some acknowledged ones are sent again. */
const NEWEST = 2000;
const HEARTBEAT = 1_048_576;

/** A message that an agent sent; its number is unique, and goes with it as uptime and as part of the event's time. */
interface Sent {
  number: number;
  agent: string;
  xml: string;
  isEvent: boolean;
  isAcknowledged: boolean;
}

class Agents {
  readonly sent: Sent[] = [];
  /** The number of the last message of each agent that was acknowledged. */
  readonly newest = new Map<string, number>();
  readonly #at = Math.floor(Date.now() / 1000);

  #next(worker: number, nth: number): Sent {
    const number = this.sent.length + 1;
    const agent = `agent-${worker}-${Math.floor(nth / MESSAGES_PER_AGENT)}`;
    const isEvent = number % 2 === 0;
    const message: AgentXml = {
      id: agent,
      hostname: agent,
      at: this.#at,
      incarnation: this.#at - 10_000_000,
      uptime: number,
      poll: 600,
      services: [{ name: "app", status: number % 3 === 1 ? 512 : 0 }],
    };
    if (isEvent)
      message.event = { service: "app", state: number % 3, collectedUsec: number, message: `${number}` };
    const sent = { number, agent, xml: agentXml(message), isEvent, isAcknowledged: false };
    this.sent.push(sent);
    return sent;
  }

  /** @returns whether there was an answer */
  async #post(muster: Muster, message: Sent): Promise<boolean> {
    const status = await muster.report(message.xml).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) {
      message.isAcknowledged = true;
      this.newest.set(message.agent, message.number);
    }
    return status !== 0;
  }

  /** Posts from many agents at once until nobody answers any more. */
  async postUntilSilence(muster: Muster, round: number, onAcknowledged: () => void): Promise<void> {
    const worker = async (id: number) => {
      for (let nth = 0; ; nth++) {
        const message = this.#next(id, nth);
        if (!(await this.#post(muster, message))) return;
        if (message.isAcknowledged) onAcknowledged();
      }
    };
    await Promise.all(Array.from({ length: AGENTS_AT_ONCE }, (_, i) => worker(round * AGENTS_AT_ONCE + i)));
  }

  /** Events that were not acknowledged are sent again, as from an agent's event queue, and so are some that were. */
  async postAgain(muster: Muster, random: Random): Promise<number> {
    const from = this.sent.length - NEWEST;
    const again = this.sent.filter(
      ({ number, isEvent, isAcknowledged }) =>
        isEvent && (!isAcknowledged || (number > from && random.chance(0.05))),
    );
    for (const message of again) await this.#post(muster, message);
    deepEqual(
      again.filter((message) => !message.isAcknowledged).map(({ number }) => number),
      [],
      "events that were refused when they came again",
    );
    return again.length;
  }
}

type Row = Record<string, number | string>;

/** The file is sound, and has every acknowledged message and event, each event once. */
function checkNothingLost(file: string, agents: Agents): void {
  const db = new Database(file, { readonly: true });
  const query = (sql: string) => db.query(sql).all() as Row[];
  try {
    deepEqual(query("PRAGMA integrity_check"), [{ integrity_check: "ok" }]);
    deepEqual(query("PRAGMA foreign_key_check"), []);

    // Each agent once, in the state of its newest message; one that was not acknowledged may have been stored or not.
    const hosts = query("select agent_id, agent_uptime from hosts");
    const uptimes = new Map(hosts.map((row) => [row.agent_id, Number(row.agent_uptime)]));
    equal(uptimes.size, hosts.length, "hosts that are there twice");
    const unsure = new Set(agents.sent.filter((sent) => !sent.isAcknowledged).map((sent) => sent.number));
    const behind = [...agents.newest].filter(
      ([agent, number]) => uptimes.get(agent) !== number && !unsure.has(uptimes.get(agent) ?? -1),
    );
    deepEqual(behind, [], "hosts that are behind their newest acknowledged message");

    const counts = query("select collected_usec, count(*) as times from events group by collected_usec");
    const stored = new Map(counts.map((row) => [row.collected_usec, Number(row.times)]));
    const wrong = agents.sent.filter(({ number, isEvent, isAcknowledged }) => {
      const times = stored.get(number) ?? 0;
      if (!isEvent) return times !== 0;
      return isAcknowledged ? times !== 1 : times > 1;
    });
    deepEqual(
      wrong.map(({ number, agent }) => ({ number, agent, times: stored.get(number) ?? 0 })),
      [],
      "events that were lost or doubled",
    );
    deepEqual(query(`select * from events where event_type = ${HEARTBEAT}`), [], "silences that were none");
  } finally {
    db.close();
  }
}

/** Examines a copy, so that the next process finds the folder exactly as the kill left it. */
async function checkAfterKill(cwd: string, agents: Agents): Promise<void> {
  const copy = join(cwd, "copy");
  cpSync(join(cwd, "data"), copy, { recursive: true });
  try {
    const { code, stdout, stderr } = await run(["doctor", "--data", "copy"], { cwd });
    equal(code, 0, `muster doctor finds: ${stdout}${stderr}`);
    checkNothingLost(join(copy, "muster.db"), agents);
  } finally {
    rmSync(copy, { recursive: true });
  }
}

async function checkAfterStart(muster: Muster, cwd: string, agents: Agents): Promise<void> {
  checkNothingLost(join(cwd, "data", "muster.db"), agents);
  const { json } = await (await muster.admin()).get("/api/1/admin/hosts/list");
  const listed = new Set(json.records.map((host: { hostname: string }) => host.hostname));
  deepEqual(
    [...agents.newest.keys()].filter((agent) => !listed.has(agent)),
    [],
    "hosts that are not listed",
  );
}

export interface KillResult {
  seed: number;
  rounds: number;
  messages: number;
  /** Messages that no start before the last one of Muster acknowledged. */
  unacknowledged: number;
  /** Events that were sent again. */
  again: number;
}

/**
 * Kills Muster under load, `rounds` times, at random moments, always on the same data folder. Prints its seed.
 * @param seconds after which no further round begins
 * @throws AssertionError when something acknowledged was lost, something is stored twice, or `muster doctor` finds
 * something
 */
export async function killRounds(
  rounds: number,
  seed = Date.now() % 1_000_000,
  seconds = Number.POSITIVE_INFINITY,
): Promise<KillResult> {
  console.log(`SEED=${seed}`);
  const random = new Random(seed);
  const end = performance.now() + seconds * 1000;
  using folder = temporaryFolder();
  const cwd = folder.path;
  const agents = new Agents();
  const result = { seed, rounds: 0, messages: 0, unacknowledged: 0, again: 0 };
  while (result.rounds < rounds && performance.now() < end) {
    await using muster = await Muster.start({ cwd });
    if (result.rounds > 0) await checkAfterStart(muster, cwd, agents);
    result.again += await agents.postAgain(muster, random);
    let left = random.between(100, 700);
    let killing: Promise<void> | undefined;
    await agents.postUntilSilence(muster, result.rounds, () => {
      if (--left === 0) killing = Bun.sleep(random.below(20)).then(() => muster.kill());
    });
    await killing;
    await checkAfterKill(cwd, agents);
    result.rounds++;
  }
  await using muster = await Muster.start({ cwd });
  await checkAfterStart(muster, cwd, agents);
  result.messages = agents.sent.length;
  result.unacknowledged = agents.sent.filter((sent) => !sent.isAcknowledged).length;
  return result;
}
