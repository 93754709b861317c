import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { HostsSummary } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import type { Resource } from "../state/polled-resource.ts";
import { formatMinute } from "../text/format.ts";

/** The number of hosts in each condition, read once for the whole page. */
export const SummaryContext = createContext<Resource<HostsSummary> | null>(null);

export interface OverallStatus {
  /** The state that the favicon shows. */
  kind: "ok" | "warning" | "failed" | "unknown" | "past";
  /**
   * Prefix of the page's title: "(3) " while three hosts have failures, "(?) " while the service is unreachable. Before
   * it is the moment in the past that the page shows, "[24 Nov 2026, 03:12] ".
   */
  mark: string;
  /** Number of hosts with failures. */
  count: number;
}

/**
 * The overall status of all hosts, from the summary.
 * @param lost whether the service is unreachable, so that the summary is old
 * @param at the moment in the past that the page shows; null: now
 */
export function overallStatusOf(
  summary: HostsSummary | null,
  lost: boolean,
  at: number | null = null,
): OverallStatus {
  if (at !== null) {
    const { mark, count } = overallStatusOf(summary, lost);
    return { kind: "past", mark: `[${formatMinute(at)}] ${mark}`, count };
  }
  if (!summary || lost) return { kind: "unknown", mark: lost ? "(?) " : "", count: 0 };
  const [failed = 0, allFailed = 0, someFailed = 0, ok = 0] = summary.status.map((item) => item.data);
  const count = failed + allFailed + someFailed;
  if (count === 0) return { kind: ok > 0 ? "ok" : "unknown", mark: "", count };
  return { kind: failed + allFailed > 0 ? "failed" : "warning", mark: `(${count}) `, count };
}

/** The status of the hosts that the user sees, now or at the moment that is shown. */
export function useOverallStatus(): OverallStatus {
  const { api, at } = useMuster();
  const summary = useContext(SummaryContext);
  return overallStatusOf(summary?.data.value ?? null, api.connection.value.lost, at.value);
}
