import type { Clock } from "../../platform/clock.ts";
import { found } from "../../platform/http/errors.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import { findVisibleGroup } from "../groups/groups.repository.ts";
import type { MuteLookup } from "../health/muted.ts";
import { pastOf } from "../past/past.ts";
import { uptimePercent } from "../uptime/availability.ts";
import { reportPeriod } from "../uptime/range.ts";
import { type PeriodTime, Uptime } from "../uptime/uptime.service.ts";
import type { BudgetArguments, BudgetReply } from "./budget.schemas.ts";
import { errorBudget } from "./error-budget.ts";

/** The seconds of a period, with its uptime and error budget. @param target percent; null: none */
function judged({ up, down, excluded, unknown, remaining }: PeriodTime, target: number | null) {
  const measured = up + down;
  const uptime = measured === 0 ? null : uptimePercent({ up, down, excluded });
  const time = { up, down, excluded, unknown, remaining, uptime };
  if (target === null) return time;
  const budget = errorBudget(measured + remaining, target);
  return { ...time, budget, left: budget - down };
}

function sumOf(times: readonly PeriodTime[]): PeriodTime {
  const sum = { up: 0, down: 0, excluded: 0, unknown: 0, remaining: 0 };
  for (const time of times) {
    sum.up += time.up;
    sum.down += time.down;
    sum.excluded += time.excluded;
    sum.unknown += time.unknown;
    sum.remaining += time.remaining;
  }
  return sum;
}

/** The uptime of hosts as a whole, against the target of their group. */
export class Budgets {
  readonly #uptime: Uptime;

  constructor(
    private readonly db: Db,
    private readonly settings: SettingsReader,
    private readonly clock: Clock,
  ) {
    this.#uptime = new Uptime(db, settings, clock);
  }

  /**
   * The uptime and error budgets of the hosts over a period. At a past moment whose groups were not recorded, a group
   * has no hosts.
   * @throws ApiError 404 if the caller does not see the group; 400 for an invalid range
   */
  of({ hostgroupid, tag, cells, ...range }: BudgetArguments, scope: Scope, muted: MuteLookup): BudgetReply {
    const isGroupKnown = hostgroupid !== undefined && pastOf(this.db)?.isRecorded !== false;
    const group = isGroupKnown
      ? found(findVisibleGroup(this.db, hostgroupid, scope), "group", hostgroupid)
      : null;
    const [now, timezone] = [this.clock.now(), this.settings.get("timezone")];
    const period = reportPeriod(range, now, timezone);
    const target = group?.target ?? null;
    const hosts = this.#uptime.hostsOfPeriod(
      period,
      scope,
      { tag, groups: hostgroupid === undefined ? undefined : [hostgroupid] },
      cells,
    );
    return {
      range: range.range,
      datefrom: period.from,
      dateto: period.to,
      running: period.to > now,
      timezone,
      hostgroup: group && { id: group.id, name: group.name },
      target,
      hosts: hosts.length,
      ...judged(sumOf(hosts), target),
      items: hosts.map((host) => ({
        id: host.id,
        active: host.active,
        name: host.name,
        events: host.events,
        ...judged(host, target),
        ...(host.cells && { cells: host.cells }),
        muted: muted(host.id, null),
      })),
    };
  }
}
