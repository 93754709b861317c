import type { BackupJob, BackupOutcome, BackupProgress } from "./job.ts";

/** What the thread says while it works, and at its end. */
export type BackupReport = { progress: BackupProgress } | { outcome: BackupOutcome } | { failure: string };

/** Makes a backup. @throws Error with the reason when there is none in the end */
export type MakeBackup = (
  job: BackupJob,
  report: (progress: BackupProgress) => void,
  signal: AbortSignal,
) => Promise<BackupOutcome>;

/** Makes each backup on a thread of its own, which ends with it and frees its memory. */
export function onThread(start: () => Worker): MakeBackup {
  return (job, report, signal) => {
    const worker = start();
    const { promise, resolve, reject } = Promise.withResolvers<BackupOutcome>();
    const fail = (reason: string) => reject(new Error(reason));
    worker.addEventListener("message", ({ data }: MessageEvent<BackupReport>) => {
      if ("progress" in data) report(data.progress);
      else if ("outcome" in data) resolve(data.outcome);
      else fail(data.failure);
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      fail(event.message);
    });
    worker.addEventListener("close", () => fail("the thread ended"));
    const stop = () => fail("Muster is stopping");
    signal.addEventListener("abort", stop);
    worker.postMessage(job);
    return promise.finally(() => {
      signal.removeEventListener("abort", stop);
      worker.terminate();
    });
  };
}
