import { patternOf } from "../../src/platform/name-pattern.ts";
import { EditScreen } from "../alerting/edit-screen.tsx";
import { useMuster } from "../state/muster.ts";
import { LimitForm } from "./limit-form.tsx";
import { LIMITS } from "./limits.texts.ts";
import { metricKeyOf } from "./metrics.ts";
import { newLimit } from "./suggestions.tsx";
import type { Limit, NewLimit } from "./types.ts";

/** Suggested for a limit on a disk. */
const DISK_WARNING = 90;

/** A new limit for the metric, value, host and service in the address. */
function limitOf(query: URLSearchParams): NewLimit {
  const [number, host, service] = [query.get("number"), Number(query.get("host")), query.get("service")];
  const isDisk = number === null || number === "disk";
  const [value, descriptor] = [query.get("value"), query.get("descriptor")];
  return newLimit(metricKeyOf(number ?? "disk"), {
    // Values of a chart are not divided by processors.
    ...(descriptor !== null && { descriptor, perprocessor: false }),
    warning: value !== null && Number.isFinite(Number(value)) ? Number(value) : isDisk ? DISK_WARNING : null,
    filter: { ...(host > 0 && { hosts: [host] }), ...(service && { servicenames: [patternOf(service)] }) },
  });
}

/** The page of one limit, new or existing. */
export function LimitScreen() {
  const { router } = useMuster();
  return (
    <EditScreen<Limit>
      list={[LIMITS.title, "/limits"]}
      texts={{ noun: LIMITS.one, creating: LIMITS.newLimit, saved: LIMITS.saved }}
      source="/limits/get"
      form={(limit, props) => <LimitForm {...props} limit={limit ?? limitOf(router.address.peek().query)} />}
    />
  );
}
