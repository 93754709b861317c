import * as v from "valibot";
import type { Clock } from "../../platform/clock.ts";
import type { Egress } from "../../platform/egress/egress.ts";
import { readHeaders } from "../../platform/egress/header-list.ts";
import { RecurringRequest, type RequestResult } from "../../platform/egress/recurring-requests.ts";
import type { Log } from "../../platform/log.ts";
import type { Settings } from "../../platform/settings/settings.service.ts";
import { jsonIn } from "../../platform/text.ts";
import type { FleetMetrics } from "../metrics/fleet-metrics.ts";
import { CounterStarts } from "./counter-starts.ts";
import { otlpRequests } from "./otlp.ts";

export interface OtlpPushDependencies {
  fleet: FleetMetrics;
  settings: Settings;
  egress: Egress;
  clock: Clock;
  log: Log;
  onResult: (result: RequestResult) => void;
}

const partialSuccess = v.object({
  partialSuccess: v.object({
    rejectedDataPoints: v.pipe(v.union([v.number(), v.string()]), v.transform(Number)),
    errorMessage: v.optional(v.string(), ""),
  }),
});

/** What the receiver rejected, according to its response; null if it accepted everything. */
function rejection(body: string): string | null {
  // Receivers send various texts with a successful status; only JSON can report a partial rejection.
  const answer = v.safeParse(partialSuccess, jsonIn(body));
  if (!answer.success || !(answer.output.partialSuccess.rejectedDataPoints > 0)) return null;
  const { rejectedDataPoints, errorMessage } = answer.output.partialSuccess;
  return `${rejectedDataPoints} data points were rejected: ${errorMessage}`;
}

/** Pushes metrics of hosts and services to an OpenTelemetry receiver, if one is configured. */
export function otlpPush(dependencies: OtlpPushDependencies): RecurringRequest {
  const { fleet, settings, egress, clock, log, onResult } = dependencies;
  const starts = new CounterStarts();
  /** Sends all requests. @returns what the receiver rejected first, null if nothing */
  const send = async (url: string, signal: AbortSignal): Promise<string | null> => {
    let rejected: string | null = null;
    const startedAt = clock.now();
    const headers = {
      ...readHeaders(settings.get("otlpheaders")),
      "Content-Type": "application/json",
    };
    const snapshot = await fleet.read("push of metrics", { scope: "all" }, signal);
    for (const body of otlpRequests(snapshot, startedAt, starts)) {
      if (clock.now() - startedAt > settings.get("otlpinterval"))
        throw new Error("a push takes longer than the interval between pushes");
      const answer = await egress.request(url, { method: "POST", headers, body });
      signal.throwIfAborted();
      if (answer.status < 200 || answer.status > 299) throw new Error(`the answer is ${answer.status}`);
      // The receiver has the other points, and must not get them again.
      rejected ??= rejection(answer.body);
      starts.accepted();
    }
    return rejected;
  };
  const push = async (url: string, signal: AbortSignal): Promise<null> => {
    let isWhole = false;
    try {
      const rejected = await send(url, signal);
      isWhole = true;
      if (rejected !== null) throw new Error(rejected);
    } finally {
      starts.endPush(isWhole);
    }
    return null;
  };
  return new RecurringRequest(clock, log, {
    name: "push of metrics",
    target: () => ({ url: settings.get("otlpurl"), interval: settings.get("otlpinterval") }),
    work: push,
    onResult,
  });
}
