/** Who is notified of the alerts of a group, and which of its alerts fit into a step of the dispatcher. */
import { batchesOf } from "../../platform/batches.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { ChannelSender, Channels } from "../channels/channels.service.ts";
import { isEnd } from "../channels/kinds/urgency.ts";
import type { Rule } from "../rules/rules.repository.ts";
import { endOf } from "./alert-facts.ts";
import type { AlertStore, DueAlert } from "./alerts.repository.ts";
import { Audience, addressed, type Recipients, type Target, type Unreached } from "./audience.ts";
import { isRecent, isResumed } from "./decide.ts";
import { targetsNotified } from "./deliveries.repository.ts";
import type { AlertGroup, AlertToSend } from "./grouping.ts";

/** The number of events as which a message about only one event counts: the message itself is in many indexes. */
const MESSAGE_OF_ONE = 10;
/** Alerts whose earlier recipients are read in one query. */
const FOLLOWED = 50;

/** Alerts that become one message per channel. */
export interface GroupOfRule extends AlertGroup<AlertToSend<DueAlert>> {
  rule: Rule;
}

/** Who is notified of some alerts of a group. */
export interface PartOfGroup {
  members: GroupOfRule["members"];
  pairs: { target: Target; eventId: number }[];
  missed: { target: Unreached; eventId: number }[];
  /** How much of `EVENTS_WRITTEN` it takes. */
  written: number;
  /** Whether the group has further alerts. */
  isTorn: boolean;
}

interface RecipientsDependencies {
  db: Db;
  channels: Pick<Channels, "sendable">;
}

/** Who is notified of alerts in one step. */
export class RecipientsOf {
  readonly #audience: Audience;
  readonly #channels = new Map<number, ChannelSender | null>();

  constructor(
    private readonly dependencies: RecipientsDependencies,
    private readonly store: AlertStore,
    private readonly now: number,
  ) {
    this.#audience = new Audience(dependencies.db, now);
  }

  /** The channel to send through; null if it does not exist. */
  channel(id: number): ChannelSender | null {
    const read = this.#channels.get(id);
    if (read !== undefined) return read;
    const channel = this.dependencies.channels.sendable(id);
    this.#channels.set(id, channel);
    return channel;
  }

  /** The first alerts of a group that fit, but at least one. @param room what is left of `EVENTS_WRITTEN` */
  part(group: GroupOfRule, room: number): PartOfGroup {
    const part: PartOfGroup = { members: [], pairs: [], missed: [], written: 0, isTorn: false };
    const members: GroupOfRule["members"][number][] = [];
    for (const some of batchesOf(group.members, FOLLOWED))
      for (const [member, recipients] of this.#of(group, some)) {
        const written = this.#writtenFor(recipients);
        if (members.length > 0 && part.written + written > room) return { ...part, members, isTorn: true };
        const { eventId } = member.alert;
        part.pairs.push(...recipients.targets.map((target) => ({ target, eventId })));
        part.missed.push(...recipients.unreached.map((target) => ({ target, eventId })));
        part.written += written;
        members.push(member);
      }
    return { ...part, members };
  }

  #writtenFor({ targets, unreached }: Recipients): number {
    let written = unreached.length;
    for (const target of targets) {
      const channel = this.channel(target.channelId);
      if (channel) written += addressed(channel, target).length * (channel.grouped ? 1 : MESSAGE_OF_ONE);
    }
    return written;
  }

  /**
   * The recipients of each alert. Reminders, ends and failures that outlast flapping go to those who were notified
   * before. If none of these is left, they go to those whom the steps of the rule name now. If nobody has been
   * notified, the steps decide too, but nobody gets an end.
   */
  *#of({ rule, kind }: GroupOfRule, members: GroupOfRule["members"]) {
    const { store, now } = this;
    const isOver = isEnd(kind);
    const outlasts = kind === "problem" && members.some(({ alert }) => alert.notifiedAt !== null);
    const follows = kind === "reminder" || isOver || outlasts;
    const eventIds = members.map(({ alert }) => alert.eventId);
    const before = follows ? targetsNotified(this.dependencies.db, rule.id, eventIds, store.reported) : [];
    const addressedByEvent = Map.groupBy(before, ({ eventId }) => eventId);
    for (const member of members) {
      const { alert, sending } = member;
      const ofEvent = addressedByEvent.get(alert.eventId) ?? [];
      const heard = ofEvent.filter(({ tried }) => tried === 1);
      const isUnheard = heard.length === 0 && ofEvent.length > 0;
      // Someone who never heard of a failure hears nothing of its end.
      const notified = isOver || isUnheard ? heard : ofEvent;
      const steps = sending.steps.flatMap((step) => rule.steps[step] ?? []);
      const followed = this.#audience.following(notified);
      const isAnyLeft = followed.targets.length + followed.unreached.length > 0;
      const isForNobody = isOver && isUnheard;
      const { targets, unreached } = isAnyLeft || isForNobody ? followed : this.#audience.of(steps, now);
      const ofTarget = Map.groupBy(notified, keyOfNotified);
      const isForAll = isResumed({ ...alert, endedAt: endOf(alert) });
      const isReminded = (target: Target) => {
        const messages = ofTarget.get(keyOf(target)) ?? [];
        // A target whose first message still waits needs no reminder, unless another recipient of its channel got it.
        const isWaiting = messages.length > 0 && messages.every(({ waiting }) => waiting);
        return !isWaiting && (isForAll || !messages.some(({ at }) => isRecent(at, rule, now)));
      };
      const once = this.#withoutRepetition(targets);
      const reached = kind === "reminder" ? once.filter(isReminded) : once;
      yield [member, { targets: reached, unreached }] as const;
    }
  }

  /**
   * Leaves out people whose message goes to another target, too: they share a chat, or their address is one of a
   * channel. A message to a chat that several people share is for the chat, not for one of them.
   */
  #withoutRepetition(targets: readonly Target[]): Target[] {
    const ofPlace = new Map<string, Target>();
    for (const target of targets) {
      const channel = this.channel(target.channelId);
      for (const { channelId, recipient } of channel ? addressed(channel, target) : []) {
        const place = JSON.stringify([channelId, recipient.toLowerCase()]);
        const earlier = ofPlace.get(place);
        const isShared = earlier !== undefined && earlier.address === "" && target.address === "";
        if (!earlier) ofPlace.set(place, target);
        else if (isShared) ofPlace.set(place, { ...earlier, person: "" });
      }
    }
    return [...new Set(ofPlace.values())];
  }
}

/** A target with an address of its own is a person, any other one is a channel. */
const keyOf = ({ channelId, person, address }: Target) =>
  JSON.stringify([channelId, address === "" ? "" : person]);

function keyOfNotified({ channelId, person, recipient }: ReturnType<typeof targetsNotified>[number]): string {
  return JSON.stringify([channelId, recipient === "" ? "" : person]);
}
