import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { FleetTop } from "../api/types.ts";
import { type Resource, useResource } from "../state/polled-resource.ts";
import type { Ranking } from "./host-order.ts";

const REFRESH_SECONDS = 60;
/** Largest reply to one request. */
const MAX_HOSTS = 10_000;

type RankedColumns = typeof import("./ranked-columns.ts")["RANKED"];

const isRanked = (key: string): key is keyof RankedColumns => key === "disk" || key === "load";

/** The ranked columns, once the hosts are sorted by one of them. */
function useRanked(needed: boolean): RankedColumns | null {
  const ranked = useSignal<RankedColumns | null>(null);
  useEffect(() => {
    if (!needed) return;
    void import("./ranked-columns.ts").then(({ RANKED }) => {
      ranked.value = RANKED;
    }, console.error);
  }, [needed]);
  return ranked.value;
}

/** The values of a column that is not in the list of hosts, if the hosts are sorted by it, and their read. */
export function useRanking(key: string): { ranking: Ranking | undefined; top: Resource<FleetTop> } {
  const ranked = useRanked(isRanked(key));
  const column = isRanked(key) ? ranked?.[key] : undefined;
  const top = useResource<FleetTop>(
    "/reports/history/top",
    { ...column, results: MAX_HOSTS },
    { every: REFRESH_SECONDS, skip: !column },
  );
  const records = column && top.data.value?.records;
  const ranking = useMemo(
    () => records && new Map(records.map(({ hostid, value }) => [hostid, value])),
    [records],
  );
  return { ranking, top };
}
