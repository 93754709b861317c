import type { Clock } from "../../platform/clock.ts";
import type { Reach } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { isBound } from "../agent-keys/agent-keys.repository.ts";
import { managedHost } from "../hosts/managed-host.ts";
import { endOf } from "./action-state.ts";
import { lastActions } from "./actions.repository.ts";

/** Queries of actions that run on a query worker. */
export function actionQueries(db: Db, clock: Clock) {
  return {
    /**
     * The actions of a host. The route adds when its agent last asked, which is not stored.
     * @throws ApiError 403, 404
     */
    actionList: (id: number, reach: Reach) => {
      const host = managedHost(db, id, reach);
      const now = clock.now();
      const records = lastActions(db, id).map((row) => {
        const { state, endedAt, output } = { ...row, ...endOf(row, now) };
        const { service, action, uname, createdAt: created, until, fetchedAt: fetched, code } = row;
        return {
          id: row.id,
          service,
          action,
          state,
          uname,
          created,
          until,
          fetched,
          ended: endedAt,
          code,
          output,
        };
      });
      return {
        enabled: host.actionqueue,
        bound: isBound(db, host),
        poll: host.poll,
        totalRecords: records.length,
        records,
      };
    },
  };
}

export type ActionQueries = AsyncQueries<ReturnType<typeof actionQueries>>;
