import { acknowledgementsOf } from "../../monitoring/uptime/acknowledgements.repository.ts";
import { type Clock, MINUTE } from "../../platform/clock.ts";
import { type Db, onRollback, transaction } from "../../platform/storage/open.ts";
import type { Channels } from "../channels/channels.service.ts";
import { Audience, addressed, type Target } from "../notifications/audience.ts";
import { type Delivery, insertDelivery } from "../notifications/deliveries.repository.ts";
import type { MessageContent, MessageSource } from "../notifications/delivery-messages.service.ts";
import { failExcess } from "../notifications/outbox.repository.ts";
import { MAX_SPAN } from "../on-call/on-call.queries.ts";
import {
  allSchedules,
  findSchedule,
  overridesAfter,
  peopleById,
  type StoredSchedule,
} from "../on-call/on-call.repository.ts";
import { onCallAt } from "../on-call/rotation.ts";
import { findingAcknowledgementsOf } from "../problems/health-problems.repository.ts";
import { type Handover, handoversIn, type OnCallTurn, turnsIn } from "./handovers.ts";
import { composeShift, type OpenProblems, type ShiftPart } from "./shift-message.ts";
import {
  forgetEarlyNotices,
  insertNotice,
  isNotified,
  leaverAt,
  noticeOfDelivery,
  openChecksOf,
  openFindingsOf,
  type ShiftNotice,
} from "./shifts.repository.ts";

/** Milliseconds between two checks of the schedules. */
export const SHIFT_STEP_MS = 15_000;
/** Seconds after a handover in which its people are still notified, for example after a restart. */
const MAX_LATE = 900;
/** The most open problems that a message names. */
const MAX_NAMED = 10;

const NO_SHIFT = "the schedule or the user was deleted";
export const SHIFT_CHANGED = "someone else has that shift now";
export const ONLY_INCIDENTS = "all channels of this user open incidents, which a notice must not";

/** One person who is to be notified. */
interface Due {
  userId: number;
  part: ShiftPart;
  startsAt: number;
}

interface ShiftNoticeParts {
  db: Db;
  channels: Pick<Channels, "sendable">;
  clock: Clock;
}

/** Who is to be notified of a handover now. */
function dueOf(
  { noticeminutes, handovernotice }: Pick<StoredSchedule, "noticeminutes" | "handovernotice">,
  { at, leaves, comes }: Handover,
  now: number,
): Due[] {
  const due = (userId: number | null, part: ShiftPart): Due[] =>
    userId === null ? [] : [{ userId, part, startsAt: at }];
  if (at > now) return at - noticeminutes * MINUTE <= now ? due(comes, "before") : [];
  return handovernotice ? [...due(comes, "begins"), ...due(leaves, "ends")] : [];
}

/** Whether a notice is still right. @param turn that contains the time of the notice */
function isStillRight({ part, startsAt, userId }: ShiftNotice, turn: OnCallTurn): boolean {
  if (part === "ends") return turn.userId !== userId;
  return turn.userId === userId && (part === "begins" || turn.from === startsAt);
}

/**
 * Notifies people before their shifts begin, and when one is handed over, with what is open. Who was notified is stored
 * with the messages, so that nobody is notified twice, however often Muster starts or the schedule changes.
 */
export class ShiftNotices implements MessageSource {
  /** When each schedule was last changed, by id, unix seconds. Those that this process did not change are missing. */
  readonly #changedAt = new Map<number, number>();

  constructor(private readonly parts: ShiftNoticeParts) {}

  /** Notifies everyone whose notice is due. @returns false: nothing else is due */
  step(): boolean {
    const { db, clock } = this.parts;
    const now = clock.now();
    for (const schedule of allSchedules(db)) this.#notifyDue(schedule, now);
    return false;
  }

  /**
   * Makes a change of a schedule, and notifies both people if one replaces the other at once because of it. Notices
   * that were due by the old schedule are sent first. Handovers that the new schedule would have had until now are left
   * out. Call it in a transaction.
   */
  watching<T>(scheduleId: number, change: () => T): T {
    const { db, clock } = this.parts;
    const now = clock.now();
    const onCallNow = (schedule: StoredSchedule | undefined) =>
      schedule ? onCallAt(schedule, overridesAfter(db, now, [scheduleId]), now) : null;
    const before = findSchedule(db, scheduleId);
    if (before) this.#notifyDue(before, now);
    const leaves = onCallNow(before);
    const result = change();
    const after = findSchedule(db, scheduleId);
    const comes = onCallNow(after);
    if (after && comes !== leaves) this.#notify(after, [{ at: now, leaves, comes }], now);
    const changedAt = this.#changedAt.get(scheduleId) ?? 0;
    this.#changedAt.set(scheduleId, now);
    onRollback(db, () => this.#changedAt.set(scheduleId, changedAt));
    return result;
  }

  /** Composes a message when it is sent. */
  messageOf({ id: deliveryId }: Delivery, baseUrl: URL | null): MessageContent {
    const { db, clock } = this.parts;
    const notice = noticeOfDelivery(db, deliveryId);
    const schedule = notice && findSchedule(db, notice.scheduleId);
    if (!schedule) return { refused: NO_SHIFT };
    const { part, startsAt } = notice;
    const span = { from: startsAt - 1, to: startsAt + MAX_SPAN };
    const turns = turnsIn(schedule, overridesAfter(db, span.from, [schedule.id]), span);
    const shift = turns.find(({ to }) => to > startsAt);
    if (!shift || !isStillRight(notice, shift)) return { refused: SHIFT_CHANGED };
    // If no handover of the present schedule begins the shift, a change of the schedule replaced someone at that time.
    const leaves = shift.from === startsAt ? turns[0]?.userId : leaverAt(db, schedule.id, startsAt);
    const people = peopleById(db, [leaves ?? 0, shift.userId ?? 0]);
    const nameOf = (id: number | null | undefined) => {
      const person = people.get(id ?? 0);
      return person?.fullname || person?.uname || "";
    };
    const news = {
      part,
      schedule: schedule.name,
      timezone: schedule.timezone,
      from: startsAt,
      to: shift.to < span.to ? shift.to : null,
      leaves: nameOf(leaves),
      comes: nameOf(shift.userId),
      open: this.#openProblems(schedule.id),
    };
    const url = baseUrl && new URL("/on-call", baseUrl).href;
    return { url, ...composeShift(news, clock.now()) };
  }

  #openProblems(scheduleId: number): OpenProblems {
    const { db, clock } = this.parts;
    const checks = openChecksOf(db, scheduleId, MAX_NAMED);
    const findings = openFindingsOf(db, scheduleId, MAX_NAMED);
    const errorIds = checks.rows.flatMap(({ errorId }) => errorId ?? []);
    const acknowledged = acknowledgementsOf(db, errorIds, clock.now());
    const findingIds = findings.rows.map(({ id }) => id);
    const acknowledgedFindings = findingAcknowledgementsOf(db, findingIds, clock.now());
    const problems = [
      ...checks.rows.map(({ errorId, host, service, message, since }) => ({
        text: `${service} on ${host}: ${message}`,
        since,
        acknowledgedBy: acknowledged.get(errorId ?? 0)?.uname ?? "",
      })),
      ...findings.rows.map(({ id, text, since }) => ({
        text: `Muster: ${text}`,
        since,
        acknowledgedBy: acknowledgedFindings.get(id)?.uname ?? "",
      })),
    ];
    problems.sort((a, b) => a.since - b.since);
    return { total: checks.total + findings.total, problems: problems.slice(0, MAX_NAMED) };
  }

  /** Notifies people of what a schedule makes due by now. */
  #notifyDue(schedule: StoredSchedule, now: number): void {
    const { id, noticeminutes, handovernotice } = schedule;
    if (noticeminutes === 0 && !handovernotice) return;
    // If the clock was set back by less, the notices were right to within that time.
    forgetEarlyNotices(this.parts.db, id, now + MAX_LATE);
    const changedAt = this.#changedAt.get(id) ?? 0;
    // If the clock was set back, the change is in the future.
    const since = changedAt > now ? 0 : changedAt;
    const span = { from: Math.max(now - MAX_LATE, since), to: now + noticeminutes * MINUTE + 1 };
    const handovers = handoversIn(schedule, overridesAfter(this.parts.db, span.from, [id]), span);
    this.#notify(schedule, handovers, now);
  }

  /** Puts the notices that handovers make due into the outbox, except those that were sent before. */
  #notify(schedule: StoredSchedule, handovers: readonly Handover[], now: number): void {
    const { db } = this.parts;
    const due = handovers
      .flatMap((handover) => dueOf(schedule, handover, now))
      .filter((notice) => !isNotified(db, { scheduleId: schedule.id, ...notice }, now));
    if (due.length > 0) transaction(db, () => this.#enqueue(schedule, due, now));
  }

  #enqueue({ id: scheduleId, name: ruleName }: StoredSchedule, due: readonly Due[], now: number): void {
    const { db } = this.parts;
    const audience = new Audience(db, now);
    const people = peopleById(
      db,
      due.map(({ userId }) => userId),
    );
    for (const { userId, part, startsAt } of due) {
      const { uname: person = "" } = people.get(userId) ?? {};
      const message = { ruleName, person, kind: "shift" as const, createdAt: now };
      const store = (row: Parameters<typeof insertDelivery>[1]) => {
        const deliveryId = insertDelivery(db, row, []);
        insertNotice(db, { deliveryId, scheduleId, userId, part, startsAt });
      };
      const step = { after: 0, channels: [], users: [person], schedules: [] };
      const { targets, unreached } = audience.of([step], now);
      const addresses = targets.flatMap((target) => this.#addressesOf(target));
      for (const to of addresses) store({ ...message, ...to, status: "pending", nextAt: now });
      const answer = unreached[0]?.reason ?? ONLY_INCIDENTS;
      if (addresses.length === 0)
        store({ ...message, channelName: person, status: "failed", finishedAt: now, answer });
    }
    failExcess(db, now);
  }

  /** A channel that takes one event at a time makes an incident of each message, so it gets none. */
  #addressesOf(target: Target) {
    const channel = this.parts.channels.sendable(target.channelId);
    return channel?.grouped ? addressed(channel, target) : [];
  }
}
