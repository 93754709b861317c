import { narrowed, VisibleNames } from "../../monitoring/places/visible-filters.ts";
import { type Clock, DAY, MINUTE } from "../../platform/clock.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { allRules } from "../rules/rules.repository.ts";
import { type Mute, maintenanceRows, mutesNotEnded } from "./maintenance.repository.ts";
import { muteHistory } from "./mute-history.ts";
import type { MuteHistoryArguments } from "./mutes.schemas.ts";
import { nextWindow, windowAt } from "./schedule.ts";

/** How long before its beginning planned maintenance is announced, seconds. */
const ANNOUNCED = DAY;

function replyOf({ id, mutedBy, note, filter, createdAt, schedule, leasedUntil, grace }: Mute, now: number) {
  const { from, to } = schedule;
  const lease =
    leasedUntil === null ? null : { grace: grace / MINUTE, until: leasedUntil, released: leasedUntil <= now };
  const uname = mutedBy ?? "";
  return { id, uname, note, filter, created: createdAt, from, to, active: from <= now, lease };
}

/** Mutes as a scope sees them. It sees mutes of rules only if a rule can match its hosts. */
export function visibleMutes(
  db: Db,
  mutes: readonly Mute[],
  scope: Scope,
  names = new VisibleNames(db, scope),
): Mute[] {
  if (scope === "all") return [...mutes];
  const rules = new Set(narrowed(db, allRules(db), scope, names).map(({ id }) => id));
  return narrowed(db, mutes, scope, names).flatMap((mute) => {
    const ofMute = mute.filter.rules?.filter((id) => rules.has(id));
    if (!ofMute) return [mute];
    return ofMute.length === 0 ? [] : [{ ...mute, filter: { ...mute.filter, rules: ofMute } }];
  });
}

/** Windows of planned maintenance that are open or begin soon. */
function planned(db: Db, now: number, scope: Scope, names: VisibleNames) {
  const windows = narrowed(db, maintenanceRows.all(db), scope, names).flatMap(
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

/**
 * Queries of mutes that run on a query worker: finding what a caller may see takes time in proportion to their hosts.
 */
export function muteQueries(db: Db, clock: Clock) {
  return {
    /** Mutes that have not ended and that the scope sees, in order of their end. */
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
