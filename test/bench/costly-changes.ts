/** The largest changes by one message or one file: how long everything else waits until they and their effects are stored. */
import { Muster, temporaryFolder } from "../e2e/support.ts";
import { filesystemXml } from "../support/agent-messages.ts";
import type { TestClient } from "../support/client.ts";
import { longestFreeze, MAX_FREEZE_MS, peakMb } from "./costly.ts";
import type { Figure } from "./harness/figures.ts";

/** Statistic type: space of a filesystem in percent. */
const SPACE = 18;
const LIMITS = 10;
const SERVICES = 999;
/** Groups that an agent names in one message, and how many messages it sends. */
const GROUPS = 99;
const MESSAGES = 200;
const IMPORTED = 300_000;

function expectStatus(what: string, status: number, expected: number): void {
  if (status !== expected) throw new Error(`${what}: answered ${status}`);
}

/** New services that exceed ten limits with their first message. */
async function passLimits(muster: Muster, admin: TestClient): Promise<void> {
  const services = Array.from({ length: SERVICES }, (_, i) => ({
    name: `disk ${i}`,
    type: 0,
    body: filesystemXml({ percent: 95 }),
  }));
  expectStatus(
    "a first message",
    (await muster.report({ id: "new", hostname: "new", services })).status,
    200,
  );
  for (let stored = 0; stored < LIMITS * SERVICES; await Bun.sleep(50))
    stored = (await admin.get("/api/1/reports/events/list", { results: 1 })).json.totalRecords;
}

async function nameGroups(muster: Muster): Promise<void> {
  for (let i = 0; i < MESSAGES; i++) {
    const hostGroups = Array.from({ length: GROUPS }, (_, group) => `group ${i} ${group}`);
    expectStatus("99 groups", (await muster.report({ id: "g", hostname: "g", hostGroups })).status, 200);
  }
}

async function importFile(admin: TestClient, text: string, expected: number): Promise<void> {
  const form = new FormData();
  form.append("file", new Blob([text]), "muster.json");
  expectStatus("a file", (await admin.upload("/api/1/admin/transfer/import", form)).status, expected);
}

/** Reads the reply without parsing it, which would cost this process time. */
async function exportAll(admin: TestClient): Promise<void> {
  const reply = await admin.raw("/api/1/admin/transfer/export?secrets=1", {});
  await reply.arrayBuffer();
  expectStatus("the export", reply.status, 200);
}

/** @throws when an answer is not the expected one */
export async function benchCostlyChanges(): Promise<Figure[]> {
  using folder = temporaryFolder();
  await using muster = await Muster.start({ cwd: folder.path });
  const admin = await muster.admin();
  for (let i = 0; i < LIMITS; i++) {
    const limit = { name: `limit ${i}`, statistics: [SPACE], critical: 50 + i };
    expectStatus("a limit", (await admin.post("/api/1/limits/create", limit)).status, 200);
  }
  const groups = Array.from({ length: IMPORTED }, (_, i) => ({ name: `imported ${i}` }));
  const file = JSON.stringify({ muster: 1, groups });
  const works: [what: string, work: () => Promise<void>][] = [
    [`${SERVICES} new services that pass ${LIMITS} limits`, () => passLimits(muster, admin)],
    [`${MESSAGES} messages that name ${GROUPS} new groups each`, () => nameGroups(muster)],
    ["a file of 30 MB of opening brackets", () => importFile(admin, "[".repeat(30_000_000), 400)],
    ["a file of 300,000 groups", () => importFile(admin, file, 200)],
    ["the export of them", () => exportAll(admin)],
  ];
  const figures: Figure[] = [];
  for (const [title, work] of works) {
    const value = await longestFreeze(muster, work);
    figures.push({
      what: `${title}: longest wait of another`,
      value,
      unit: "ms",
      target: { atMost: MAX_FREEZE_MS },
    });
    figures.push({ what: `${title}: memory at most so far`, value: peakMb(muster.pid), unit: "MB" });
    if (work === works[1]?.[1]) {
      const { json } = await admin.get("/api/1/status/hostgroups/list");
      figures.push({ what: `${title}: groups then`, value: json.totalRecords, target: { atMost: 10_000 } });
    }
  }
  return figures;
}
