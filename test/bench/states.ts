/**
 * What a message costs in each state of its host: steady, with an open failure, with an event in every message. Several
 * executables are measured in turn in one run, so that the state of the machine is the same for all.
 *
 * bun test/bench/states.ts [EXECUTABLE ...]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXECUTABLE } from "../e2e/support.ts";
import { usageOf } from "./harness/process-usage.ts";
import { type AgentEvent, RequestMaker } from "./load/messages.ts";

const PASSWORD = "bench";
const HOSTS = 300;
const CONNECTIONS = 16;
const ROUNDS = 5;
const MEASURED_MS = 2500;
const STATES = ["steady", "open failure", "event"] as const;

type State = (typeof STATES)[number];

async function start(executable: string, data: string) {
  const child = Bun.spawn([executable, "serve", "--data", data, "--listen", "127.0.0.1:0"], {
    env: { ...process.env, MUSTER_ADMIN_PASSWORD: "bench admin", MUSTER_COLLECTOR_PASSWORD: PASSWORD },
    stdout: "pipe",
    stderr: "inherit",
  });
  const reader = child.stdout.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const port = /listen=127\.0\.0\.1:(\d+)/.exec(text)?.[1];
    if (port) return { child, port: Number(port) };
    const { value, done } = await reader.read();
    if (done) throw new Error(`${executable} ended before it listened`);
    text += decoder.decode(value);
  }
}

/** Sends one request over a connection of its own. @returns whether it was answered 200 */
function post(port: number, request: Uint8Array): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let answer = "";
  const sent = Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      open: (socket) => void socket.write(request),
      data(socket, data) {
        answer += data.toString("latin1");
        if (answer.length >= 12) socket.end();
      },
      close: () => resolve(answer.startsWith("HTTP/1.1 200")),
      error: () => resolve(false),
    },
  });
  sent.catch(() => resolve(false));
  return promise;
}

/** The messages of all hosts in turn, in one state. */
class Hosts {
  readonly #maker = new RequestMaker({
    password: PASSWORD,
    incarnation: Math.floor(Date.now() / 1000) - 3600,
    poll: 30,
  });
  #next = 0;

  request(state: State): Uint8Array {
    const nth = this.#next++;
    const now = Math.floor(Date.now() / 1000);
    const event: AgentEvent | null =
      state === "event"
        ? { at: now, number: nth % 1_000_000, isError: Math.floor(nth / HOSTS) % 2 === 0 }
        : null;
    return this.#maker.make(nth % HOSTS, now, state === "open failure", event).slice();
  }

  /** Opens the failure that messages of this state report. */
  opening(host: number): Uint8Array {
    const now = Math.floor(Date.now() / 1000);
    return this.#maker.make(host, now, true, { at: now, number: host, isError: true }).slice();
  }
}

/** @returns messages a second, and CPU seconds of the server per 1,000 messages */
async function measure(executable: string, state: State): Promise<{ rate: number; cpu: number }> {
  const data = mkdtempSync(join(tmpdir(), "muster-states-"));
  const { child, port } = await start(executable, data);
  const hosts = new Hosts();
  let accepted = 0;
  const run = async (request: () => Uint8Array | null) => {
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        for (let next = request(); next; next = request()) if (await post(port, next)) accepted++;
      }),
    );
  };
  const times = (count: number, make: (i: number) => Uint8Array) => {
    let i = 0;
    return () => (i < count ? make(i++) : null);
  };
  if (state === "open failure") await run(times(HOSTS, (i) => hosts.opening(i)));
  await run(times(3 * HOSTS, () => hosts.request(state)));
  accepted = 0;
  const before = usageOf(child.pid, join(data, "muster.db")).cpu;
  const startedAt = performance.now();
  await run(() => (performance.now() - startedAt < MEASURED_MS ? hosts.request(state) : null));
  const seconds = (performance.now() - startedAt) / 1000;
  const cpu = usageOf(child.pid, join(data, "muster.db")).cpu - before;
  child.kill();
  await child.exited;
  rmSync(data, { recursive: true });
  return { rate: accepted / seconds, cpu: (cpu / accepted) * 1000 };
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const given = process.argv.slice(2);
const executables = given.length > 0 ? given : [EXECUTABLE];
for (const state of STATES) {
  const measured = executables.map(() => [] as { rate: number; cpu: number }[]);
  for (let round = 0; round < ROUNDS; round++)
    for (const [i, executable] of executables.entries()) measured[i]?.push(await measure(executable, state));
  for (const [i, executable] of executables.entries()) {
    const rows = measured[i] ?? [];
    const rate = median(rows.map((row) => row.rate)).toFixed(0);
    const cpu = median(rows.map((row) => row.cpu)).toFixed(3);
    console.log(`${state.padEnd(13)} ${rate.padStart(6)}/s  ${cpu} CPU-s per 1,000  ${executable}`);
  }
}
