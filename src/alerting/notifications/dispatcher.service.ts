import { ERROR } from "../../monit/event-types.ts";
import { HOST_STATUS } from "../../monitoring/health/health.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { Channels } from "../channels/channels.service.ts";
import { endLeases } from "../maintenance/leases.ts";
import { enabledMaintenance } from "../maintenance/maintenance.repository.ts";
import { isWaking, wakeSome } from "../maintenance/suppressed-alerts.repository.ts";
import { enabledRules, type Rule } from "../rules/rules.repository.ts";
import { ActiveMutes } from "./active-mutes.ts";
import { type AlertChanges, type AlertStore, type DueAlert, eventAlerts } from "./alerts.repository.ts";
import { Audience, addressed, type NotifiedTarget, type Target, type Unreached } from "./audience.ts";
import { isAlerted } from "./causes.repository.ts";
import { Causes } from "./causes.ts";
import {
  type AlertFacts,
  acknowledgedBy,
  type Decision,
  DISMISSED,
  decide,
  MAX_HOLD,
  type SendDecision,
  type Suppression,
} from "./decide.ts";
import { insertDelivery, lastNotified, targetsNotified } from "./deliveries.repository.ts";
import { type AlertGroup, type AlertToSend, evaluate } from "./grouping.ts";
import { healthAlertStore } from "./health-alerts.repository.ts";
import { failExcess } from "./outbox.repository.ts";
import { StoredSubject } from "./subject.ts";

/** Milliseconds between two steps. */
export const DISPATCH_STEP_MS = 50;
export const DISPATCH_IDLE_MS = 1000;
/** Alerts evaluated in one step, and so the most events in one message. */
const BATCH = 1000;
/** Most alerts that one step makes due because a mute ended. */
const WOKEN = 200;
/** Most messages in the outbox. */
export const MAX_WAITING = 10_000;
export const TOO_MANY_WAITING = "too many waiting";
export const RULE_DISABLED = "the rule is disabled";

/** Alerts that become one message per channel. */
interface GroupOfRule extends AlertGroup<AlertToSend<DueAlert>> {
  rule: Rule;
}

/** The alerts about events of hosts, and those about failures of Muster itself. No message is about both. */
const STORES: readonly AlertStore[] = [eventAlerts, healthAlertStore];

export interface DispatcherDependencies {
  db: Db;
  channels: Pick<Channels, "sendable">;
  clock: Clock;
  log: Log;
}

/**
 * Turns due alerts into messages in the outbox, grouped by rule and kind. An alert and its messages change in
 * one transaction, so no alert is notified twice and none is lost.
 */
export class Dispatcher {
  /** Time of the last step, unix seconds. */
  #steppedAt = 0;
  /** Alerts read to be made due since alerts were last evaluated. */
  #woken = 0;

  constructor(private readonly dependencies: DispatcherDependencies) {}

  /** Evaluates a bounded number of due alerts. @returns whether there may be more */
  step(): boolean {
    const { db, clock } = this.dependencies;
    const now = clock.now();
    // Delays count by this clock. If it is set back, the times from which they count are moved back too.
    if (now < this.#steppedAt) for (const store of STORES) store.moveBack(db, this.#steppedAt - now);
    this.#steppedAt = now;
    endLeases(db, now);
    // Those of one mute are evaluated together, so that they share messages.
    if (this.#wakes(now) && this.#woken < BATCH) return true;
    this.#woken = 0;
    const due = STORES.filter((store) => store.isAnyDue(db, now));
    const counts = due.map((store) => transaction(db, () => this.#dispatch(store, now)));
    return counts.includes(BATCH) || isWaking(db);
  }

  /** Makes some alerts due that a mute suppressed. @returns whether there are more */
  #wakes(now: number): boolean {
    const { db } = this.dependencies;
    if (!isWaking(db)) return false;
    return transaction(db, () => {
      for (let remaining = WOKEN; remaining > 0 && isWaking(db); ) {
        const read = wakeSome(db, remaining, now);
        this.#woken += read;
        remaining -= read;
      }
      return isWaking(db);
    });
  }

  /** @returns how many alerts were evaluated */
  #dispatch(store: AlertStore, now: number): number {
    const { db } = this.dependencies;
    const rules = new Map(enabledRules(db).map((rule) => [rule.id, rule]));
    const mutes = new ActiveMutes(enabledMaintenance(db));
    // Includes alerts that are due soon: they may join a message that is sent now.
    const dueAlerts = store.due(db, now + MAX_HOLD, BATCH);
    const causes = new Causes(db, now);
    const groups: GroupOfRule[] = [];
    for (const [ruleId, dues] of Map.groupBy(dueAlerts, (due) => due.ruleId)) {
      const rule = rules.get(ruleId);
      if (rule) groups.push(...this.#evaluate(rule, dues, { store, mutes, causes }, now));
      else
        storeChanges(
          db,
          store,
          dues.map((due) => [due, closed(RULE_DISABLED, now)]),
        );
    }
    const audience = new Audience(db, now);
    for (const group of groups) this.#enqueue(group, store, audience, now);
    if (groups.length > 0) this.#boundOutbox(now);
    return dueAlerts.length;
  }

  /** Stores the decisions to wait or to close. @returns the messages to send */
  #evaluate(
    rule: Rule,
    dues: readonly DueAlert[],
    { store, mutes, causes }: { store: AlertStore; mutes: ActiveMutes; causes: Causes },
    now: number,
  ): GroupOfRule[] {
    const { db } = this.dependencies;
    const reminded =
      rule.repeat > 0
        ? lastNotified(db, rule.id, eventsNotifiedOf(dues), store.reported, now)
        : new Map<number, number>();
    const isDueIn = (seconds: number) => (due: DueAlert) => due.dueAt !== null && due.dueAt <= now + seconds;
    const due = dues.filter(isDueIn(0));
    const causeOf = (alert: DueAlert) =>
      alert.notifiedAt === null && causes.mayHave(alert.hostId)
        ? causes.of(
            { ...alert, service: alert.serviceName },
            (failure) => isAlerted(db, rule.id, failure),
            now,
          )
        : null;
    const { groups, held, unsent } = evaluate(
      due,
      (seconds) => dues.slice(due.length).filter(isDueIn(seconds)),
      (alert) => {
        const mute = () => mutes.of(rule, new StoredSubject(db, alert), now);
        const facts = { ...factsOf(alert, reminded, now), caused: causeOf(alert) };
        return decide(facts, rule, mute, now);
      },
      now,
    );
    storeChanges(db, store, [
      ...held.map(({ alert, until }): AlertChange => [alert, { dueAt: until }]),
      ...unsent.map(({ alert, decision }): AlertChange => [alert, changesWithoutMessage(decision, now)]),
    ]);
    return groups.map((group) => ({ rule, ...group }));
  }

  #enqueue(group: GroupOfRule, store: AlertStore, resolve: Audience, now: number): void {
    const { rule, kind, members } = group;
    const { db, channels } = this.dependencies;
    const message = { ruleId: rule.id, ruleName: rule.name, kind, createdAt: now };
    const audience = this.#audience(group, store, resolve, now);
    for (const { target, eventIds } of audience.targets) {
      const channel = channels.sendable(target.channelId);
      if (!channel) continue;
      const row = { ...message, status: "pending" as const, nextAt: now };
      for (const to of addressed(channel, target))
        for (const events of channel.grouped ? [eventIds] : eventIds.map((id) => [id]))
          insertDelivery(db, { ...row, ...to }, events, store.reported);
    }
    for (const { target: nobody, eventIds } of audience.unreached) {
      const { name: channelName, reason: answer } = nobody;
      const row = { ...message, channelName, answer, status: "failed" as const, finishedAt: now };
      insertDelivery(db, row, eventIds, store.reported);
      this.dependencies.log.warn("message reaches nobody", {
        rule: rule.name,
        name: channelName,
        reason: answer,
      });
    }
    storeChanges(
      db,
      store,
      members.map(({ alert, sending }) => [alert, changesOf(sending, now)]),
    );
  }

  /**
   * The recipients of each event. Reminders and ends go to those who were notified before or, if none of them is left, to
   * those whom the steps of the rule name now.
   */
  #audience({ rule, kind, members }: GroupOfRule, store: AlertStore, resolve: Audience, now: number) {
    const follows = kind === "reminder" || kind === "recovery" || kind === "steady";
    const eventIds = members.map(({ alert }) => alert.eventId);
    const before = follows ? targetsNotified(this.dependencies.db, rule.id, eventIds, store.reported) : [];
    const notifiedByEvent = Map.groupBy(before, ({ eventId }) => eventId);
    const pairs: { target: Target; eventId: number }[] = [];
    const missed: { target: Unreached; eventId: number }[] = [];
    for (const { alert, sending } of members) {
      const { eventId } = alert;
      const notified = notifiedByEvent.get(eventId) ?? [];
      const steps = sending.steps.flatMap((step) => rule.steps[step] ?? []);
      const followed = resolve.following(notified);
      const isAnyLeft = followed.targets.length + followed.unreached.length > 0;
      const { targets, unreached } = isAnyLeft ? followed : resolve.of(steps, now);
      // A target whose first message still waits needs no reminder.
      const waiting = new Set(notified.filter((one) => one.waiting && kind === "reminder").map(keyOf));
      const reached = targets.filter((target) => !waiting.has(keyOf(target)));
      pairs.push(...reached.map((target) => ({ target, eventId })));
      missed.push(...unreached.map((target) => ({ target, eventId })));
    }
    return {
      targets: merged(pairs, ({ channelId, person, address }) =>
        JSON.stringify([channelId, person, address]),
      ),
      unreached: merged(missed, ({ name, reason }) => JSON.stringify([name, reason])),
    };
  }

  #boundOutbox(now: number): void {
    const failed = failExcess(this.dependencies.db, MAX_WAITING, now, TOO_MANY_WAITING);
    if (failed > 0)
      this.dependencies.log.warn("messages are dropped, too many wait to be sent", { messages: failed });
  }
}

const keyOf = ({ channelId, person }: NotifiedTarget) => JSON.stringify([channelId, person]);

/** Groups the events by target. */
function merged<T>(pairs: readonly { target: T; eventId: number }[], keyOf: (target: T) => string) {
  const groups = Map.groupBy(pairs, ({ target }) => keyOf(target));
  return [...groups.values()].flatMap((group) => {
    const target = group[0]?.target;
    return target === undefined ? [] : [{ target, eventIds: group.map(({ eventId }) => eventId) }];
  });
}

function eventsNotifiedOf(dues: readonly DueAlert[]): number[] {
  return dues.filter(({ notifiedAt }) => notifiedAt !== null).map(({ eventId }) => eventId);
}

/** A dismissal has no end; an acknowledgement may have one. */
function handledOf(due: DueAlert, now: number): Suppression | null {
  const { dismissed, acknowledgedBy: uname, acknowledgedUntil: until } = due;
  if (dismissed === 1) return { until: Infinity, reason: DISMISSED };
  if (uname === null || (until && until <= now)) return null;
  return { until: until || Infinity, reason: acknowledgedBy(uname) };
}

function factsOf(due: DueAlert, reminded: ReadonlyMap<number, number>, now: number): AlertFacts {
  const { state, failureEnd, createdAt, notifiedAt } = due;
  // A failure without an interval ended within the second in which it began.
  const endedAt = state !== ERROR || failureEnd === 0 ? null : (failureEnd ?? createdAt);
  return {
    ...due,
    endedAt,
    ignored: due.hostStatus === HOST_STATUS.ignored,
    handled: handledOf(due, now),
    caused: null,
    remindedAt: reminded.get(due.eventId) ?? notifiedAt,
    starts: JSON.parse(due.starts) as number[],
  };
}

/** New column values of an alert. */
type AlertChange = readonly [due: DueAlert, changes: AlertChanges];

/** Hundreds of alerts may get the same values at once: that takes a single statement. */
function storeChanges(db: Db, store: AlertStore, changes: readonly AlertChange[]): void {
  const alike = Map.groupBy(changes, ([, change]) => JSON.stringify(change));
  for (const group of alike.values())
    if (group[0])
      store.update(
        db,
        group.map(([{ id }]) => id),
        group[0][1],
      );
}

function closed(outcome: string, now: number): AlertChanges {
  return { dueAt: null, closedAt: now, outcome };
}

function changesWithoutMessage(decision: Exclude<Decision, SendDecision>, now: number): AlertChanges {
  if (decision.action === "close") return closed(decision.outcome, now);
  const { dueAt, outcome, wasAcknowledged } = decision;
  return { dueAt, outcome, wasAcknowledged };
}

function changesOf({ after, dueAt }: SendDecision, now: number): AlertChanges {
  if (after === null) return closed("", now);
  const { notifiedAt, escalations, wasAcknowledged, flappingAt, outcome } = after;
  return { dueAt, notifiedAt, escalations, wasAcknowledged, flappingAt, outcome };
}
