import { ERROR } from "../../monit/event-types.ts";
import { HOST_STATUS } from "../../monitoring/health/health.ts";
import type { Interval } from "../../monitoring/uptime/intervals.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { Channels } from "../channels/channels.service.ts";
import { enabledMaintenance, type Maintenance } from "../maintenance/maintenance.repository.ts";
import { maintenanceMuteAt } from "../maintenance/maintenance-mute.ts";
import { windowAt } from "../maintenance/schedule.ts";
import { quietUntil } from "../rules/quiet-hours.ts";
import { ESCALATION_STEP, enabledRules, type Rule } from "../rules/rules.repository.ts";
import { activeMute } from "./active-mute.ts";
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
import { failExcess } from "./outbox.repository.ts";
import { StoredSubject } from "./subject.ts";

/** Milliseconds between two steps. */
export const DISPATCH_STEP_MS = 50;
export const DISPATCH_IDLE_MS = 1000;
/** Alerts evaluated in one step, and so the most events in one message. */
const BATCH = 1000;
/** Most messages in the outbox. */
export const MAX_WAITING = 10_000;
export const TOO_MANY_WAITING = "too many waiting";
export const RULE_DISABLED = "the rule is disabled";

/** A due alert with the message that was decided for it. */
interface Notified extends Pending {
  due: DueAlert;
}

/** Alerts that become one message per channel. */
interface GroupOfRule extends Group<Notified> {
  rule: Rule;
}

export interface DispatcherDependencies {
  db: Db;
  channels: Pick<Channels, "sendable">;
  clock: Clock;
  log: Log;
}

/**
 * What mutes notifications at one moment. Time zone arithmetic is slow, so each schedule is evaluated once.
 */
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
    return activeMute(
      this.#quiet.get(id) ?? null,
      maintenanceMuteAt(windows, subject, now, (one) => this.#windows.get(one) ?? null),
    );
  }
}

/**
 * Turns due alerts into messages in the outbox, grouped by rule and kind. An alert and its messages change in
 * one transaction, so no alert is notified twice and none is lost.
 */
export class Dispatcher {
  /** Time of the last step, unix seconds. */
  #steppedAt = 0;

  constructor(private readonly dependencies: DispatcherDependencies) {}

  /** Evaluates a bounded number of due alerts. @returns whether there may be more */
  step(): boolean {
    const { db, clock } = this.dependencies;
    const now = clock.now();
    // Delays are counted by this clock: if it is set back, the times from which they count are moved back
    // too.
    if (now < this.#steppedAt) moveAlertsBack(db, this.#steppedAt - now);
    this.#steppedAt = now;
    if (!isAnyDue(db, now)) return false;
    return transaction(db, () => this.#dispatch(now)) === BATCH;
  }

  /** @returns how many alerts were evaluated */
  #dispatch(now: number): number {
    const { db } = this.dependencies;
    const rules = new Map(enabledRules(db).map((rule) => [rule.id, rule]));
    const mutes = new Mutes(db, now);
    // Includes alerts that are due soon: they join a group that is sent now, instead of a message of their
    // own.
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
        // An alert that is not due yet keeps its own time.
        const waiting = held.filter(({ pending }) => isDue(pending.due, now));
        storeChanges(
          db,
          waiting.map(({ pending, until }) => [pending.due, { dueAt: until }]),
        );
      }
    }
    for (const group of groups) this.#enqueue(group, now);
    if (groups.length > 0) this.#boundOutbox(now);
    return found.length;
  }

  /** Stores the decisions to wait or to close. @returns the alerts that have a message to send */
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
      // An alert that is not due yet, read along for grouping, must not be suppressed early.
      else if (isDue(due, now)) {
        const { action, outcome } = decision;
        changes.push([due, action === "close" ? closed(outcome, now) : { dueAt: decision.dueAt, outcome }]);
      }
    }
    storeChanges(db, changes);
    return notified;
  }

  #enqueue({ rule, kind, members }: GroupOfRule, now: number): void {
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

  /** Which channels get which events. Reminders and ends go to the channels that were notified before. */
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
      // A channel whose first message still waits needs no reminder.
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
  // A failure without an interval ended within the second in which it began.
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

/** New column values of an alert. */
type Change = readonly [due: DueAlert, changes: AlertChanges];

/** Hundreds of alerts may get the same values at once: that takes a single statement. */
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
