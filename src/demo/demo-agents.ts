import type { IngestQueue } from "../monitoring/ingest/queue.ts";
import type { Clock } from "../platform/clock.ts";
import type { Log } from "../platform/log.ts";
import { type DemoFleet, SOURCE } from "./demo-history.ts";
import { isUp } from "./demo-hosts.ts";
import { messagesOf } from "./demo-messages.ts";

/** The agents of a demonstration that runs: they continue to report where its history ends. */
export class DemoAgents {
  /** Unix seconds up to which they have reported. */
  #reported: number;

  constructor(private readonly fleet: DemoFleet) {
    this.#reported = fleet.end;
  }

  /** Posts what is due. @returns false: there is nothing more until the next step */
  step({ queue, clock, log }: { queue: IngestQueue; clock: Clock; log: Log }): boolean {
    const { hosts, end, poll } = this.fleet;
    const now = clock.now();
    for (const [number, host] of hosts.entries()) {
      const phase = Math.floor((number * poll) / hosts.length);
      const lastCycle = (at: number) => Math.floor((at - phase) / poll);
      if (lastCycle(now) === lastCycle(this.#reported) || !isUp(host, end - now)) continue;
      for (const message of messagesOf(host, number, { at: now, end, poll }))
        queue
          .add({ message, receivedAt: now, source: SOURCE })
          .catch((error: unknown) => log.warn("a report was not stored", { host: host.name, error }));
    }
    this.#reported = now;
    return false;
  }
}
