import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { HostsSummary } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import type { Resource } from "../state/resource.ts";

/** The six counts, read once for the whole page. */
export const SummaryContext = createContext<Resource<HostsSummary> | null>(null);

export interface TroubleState {
  /** What the favicon shows. */
  kind: "ok" | "warning" | "failed" | "unknown";
  /** What stands before the title, such as "(3) ". */
  mark: string;
}

/** Trouble in a summary: hosts that failed or have failed services. */
export function troubleIn(summary: HostsSummary | null, lost: boolean): TroubleState {
  if (!summary || lost) return { kind: "unknown", mark: lost ? "(?) " : "" };
  const [failed = 0, allFailed = 0, someFailed = 0, ok = 0] = summary.status.map((item) => item.data);
  const count = failed + allFailed + someFailed;
  if (count === 0) return { kind: ok > 0 ? "ok" : "unknown", mark: "" };
  return { kind: failed + allFailed > 0 ? "failed" : "warning", mark: `(${count}) ` };
}

export function useTrouble(): TroubleState {
  const { api } = useMuster();
  const summary = useContext(SummaryContext);
  return troubleIn(summary?.data.value ?? null, api.contact.value.lost);
}
