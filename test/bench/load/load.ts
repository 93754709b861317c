/** Runs the load generator in a process of its own. */
import { join } from "node:path";
import { COLLECTOR_PASSWORD } from "../../support/app.ts";
import type { FleetMessages } from "./messages.ts";

export interface ClosedLoop {
  mode: "closed";
  /** Each sends its next message as soon as the one before is answered. */
  connections: number;
  /** Whether a connection is used again, which no agent does. */
  keepAlive?: boolean;
}

export interface OpenLoop {
  mode: "open";
  /** Seconds from one message of an agent to the next. */
  interval: number;
  /** Within how much of that all agents report, seconds: `interval` by default, 0 for all at once. */
  spread?: number;
}

/**
 * What hosts report: only numbers that change (steady), a service that fails all the time (failing), an event in every
 * message (eventful), or mostly the first with a failure now and then (mixed).
 */
export type HostState = "steady" | "failing" | "eventful" | "mixed";

export type LoadPlan = FleetMessages & {
  port: number;
  /** Of the server, which agents spread over: to one address a machine has too few ports for a connection per message. */
  addresses: readonly string[];
  /** How many, and the number of the first. */
  agents: number;
  first: number;
  loop: ClosedLoop | OpenLoop;
  /** No message begins after this many seconds; null: each agent reports once. */
  seconds: number | null;
  state: HostState;
};

export interface LoadResult {
  accepted: number;
  /** 503: told to come again. */
  busy: number;
  /** Any other answer, and broken connections. */
  failed: number;
  /** Agents waited for an answer in vain. */
  unanswered: number;
  /** Events that were accepted, and that were sent but not. */
  events: number;
  eventsRefused: number;
  /** Accepted per second. */
  rate: number;
  /** Milliseconds to the answer: in the open loop from the moment when the message was due. */
  p50: number;
  p99: number;
  max: number;
  /** Milliseconds by which the generator itself began later than that, of which `p99` contains its part. */
  latenessP99: number;
  /** Seconds from the first message to the last answer. */
  seconds: number;
  /** CPU seconds of the generator, and its resident megabytes. */
  cpu: number;
  residentMb: number;
}

/** Agents' start: one moment for all runs on the same data, as agents that restart are another load. */
const incarnation = (now: number) => now - (now % 86_400) - 86_400;

/**
 * @param plan what is not given is as of agents that poll every 30 s, in the closed loop of 50 connections
 * @param until ends it before its time
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
    ...plan,
  };
  const script = join(import.meta.dir, "generator.ts");
  const child = Bun.spawn([process.execPath, script, JSON.stringify(whole)], { stdout: "pipe" });
  void until?.then(() => child.kill("SIGTERM"));
  const [text, code] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  if (code !== 0) throw new Error(`the load generator ended with ${code}: ${text}`);
  return JSON.parse(text) as LoadResult;
}
