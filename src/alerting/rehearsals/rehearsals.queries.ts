import { type Clock, DAY } from "../../platform/clock.ts";
import { errors } from "../../platform/http/errors.ts";
import { pageOf } from "../../platform/http/paging.ts";
import type { Reach, Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { Audience } from "../notifications/audience.ts";
import { allSchedules } from "../on-call/on-call.repository.ts";
import { enabledRules } from "../rules/rules.repository.ts";
import {
  countRehearsals,
  findRehearsal,
  idleChannels,
  listRehearsals,
  messagesOf,
  type Rehearsal,
  type RehearsalMessage,
} from "./rehearsals.repository.ts";
import type { RehearsalListArguments } from "./rehearsals.schemas.ts";
import { rehearsedOf, rulesSeen, stepOfSchedule } from "./rehearsed.ts";
import { WeeklyRehearsalReads } from "./weekly.queries.ts";

/** Seconds without a delivery after which the rehearsal of a channel is suggested. */
const IDLE = 30 * DAY;

/** Identifies whom a message is for: a user, an address, a channel, or a schedule with nobody on call. */
function recipientOf({ person, recipient, channelName }: RehearsalMessage): string {
  return person || recipient || channelName;
}

/**
 * Hides from all but administrators what reveals settings of channels: addresses of recipients, and answers of remotes.
 */
function visibleMessage(message: RehearsalMessage, scope: Scope): RehearsalMessage {
  if (scope === "all") return message;
  // If a message reaches nobody, it has no channel, and its answer is a text of Muster.
  return { ...message, recipient: "", answer: message.channelId === null ? message.answer : "" };
}

/** A rehearsal with its result. A recipient who acknowledged one of the messages has noticed it. */
function resultOf(db: Db, rehearsal: Rehearsal, messages: readonly RehearsalMessage[], scope: Scope) {
  const { id, ruleId, scheduleId, weeklyId, startedBy, startedAt, endedAt, escalate, wait } = rehearsal;
  const byRecipient = Map.groupBy(messages, recipientOf);
  const asleep = [...byRecipient.values()].filter((received) =>
    received.every(({ acknowledgedAt }) => acknowledgedAt === null),
  );
  const nameOf = ([first]: readonly RehearsalMessage[]) =>
    first ? recipientOf(visibleMessage(first, scope)) : [];
  return {
    id,
    ruleid: ruleId,
    scheduleid: scheduleId,
    of: rehearsedOf(db, rehearsal)?.name ?? "",
    weeklyid: weeklyId,
    startedby: startedBy,
    date: startedAt,
    ended: endedAt,
    escalate,
    wait,
    muted: rehearsal.muted,
    outcome: rehearsal.outcome,
    notified: byRecipient.size,
    acknowledged: byRecipient.size - asleep.length,
    asleep: [...new Set(asleep.flatMap(nameOf))],
  };
}

function secondsSince(date: number, at: number | null): number | null {
  return at === null ? null : Math.max(0, at - date);
}

function shownMessage(message: RehearsalMessage) {
  const { step, person, recipient, status, attempts, answer, createdAt: date } = message;
  return {
    step,
    person,
    recipient,
    channel: message.channelName,
    channelid: message.channelId,
    status,
    attempts,
    answer,
    date,
    delivered: status === "sent" ? secondsSince(date, message.finishedAt) : null,
    acknowledged: secondsSince(date, message.acknowledgedAt),
  };
}

/** Rehearsals, their results, and what should be rehearsed. */
export function rehearsalQueries(db: Db, clock: Clock) {
  const weekly = new WeeklyRehearsalReads(db);
  return {
    weeklyRehearsalList: (reach: Reach) => weekly.list(reach),
    /** @throws ApiError 404 */
    weeklyRehearsal: (id: number, reach: Reach) => weekly.get(id, reach),

    rehearsalList: (
      { ruleid, scheduleid, results: pageSize, startindex }: RehearsalListArguments,
      scope: Scope,
    ) => {
      const filter = {
        ruleId: ruleid ?? null,
        scheduleId: scheduleid ?? null,
        ruleIds: rulesSeen(db, scope),
      };
      const rows = listRehearsals(db, filter, pageSize, startindex);
      const messages = messagesOf(
        db,
        rows.map(({ id }) => id),
      );
      const byRehearsal = Map.groupBy(messages, ({ rehearsalId }) => rehearsalId);
      const records = rows.map((row) => resultOf(db, row, byRehearsal.get(row.id) ?? [], scope));
      return pageOf(records, { pageSize, totalRecords: countRehearsals(db, filter), startIndex: startindex });
    },

    /** @throws ApiError 404 */
    rehearsal: (id: number, scope: Scope) => {
      const rehearsal = findRehearsal(db, id);
      const ruleIds = rulesSeen(db, scope);
      const isSeen = !ruleIds || ruleIds.some((ruleId) => ruleId === rehearsal?.ruleId);
      if (!rehearsal || !isSeen) throw errors.notFound("rehearsal", id);
      const messages = messagesOf(db, [id]);
      return {
        ...resultOf(db, rehearsal, messages, scope),
        messages: messages.map((message) => shownMessage(visibleMessage(message, scope))),
      };
    },

    rehearsalSuggestions: () => {
      const now = clock.now();
      const idle = idleChannels(db, now - IDLE);
      if (idle.length === 0) return { records: [] };
      const audience = new Audience(db, now);
      const channelsOf = (steps: Parameters<Audience["of"]>[0]) =>
        new Set(audience.of(steps, now).targets.map(({ channelId }) => channelId));
      const rules = enabledRules(db).map(({ id, name, steps }) => ({ id, name, reaches: channelsOf(steps) }));
      const schedules = allSchedules(db).map(({ id, name }) => {
        return { id, name, reaches: channelsOf([stepOfSchedule(id)]) };
      });
      const reaching = (all: typeof rules, channelId: number) =>
        all.filter(({ reaches }) => reaches.has(channelId)).map(({ id, name }) => ({ id, name }));
      const records = idle.map(({ id: channelid, name: channel, last }) => ({
        channelid,
        channel,
        last,
        rules: reaching(rules, channelid),
        schedules: reaching(schedules, channelid),
      }));
      return { records };
    },
  };
}

export type RehearsalQueries = AsyncQueries<ReturnType<typeof rehearsalQueries>>;
