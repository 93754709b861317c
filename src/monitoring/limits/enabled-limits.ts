import type { Db } from "../../platform/storage/open.ts";
import type { HostRow, LimitStateRow } from "../../platform/storage/schema.ts";
import { predictedDays } from "../forecast/predicted-days.ts";
import { hostGroupIdsOf } from "../groups/groups.repository.ts";
import { tagsOf } from "../tags/tags.repository.ts";
import { compile, HostLimits, withPredicted } from "./host-limits.ts";
import { isAboutHost, type Limit } from "./limit.ts";
import { type LimitState, WITHIN_BOUNDS } from "./limit-state.ts";
import {
  allLimits,
  changesOfLimits,
  type LimitChanges,
  lastReportOf,
  positionsIn,
  statesOfHost,
  statisticsForLimits,
} from "./limits.repository.ts";
import { readSums } from "./stored-sums.ts";

function stateOf(row: LimitStateRow): LimitState {
  const { level, warningSince, criticalSince, clearSince, easedSince, valueAt, missing, noData } = row;
  const times = { warningSince, criticalSince, clearSince, easedSince, valueAt };
  return { ...times, missing, noData, level: level as LimitState["level"] };
}

/** Since when the values are beyond a bound, unix seconds; infinite if they are not. */
function exceededSince({ openedAt, warningSince, criticalSince }: LimitStateRow): number {
  return openedAt || (warningSince ?? criticalSince ?? Number.POSITIVE_INFINITY);
}

function keyOf(limitId: number, nameId: number): string {
  return `${limitId} ${nameId}`;
}

/** The enabled limits, kept in memory, and which of them apply to a host. */
export class EnabledLimits {
  /** Null if they must be read. */
  #limits: readonly Limit[] | null = null;
  /** When they were last changed, by their ids; long ago, if there is none. */
  #changes: ReadonlyMap<number, LimitChanges> = new Map();

  constructor(private readonly db: Db) {}

  /** Call this after a change of a limit. */
  forget(): void {
    this.#limits = null;
  }

  get size(): number {
    return this.#all().length;
  }

  #all(): readonly Limit[] {
    if (this.#limits === null) {
      this.#limits = allLimits(this.db).filter(({ enabled }) => enabled);
      this.#changes = changesOfLimits(this.db);
    }
    return this.#limits;
  }

  /** When a limit became as it is now, unix seconds; 0 means long ago. */
  changedAt(limitId: number): number {
    return this.#changes.get(limitId)?.at ?? 0;
  }

  /** The limits of a host as of its last message, not yet compiled; null if none applies to it. */
  ofHost(row: HostRow): HostLimits | null {
    if (this.size === 0) return null;
    if (this.#about(row).length === 0 && statesOfHost(this.db, row.id).length === 0) return null;
    const { at, deadline } = lastReportOf(this.db, row.id);
    return new HostLimits(at, deadline);
  }

  #about({ id: hostId, hostname }: HostRow): Limit[] {
    const [hostGroupIds, tags] = [hostGroupIdsOf(this.db, hostId), tagsOf(this.db, hostId)];
    const host = { hostId, hostname, hostGroupIds, tags };
    return this.#all().filter((limit) => isAboutHost(limit, host));
  }

  /**
   * Compiles the limits of a host for its present services, with their stored states.
   * @param layoutId the layout of its last message; null if that has no values
   * @param at when its last message was received, unix seconds
   */
  compile(limits: HostLimits, row: HostRow, layoutId: number | null, at: number): void {
    const statistics = withPredicted(statisticsForLimits(this.db, row.id));
    const days = predictedDays(this.db, row.id);
    const positions = layoutId === null ? new Map<number, number>() : positionsIn(this.db, layoutId);
    const all = statesOfHost(this.db, row.id);
    const isOfOther = (state: LimitStateRow) =>
      exceededSince(state) < (this.#changes.get(state.limitId)?.remeasuredAt ?? 0);
    const states = new Map(
      all.filter((state) => !isOfOther(state)).map((state) => [keyOf(state.limitId, state.nameId), state]),
    );
    limits.entries = this.#about(row).flatMap((limit) =>
      compile(limit, statistics, positions, row.cpuCount, days).map((entry) => {
        const key = keyOf(limit.id, entry.service.nameId);
        const state = states.get(key);
        states.delete(key);
        const stored = state && { state: stateOf(state), openedAt: state.openedAt, errorAt: state.errorAt };
        return { ...entry, ...(stored ?? { state: WITHIN_BOUNDS, openedAt: 0, errorAt: 0 }) };
      }),
    );
    if (layoutId !== null) readSums(this.db, row.id, limits.monthly, at);
    const enabled = new Map(this.#all().map((limit) => [limit.id, limit]));
    limits.obsolete = [...all.filter(isOfOther), ...states.values()].flatMap((row) => {
      const limit = enabled.get(row.limitId);
      return limit ? [{ limit, row }] : [];
    });
  }
}
