/** All agents of a large fleet post at the same moment, after Muster was off for longer than they may be silent. */
import { Database } from "bun:sqlite";
import { connect } from "node:net";
import { join } from "node:path";
import { HEARTBEAT } from "../../src/monit/event-types.ts";
import { Muster, temporaryFolder } from "../e2e/support.ts";
import { COLLECTOR_PASSWORD } from "../support/app.ts";
import type { Figure } from "./harness/figures.ts";
import { agentBody, agentRequest } from "./load/agents.ts";

const AGENTS = 10_000;
/** How long Muster was off, seconds: hosts that poll every 30 s with a skew of 3 are overdue after 90. */
const OFF = 600;
const POLL_MS = 30_000;
/** Agents give up after this, milliseconds, and come again a cycle later. */
const PATIENCE_MS = 5000;
const MAX_TRIES = 3;
/** Connections at a time while the fleet becomes known. */
const CONNECTIONS = 50;

/** @returns the status of the answer; 0 if none came in time */
function post(port: number, request: Buffer): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(request));
    const finish = (status: number) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(status);
    };
    const timer = setTimeout(finish, PATIENCE_MS, 0);
    socket.once("data", (reply: Buffer) => finish(Number(reply.toString("latin1").split(" ", 2)[1])));
    socket.on("error", () => finish(0));
    socket.once("close", () => finish(0));
  });
}

function requestOf(agent: number, cycle: number, at: number): Buffer {
  return agentRequest(agentBody(agent, cycle, at), COLLECTOR_PASSWORD, false);
}

/** Each agent reports once. */
async function makeKnown(muster: Muster): Promise<void> {
  const at = Math.floor(Date.now() / 1000);
  let next = 0;
  const worker = async () => {
    while (next < AGENTS) {
      const status = await post(muster.port, requestOf(next++, 0, at));
      if (status !== 200) throw new Error(`a first report is answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
}

/** Moves everything stored `seconds` into the past. */
function age(file: string, seconds: number): void {
  const db = new Database(file);
  db.run("update hosts set deadline = deadline - ?1, lastmodified = lastmodified - ?1", [seconds]);
  db.run("update settings set value = value - ?1 where key = 'aliveat'", [seconds]);
  db.close();
}

/** Hosts that were ever considered silent, and those that are now. */
function falseDowns(file: string): number {
  const db = new Database(file, { readonly: true });
  const query = db.query<{ n: number }, [number]>(
    "select (select count(*) from events where event_type = ?1) + (select count(*) from hosts where heartbeat = 0) as n",
  );
  const downs = query.get(HEARTBEAT)?.n ?? Number.NaN;
  db.close();
  return downs;
}

interface Burst {
  /** Agents whose message was accepted at the first try, the second, ... */
  acceptedAt: number[];
  busy: number;
  /** Connections that got no answer in time. */
  unanswered: number;
  /** Time until the last first try was answered or gave up, and until all were accepted; NaN if they never were. */
  firstTry: number;
  seconds: number;
  /** Agents that were not accepted at any try. */
  left: number;
}

async function burst(port: number, requests: readonly Buffer[]): Promise<Burst> {
  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / 1000;
  const result: Burst = { acceptedAt: [], busy: 0, unanswered: 0, firstTry: 0, seconds: 0, left: 0 };
  let waiting = requests;
  for (let nth = 0; nth < MAX_TRIES && waiting.length > 0; nth++) {
    await Bun.sleep(nth * POLL_MS - elapsed() * 1000);
    const refused: Buffer[] = [];
    await Promise.all(
      waiting.map(async (request) => {
        const status = await post(port, request);
        if (status === 200) {
          result.acceptedAt[nth] = (result.acceptedAt[nth] ?? 0) + 1;
          result.seconds = elapsed();
          return;
        }
        if (status === 503) result.busy++;
        else if (status === 0) result.unanswered++;
        else throw new Error(`an agent is answered ${status}`);
        refused.push(request);
      }),
    );
    if (nth === 0) result.firstTry = elapsed();
    waiting = refused;
  }
  return waiting.length === 0 ? result : { ...result, seconds: Number.NaN, left: waiting.length };
}

/** @throws when a host is wrongly considered silent */
export async function benchBurst(): Promise<Figure[]> {
  using folder = temporaryFolder();
  const file = join(folder.path, "data", "muster.db");
  {
    await using muster = await Muster.start({ cwd: folder.path });
    await makeKnown(muster);
  }
  age(file, OFF);
  const at = Math.floor(Date.now() / 1000);
  const requests = Array.from({ length: AGENTS }, (_, agent) => requestOf(agent, 1, at));
  const startingAt = performance.now();
  await using muster = await Muster.start({ cwd: folder.path });
  const started = performance.now() - startingAt;
  const result = await burst(muster.port, requests);
  // Muster looks for silent hosts every second.
  await Bun.sleep(3000);
  const downs = falseDowns(file);
  if (downs > 0) throw new Error(`${downs} hosts count as silent that are not`);
  return [
    { what: "agents that post at once", value: AGENTS },
    { what: "start of Muster, all of them overdue", value: Math.round(started), unit: "ms" },
    { what: "accepted at the first try, the second, ...", value: result.acceptedAt.join(", ") },
    { what: "answered 503", value: result.busy },
    { what: "not answered within 5 s", value: result.unanswered },
    { what: "the first try took", value: result.firstTry, unit: "s" },
    { what: "until all were in", value: result.seconds, unit: "s", target: { atMost: 90 } },
    { what: "agents not accepted within three cycles", value: result.left, target: { atMost: 0 } },
    { what: "false downs", value: downs, target: { atMost: 0 } },
  ];
}
