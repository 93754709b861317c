/** An app on a database file in a data folder, which makes backups in this process. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BackupProgress } from "../../../src/operations/backups/job.ts";
import { runBackup } from "../../../src/operations/backups/run-backup.ts";
import { migrationsFolder } from "../../../src/platform/assets.ts";
import { NetworkEgress } from "../../../src/platform/egress/network-egress.ts";
import { openForReading } from "../../../src/platform/storage/read-place.ts";
import { TestApp } from "../../support/app.ts";
import type { Fields } from "../../support/client.ts";

/** The key of every test's database. */
const KEY = Buffer.alloc(32, 7).toString("hex");

export class BackupApp {
  readonly path = mkdtempSync(join(tmpdir(), "muster-backups-"));
  readonly data = join(this.path, "data");
  /** A folder for backups. */
  readonly disk = join(this.path, "disk");
  /** The waits between attempts and parts, milliseconds. */
  readonly waits: number[] = [];
  readonly progress: BackupProgress[] = [];
  /** Called when a backup is made, before it is recorded. */
  made: () => void = () => undefined;
  /** Called with the progress of a backup. */
  watch: (progress: BackupProgress) => void = () => undefined;
  readonly app: TestApp;

  /** @param identityFile private keys with which backups are proven */
  constructor({
    identityFile = null,
    timeLimit = 2000,
  }: { identityFile?: string | null; timeLimit?: number } = {}) {
    mkdirSync(this.data, { mode: 0o700 });
    mkdirSync(this.disk);
    const database = join(this.data, "muster.db");
    writeFileSync(join(this.data, "secret.key"), `${KEY}\n`, { mode: 0o600 });
    const egress = new NetworkEgress({
      reach: "loopback",
      exec: false,
      clock: { now: () => this.app.clock.now() },
      timeLimit,
    });
    this.app = new TestApp({
      database,
      folder: this.data,
      backupMeans: {
        database: { kind: "file", path: database },
        folder: this.data,
        migrations: migrationsFolder(),
        identityFile,
        reach: "loopback",
        make: async (job, report) => {
          const outcome = await runBackup(job, {
            open: () => openForReading(job.database),
            egress,
            sleep: async (milliseconds) => void this.waits.push(milliseconds),
            report: (progress) => {
              this.progress.push(progress);
              this.watch(progress);
              report(progress);
            },
          });
          this.made();
          return outcome;
        },
      },
    });
  }

  [Symbol.dispose](): void {
    this.app.db.$client.close();
    rmSync(this.path, { recursive: true, force: true });
  }

  async change(settings: Fields): Promise<{ status: number; json: { error?: string } }> {
    return (await this.app.admin()).post("/api/1/admin/settings/update", settings);
  }

  /** What administrators see of backups. */
  async list() {
    return (await (await this.app.admin()).get("/api/1/admin/backups/list")).json;
  }

  /** A step of the schedule, with the backup that it starts. @returns the newest record */
  async step() {
    this.app.muster.backups.step();
    await this.app.muster.backups.idle();
    return (await this.list()).records[0];
  }
}
