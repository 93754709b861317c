import { HEARTBEAT } from "../../monit/event-types.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { Channels } from "../channels/channels.service.ts";
import { Leases } from "../maintenance/leases.ts";
import { enabledMaintenance } from "../maintenance/maintenance.repository.ts";
import { isWaking, RULE_DISABLED, wakeSome } from "../rules/alert-wakes.repository.ts";
import { enabledRules, type Rule } from "../rules/rules.repository.ts";
import { ActiveMutes, QUIET_HOURS } from "./active-mutes.ts";
import { factsOf } from "./alert-facts.ts";
import { type AlertChanges, type AlertStore, type DueAlert, eventAlertStore } from "./alerts.repository.ts";
import { addressed } from "./audience.ts";
import { isAlerted } from "./causes.repository.ts";
import { Causes } from "./causes.ts";
import { type Decision, decide, MAX_HOLD, RECHECK, type SendDecision, type Suppression } from "./decide.ts";
import { addToDelivery, insertDelivery, lastNotified, type NewDelivery } from "./deliveries.repository.ts";
import { evaluate } from "./grouping.ts";
import { healthAlertStore } from "./health-alerts.repository.ts";
import { failExcess, setTimesOfUntried } from "./outbox.repository.ts";
import { type GroupOfRule, type PartOfGroup, RecipientsOf } from "./recipients.ts";
import { StoredSubject } from "./subject.ts";

/** Milliseconds between two steps. */
export const DISPATCH_STEP_MS = 50;
/** The same while nothing is due. */
export const DISPATCH_IDLE_MS = 1000;
/** Alerts evaluated in one step, and so the most events in one message. */
const BATCH = 1000;
/**
 * About how many events one step writes into messages, counted once for each recipient. Due alerts that do not fit stay
 * due, and the next step adds them to the same messages. Alerts that would only have joined a message get messages of
 * their own.
 */
const EVENTS_WRITTEN = 20_000;
/** Seconds for which messages wait for alerts that did not fit into the step. */
const REST_WITHIN = 5;
/**
 * The most alerts that one step makes due because what they wait for changed. A request without alerts counts as one.
 */
const WOKEN = 200;

/**
 * The messages about a group of alerts that did not fit into the step as a whole, and how many alerts they are about.
 */
interface TornGroup {
  /** The ids of the messages, by recipient. */
  messages: Map<string, number>;
  alerts: number;
}

/** The alerts about events of hosts, and those about failures of Muster itself. No message is about both. */
const STORES: readonly AlertStore[] = [eventAlertStore, healthAlertStore];

export interface DispatcherDependencies {
  db: Db;
  channels: Pick<Channels, "sendable">;
  clock: Clock;
  log: Log;
  /** When Muster last recorded that it runs, unix seconds. */
  aliveAt: number;
}

/**
 * Turns due alerts into messages in the outbox, grouped by rule and kind. An alert and its messages change in
 * one transaction, so no alert is notified twice and none is lost.
 */
export class Dispatcher {
  /** Time of the last step, unix seconds; before the first one, when Muster last ran. */
  #steppedAt: number;
  /** Alerts read to be made due since alerts were last evaluated. */
  #woken = 0;
  readonly #leases: Leases;
  /** By group, what the last step could not finish. A restart makes further messages of the rest. */
  #torn = new Map<string, TornGroup>();

  constructor(private readonly dependencies: DispatcherDependencies) {
    this.#leases = new Leases(dependencies.db);
    this.#steppedAt = dependencies.aliveAt;
  }

  /** Evaluates a bounded number of due alerts. @returns whether there may be more */
  step(): boolean {
    const { db, clock } = this.dependencies;
    const now = clock.now();
    // Delays count by this clock. If it is set back, the times from which they count are moved back too.
    if (now < this.#steppedAt) for (const store of STORES) store.moveBack(db, this.#steppedAt - now);
    this.#steppedAt = now;
    const isLooking = this.#leases.step(now);
    // Alerts of one mute are evaluated together, so that they share messages.
    if (this.#wakeAlerts(now) && this.#woken < BATCH) return true;
    this.#woken = 0;
    const torn = new Map<string, TornGroup>();
    const due = STORES.filter((store) => store.isAnyDue(db, now));
    const counts = due.map((store) => transaction(db, () => this.#dispatch(store, torn, now)));
    this.#torn = torn;
    return isLooking || torn.size > 0 || counts.includes(BATCH) || isWaking(db);
  }

  /** Makes some alerts due because what they wait for changed. @returns whether there are more */
  #wakeAlerts(now: number): boolean {
    const { db } = this.dependencies;
    if (!isWaking(db)) return false;
    return transaction(db, () => {
      for (let remaining = WOKEN; remaining > 0 && isWaking(db); ) {
        const read = wakeSome(db, remaining, now);
        this.#woken += read;
        remaining -= Math.max(read, 1);
      }
      return isWaking(db);
    });
  }

  /**
   * Decides about due alerts, and makes messages.
   * @param torn gets the groups that do not fit into this step
   * @returns how many alerts were evaluated
   */
  #dispatch(store: AlertStore, torn: Map<string, TornGroup>, now: number): number {
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
    const recipients = new RecipientsOf(this.dependencies, store, now);
    let room = EVENTS_WRITTEN;
    for (const group of groups) {
      const key = groupKeyOf(group, store);
      const before = this.#torn.get(key);
      if (room > 0) {
        const part = recipients.part(group, room);
        room -= part.written;
        const messages = this.#enqueue(group, part, { store, recipients, before }, now);
        if (part.isTorn) torn.set(key, messages);
      } else torn.set(key, before ?? { messages: new Map(), alerts: 0 });
    }
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
        const mute = () => rechecked(mutes.of(rule, new StoredSubject(db, alert), now), now);
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

  /**
   * Makes messages of a part of a group, or adds the part to the messages of the part before, if these have yet to be
   * sent.
   * @returns the messages that the next part can be added to
   */
  #enqueue(
    { rule, kind }: GroupOfRule,
    { members, pairs, missed, isTorn }: PartOfGroup,
    parts: { store: AlertStore; recipients: RecipientsOf; before: TornGroup | undefined },
    now: number,
  ): TornGroup {
    const { store, recipients, before } = parts;
    const { db } = this.dependencies;
    const message = { ruleId: rule.id, ruleName: rule.name, kind, createdAt: now };
    const nextAt = isTorn ? now + REST_WITHIN : now;
    const untried = before
      ? untriedOf(db, before.messages, { createdAt: now, nextAt })
      : new Map<string, number>();
    const isJoining = before !== undefined && before.alerts + members.length <= BATCH;
    const torn: TornGroup = isJoining
      ? { messages: untried, alerts: before.alerts + members.length }
      : { messages: new Map(), alerts: members.length };
    const row = { ...message, status: "pending" as const };
    for (const { target, eventIds } of merged(pairs, ({ channelId, person, address }) =>
      JSON.stringify([channelId, person, address]),
    )) {
      const channel = recipients.channel(target.channelId);
      if (!channel) continue;
      for (const to of addressed(channel, target)) {
        if (!channel.grouped) {
          for (const id of eventIds) insertDelivery(db, { ...row, ...to, nextAt: now }, [id], store.reported);
          continue;
        }
        const recipient = JSON.stringify([to.channelId, to.person, to.recipient]);
        const begun = torn.messages.get(recipient);
        if (begun !== undefined) addToDelivery(db, begun, eventIds, store.reported);
        else
          torn.messages.set(
            recipient,
            insertDelivery(db, { ...row, ...to, nextAt }, eventIds, store.reported),
          );
      }
    }
    this.#storeUnreached(missed, message, store);
    storeChanges(
      db,
      store,
      members.map(({ alert, sending }) => [alert, changesOf(sending, now)]),
    );
    return torn;
  }

  #storeUnreached(
    missed: PartOfGroup["missed"],
    message: Pick<NewDelivery, "ruleId" | "ruleName" | "kind" | "createdAt">,
    store: AlertStore,
  ): void {
    for (const { target, eventIds } of merged(missed, ({ name, reason }) => JSON.stringify([name, reason]))) {
      const { name: channelName, reason: answer } = target;
      const end = { answer, status: "failed" as const, finishedAt: message.createdAt };
      insertDelivery(this.dependencies.db, { ...message, channelName, ...end }, eventIds, store.reported);
      this.dependencies.log.warn("message reaches nobody", {
        rule: message.ruleName,
        name: channelName,
        reason: answer,
      });
    }
  }

  #boundOutbox(now: number): void {
    const failed = failExcess(this.dependencies.db, now);
    if (failed > 0)
      this.dependencies.log.warn("messages are dropped, too many wait to be sent", { messages: failed });
  }
}

/** The key of a group, by the criteria of `groupPending`. */
function groupKeyOf({ rule, kind, members }: GroupOfRule, store: AlertStore): string {
  return `${store.reported} ${rule.id} ${kind} ${members[0]?.eventType === HEARTBEAT}`;
}

/** The messages that nobody has tried to send yet, which get these times. */
function untriedOf(
  db: Db,
  messages: ReadonlyMap<string, number>,
  times: { createdAt: number; nextAt: number },
): Map<string, number> {
  const untried = new Set(setTimesOfUntried(db, [...messages.values()], times));
  return new Map([...messages].filter(([, id]) => untried.has(id)));
}

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

/** A host can leave what maintenance or a mute covers, so an alert does not wait until the end without another look. */
function rechecked(mute: Suppression | null, now: number): Suppression | null {
  if (mute === null || mute.reason === QUIET_HOURS) return mute;
  return { ...mute, until: Math.min(mute.until, now + RECHECK) };
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
  const { notifiedAt, escalations, wasAcknowledged, flappingAt, followedFrom, outcome } = after;
  return { dueAt, notifiedAt, escalations, wasAcknowledged, flappingAt, followedFrom, outcome };
}
