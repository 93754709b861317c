/** Reads of very many rows: how long everything else, and the next reader, waits until they are answered. */
import { Muster, temporaryFolder } from "../e2e/support.ts";
import { processXml } from "../support/agent-messages.ts";
import type { TestClient } from "../support/client.ts";
import { longestFreeze, MAX_FREEZE_MS, peakMb } from "./costly.ts";
import type { Figure } from "./harness/figures.ts";

/** Services of the host with the most services, not counting its system service. */
const SERVICES = 999;
const PAGE_HOSTS = 500;
const SERVICES_OF_HOST = 30;
const MUTES = 200;
const SCHEDULES = 30;
const ROTATIONS = 20;
/** How often each is read, one after another. */
const TIMES = 3;
/** Time after which a public page is read anew, milliseconds. */
const PAGE_RENEWAL = 10_500;
const DAY = 86_400;
const MAX_MEMORY_MB = 600;

const servicesNamed = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ name: `service ${i}`, body: processXml() }));

function expectSuccess(what: string, { status, text }: { status: number; text: string }): void {
  if (status !== 200) throw new Error(`${what}: answered ${status} ${text.slice(0, 200)}`);
}

/** @throws when something is refused */
async function fill(muster: Muster, admin: TestClient): Promise<void> {
  const send = async (message: Parameters<Muster["report"]>[0]) => {
    const reply = await muster.report(message);
    if (reply.status !== 200) throw new Error(`a message: answered ${reply.status}`);
  };
  await send({ id: "largest", hostname: "largest", services: servicesNamed(SERVICES) });
  const hostGroups = ["rack"];
  for (let i = 0; i < PAGE_HOSTS; i++) {
    const host = { id: `host ${i}`, hostname: `host-${i}`, hostGroups };
    await send({ ...host, services: servicesNamed(SERVICES_OF_HOST) });
  }
  const page = { title: "Rack", hostgroup: 1, slug: "rack" };
  expectSuccess("a status page", await admin.post("/api/1/admin/statuspages/create", page));
  for (let i = 0; i < MUTES; i++) {
    const mute = { filter: { hosts: [i + 2], servicenames: ["*9"] }, minutes: 600 };
    expectSuccess("a mute", await admin.post("/api/1/mutes/create", mute));
  }
  const rotation = {
    users: ["admin"],
    start: "2020-01-01",
    handover: "00:00",
    unit: "hour",
    every: 1,
    hours: null,
  };
  const rotations = Array.from({ length: ROTATIONS }, (_, i) => ({ ...rotation, name: `rotation ${i}` }));
  for (let i = 0; i < SCHEDULES; i++) {
    const schedule = { name: `schedule ${i}`, timezone: "Europe/Oslo", rotations };
    expectSuccess("a schedule", await admin.post("/api/1/oncall/create", schedule));
  }
}

/** @throws when an answer is not the expected one */
export async function benchCostlyReads(): Promise<Figure[]> {
  using folder = temporaryFolder();
  await using muster = await Muster.start({ cwd: folder.path });
  const admin = await muster.admin();
  await fill(muster, admin);
  const now = Math.floor(Date.now() / 1000);
  const read = async (path: string, args: Record<string, unknown> = {}) =>
    expectSuccess(path, await admin.get(`/api/1${path}`, args as never));
  const shown = async (path: string) => {
    const { status } = await fetch(`${muster.url}${path}`);
    if (status !== 200) throw new Error(`${path}: answered ${status}`);
    await Bun.sleep(PAGE_RENEWAL);
  };
  const month = { from: now, to: now + 31 * DAY };
  const works: [what: string, work: () => Promise<void>][] = [
    ["a public page of 500 hosts with 30 services, 200 mutes", () => shown("/s/rack")],
    ["a badge of that page", () => shown("/s/rack/badge.svg")],
    ["who is on call now, 30 schedules of 20 hourly turns", () => read("/oncall/now")],
    ["the calendar of such a schedule", () => read("/oncall/calendar", { scheduleid: 1, ...month })],
    [
      `a day's history of ${SERVICES} services of a new host`,
      () =>
        read("/reports/history/get", { hostid: 1, range: 12, datefrom: now - DAY, dateto: now, points: 500 }),
    ],
  ];
  const figures: Figure[] = [];
  for (const [title, work] of works) {
    const value = await longestFreeze(muster, async () => {
      for (let i = 0; i < TIMES; i++) await work();
    });
    figures.push({
      what: `${title}: longest wait of another`,
      value,
      unit: "ms",
      target: { atMost: MAX_FREEZE_MS },
    });
  }
  return [
    ...figures,
    {
      what: "memory at most, of costly reads",
      value: peakMb(muster.pid),
      unit: "MB",
      target: { atMost: MAX_MEMORY_MB },
    },
  ];
}
