import { narrowed, VisibleNames } from "../../monitoring/places/visible-filters.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { allRules } from "../rules/rules.repository.ts";
import { allMaintenance, type Mute, mutesNotEnded } from "./maintenance.repository.ts";
import { muteHistory } from "./mute-history.ts";
import type { MuteHistoryArguments } from "./mutes.schemas.ts";
import { nextWindow, windowAt } from "./schedule.ts";

/** Time before its beginning at which planned maintenance is announced, seconds: a day. */
const ANNOUNCED = 86_400;

function replyOf({ id, mutedBy, note, filter, createdAt, schedule, leasedUntil }: Mute, now: number) {
  const { from, to } = schedule;
  return {
    ...{ id, uname: mutedBy ?? "", note, filter, created: createdAt, from, to, active: from <= now },
    lease: leasedUntil === null ? null : { until: leasedUntil, released: leasedUntil <= now },
  };
}

/** Mutes as a scope sees them: of rules, only those whose rules can match its hosts. */
function visibleMutes(db: Db, mutes: readonly Mute[], scope: Scope, names: VisibleNames): Mute[] {
  if (scope === "all") return [...mutes];
  const rules = new Set(narrowed(db, allRules(db), scope, names).map(({ id }) => id));
  return narrowed(db, mutes, scope, names).flatMap((mute) => {
    const ruleids = mute.filter.ruleids?.filter((id) => rules.has(id));
    if (!ruleids) return [mute];
    return ruleids.length === 0 ? [] : [{ ...mute, filter: { ...mute.filter, ruleids } }];
  });
}

/** Windows of planned maintenance that are open, or begin soon. */
function planned(db: Db, now: number, scope: Scope, names: VisibleNames) {
  const windows = narrowed(db, allMaintenance(db), scope, names).flatMap(
    ({ id, name, enabled, schedule }) => {
      const from = enabled ? nextWindow(schedule, now) : null;
      const window =
        enabled && (windowAt(schedule, now) ?? (from === null ? null : windowAt(schedule, from)));
      return window && window.from <= now + ANNOUNCED
        ? [{ id, name, from: window.from, to: window.to, active: window.from <= now }]
        : [];
    },
  );
  return windows.sort((a, b) => a.from - b.from || a.id - b.id);
}

/** Queries of mutes that run on a query worker: what a caller may see of them takes time in proportion to their hosts. */
export function muteQueries(db: Db, clock: Clock) {
  return {
    /** Mutes that have not ended, as far as the scope reaches; those that end first before others. */
    muteList: (scope: Scope) => {
      const now = clock.now();
      const names = new VisibleNames(db, scope);
      const mutes = visibleMutes(db, mutesNotEnded(db, now), scope, names);
      const records = mutes.map((mute) => replyOf(mute, now)).sort((a, b) => a.to - b.to || a.id - b.id);
      return { totalRecords: records.length, maintenance: planned(db, now, scope, names), records };
    },
    /** @throws ApiError 404 */
    muteHistory: (args: MuteHistoryArguments, scope: Scope) => muteHistory(db, args, scope),
  };
}

export type MuteQueries = AsyncQueries<ReturnType<typeof muteQueries>>;
