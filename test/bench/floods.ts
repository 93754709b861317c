/** What strangers can cost the server: each attack runs for some seconds beside an agent and a health check. */
import { connect } from "node:net";
import { join } from "node:path";
import { MAX_BODY_BYTES } from "../../src/monitoring/collector/collector.ts";
import { Muster, temporaryFolder } from "../e2e/support.ts";
import { agentXml } from "../support/agent-messages.ts";
import { COLLECTOR_PASSWORD } from "../support/app.ts";
import { peakMb } from "./costly.ts";
import type { Figure } from "./harness/figures.ts";
import { usageOf } from "./harness/process-usage.ts";
import { agentBody, agentRequest } from "./load/agents.ts";
import { ATTACKS, type Attack } from "./load/attacker.ts";

const SECONDS = 15;
/** Agents give up after this, milliseconds. */
const PATIENCE_MS = 5000;
/** Interval of health checks, and of messages, milliseconds. */
const PROBE_MS = 50;
const MESSAGE_MS = 250;

/** @returns the milliseconds until the reply began with 200, or null when it did not */
function ask(port: number, request: Buffer): Promise<number | null> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const socket = connect(port, "127.0.0.1", () => socket.write(request));
    const finish = (reply: string) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(reply.startsWith("HTTP/1.1 200") ? performance.now() - startedAt : null);
    };
    const timer = setTimeout(finish, PATIENCE_MS, "");
    socket.once("data", (reply: Buffer) => finish(reply.toString("latin1")));
    socket.on("error", () => finish(""));
    socket.once("close", () => finish(""));
  });
}

const HEALTH = Buffer.from("GET /healthz HTTP/1.1\r\nHost: muster\r\nConnection: close\r\n\r\n");

/** Repeats it, one at a time, until the signal. @returns the times, with null for each failure */
async function repeated(interval: number, stop: AbortSignal, work: () => Promise<number | null>) {
  const times: (number | null)[] = [];
  while (!stop.aborted) {
    times.push(await work());
    await Bun.sleep(interval);
  }
  return times;
}

const failed = (times: readonly (number | null)[]) => times.filter((time) => time === null).length;
const longest = (times: readonly (number | null)[]) => Math.max(...times.map((time) => time ?? PATIENCE_MS));

async function flood(attack: Attack): Promise<Figure[]> {
  using folder = temporaryFolder();
  await using muster = await Muster.start({ cwd: folder.path });
  const database = join(folder.path, "data", "muster.db");
  const { port, pid } = muster;
  let cycle = 0;
  const post = () =>
    ask(port, agentRequest(agentBody(0, cycle++, Math.floor(Date.now() / 1000)), COLLECTOR_PASSWORD, false));
  await post();
  const stop = AbortSignal.timeout(SECONDS * 1000);
  const script = join(import.meta.dir, "load/attacker.ts");
  const attacker = Bun.spawn([process.execPath, script, attack, String(port)]);
  let files = 0;
  const watching = setInterval(() => {
    files = Math.max(files, usageOf(pid, database).files);
  }, 500);
  const [health, messages] = await Promise.all([
    repeated(PROBE_MS, stop, () => ask(port, HEALTH)),
    repeated(MESSAGE_MS, stop, post),
  ]);
  clearInterval(watching);
  attacker.kill("SIGKILL");
  const { peakMb: peak } = usageOf(pid, database);
  return [
    { what: `${attack}: longest health check`, value: longest(health), unit: "ms", target: { atMost: 250 } },
    { what: `${attack}: health checks failed`, value: failed(health), target: { atMost: 0 } },
    {
      what: `${attack}: messages that failed, of ${messages.length}`,
      value: failed(messages),
      target: { atMost: 0 },
    },
    { what: `${attack}: peak of memory`, value: peak, unit: "MB", target: { atMost: 600 } },
    { what: `${attack}: most files and sockets`, value: files },
  ];
}

/** A message of the largest size. */
const LARGEST = agentXml({ services: [{ name: "app" }] }).padEnd(MAX_BODY_BYTES, " ");

/** Sends messages of the largest size, several at a time and repeatedly, with the password or without. */
async function largest(atOnce: number, waves: number, password: string): Promise<Figure> {
  using folder = temporaryFolder();
  await using muster = await Muster.start({ cwd: folder.path });
  const before = peakMb(muster.pid);
  // A refusal may be a reset connection. Only the growth of memory is measured.
  const send = () =>
    muster
      .client()
      .report(LARGEST, password)
      .catch(() => null);
  for (let wave = 0; wave < waves; wave++) await Promise.all(Array.from({ length: atOnce }, send));
  const title = password === COLLECTOR_PASSWORD ? "with the password" : "without the password";
  return {
    what: `${waves} x ${atOnce} messages of the largest size ${title}: growth of memory`,
    value: peakMb(muster.pid) - before,
    unit: "MB",
    target: { atMost: 250 },
  };
}

export async function benchFloods(): Promise<Figure[]> {
  const figures = [await largest(6, 12, COLLECTOR_PASSWORD), await largest(200, 3, "wrong")];
  for (const attack of Object.keys(ATTACKS) as Attack[]) figures.push(...(await flood(attack)));
  return figures;
}
