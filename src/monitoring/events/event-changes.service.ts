import { eventTypeNames } from "../../monit/event-types.ts";
import { found } from "../../platform/http/errors.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import { changesOfGroups, changesOfHost } from "./event-changes.repository.ts";
import { failureIn, failuresOf } from "./event-failures.repository.ts";
import { findEvent } from "./events.repository.ts";

/** How long before a failure changes of its host are looked for, seconds. */
const BEFORE = 3600;
/** The same for other members of its groups, and to either side: they seldom report at the same time. */
const MINUTE = 60;
/** Most changes of the host, and of the groups. */
const MAX_CHANGES = 50;

/** What changed before an event: on its host in the hour before, and in the host's groups in the same minute. */
export class EventChanges {
  constructor(private readonly db: Db) {}

  /** Newest first. @throws ApiError 404 */
  before(id: number, scope: Scope) {
    const { event } = found(findEvent(this.db, id, scope), "event", id);
    const at = failureIn(failuresOf(this.db, [id]), id).since || event.date;
    const host = changesOfHost(this.db, event.hostId, { from: at - BEFORE, to: at }, MAX_CHANGES);
    const minute = { from: at - MINUTE, to: at + MINUTE };
    const groups = changesOfGroups(this.db, event.hostId, minute, scope, MAX_CHANGES);
    const records = [...host, ...groups]
      .filter((change) => change.id !== id)
      .sort((a, b) => b.date - a.date || b.id - a.id)
      .map(({ eventtype, ...change }) => ({ ...change, event: eventTypeNames(eventtype).join(", ") }));
    return { datefrom: at - BEFORE, dateto: at, records };
  }
}
