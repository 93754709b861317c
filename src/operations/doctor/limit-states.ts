/** Checks that the stored states of limits match the open failures of limits. */

import { WITHIN_BOUNDS } from "../../monitoring/limits/limit-state.ts";
import { deleteState, saveState } from "../../monitoring/limits/limits.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import { errorsOfLimits, failingLimitStates } from "./doctor.repository.ts";
import type { OpenLimitFailure } from "./failures.ts";
import type { DoctorFinding } from "./finding.ts";

interface Service {
  hostId: number;
  nameId: number;
}

const keyOf = ({ limitId, hostId, nameId }: Service & { limitId: number }) =>
  `${limitId} ${hostId} ${nameId}`;

/**
 * Compares the stored states of limits with their open failures.
 * @param open the open failures of limits, according to their events
 * @returns the findings, and a function for the highest level of a service's failures, 0 if it has none
 */
export function findLimitStateFaults(
  db: Db,
  open: readonly OpenLimitFailure[],
): { findings: DoctorFinding[]; levelOf: (service: Service) => number } {
  const findings: DoctorFinding[] = [];
  const levels = new Map<string, number>();
  const stored = new Map(failingLimitStates(db).map((state) => [keyOf(state), state]));
  const errors = errorsOfLimits(
    db,
    open.map(({ errorId }) => errorId),
  );
  for (const { check, startedAt: openedAt, errorId } of open) {
    const error = errors.get(errorId);
    if (!error) continue;
    const { limitId, hostId, nameId, hostname, name } = check;
    const { level, isLimitThere, ...failure } = error;
    const service = `${hostId} ${nameId}`;
    levels.set(service, Math.max(levels.get(service) ?? 0, level));
    const state = stored.get(keyOf(check));
    stored.delete(keyOf(check));
    if (state?.level === level) continue;
    // The values since then are unknown. The next ones decide whether the failure ends.
    const repaired = { ...WITHIN_BOUNDS, limitId, hostId, nameId, level, openedAt, ...failure };
    findings.push({
      sentence: `${name} on ${hostname} exceeds limit ${limitId}, but the state of the limit says otherwise.`,
      repair: isLimitThere ? () => saveState(db, repaired) : null,
    });
  }
  for (const state of stored.values())
    findings.push({
      sentence: `Limit ${state.limitId} says that ${state.name} on ${state.hostname} exceeds it, but no failure is open.`,
      repair: () => deleteState(db, state),
    });
  return { findings, levelOf: ({ hostId, nameId }) => levels.get(`${hostId} ${nameId}`) ?? 0 };
}
