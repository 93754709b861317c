/** Checks that the stored states of limits match the failures of limits that are open. */

import { KEPT } from "../../monitoring/limits/limit-state.ts";
import { deleteState, saveState } from "../../monitoring/limits/limits.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import { errorsOfLimits, failingLimitStates } from "./doctor.repository.ts";
import type { OpenLimitFailure } from "./failures.ts";
import type { Finding } from "./finding.ts";

interface Service {
  hostId: number;
  nameId: number;
}

const keyOf = ({ limitId, hostId, nameId }: Service & { limitId: number }) =>
  `${limitId} ${hostId} ${nameId}`;

/**
 * @param open failures of limits, as their events tell
 * @returns also the level of the worst of these failures of a service, 0 if it has none
 */
export function findLimitStateFaults(
  db: Db,
  open: readonly OpenLimitFailure[],
): { findings: Finding[]; levelOf: (service: Service) => number } {
  const findings: Finding[] = [];
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
    const { level, isLimitThere, ...known } = error;
    const service = `${hostId} ${nameId}`;
    levels.set(service, Math.max(levels.get(service) ?? 0, level));
    const state = stored.get(keyOf(check));
    stored.delete(keyOf(check));
    if (state?.level === level) continue;
    // What the values were since then is not known: the next ones tell whether it ends.
    const repaired = { ...KEPT, limitId, hostId, nameId, level, openedAt, ...known };
    findings.push({
      sentence: `${name} on ${hostname} passes limit ${limitId}, but the state of the limit says otherwise.`,
      repair: isLimitThere ? () => saveState(db, repaired) : null,
    });
  }
  for (const state of stored.values())
    findings.push({
      sentence: `Limit ${state.limitId} says that ${state.name} on ${state.hostname} passes it, but no failure is open.`,
      repair: () => deleteState(db, state),
    });
  return { findings, levelOf: ({ hostId, nameId }) => levels.get(`${hostId} ${nameId}`) ?? 0 };
}
