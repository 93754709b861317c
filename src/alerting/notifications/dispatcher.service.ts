import { ERROR } from "../../monit/event-types.ts";
import { HOST_STATUS } from "../../monitoring/health/health.ts";
import type { Interval } from "../../monitoring/uptime/intervals.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { Channels } from "../channels/channels.service.ts";
import { enabledMaintenance, type Maintenance } from "../maintenance/maintenance.repository.ts";
import { muteAt } from "../maintenance/mute.ts";
import { windowAt } from "../maintenance/schedule.ts";
import { quietUntil } from "../rules/quiet-hours.ts";
import { ESCALATION_STEP, enabledRules, type Rule } from "../rules/rules.repository.ts";
import {
  type AlertChanges,
  alertsDue,
  type DueAlert,
  isAnyDue,
  moveAlertsBack,
  updateAlerts,
} from "./alerts.repository.ts";
import { type AlertFacts, type AlertKind, decide, MAX_HOLD, type Mute } from "./decide.ts";
import { channelsNotified, insertDelivery, lastNotified } from "./deliveries.repository.ts";
import { type Group, groupPending, type Pending, type Sending } from "./grouping.ts";
import { longerOf } from "./mute.ts";
import { failExcess } from "./outbox.repository.ts";
import { StoredSubject } from "./subject.ts";

/** Between two steps that found something to do, and until the next look after one that did not, milliseconds. */
export const DISPATCH_STEP_MS = 50;
export const DISPATCH_IDLE_MS = 1000;
/** Alerts that one step looks at; so many are told of in one message at the most. */
const BATCH = 1000;
/** Messages that may wait to be sent. */
export const MAX_WAITING = 10_000;
export const TOO_MANY_WAITING = "too many waiting";
export const RULE_DISABLED = "the rule is disabled";

/** An alert with what is to be said of it. */
interface Notified extends Pending {
  due: DueAlert;
}

/** What goes out as one message per channel. */
interface GroupOfRule extends Group<Notified> {
  rule: Rule;
}

export interface DispatcherDependencies {
  db: Db;
  channels: Pick<Channels, "sendable">;
  clock: Clock;
  log: Log;
}

/** What keeps Muster silent at one moment. Time zones are slow: each quiet time and window is worked out once. */
class Mutes {
  readonly #windows: ReadonlyMap<Maintenance, Interval | null>;
  readonly #quiet = new Map<number, number | null>();

  constructor(
    private readonly db: Db,
    private readonly now: number,
  ) {
    this.#windows = new Map(enabledMaintenance(db).map((one) => [one, windowAt(one.schedule, now)]));
  }

  of({ id, quietHours }: Rule, { alert, serviceType, state }: DueAlert): Mute | null {
    const { db, now } = this;
    if (!this.#quiet.has(id)) this.#quiet.set(id, quietHours && quietUntil(quietHours, now));
    const subject = new StoredSubject(db, { ...alert, serviceType, state });
    const windows = [...this.#windows.keys()];
    return longerOf(
      this.#quiet.get(id) ?? null,
      muteAt(windows, subject, now, (one) => this.#windows.get(one) ?? null),
    );
  }
}

/**
 * Turns alerts that are due into messages in the outbox, those of the same rule and kind together. An alert and the
 * messages about it change in one transaction: none is told twice, and none is forgotten.
 */
export class Dispatcher {
  /** When the last step was, unix seconds. */
  #steppedAt = 0;

  constructor(private readonly dependencies: DispatcherDependencies) {}

  /** Looks at alerts that are due, a bounded number of them. @returns whether there may be more */
  step(): boolean {
    const { db, clock } = this.dependencies;
    const now = clock.now();
    // Waits are counted by the clock: when that is set back, what they began with moves along.
    if (now < this.#steppedAt) moveAlertsBack(db, this.#steppedAt - now);
    this.#steppedAt = now;
    if (!isAnyDue(db, now)) return false;
    return transaction(db, () => this.#dispatch(now)) === BATCH;
  }

  /** @returns how many alerts were looked at */
  #dispatch(now: number): number {
    const { db } = this.dependencies;
    const rules = new Map(enabledRules(db).map((rule) => [rule.id, rule]));
    const mutes = new Mutes(db, now);
    // Those that could be told already but wait for others are looked at too: they go with the first that waits no longer.
    const found = alertsDue(db, now + MAX_HOLD, BATCH);
    const groups: GroupOfRule[] = [];
    for (const [ruleId, dues] of Map.groupBy(found, ({ alert }) => alert.ruleId)) {
      const rule = rules.get(ruleId);
      if (!rule)
        storeChanges(
          db,
          dues.map((due) => [due, closed(RULE_DISABLED, now)]),
        );
      else {
        const { ready, held } = groupPending(this.#decideAll(rule, dues, mutes, now), () => [], now);
        groups.push(...ready.map((group) => ({ rule, ...group })));
        // One that is only to go along keeps its own time.
        const waiting = held.filter(({ pending }) => isDue(pending.due, now));
        storeChanges(
          db,
          waiting.map(({ pending, until }) => [pending.due, { dueAt: until }]),
        );
      }
    }
    for (const group of groups) this.#tell(group, now);
    if (groups.length > 0) this.#boundOutbox(now);
    return found.length;
  }

  /** Stores what becomes of alerts of which nothing is to be said now. @returns the others */
  #decideAll(rule: Rule, dues: readonly DueAlert[], mutes: Mutes, now: number): Notified[] {
    const { db } = this.dependencies;
    const reminded =
      rule.repeat > 0 ? lastNotified(db, rule.id, eventsNotifiedOf(dues)) : new Map<number, number>();
    const notified: Notified[] = [];
    const changes: Change[] = [];
    for (const due of dues) {
      const decision = decide(factsOf(due, reminded), rule, () => mutes.of(rule, due), now);
      if (decision.action === "send")
        notified.push({ due, eventType: due.alert.eventType, sending: decision });
      // That somebody else was due is no reason to hold it back already.
      else if (isDue(due, now)) {
        const { action, outcome } = decision;
        changes.push([due, action === "close" ? closed(outcome, now) : { dueAt: decision.dueAt, outcome }]);
      }
    }
    storeChanges(db, changes);
    return notified;
  }

  #tell({ rule, kind, members }: GroupOfRule, now: number): void {
    const { db, channels } = this.dependencies;
    const eventIds = members.map(({ due }) => due.alert.eventId);
    for (const [channelId, ids] of this.#audience(rule, kind, members)) {
      const channel = channels.sendable(channelId);
      if (!channel) continue;
      const row = {
        ruleId: rule.id,
        channelId,
        ruleName: rule.name,
        channelName: channel.name,
        kind,
        createdAt: now,
        status: "pending" as const,
        nextAt: now,
      };
      const notified = eventIds.filter((id) => ids.has(id));
      for (const events of channel.grouped ? [notified] : notified.map((id) => [id]))
        insertDelivery(db, row, events);
    }
    storeChanges(
      db,
      members.map(({ due, sending }) => [due, changesOf(sending, now)]),
    );
  }

  /** Whom to tell of which events: a failure's end, and that it goes on, those who know of it. */
  #audience(rule: Rule, kind: AlertKind, members: readonly Notified[]): Map<number, Set<number>> {
    const audience = new Map<number, Set<number>>();
    const add = (channelId: number, eventId: number) => {
      const events = audience.get(channelId) ?? new Set();
      audience.set(channelId, events.add(eventId));
    };
    const eventIds = members.map(({ due }) => due.alert.eventId);
    const follows = kind === "reminder" || kind === "recovery" || kind === "steady";
    const known = Map.groupBy(
      follows ? channelsNotified(this.dependencies.db, rule.id, eventIds) : [],
      (row) => row.eventId,
    );
    for (const { due, sending } of members) {
      const { eventId } = due.alert;
      const notified = known.get(eventId);
      if (!notified) for (const id of channelsOf(rule, sending)) add(id, eventId);
      // Who has yet to hear of a failure needs no reminder of it.
      else
        for (const { channelId, waiting } of notified)
          if (kind !== "reminder" || !waiting) add(channelId, eventId);
    }
    return audience;
  }

  #boundOutbox(now: number): void {
    const failed = failExcess(this.dependencies.db, MAX_WAITING, now, TOO_MANY_WAITING);
    if (failed > 0)
      this.dependencies.log.warn("messages are dropped, too many wait to be sent", { messages: failed });
  }
}

function isDue({ alert }: DueAlert, now: number): boolean {
  return alert.dueAt !== null && alert.dueAt <= now;
}

function eventsNotifiedOf(dues: readonly DueAlert[]): number[] {
  return dues.filter(({ alert }) => alert.notifiedAt !== null).map(({ alert }) => alert.eventId);
}

function factsOf(
  { alert, state, failureEnd, ...due }: DueAlert,
  reminded: ReadonlyMap<number, number>,
): AlertFacts {
  const { eventId, eventType, createdAt, notifiedAt, escalatedAt, flappingAt, outcome } = alert;
  // A failure without an interval was over at the second in which it began.
  const endedAt = state !== ERROR || failureEnd === 0 ? null : (failureEnd ?? createdAt);
  return {
    state,
    eventType,
    createdAt,
    endedAt,
    ignored: due.hostStatus === HOST_STATUS.ignored,
    dismissed: due.dismissed === 1,
    notifiedAt,
    remindedAt: reminded.get(eventId) ?? notifiedAt,
    escalatedAt,
    flappingAt,
    starts: JSON.parse(due.starts) as number[],
    outcome,
  };
}

function channelsOf(rule: Rule, { steps }: Sending): Set<number> {
  return new Set(
    steps.flatMap((step) => (step === ESCALATION_STEP ? rule.escalationChannels : rule.channels)),
  );
}

/** What becomes of an alert. */
type Change = readonly [due: DueAlert, changes: AlertChanges];

/** Of a storm the same becomes of hundreds: that is one statement. */
function storeChanges(db: Db, changes: readonly Change[]): void {
  const alike = Map.groupBy(changes, ([, change]) => JSON.stringify(change));
  for (const same of alike.values())
    if (same[0])
      updateAlerts(
        db,
        same.map(([due]) => due.alert.id),
        same[0][1],
      );
}

function closed(outcome: string, now: number): AlertChanges {
  return { dueAt: null, closedAt: now, outcome };
}

function changesOf({ after, dueAt }: Sending, now: number): AlertChanges {
  if (after === null) return closed("", now);
  const { notifiedAt, escalatedAt, flappingAt, outcome } = after;
  return { dueAt, notifiedAt, escalatedAt, flappingAt, outcome };
}
