import { type Clock, DAY } from "../../platform/clock.ts";
import { INTERNAL_ERROR } from "../../platform/http/errors.ts";
import type { Log } from "../../platform/log.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { endHolds, findChannel, putResult } from "../channels/channels.repository.ts";
import type { ChannelSender, Channels } from "../channels/channels.service.ts";
import type { Answer } from "../channels/kinds/channel-kind.ts";
import { RULE_DISABLED } from "../rules/alert-wakes.repository.ts";
import { ruleRows } from "../rules/rules.repository.ts";
import { backOff, heldUntil, MAX_BACK_OFF, MAX_HELD } from "./breaker.ts";
import { type Delivery, updateDelivery } from "./deliveries.repository.ts";
import { type DeliveryMessages, isAlert } from "./delivery-messages.service.ts";
import {
  bringForward,
  channelsDue,
  earlierWaiting,
  failOverdue,
  failSendingOfDisabled,
  isAnySendable,
  moveBack,
  nextOfChannel,
  reviveSending,
  withoutChannel,
} from "./outbox.repository.ts";

/** Milliseconds between two steps. The end of an attempt triggers a step too. */
export const SEND_STEP_MS = 1000;
/** The most concurrent attempts, each on a different channel. */
export const MAX_IN_FLIGHT = 100;
/** The most of these on channels whose last attempt failed, so that failing channels leave room for working ones. */
export const MAX_FAILING_IN_FLIGHT = 50;
/** The most messages without a channel, and messages of one channel, that one step handles. */
const BATCH = 50;
/** Seconds after its creation until a message is given up. */
const GIVE_UP = DAY;
/**
 * Milliseconds. Every channel has a shorter limit of its own; this one guards against a channel that ignores
 * it.
 */
const ATTEMPT_LIMIT_MS = 120_000;

const INTERRUPTED = "Muster ended during the attempt: whether it arrived is unknown";
const NO_CHANNEL = "the channel was deleted";
const CHANNEL_DISABLED = "the channel is disabled";
const NO_RULE = "the rule was deleted";

export interface SenderDependencies {
  db: Db;
  channels: Pick<Channels, "sendable">;
  messages: DeliveryMessages;
  clock: Clock;
  log: Log;
}

/** An attempt that is under way. */
interface SendAttempt {
  delivery: Delivery;
  channel: ChannelSender;
  /** Whether the channel's last attempt failed. */
  isFailing: boolean;
}

/** A finished attempt. `isOfChannel` is false if it says nothing about the channel, for example if composing failed. */
interface Ended extends SendAttempt {
  answer: Answer;
  isOfChannel: boolean;
}

/** Whether the outcome says how the channel does. If its only recipient is refused, nothing arrives through it. */
function isOfChannel({ only }: Answer, { kind, person }: Delivery, { recipients }: ChannelSender): boolean {
  if (only === undefined) return true;
  const isOwnRecipient = person === "" && kind !== "report";
  return only === "recipient" && isOwnRecipient && recipients.length === 1;
}

/**
 * Delivers the messages of the outbox. The start of an attempt is stored before it begins, and its outcome
 * afterwards. If Muster ends in between, nobody knows whether the message arrived, so it is sent again under the same
 * id.
 * Channels take turns, and each has at most one attempt under way, so its messages keep their order. A channel that
 * keeps failing backs off (see the breaker), so a remote that never answers delays only its own messages.
 */
export class Sender {
  /** Keyed by channel id. */
  readonly #inFlight = new Map<number, { isFailing: boolean; sent: Promise<void> }>();
  /** Finished attempts whose outcome is not stored yet. */
  readonly #ended: Ended[] = [];
  #isStopping = false;
  /** Time of the last step, unix seconds. */
  #steppedAt = 0;

  constructor(private readonly dependencies: SenderDependencies) {}

  /** Call it once, before the first step. */
  start(): void {
    const { db, clock, log } = this.dependencies;
    const revived = transaction(db, () => {
      // This machine may have caused the earlier failures, for example its network.
      endHolds(db);
      bringForward(db, clock.now(), MAX_BACK_OFF);
      failSendingOfDisabled(db, clock.now(), RULE_DISABLED);
      return reviveSending(db, clock.now(), INTERRUPTED);
    });
    if (revived > 0) log.warn("messages were interrupted and are sent again", { messages: revived });
  }

  /** Stores outcomes of finished attempts, and begins due attempts up to the limits. */
  step(): void {
    this.#storeOutcomes();
    this.#followClock();
    const { db, clock } = this.dependencies;
    if (this.#isStopping || !isAnySendable(db, clock.now(), MAX_HELD)) return;
    const attempts = transaction(db, () => {
      this.#failWithoutChannel();
      return this.#begin();
    });
    for (const attempt of attempts) this.#attempt(attempt);
  }

  /**
   * If the clock is set back, times of next attempts are moved back too, so that the waits keep their length.
   */
  #followClock(): void {
    const now = this.dependencies.clock.now();
    if (now < this.#steppedAt) moveBack(this.dependencies.db, this.#steppedAt - now);
    this.#steppedAt = now;
  }

  /** Resolves when no attempt is under way. */
  async idle(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all([...this.#inFlight.values()].map(({ sent }) => sent));
  }

  /**
   * Begins no more attempts, and waits up to `milliseconds` for those under way. An attempt that has not
   * finished by then counts as interrupted at the next start.
   */
  async stop(milliseconds: number): Promise<void> {
    this.#isStopping = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, milliseconds);
    });
    await Promise.race([this.idle(), limit]);
    clearTimeout(timer);
    this.#storeOutcomes();
  }

  /** Marks the attempts that begin now, at most one per channel. */
  #begin(): SendAttempt[] {
    const { db, clock, channels } = this.dependencies;
    const now = clock.now();
    const begun: SendAttempt[] = [];
    let room = MAX_IN_FLIGHT - this.#inFlight.size;
    let failingRoom =
      MAX_FAILING_IN_FLIGHT - [...this.#inFlight.values()].filter(({ isFailing }) => isFailing).length;
    for (const { id, failures } of channelsDue(db, now, MAX_HELD)) {
      const isFailing = failures > 0;
      if (room <= 0 || (isFailing && failingRoom <= 0)) break;
      if (this.#inFlight.has(id)) continue;
      const channel = channels.sendable(id);
      const next = channel && this.#nextOf(id, now);
      if (!channel || !next) continue;
      const attempts = next.attempts + 1;
      updateDelivery(db, next.id, { status: "sending", attempts, nextAt: null });
      begun.push({ delivery: { ...next, attempts }, channel, isFailing });
      room--;
      if (isFailing) failingRoom--;
    }
    return begun;
  }

  /** The next message to send on a channel. Messages that can never be sent are failed first. */
  #nextOf(channelId: number, now: number): Delivery | null {
    const { db } = this.dependencies;
    let next = nextOfChannel(db, channelId, now);
    for (let i = 0; next && i < BATCH; i++) {
      // The recovery of a failure must not arrive before its problem.
      const earlier = earlierWaiting(db, next);
      if (earlier && (earlier.nextAt ?? now) <= now) next = earlier;
      else if (!earlier && (next.ruleId !== null || !isAlert(next.kind))) return next;
      else {
        if (earlier) updateDelivery(db, next.id, { nextAt: earlier.nextAt });
        else this.#fail(next, NO_RULE, now);
        next = nextOfChannel(db, channelId, now);
      }
    }
    return null;
  }

  #failWithoutChannel(): void {
    const { db, clock } = this.dependencies;
    const now = clock.now();
    for (const delivery of withoutChannel(db, now, BATCH))
      this.#fail(delivery, delivery.channelId === null ? NO_CHANNEL : CHANNEL_DISABLED, now);
  }

  #attempt(attempt: SendAttempt): void {
    const { channel, isFailing } = attempt;
    const sent = this.#send(attempt).then((ended) => {
      this.#inFlight.delete(channel.id);
      this.#ended.push({ ...attempt, ...ended });
      this.#stepAgain();
    });
    this.#inFlight.set(channel.id, { isFailing, sent });
  }

  /** Never rejects. */
  async #send({ delivery, channel }: SendAttempt): Promise<Pick<Ended, "answer" | "isOfChannel">> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      const composed = this.dependencies.messages.of(delivery);
      // An alert is handed to its channel at once, without a turn of the event loop in between.
      const message = composed instanceof Promise ? await composed : composed;
      if ("refused" in message)
        return { answer: { outcome: "refused", detail: message.refused }, isOfChannel: false };
      const limit = new Promise<Answer>((resolve) => {
        const late: Answer = { outcome: "unknown", detail: `No answer within ${ATTEMPT_LIMIT_MS / 1000} s` };
        timer = setTimeout(() => resolve(late), ATTEMPT_LIMIT_MS);
      });
      const attempt = channel.send(message, delivery.recipient, delivery.person !== "");
      const answer = await Promise.race([attempt, limit]);
      return { answer, isOfChannel: isOfChannel(answer, delivery, channel) };
    } catch (error) {
      this.dependencies.log.error("message cannot be sent", { id: delivery.id, error });
      return { answer: { outcome: "failed", detail: INTERNAL_ERROR }, isOfChannel: false };
    } finally {
      clearTimeout(timer);
    }
  }

  /** Runs a step at once after an attempt. If it fails, the next regular step repeats it. */
  #stepAgain(): void {
    if (this.#isStopping) return;
    try {
      this.step();
    } catch (error) {
      this.dependencies.log.error("outcome of a message cannot be stored yet", { error });
    }
  }

  #storeOutcomes(): void {
    if (this.#ended.length === 0) return;
    const now = this.dependencies.clock.now();
    transaction(this.dependencies.db, () => {
      for (const ended of this.#ended) {
        this.#storeOutcome(ended, now);
        if (ended.isOfChannel) this.#storeResult(ended, now);
      }
    });
    this.#ended.length = 0;
  }

  /** Stores the outcome for the message. */
  #storeOutcome({ delivery, answer }: Ended, now: number): void {
    const { outcome, detail, retryAfter } = answer;
    const { db } = this.dependencies;
    if (outcome === "sent")
      updateDelivery(db, delivery.id, { status: "sent", nextAt: null, finishedAt: now, answer: detail });
    else if (outcome === "refused") this.#fail(delivery, detail, now);
    // The rule was disabled during the attempt. Messages that waited then were failed at once, but this one did not
    // wait.
    else if (delivery.ruleId !== null && ruleRows.find(db, delivery.ruleId)?.enabled === false)
      this.#fail(delivery, RULE_DISABLED, now);
    else {
      const nextAt = now + Math.min(Math.max(retryAfter ?? backOff(delivery.attempts), 1), MAX_BACK_OFF);
      if (nextAt - delivery.createdAt > GIVE_UP) this.#fail(delivery, givenUp(detail), now);
      else updateDelivery(db, delivery.id, { status: "pending", nextAt, answer: detail });
    }
  }

  /** Stores the result for the channel. */
  #storeResult({ channel, answer }: Ended, now: number): void {
    const { db, log } = this.dependencies;
    const { id, name } = channel;
    const row = findChannel(db, id);
    if (!row) return;
    const { outcome, detail } = answer;
    const failures = outcome === "sent" ? 0 : row.failures + 1;
    const until = heldUntil(failures, answer, now);
    putResult(db, id, {
      failures,
      heldUntil: until,
      lastAt: now,
      lastOutcome: outcome,
      lastAnswer: detail,
    });
    if (until !== null && row.heldUntil === null)
      log.warn("channel fails and is held", { channel: name, failures });
    if (outcome === "sent" && row.heldUntil !== null) log.info("channel works again", { channel: name });
    if (until === null) return;
    const failed = failOverdue(db, id, { before: now - GIVE_UP, now, answer: givenUp(detail) });
    if (failed > 0) log.warn("messages failed", { messages: failed, channel: name, answer: givenUp(detail) });
  }

  #fail({ id, channelName: channel, ruleName: rule }: Delivery, answer: string, now: number): void {
    updateDelivery(this.dependencies.db, id, { status: "failed", nextAt: null, finishedAt: now, answer });
    this.dependencies.log.warn("message failed", { id, channel, rule, answer });
  }
}

function givenUp(detail: string): string {
  return `given up after a day: ${detail}`;
}
