/** What a backup costs: its time and size, and how long agents wait for their answers meanwhile. */
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Muster, run, temporaryFolder } from "../e2e/support.ts";
import { ADMIN_PASSWORD } from "../support/app.ts";
import type { TestClient } from "../support/client.ts";
import type { BenchContext } from "./harness/context.ts";
import type { Figure } from "./harness/figures.ts";
import { runLoad } from "./load/load.ts";
import { seedFolder } from "./queries.ts";

/** Agents that report meanwhile, and seconds between two messages of each. */
const AGENTS = 1000;
const INTERVAL = 10;
/** Seconds of the load without a backup. */
const QUIET_SECONDS = 20;
/** Milliseconds between two looks at the log of the database and at the backup. */
const LOOK_MS = 200;

/** Longest time of the doctor, milliseconds: it looks at each of ten million events. */
const DOCTOR_PATIENCE = 3_600_000;

const MB = 1_000_000;

interface Watched {
  /** Seconds that each phase took. */
  phases: Map<string, number>;
  /** Largest size of the log meanwhile, bytes. */
  log: number;
  record: { state: string; bytes: number; databasebytes: number; trouble: string };
}

/** Follows a backup to its end. */
async function watch(admin: TestClient, log: string): Promise<Watched> {
  const phases = new Map<string, number>();
  let largest = 0;
  let before = performance.now();
  for (;;) {
    await Bun.sleep(LOOK_MS);
    const { running, records } = (await admin.get("/api/1/admin/backups/list")).json;
    largest = Math.max(largest, statSync(log, { throwIfNoEntry: false })?.size ?? 0);
    const now = performance.now();
    if (running) phases.set(running.phase, (phases.get(running.phase) ?? 0) + (now - before) / 1000);
    before = now;
    if (!running && records.length > 0) return { phases, log: largest, record: records[0] };
  }
}

/** @throws when a backup is not proven, or a message is lost */
export async function benchBackups({ long }: BenchContext): Promise<Figure[]> {
  using folder = temporaryFolder();
  const { path: cwd } = folder;
  const events = long ? 10_000_000 : 300_000;
  seedFolder(cwd, { hosts: 2000, events });
  // Seeded events have no downtimes, which would be a fault of the backup.
  const { code, stdout: repaired } = await run(["doctor", "--repair", "--data", "data"], {
    cwd,
    patience: DOCTOR_PATIENCE,
  });
  if (code !== 0) throw new Error(`muster doctor leaves faults: ${repaired}`);
  mkdirSync(join(cwd, "disk"));
  const { stdout } = await run(["backup", "key", "key.txt"], { cwd });
  const backuprecipients = /age1\S+/.exec(stdout)?.[0] ?? "";
  await using muster = await Muster.start({ cwd, args: ["--backup-identity", "key.txt"] });
  const admin = await muster.client().signIn("admin", ADMIN_PASSWORD);
  const plan = { port: muster.port, agents: AGENTS, state: "mixed" } as const;
  const loop = { mode: "open", interval: INTERVAL } as const;
  // The first reports of agents cost many times more than all others.
  await runLoad({ ...plan, seconds: null });
  await runLoad({ ...plan, loop, seconds: INTERVAL, cycle: 1 });
  const quiet = await runLoad({ ...plan, loop, seconds: QUIET_SECONDS, cycle: 3 });
  const log = join(cwd, "data", "muster.db-wal");
  const settings = { backupplace: join(cwd, "disk"), backuprecipients };
  const { status } = await admin.post("/api/1/admin/settings/update", settings);
  if (status !== 200) throw new Error(`the settings are refused with ${status}`);
  await admin.post("/api/1/admin/backups/start", {});
  const backup = watch(admin, log);
  const ended = backup.then(() => undefined);
  const busy = await runLoad({ ...plan, loop, seconds: 3600, cycle: 10 }, ended);
  const { phases, log: largestLog, record } = await backup;
  if (record.state !== "proven") throw new Error(`the backup is ${record.state}: ${record.trouble}`);
  if (busy.failed + busy.unanswered > 0) throw new Error("messages were lost beside the backup");
  return [
    { what: "database", value: record.databasebytes / MB, unit: "MB" },
    { what: "backup, compressed and encrypted", value: record.bytes / MB, unit: "MB" },
    ...[...phases].map(([phase, seconds]) => ({ what: phase, value: seconds, unit: "s" })),
    { what: "largest log of the database meanwhile", value: largestLog / MB, unit: "MB" },
    { what: "time to the answer of a message, p99", value: quiet.p99, unit: "ms" },
    { what: "the same beside the backup", value: busy.p99, unit: "ms" },
    { what: "longest wait beside the backup", value: busy.max, unit: "ms" },
  ];
}
