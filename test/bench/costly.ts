/**
 * Messages that are made to be costly, by someone who knows the collector's password, and such forms by a user: how
 * long everything else waits, and how much memory they take.
 */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { Muster, temporaryFolder } from "../e2e/support.ts";
import { agentXml, processXml } from "../support/agent-messages.ts";
import { COLLECTOR_PASSWORD } from "../support/app.ts";
import type { Figure } from "./harness/figures.ts";

const MIB = 1024 * 1024;
const numbered = (count: number) => Array.from({ length: count }, (_, i) => `n${i}`);
const services = (count: number) => numbered(count).map((name) => ({ name, body: processXml() }));
const groups = (count: number) => Object.fromEntries(numbered(count).map((name) => [name, ["n0"]]));
const packed = (text: string | Buffer) => new Uint8Array(gzipSync(text));

export interface CostlyMessage {
  what: string;
  body: Uint8Array<ArrayBuffer>;
  /** The answer if there is room for it. */
  status: 200 | 400;
}

/** Gzipped once, since that takes time. */
export function costlyMessages(): CostlyMessage[] {
  const refused = (what: string, text: string | Buffer): CostlyMessage => ({
    what,
    body: packed(text),
    status: 400,
  });
  return [
    refused("31 MiB of bare ampersands", `<monit>${"&".repeat(31 * MIB)}`),
    refused("1 MiB that nearly needs repair", `<monit>${'<service name="'.repeat(MIB / 16)}`),
    refused("64 kB that nearly needs repair", `<monit>${'<service name="'.repeat(4300)}`),
    refused(
      "8 kB of attributes that nearly are",
      `<monit>${`<service name="${'    a="'.repeat(16)}<"/>`.repeat(55)}`,
    ),
    refused("8,000,000 elements", `<monit>${"<a/>".repeat(8_000_000)}</monit>`),
    refused("30 MiB that are no UTF-8", Buffer.from(`<monit>\xff${"\xc3\xa9".repeat(15 * MIB)}`, "latin1")),
    refused("20,000 host groups", agentXml({ hostGroups: numbered(20_000) })),
    refused("50,000 service groups", agentXml({ serviceGroups: groups(50_000) })),
    {
      what: "the largest host",
      body: packed(
        agentXml({ services: services(1000), serviceGroups: groups(500), hostGroups: numbered(100) }),
      ),
      status: 200,
    },
  ];
}

export function post(muster: Muster, { body }: CostlyMessage): Promise<Response> {
  return muster.client().report(body, COLLECTOR_PASSWORD, { "Content-Encoding": "gzip" });
}

/** Peak memory of a process, MB. */
export function peakMb(pid: number): number {
  const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "0";
  return Number(kilobytes) / 1024;
}

/** Requests `/healthz` continuously while `work` runs. @returns the longest time to an answer, milliseconds */
export async function longestFreeze(muster: Muster, work: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  let longest = 0;
  const working = work().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const startedAt = performance.now();
    await (await fetch(`${muster.url}/healthz`)).arrayBuffer();
    longest = Math.max(longest, performance.now() - startedAt);
    await Bun.sleep(5);
  }
  await working;
  return longest;
}

/** How many of each are sent at the same time. */
const AT_ONCE = 20;
/** Longest wait of another request, milliseconds. */
export const MAX_FREEZE_MS = 250;
const MAX_MEMORY_MB = 600;

/** Forms with more keys than a request may have: about as many as its size allows, and as many as are parsed. */
function costlyForms() {
  return [140_000, 19_000].map((count) => ({
    what: `a form of ${count.toLocaleString("en")} keys`,
    body: numbered(count).join("&"),
  }));
}

/** Sends it many times at once. @throws when an answer is not the expected one */
async function measure(
  muster: Muster,
  what: string,
  send: () => Promise<{ status: number }>,
  expected: readonly number[],
): Promise<Figure[]> {
  const freeze = await longestFreeze(muster, async () => {
    for (const { status } of await Promise.all(Array.from({ length: AT_ONCE }, send)))
      if (!expected.includes(status)) throw new Error(`${what}: answered ${status}`);
  });
  return [
    {
      what: `${AT_ONCE} x ${what}: longest wait of another`,
      value: freeze,
      unit: "ms",
      target: { atMost: MAX_FREEZE_MS },
    },
    { what: `${what}: memory at most so far`, value: peakMb(muster.pid), unit: "MB" },
  ];
}

/** @throws when the answer to a message or a form is not the expected one */
export async function benchCostly(): Promise<Figure[]> {
  using folder = temporaryFolder();
  await using muster = await Muster.start({ cwd: folder.path });
  const user = await muster.admin();
  const headers = { "Content-Type": "application/x-www-form-urlencoded", CSRFToken: user.csrfToken };
  const figures: Figure[] = [];
  for (const message of costlyMessages())
    figures.push(
      ...(await measure(muster, message.what, () => post(muster, message), [message.status, 503])),
    );
  for (const { what, body } of costlyForms()) {
    const put = () => user.raw("/api/1/session/put", { method: "POST", body, headers });
    figures.push(...(await measure(muster, what, put, [400])));
  }
  return [
    ...figures,
    { what: "memory at most", value: peakMb(muster.pid), unit: "MB", target: { atMost: MAX_MEMORY_MB } },
  ];
}
