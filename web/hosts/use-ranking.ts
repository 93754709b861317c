import { useMemo } from "preact/hooks";
import { STATISTIC } from "../../src/monit/statistic-types.ts";
import type { FleetTop } from "../api/types.ts";
import { useResource } from "../state/polled-resource.ts";
import type { Ranking } from "./host-order.ts";

const REFRESH_SECONDS = 60;
/** Largest reply to one request. */
const MAX_HOSTS = 10_000;

/** The request for each column, by its key. */
const RANKED: Readonly<Record<string, { type: number; descriptor?: string }>> = {
  disk: { type: STATISTIC.spacePercent.code },
  load: { type: STATISTIC.load.code, descriptor: "1min" },
};

/** The values of a column that is not in the list of hosts, if the hosts are sorted by it. */
export function useRanking(key: string): Ranking | undefined {
  const column = RANKED[key];
  const top = useResource<FleetTop>(
    "/reports/history/top",
    { ...column, results: MAX_HOSTS },
    { every: REFRESH_SECONDS, skip: !column },
  );
  const records = column && top.data.value?.records;
  return useMemo(() => records && new Map(records.map(({ hostid, value }) => [hostid, value])), [records]);
}
