import { setPriority } from "node:os";

/** Agents' messages take precedence over the work of other threads. */
const NICENESS = 10;

/** Lowers the priority of the current thread. Other systems than Linux would lower that of the process. */
export function giveWay(): void {
  if (process.platform === "linux") setPriority(NICENESS);
}
