/** Runs the load generator in a process of its own. */
import { join } from "node:path";
import { COLLECTOR_PASSWORD } from "../../support/app.ts";
import type { FleetMessages } from "./messages.ts";

export interface ClosedLoop {
  mode: "closed";
  /** Each connection sends its next message as soon as the previous one is answered. */
  connections: number;
  /** Whether connections are reused, which no agent does. */
  keepAlive?: boolean;
}

export interface OpenLoop {
  mode: "open";
  /** Seconds between two messages of an agent. */
  interval: number;
  /** Part of the interval within which all agents report, seconds: `interval` by default, 0 for all at once. */
  spread?: number;
}

/**
 * What hosts report: only numbers that change (steady), a service that fails all the time (failing), an event in every
 * message (eventful), or mostly the first with a failure now and then (mixed).
 */
export type HostState = "steady" | "failing" | "eventful" | "mixed";

export type LoadPlan = FleetMessages & {
  port: number;
  /** Addresses of the server, over which agents spread: for a connection per message, one address has too few ports. */
  addresses: readonly string[];
  /** Number of agents, and the number of the first. */
  agents: number;
  first: number;
  loop: ClosedLoop | OpenLoop;
  /** No message begins after this many seconds; null: each agent reports once. */
  seconds: number | null;
  state: HostState;
  /** The first cycle of each agent. Not 0 if it has reported before. */
  cycle: number;
};

export interface LoadResult {
  accepted: number;
  /** Answers 503, which ask the agent to come again. */
  busy: number;
  /** Any other answer, and broken connections. */
  failed: number;
  /** Agents that waited for an answer in vain. */
  unanswered: number;
  /** Events that were accepted, and events that were sent but not accepted. */
  events: number;
  eventsRefused: number;
  /** Accepted per second. */
  rate: number;
  /** Milliseconds to the answer. In the open loop they count from the moment at which the message was due. */
  p50: number;
  p99: number;
  max: number;
  /** Milliseconds by which the generator itself was late, which `p99` includes. */
  latenessP99: number;
  /** Seconds from the first message to the last answer. */
  seconds: number;
  /** CPU seconds of the generator, and its resident megabytes. */
  cpu: number;
  residentMb: number;
}

/** Start time of all agents, the same for all runs on the same data, since restarted agents are a different load. */
const incarnation = (now: number) => now - (now % 86_400) - 86_400;

/**
 * @param plan defaults to agents that poll every 30 s, in a closed loop of 50 connections
 * @param until ends the load early
 */
export async function runLoad(
  plan: Partial<LoadPlan> & { port: number; agents: number; seconds: number | null },
  until?: Promise<void>,
): Promise<LoadResult> {
  const whole: LoadPlan = {
    password: COLLECTOR_PASSWORD,
    incarnation: incarnation(Math.floor(Date.now() / 1000)),
    poll: 30,
    addresses: ["127.0.0.1"],
    first: 0,
    loop: { mode: "closed", connections: 50 },
    state: "mixed",
    cycle: 0,
    ...plan,
  };
  const script = join(import.meta.dir, "generator.ts");
  const child = Bun.spawn([process.execPath, script, JSON.stringify(whole)], { stdout: "pipe" });
  void until?.then(() => child.kill("SIGTERM"));
  const [text, code] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  if (code !== 0) throw new Error(`the load generator ended with ${code}: ${text}`);
  return JSON.parse(text) as LoadResult;
}
