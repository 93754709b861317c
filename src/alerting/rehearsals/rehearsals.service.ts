import { userIdsOf } from "../../accounts/users/users.repository.ts";
import type { RetentionRule } from "../../monitoring/retention/retention.service.ts";
import { type Clock, DAY, MINUTE } from "../../platform/clock.ts";
import { declareError, errors } from "../../platform/http/errors.ts";
import type { Reach } from "../../platform/http/scope.ts";
import type { Log } from "../../platform/log.ts";
import type { References } from "../../platform/resources/references.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { Channels } from "../channels/channels.service.ts";
import { Audience, addressed } from "../notifications/audience.ts";
import { decide, type Step } from "../notifications/decide.ts";
import { type Delivery, insertDelivery } from "../notifications/deliveries.repository.ts";
import type { MessageContent, MessageSource } from "../notifications/delivery-messages.service.ts";
import { failExcess } from "../notifications/outbox.repository.ts";
import { RULE_DISABLED } from "../rules/alert-wakes.repository.ts";
import { nextBeginning } from "../rules/recurrence.ts";
import { factsOf, muteOf, timesOf } from "./made-up-failure.ts";
import { composeRehearsal, subjectText } from "./rehearsal-message.ts";
import {
  deleteRehearsal,
  deleteRehearsals,
  dueRehearsals,
  dueWeekly,
  findRehearsal,
  insertMessage,
  insertRehearsal,
  isOngoing,
  messagesOf,
  moveRehearsalsBack,
  type NewRehearsal,
  type Rehearsal,
  type RehearsalMessage,
  rehearsalOfDelivery,
  type Subject,
  setAcknowledged,
  setWeeklyDue,
  updateRehearsal,
  type WeeklyRehearsal,
} from "./rehearsals.repository.ts";
import { type StartArguments, startArguments } from "./rehearsals.schemas.ts";
import { mayRehearse, type Rehearsed, rehearsedOf } from "./rehearsed.ts";

/** Milliseconds between two steps. */
export const REHEARSAL_STEP_MS = 1000;
/** How far ahead a weekly rehearsal can be, seconds: a week, and the time by which clocks can be set back within it. */
const FURTHEST = 8 * DAY;
/** Rehearsals are kept as long as their messages, like all deliveries. */
const RETENTION_DAYS = 90;
/** Seconds after its time of the week in which a rehearsal is still held. */
const MAX_LATE = 900;

const NO_ADDRESS = "Muster has no public address, so its messages have no link to acknowledge";
const STILL_ONGOING = "the previous rehearsal is ongoing";
const NOT_RUNNING = "Muster was not running at that time";
const NO_REHEARSAL = "the rehearsal was deleted";
const REHEARSAL_OVER = "the rehearsal is over";

export const rehearsalRefused = declareError(
  409,
  "rehearsal.refused",
  "It cannot be rehearsed now: the rule is disabled, the previous rehearsal is ongoing, or Muster has no public address",
  (reason: string) => `It cannot be rehearsed now: ${reason}`,
);

/** How long rehearsals are kept. */
export function rehearsalRetention(db: Db): RetentionRule {
  return { days: RETENTION_DAYS, delete: (before, limit) => deleteRehearsals(db, before, limit) };
}

/** @throws ApiError 400 unless exactly one of rule and schedule is set, and only a rule escalates */
export function refuseContradiction({ rule, schedule, escalate }: StartArguments): void {
  if (rule === null && schedule === null)
    throw errors.missingArgument("rule", "the id of the rule that is rehearsed; or schedule");
  if (rule !== null && schedule !== null)
    throw errors.badArgument("schedule", "null in a rehearsal of a rule");
  if (schedule !== null && escalate)
    throw errors.badArgument("escalate", "false for a schedule, which has no further steps");
}

/** When a weekly rehearsal is next held after `at`, unix seconds. */
export function nextHeld(
  { day, time, timezone }: Pick<WeeklyRehearsal, "day" | "time" | "timezone">,
  at: number,
) {
  const next = nextBeginning({ days: [day], from: time, timezone }, at);
  if (next === null) throw new Error(`There is no day ${day} of the week`);
  return next;
}

/** The state of a message's rehearsal, for its link. */
export type RehearsalState = { state: "open"; id: number; text: string } | { state: "used" | "over" };

interface RehearsalParts {
  db: Db;
  references: References;
  channels: Pick<Channels, "sendable">;
  clock: Clock;
  log: Log;
  /** Public origin of Muster; null if not configured. */
  baseUrl: () => URL | null;
  /** When Muster last recorded that it runs, unix seconds. */
  aliveAt: number;
}

type Start = Subject & Pick<NewRehearsal, "weeklyId" | "startedBy" | "escalate" | "wait">;

/**
 * Rehearsals: messages that say that nothing is wrong go the way of an alert, to measure who would have noticed it. The
 * decision about alerts says who is notified when, for a made-up failure. That failure is stored with its messages in
 * one transaction, and only the list of rehearsals shows it.
 */
export class Rehearsals implements MessageSource {
  /** Time of the last step, unix seconds; before the first one, when Muster last ran. */
  #steppedAt: number;

  constructor(private readonly parts: RehearsalParts) {
    this.#steppedAt = parts.aliveAt;
  }

  /** Starts a rehearsal. @param startedBy login name @returns the id @throws ApiError 400, 403, 409 */
  start(args: StartArguments, startedBy: string, { act }: Reach): number {
    const { db, references } = this.parts;
    const { rule: ruleId, schedule: scheduleId, escalate, wait } = args;
    return transaction(db, () => {
      refuseContradiction(args);
      references.refuseUnknown(startArguments, args, null, act);
      if (!mayRehearse(db, { ruleId, scheduleId }, act)) throw errors.notGranted();
      const start = { ruleId, scheduleId, weeklyId: null, startedBy, escalate, wait };
      const obstacle = this.#obstacleOf(start);
      if (obstacle !== null) throw rehearsalRefused(obstacle);
      return this.#begin(start);
    });
  }

  /** Ends and deletes a rehearsal. Its messages that wait are not sent. @throws ApiError 404 */
  delete(id: number, { act }: Reach): void {
    const { db } = this.parts;
    transaction(db, () => {
      const rehearsal = findRehearsal(db, id);
      if (!rehearsal || !mayRehearse(db, rehearsal, act)) throw errors.notFound("rehearsal", id);
      deleteRehearsal(db, id);
    });
  }

  /** What the audit log says about a rehearsal. */
  audited(id: number): Record<string, string | number | boolean> {
    const rehearsal = findRehearsal(this.parts.db, id);
    const rehearsed = rehearsal && rehearsedOf(this.parts.db, rehearsal);
    return rehearsed
      ? { of: subjectText(rehearsed), escalate: rehearsal.escalate, wait: rehearsal.wait }
      : {};
  }

  /** Holds weekly rehearsals that are due, and evaluates ongoing ones. @returns false: nothing is due any more */
  step(): boolean {
    const { db, clock } = this.parts;
    const now = clock.now();
    if (now < this.#steppedAt) moveRehearsalsBack(db, this.#steppedAt - now);
    this.#steppedAt = now;
    for (const weekly of dueWeekly(db, now, now + FURTHEST)) transaction(db, () => this.#hold(weekly, now));
    for (const rehearsal of dueRehearsals(db, now)) transaction(db, () => this.#evaluate(rehearsal, now));
    return false;
  }

  /** Composes a message when it is sent. */
  messageOf({ id: deliveryId }: Delivery): MessageContent {
    const { db } = this.parts;
    const message = rehearsalOfDelivery(db, deliveryId);
    const rehearsed = message && rehearsedOf(db, message.rehearsal);
    if (!rehearsed) return { refused: NO_REHEARSAL };
    if (message.rehearsal.endedAt !== null) return { refused: REHEARSAL_OVER };
    return composeRehearsal(rehearsed, message.rehearsal, message.step);
  }

  /** The state of the rehearsal that a link acknowledges. @param deliveryId id of the message with the link */
  stateOf(deliveryId: number): RehearsalState {
    const { db } = this.parts;
    const message = rehearsalOfDelivery(db, deliveryId);
    const rehearsed = message && rehearsedOf(db, message.rehearsal);
    if (!rehearsed || message.rehearsal.endedAt !== null) return { state: "over" };
    if (message.acknowledgedAt !== null) return { state: "used" };
    return { state: "open", id: message.rehearsal.id, text: subjectText(rehearsed) };
  }

  /** Stores that the recipient of a message acknowledged it. Call it in a transaction. */
  acknowledge(deliveryId: number): void {
    const { db, clock } = this.parts;
    const message = rehearsalOfDelivery(db, deliveryId);
    if (!message) return;
    setAcknowledged(db, deliveryId, clock.now());
    updateRehearsal(db, message.rehearsal.id, { dueAt: clock.now() });
  }

  /** Holds a weekly rehearsal, or stores why it is not held. */
  #hold(weekly: WeeklyRehearsal, now: number): void {
    const { db } = this.parts;
    const { id: weeklyId, rule: ruleId, schedule: scheduleId, escalate, wait, dueAt } = weekly;
    setWeeklyDue(db, weeklyId, nextHeld(weekly, now));
    if (dueAt > now) return;
    const start = { ruleId, scheduleId, weeklyId, startedBy: "", escalate, wait };
    const outcome = now - dueAt > MAX_LATE ? NOT_RUNNING : this.#obstacleOf(start);
    if (outcome === null) this.#begin(start);
    else insertRehearsal(db, { ...start, startedAt: now, failedAt: now, endedAt: now, outcome });
  }

  /** Why something cannot be rehearsed now; null if it can. */
  #obstacleOf(subject: Subject): string | null {
    const { db, baseUrl } = this.parts;
    if (rehearsedOf(db, subject)?.rule?.enabled === false) return RULE_DISABLED;
    if (baseUrl() === null) return NO_ADDRESS;
    return isOngoing(db, subject) ? STILL_ONGOING : null;
  }

  /** Stores a rehearsal. The next step notifies its first recipients. @returns the id */
  #begin(start: Start): number {
    const { db, clock, log } = this.parts;
    const now = clock.now();
    const rehearsed = rehearsedOf(db, start);
    const id = insertRehearsal(db, {
      ...start,
      startedAt: now,
      // Makes the first message due now, and keeps the distances of the other steps from it.
      failedAt: now - (rehearsed?.delay ?? 0) * MINUTE,
      dueAt: now,
    });
    log.info("rehearsal started", { id, of: rehearsed?.name ?? "" });
    return id;
  }

  /** Notifies the steps that are due, or ends the rehearsal once nothing more can happen. */
  #evaluate(rehearsal: Rehearsal, now: number): void {
    const { db } = this.parts;
    const { id, endsAt } = rehearsal;
    const rehearsed = rehearsedOf(db, rehearsal);
    if (!rehearsed || rehearsed.rule?.enabled === false) {
      this.#end(id, RULE_DISABLED, now);
      return;
    }
    const messages = messagesOf(db, [id]);
    const facts = factsOf(rehearsal, messages);
    const decision = decide(facts, timesOf(rehearsal, rehearsed), () => null, now);
    if (decision.action === "send") {
      this.#enqueue(rehearsal, rehearsed, decision.steps, now);
      const isFirst = rehearsal.notifiedSteps === 0;
      updateRehearsal(db, id, {
        notifiedSteps: Math.max(...decision.steps) + 1,
        dueAt: decision.dueAt ?? now,
        endsAt: now + rehearsal.wait * MINUTE,
        ...(isFirst && { muted: rehearsed.rule ? muteOf(db, rehearsed.rule, now) : "" }),
      });
      return;
    }
    const nextStepAt = decision.action === "wait" ? decision.dueAt : null;
    if (nextStepAt !== null) updateRehearsal(db, id, { dueAt: nextStepAt });
    else if (endsAt === null || endsAt <= now || messages.every(isSettled)) this.#end(id, "", now);
    else updateRehearsal(db, id, { dueAt: endsAt });
  }

  #end(id: number, outcome: string, now: number): void {
    updateRehearsal(this.parts.db, id, { dueAt: null, endedAt: now, outcome });
  }

  /** Puts the messages of some steps into the outbox. As with an alert, someone who is in several of them gets one. */
  #enqueue(
    { id: rehearsalId }: Rehearsal,
    { name: ruleName, steps }: Rehearsed,
    reached: readonly Step[],
    now: number,
  ): void {
    const { db, channels } = this.parts;
    const audience = new Audience(db, now);
    const all = audience.of(
      reached.flatMap((step) => steps[step] ?? []),
      now,
    );
    const remaining = new Set([...all.targets, ...all.unreached].map((to) => JSON.stringify(to)));
    const claim = (to: object) => remaining.delete(JSON.stringify(to));
    const message = { ruleName, kind: "rehearsal" as const, createdAt: now };
    for (const step of reached) {
      const { targets, unreached } = audience.of(steps.slice(step, step + 1), now);
      const sent = targets.filter(claim).flatMap((target) => {
        const channel = channels.sendable(target.channelId);
        const row = { ...message, status: "pending" as const, nextAt: now };
        return channel ? addressed(channel, target).map((to) => ({ ...row, ...to })) : [];
      });
      const missed = unreached.filter(claim).map(({ name: channelName, person, reason: answer }) => {
        const row = { ...message, status: "failed" as const, finishedAt: now };
        return { ...row, channelName, person, answer };
      });
      const rows = [...sent, ...missed];
      const userIds = userIdsOf(
        db,
        rows.map(({ person }) => person),
      );
      for (const row of rows) {
        const deliveryId = insertDelivery(db, row, []);
        insertMessage(db, { deliveryId, rehearsalId, step, userId: userIds.get(row.person) ?? null });
      }
    }
    failExcess(db, now);
  }
}

/** Whether nothing more can happen to a message: its recipient has acknowledged it, or will never get it. */
function isSettled({ status, acknowledgedAt }: RehearsalMessage): boolean {
  return status === "failed" || acknowledgedAt !== null;
}
