import type { Clock } from "../../platform/clock.ts";
import type { Egress } from "../../platform/egress/egress.ts";
import { RecurringRequest, type RequestResult } from "../../platform/egress/recurring-requests.ts";
import type { Log } from "../../platform/log.ts";
import type { Settings } from "../../platform/settings/settings.service.ts";

/** Seconds. If the heartbeat check is later than this, Muster does not count as healthy. */
const MAX_LAG = 10;

export interface DeadManPingOptions {
  settings: Settings;
  egress: Egress;
  clock: Clock;
  log: Log;
  /** The same result as `/healthz`. */
  healthy: () => boolean;
  /** `lag`: how late the heartbeat check is, seconds. */
  heartbeat: { readonly lag: number };
  onResult: (result: RequestResult) => void;
}

/**
 * Requests an address at a regular interval while Muster is healthy. When the requests stop, the service behind that
 * address can alert people, which Muster itself then cannot do.
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
  const ping = async (url: string): Promise<string | null> => {
    if (!healthy()) return "the database cannot be written";
    if (heartbeat.lag > MAX_LAG) return "the heartbeat check is late";
    const { status } = await egress.request(url, { method: "GET", headers: {}, body: "" });
    if (status < 200 || status > 299) throw new Error(`the answer is ${status}`);
    return null;
  };
  return new RecurringRequest(clock, log, {
    name: "heartbeat to another system",
    target: () => ({ url: settings.get("heartbeaturl"), interval: settings.get("heartbeatinterval") }),
    work: ping,
    onResult,
  });
}
