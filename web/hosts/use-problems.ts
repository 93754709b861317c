import { useMemo } from "preact/hooks";
import type { EventList, EventRecord } from "../api/types.ts";
import { type Resource, useResource } from "../state/polled-resource.ts";

/** The most problems that lists of hosts explain; beyond that, hosts show their number of failing services. */
const MAX_PROBLEMS = 500;
const LIVE_SECONDS = 5;

/** The active problems of all hosts, newest first, by host id, and the read of them. */
export function useProblemsByHost(): {
  byHost: ReadonlyMap<number, readonly EventRecord[]>;
  problems: Resource<EventList>;
} {
  const problems = useResource<EventList>(
    "/reports/events/list",
    { active: 1, results: MAX_PROBLEMS },
    { every: LIVE_SECONDS },
  );
  const records = problems.data.value?.records;
  return { byHost: useMemo(() => Map.groupBy(records ?? [], ({ hostid }) => hostid), [records]), problems };
}
