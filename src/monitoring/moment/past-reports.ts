/**
 * Which event types of services were failing at a moment. A failure can be open although the agent reports a mere
 * change, so the last report by the moment decides. Failures that began or ended between that report and the moment are
 * then taken into account.
 */

import type { Db } from "../../platform/storage/open.ts";
import type { Composition } from "./moment-scope.ts";
import { hostsRecovered, lastEnd, type PastFailure } from "./past-failures.repository.ts";
import { serviceKey } from "./past-state.ts";
import { lastReports, surelyReported } from "./past-values.ts";

/** A service whose last report and open failures differ. Both are bits of event types. */
export interface ReportedStatus {
  hostId: number;
  nameId: number;
  reported: number;
  failing: number;
}

/** The beginning or the end of a failure, at the moment or before. */
interface FailureTransition {
  hostId: number;
  nameId: number;
  eventType: number;
  begins: boolean;
  /** Unix seconds. */
  at: number;
}

/** The beginnings of failures that are open, although the last report does not show them. */
function beginnings(differing: readonly ReportedStatus[], open: readonly PastFailure[]): FailureTransition[] {
  const missing = new Map(
    differing.map(({ hostId, nameId, reported }) => [serviceKey(hostId, nameId), ~reported]),
  );
  return open.flatMap(({ hostId, nameId, eventType, limitId, startedAt }) =>
    limitId === 0 && ((missing.get(serviceKey(hostId, nameId)) ?? 0) & eventType) !== 0
      ? [{ hostId, nameId, eventType, begins: true, at: startedAt }]
      : [],
  );
}

/** A failure that ended more than this many seconds before the moment is looked for only if its host may be silent. */
const RECENT = 2 * 3600;

/**
 * The ends of failures that the last report shows, although they are not open. May leave out ends that the report knew
 * of.
 */
function ends(db: Db, differing: readonly ReportedStatus[], at: number): FailureTransition[] {
  const recovered = hostsRecovered(db, { after: at - RECENT, by: at });
  const hosts = new Set(differing.map(({ hostId }) => hostId));
  const unsure = new Set(
    [...hosts].filter((id) => recovered.has(id) || !surelyReported(db, id, at - RECENT, at)),
  );
  const examined = differing.filter(({ hostId }) => unsure.has(hostId));
  return examined.flatMap(({ hostId, nameId, reported, failing }) =>
    bitsOf(reported & ~failing).flatMap((eventType) => {
      const endedAt = lastEnd(db, { hostId, nameId, eventType }, at);
      return endedAt === undefined ? [] : [{ hostId, nameId, eventType, begins: false, at: endedAt }];
    }),
  );
}

function bitsOf(bits: number): number[] {
  return Array.from({ length: 32 }, (_, i) => (bits & (1 << i)) >>> 0).filter((bit) => bit > 0);
}

/** The transitions that came after the last report of their host. */
function unreported(db: Db, transitions: readonly FailureTransition[], at: number): FailureTransition[] {
  const latest = new Map<number, number>();
  for (const transition of transitions)
    latest.set(transition.hostId, Math.max(transition.at, latest.get(transition.hostId) ?? 0));
  // Reading when a host reported last costs a block of its history.
  const unsure = [...latest].flatMap(([id, changedAt]) =>
    surelyReported(db, id, changedAt, at) ? [] : [id],
  );
  const reportedAt = lastReports(db, unsure, at);
  return transitions.filter((transition) => transition.at > (reportedAt.get(transition.hostId) ?? at));
}

/** Bits of the event types that were failing, by the keys of the checks. @param open the failures open at the moment */
export function statusesByReports(
  { history, at }: Pick<Composition, "history" | "at">,
  differing: readonly ReportedStatus[],
  open: readonly PastFailure[],
): Map<string, number> {
  const statuses = new Map(
    differing.map(({ hostId, nameId, reported }) => [serviceKey(hostId, nameId), reported]),
  );
  const transitions = [...beginnings(differing, open), ...ends(history, differing, at)];
  for (const { hostId, nameId, eventType, begins } of unreported(history, transitions, at)) {
    const key = serviceKey(hostId, nameId);
    const status = statuses.get(key) ?? 0;
    statuses.set(key, begins ? status | eventType : status & ~eventType);
  }
  return statuses;
}
