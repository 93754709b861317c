import type { InferOutput } from "valibot";
import { eventTypeNames } from "../../monit/event-types.ts";
import { found } from "../../platform/http/errors.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import {
  changesOfGroups,
  changesOfHost,
  outputChangesOfGroups,
  outputChangesOfHost,
} from "./event-changes.repository.ts";
import type { eventChangesReply } from "./event-changes.schemas.ts";
import { failureIn, failuresOf } from "./event-failures.repository.ts";
import { findEvent } from "./events.repository.ts";

/** Seconds before a failure that are searched for changes of its host. */
const BEFORE = 3600;
/**
 * Seconds before and after a failure that are searched for changes of other members of its groups: agents seldom report
 * at the same time.
 */
const AROUND = 60;
/**
 * The most changes listed for an event of each kind: of its host and of its groups, each also with changes of program
 * output.
 */
const MAX_CHANGES = 50;

/** A change in the reply: one that an event reports, or one of program output. */
type Change = InferOutput<typeof eventChangesReply>["records"][number];
type ChangeEvent = ReturnType<typeof changesOfHost>[number];
type OutputChange = ReturnType<typeof outputChangesOfHost>[number];

function ofEvent({ eventtype, ...change }: ChangeEvent): Change {
  return { ...change, event: eventTypeNames(eventtype).join(", "), before: "", after: "" };
}

function ofOutput({ before, after, ...change }: OutputChange): Change {
  return { ...change, id: 0, message: "output changed", event: "Output", before, after };
}

/** What changed before an event: on its host in the hour before, and in the host's groups in the same minute. */
export class EventChanges {
  constructor(private readonly db: Db) {}

  /** Newest first. @throws ApiError 404 */
  before(id: number, scope: Scope) {
    const { event } = found(findEvent(this.db, id, scope), "event", id);
    const at = failureIn(failuresOf(this.db, [id]), id).since || event.date;
    const hour = { from: at - BEFORE, to: at };
    const span = { from: at - AROUND, to: at + AROUND };
    const { hostId } = event;
    const events = [
      ...changesOfHost(this.db, hostId, hour, MAX_CHANGES),
      ...changesOfGroups(this.db, hostId, span, scope, MAX_CHANGES),
    ];
    const outputs = [
      ...outputChangesOfHost(this.db, hostId, hour, MAX_CHANGES),
      ...outputChangesOfGroups(this.db, hostId, span, scope, MAX_CHANGES),
    ];
    const records = [
      ...events.filter((change) => change.id !== id).map(ofEvent),
      ...outputs.map(ofOutput),
    ].sort((a, b) => b.date - a.date || b.id - a.id);
    return { datefrom: hour.from, dateto: at, records };
  }
}
