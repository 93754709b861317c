/** Time from the start of the executable until the first message is accepted. */
import { freePort, Muster, temporaryFolder } from "../e2e/support.ts";
import { COLLECTOR_PASSWORD } from "../support/app.ts";
import type { BenchContext } from "./harness/context.ts";
import { type Figure, medianOf } from "./harness/figures.ts";
import { databaseMb } from "./harness/process-usage.ts";
import { agentBody, agentRequest } from "./load/agents.ts";

const RUNS = 5;
/** Interval between two attempts to connect, milliseconds. */
const RETRY_MS = 2;
/** Time after which it gives up, milliseconds. */
const PATIENCE_MS = 30_000;

/** @returns whether the message was accepted; false if nobody listens */
function post(port: number, request: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        open: (socket) => void socket.write(request),
        data: (socket, reply) => {
          resolve(reply.toString("latin1").startsWith("HTTP/1.1 200"));
          socket.end();
        },
        close: () => resolve(false),
        connectError: () => resolve(false),
      },
    }).catch(() => resolve(false));
  });
}

/** @returns milliseconds until a message was accepted */
async function timeStart(cwd: string, stop: (muster: Muster) => Promise<unknown>): Promise<number> {
  const port = freePort();
  const at = Math.floor(Date.now() / 1000);
  const request = agentRequest(agentBody(0, 0, at), COLLECTOR_PASSWORD, false);
  const startedAt = performance.now();
  const starting = Muster.start({ cwd, port });
  while (!(await post(port, request))) {
    if (performance.now() - startedAt > PATIENCE_MS) throw new Error("Muster accepts no message");
    await Bun.sleep(RETRY_MS);
  }
  const taken = performance.now() - startedAt;
  await using muster = await starting;
  await stop(muster);
  return taken;
}

const stopped = (muster: Muster) => muster.stop();
const killed = (muster: Muster) => muster.kill();

async function medianStart(start: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < RUNS; i++) times.push(await start());
  return medianOf(times);
}

async function startWithoutData(): Promise<number> {
  using folder = temporaryFolder();
  return await timeStart(folder.path, stopped);
}

/** The files are cached by the machine, as after any restart except one of the machine itself. */
export async function benchStartup({ site, long }: BenchContext): Promise<Figure[]> {
  const withoutData = await medianStart(startWithoutData);
  {
    await using muster = await site.start();
    await site.grow(muster, long ? 100_000 : 20_000);
    await muster.stop();
  }
  const stop = await medianStart(() => timeStart(site.cwd, stopped));
  const kill = await medianStart(() => timeStart(site.cwd, killed));
  return [
    { what: "without data", value: withoutData, unit: "ms", target: { atMost: 150 } },
    { what: "known hosts", value: site.agents },
    { what: "database", value: databaseMb(site.data), unit: "MB" },
    { what: "with them", value: stop, unit: "ms", target: { atMost: 3000 } },
    { what: "with them, after a kill", value: kill, unit: "ms" },
  ];
}
