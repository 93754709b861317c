/**
 * The executable under messages that no agent sends: whether it stays up, answers each, and does not grow.
 * `bun test/bench/fuzz.ts [messages] [seed]`; exits with 1 if a check failed.
 */
import { readFileSync } from "node:fs";
import { Muster, temporaryFolder } from "../e2e/support.ts";
import { COLLECTOR_PASSWORD } from "../support/app.ts";
import { hostileMessages } from "../support/hostile-messages.ts";
import { Random } from "../support/random.ts";
import type { Figure } from "./harness/figures.ts";

const MESSAGES = 100_000;
const CONNECTIONS = 8;
/** Time after which nothing more is sent, milliseconds, however slow the machine is. */
const TIME_LIMIT_MS = 600_000;
/** Accepted, refused with a reason, or asked to come again. */
const ALLOWED = new Set([200, 400, 413, 415, 503]);
/** Allowed growth of memory between the first fifth and the end, MB. */
const MAX_GROWTH_MB = 150;

function residentMb(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "0";
  return Math.round(Number(kilobytes) / 1024);
}

async function readBack(muster: Muster, faults: string[]): Promise<void> {
  const admin = await muster.admin();
  const read = async (path: string) => {
    const { status, text, json } = await admin.get(`/api/1${path}`);
    if (status !== 200 || !/^[\x20-\x7e]*$/.test(text))
      faults.push(`${path} is answered ${status}, or not in ASCII`);
    return json;
  };
  const { records } = await read("/status/hosts/list");
  for (const { id } of records.slice(0, 200)) await read(`/status/hosts/get?id=${id}`);
  for (const path of [
    "/reports/events/list?results=10000",
    "/status/servicegroups/list",
    "/admin/groups/list",
  ])
    await read(path);
}

/** @param count messages to send @throws with all failed checks */
export async function benchFuzz(count = MESSAGES, seed = Date.now() % 1_000_000): Promise<Figure[]> {
  console.log(`SEED=${seed}`);
  using folder = temporaryFolder();
  await using muster = await Muster.start({ cwd: folder.path });
  const messages = hostileMessages(new Random(seed));
  const answers: Record<number, number> = {};
  const resident: number[] = [];
  const faults: string[] = [];
  const startedAt = performance.now();
  let sent = 0;
  let reportedAt = startedAt;

  /** Shows progress, since the whole takes minutes. */
  function report(number: number): void {
    const now = performance.now();
    const rate = Math.round(count / 20 / ((now - reportedAt) / 1000));
    reportedAt = now;
    console.log(`${number} of ${count} messages, ${rate} a second, ${residentMb(muster.pid)} MB`);
  }

  async function send(): Promise<void> {
    const agent = muster.client();
    while (sent < count && faults.length < 20 && performance.now() - startedAt < TIME_LIMIT_MS) {
      const number = sent++;
      if (number > 0 && number % Math.ceil(count / 5) === 0) resident.push(residentMb(muster.pid));
      if (number > 0 && number % Math.ceil(count / 20) === 0) report(number);
      const { body, headers } = messages.next().value;
      try {
        const response = await agent.report(body, COLLECTOR_PASSWORD, headers);
        await response.arrayBuffer();
        answers[response.status] = (answers[response.status] ?? 0) + 1;
        if (!ALLOWED.has(response.status)) faults.push(`message ${number} is answered ${response.status}`);
      } catch (error) {
        faults.push(`message ${number} is not answered: ${error}`);
      }
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, send));

  const seconds = (performance.now() - startedAt) / 1000;
  resident.push(residentMb(muster.pid));
  const growth = (resident.at(-1) ?? 0) - (resident[0] ?? 0);
  if (growth > MAX_GROWTH_MB) faults.push(`memory grew by ${growth} MB`);
  await readBack(muster, faults);
  const errors = muster.output.split("\n").filter((line) => /^error/.test(line));
  faults.push(...errors.slice(0, 20).map((line) => `logged: ${line.slice(0, 500)}`));
  const code = await muster.stop();
  if (code !== 0) faults.push(`it ended with ${code}`);
  if (faults.length > 0) throw new Error(`fuzzing with seed ${seed} found: ${faults.join("; ")}`);
  const byStatus = Object.entries(answers).map(([status, n]) => `${status}: ${n}`);
  return [
    { what: "messages", value: sent },
    { what: "messages answered", value: sent / seconds, unit: "/s" },
    { what: "answers by status", value: byStatus.join(", ") },
    { what: "resident memory after each fifth, MB", value: resident.join(", ") },
    { what: "growth of resident memory", value: growth, unit: "MB", target: { atMost: MAX_GROWTH_MB } },
    { what: "crashes, faults, other answers", value: 0, target: { atMost: 0 } },
  ];
}

if (import.meta.main) {
  const [count, seed] = process.argv.slice(2).map(Number);
  console.table(await benchFuzz(count, seed));
}
