/** Entry of the thread that makes one backup. The job comes as a message. */
import type { BackupReport } from "./operations/backups/backup-thread.ts";
import type { BackupJob } from "./operations/backups/job.ts";
import { runBackup } from "./operations/backups/run-backup.ts";
import { systemClock } from "./platform/clock.ts";
import { NetworkEgress } from "./platform/egress/network-egress.ts";
import { openForReading } from "./platform/storage/read-place.ts";
import { reasonOf } from "./platform/text.ts";
import { giveWay } from "./platform/workers/give-way.ts";

declare const self: Worker;

/** Time limit of a request, milliseconds: a part of some MiB over a slow line. */
const REQUEST_LIMIT_MS = 600_000;
/** Time limit of a statement, milliseconds: to count the rows of a large table, a server reads all of it. */
const STATEMENT_LIMIT_MS = 600_000;

giveWay();
const answer = (report: BackupReport) => self.postMessage(report);

self.onmessage = ({ data: job }: MessageEvent<BackupJob>) => {
  const egress = new NetworkEgress({
    reach: job.reach,
    exec: false,
    clock: systemClock,
    timeLimit: REQUEST_LIMIT_MS,
  });
  runBackup(job, {
    open: () => openForReading(job.database, STATEMENT_LIMIT_MS),
    egress,
    sleep: Bun.sleep,
    report: (progress) => answer({ progress }),
  }).then(
    (outcome) => answer({ outcome }),
    (error) => answer({ failure: reasonOf(error) }),
  );
};
