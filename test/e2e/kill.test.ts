import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { type AgentXml, agentXml } from "../support/agent-messages.ts";
import { eventually, Muster, TIMEOUT, temporaryFolder } from "./support.ts";

setDefaultTimeout(TIMEOUT);

const ROUNDS = 5;
const AGENTS_AT_ONCE = 16;
/** Then another agent takes the place of one, so that new hosts keep coming. */
const MESSAGES_PER_AGENT = 40;
const HEARTBEAT = 1_048_576;

/** A repeatable source of chance (mulberry32): give SEED to see a failure again. */
function chanceOf(seed: number) {
  let state = seed;
  /** A whole number below `limit`. */
  return (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % limit;
  };
}

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

  async post(muster: Muster, message: Sent): Promise<boolean> {
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
        if (!(await this.post(muster, message))) return;
        if (message.isAcknowledged) onAcknowledged();
      }
    };
    await Promise.all(Array.from({ length: AGENTS_AT_ONCE }, (_, i) => worker(round * AGENTS_AT_ONCE + i)));
  }
}

type Row = Record<string, number | string>;

/** The database as it is on disk, beside the running Muster. */
function readDatabase(folder: string, read: (query: (sql: string) => Row[]) => void): void {
  const db = new Database(join(folder, "data", "muster.db"), { readonly: true });
  try {
    read((sql) => db.query(sql).all() as Row[]);
  } finally {
    db.close();
  }
}

function expectNothingLost(folder: string, agents: Agents): void {
  readDatabase(folder, (query) => {
    expect(query("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
    expect(query("PRAGMA foreign_key_check")).toEqual([]);

    // Each agent once, in the state of its newest message; one that was not acknowledged may have been stored or not.
    const hosts = query("select agent_id, agent_uptime from hosts") as {
      agent_id: string;
      agent_uptime: number;
    }[];
    const known = new Map(hosts.map((row) => [row.agent_id, row.agent_uptime]));
    expect(known.size).toBe(hosts.length);
    const unsure = new Set(agents.sent.filter((sent) => !sent.isAcknowledged).map((sent) => sent.number));
    const behind = [...agents.newest].filter(
      ([agent, number]) => known.get(agent) !== number && !unsure.has(known.get(agent) ?? -1),
    );
    expect(behind).toEqual([]);

    const counts = query("select collected_usec, count(*) as times from events group by collected_usec");
    const stored = new Map(counts.map((row) => [row.collected_usec, Number(row.times)]));
    const wrong = agents.sent.filter(({ number, isEvent, isAcknowledged }) => {
      const times = stored.get(number) ?? 0;
      if (!isEvent) return times !== 0;
      return isAcknowledged ? times !== 1 : times > 1;
    });
    expect(wrong.map(({ number, agent }) => ({ number, agent }))).toEqual([]);

    const miscounted = `select agent_id, events, (select count(*) from events where host_id = hosts.id) as stored
      from hosts where events <> stored`;
    expect(query(miscounted)).toEqual([]);
    expect(query(`select * from events where event_type = ${HEARTBEAT}`)).toEqual([]);
  });
}

test("a SIGKILL under load loses nothing that was acknowledged and stores nothing twice", async () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  console.log(`SEED=${seed}`);
  const chance = chanceOf(seed);
  using folder = temporaryFolder();
  const agents = new Agents();
  for (let round = 0; round < ROUNDS; round++) {
    await using muster = await Muster.start({ cwd: folder.path });
    // What was not acknowledged comes again, as from an agent's event queue, and so does some that was.
    const again = agents.sent.filter((sent) => sent.isEvent && (!sent.isAcknowledged || chance(20) === 0));
    for (const message of again) await agents.post(muster, message);
    expect(again.every((message) => message.isAcknowledged)).toBe(true);

    let left = 100 + chance(600);
    let killing: Promise<void> | undefined;
    await agents.postUntilSilence(muster, round, () => {
      if (--left === 0) killing = Bun.sleep(chance(20)).then(() => muster.kill());
    });
    await killing;
    await using restarted = await Muster.start({ cwd: folder.path });
    expectNothingLost(folder.path, agents);
    const list = await (await restarted.admin()).get("/api/1/admin/hosts/list");
    const acknowledged = new Set(agents.sent.filter((sent) => sent.isAcknowledged).map((sent) => sent.agent));
    const listed = list.json.records.map((host: { hostname: string }) => host.hostname);
    expect(listed).toEqual(expect.arrayContaining([...acknowledged]));
  }
  const unanswered = agents.sent.filter((sent) => !sent.isAcknowledged).length;
  console.log(`${agents.sent.length} messages, ${unanswered} never acknowledged`);
});

test("the time in which Muster itself was dead makes no host silent", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  await using muster = await Muster.start({ cwd });
  const at = Math.floor(Date.now() / 1000);
  for (const id of ["web-1", "web-2", "web-3"])
    expect(
      (await muster.report({ id, hostname: id, at, poll: 3600, services: [{ name: "app" }] })).status,
    ).toBe(200);
  await muster.kill();

  // Everything it stored was a day ago.
  const db = new Database(join(cwd, "data", "muster.db"));
  db.run("update hosts set deadline = deadline - 86400, lastmodified = lastmodified - 86400");
  db.run("update settings set value = value - 86400 where key = 'aliveat'");
  db.close();

  await using restarted = await Muster.start({ cwd });
  const canary = { id: "canary", hostname: "canary", at, poll: 1, services: [{ name: "app" }] };
  expect((await restarted.report(canary)).status).toBe(200);
  const admin = await restarted.admin();
  // Once this one is noticed, every other host that counts as overdue was noticed, too.
  const silent = await eventually("the one agent that stopped reporting is noticed", async () => {
    const { json } = await admin.get("/api/1/reports/events/list");
    return json.records.length > 0 && json.records;
  });
  expect(silent).toMatchObject([{ hostname: "canary", servicename: "Monit", eventtype: 1 }]);
  const list = await admin.get("/api/1/status/hosts/list");
  expect(list.json.records).toMatchObject([
    { hostname: "canary", statusid: 1, heartbeat: 0, led: 0 },
    { hostname: "web-1", statusid: 0, heartbeat: 1, led: 2 },
    { hostname: "web-2", statusid: 0, heartbeat: 1, led: 2 },
    { hostname: "web-3", statusid: 0, heartbeat: 1, led: 2 },
  ]);
});

test("the same message sent twice leaves one host and one event", async () => {
  using folder = temporaryFolder();
  await using muster = await Muster.start({ cwd: folder.path });
  const at = Math.floor(Date.now() / 1000);
  const xml = agentXml({ at, services: [{ name: "app", status: 512 }], event: { service: "app" } });
  for (const _ of [1, 2]) expect((await muster.report(xml)).status).toBe(200);
  const admin = await muster.admin();
  expect((await admin.get("/api/1/reports/events/list")).json).toMatchObject({ totalRecords: 1 });
  expect((await admin.get("/api/1/status/hosts/list")).json).toMatchObject({
    totalRecords: 1,
    records: [{ events: 1 }],
  });
});
