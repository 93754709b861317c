import type { Clock } from "../../platform/clock.ts";
import type { Egress } from "../../platform/egress/egress.ts";
import { RecurringRequest, type RequestResult } from "../../platform/egress/recurring-requests.ts";
import type { Log } from "../../platform/log.ts";
import type { Settings } from "../../platform/settings/settings.service.ts";

/** The look for silent hosts may be this late, seconds, before Muster does not count as well. */
const MAX_LAG = 10;

export interface DeadManPingOptions {
  settings: Settings;
  egress: Egress;
  clock: Clock;
  log: Log;
  /** As `/healthz` answers. */
  healthy: () => boolean;
  /** Its `lag` is how late the look for silent hosts is, seconds. */
  heartbeat: { readonly lag: number };
  onResult: (result: RequestResult) => void;
}

/**
 * Asks an address again and again, as long as Muster is well: who is asked can tell people when that ends, which Muster
 * itself cannot.
 */
export function deadManPing({
  settings,
  egress,
  clock,
  log,
  healthy,
  heartbeat,
  onResult,
}: DeadManPingOptions): RecurringRequest {
  const ask = async (url: string): Promise<string | null> => {
    if (!healthy()) return "the database cannot be written";
    if (heartbeat.lag > MAX_LAG) return "the look for silent hosts is late";
    const { status } = await egress.request(url, { method: "GET", headers: {}, body: "" });
    if (status < 200 || status > 299) throw new Error(`the answer is ${status}`);
    return null;
  };
  return new RecurringRequest(clock, log, {
    name: "heartbeat to another system",
    target: () => ({ url: settings.get("heartbeaturl"), interval: settings.get("heartbeatinterval") }),
    work: ask,
    onResult,
  });
}
