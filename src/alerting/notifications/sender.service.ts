import type { Clock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { endHolds, findChannel, updateChannel } from "../channels/channels.repository.ts";
import type { Channels, Sendable } from "../channels/channels.service.ts";
import type { AlertMessage, Answer } from "../channels/kinds/channel-kind.ts";
import { backOff, heldUntil, MAX_BACK_OFF, MAX_HELD } from "./breaker.ts";
import { type Delivery, eventsOfDelivery, updateDelivery } from "./deliveries.repository.ts";
import { composeMessage } from "./message.ts";
import {
  bringForward,
  channelsDue,
  earlierWaiting,
  failOverdue,
  isAnyWaiting,
  moveBack,
  nextOfChannel,
  reviveSending,
  withoutChannel,
} from "./outbox.repository.ts";

/** Between two looks at the outbox, milliseconds. What ends an attempt looks too. */
export const SEND_STEP_MS = 1000;
/** Attempts at the same time, each of another channel. */
export const MAX_IN_FLIGHT = 100;
/** Of these, attempts of channels whose last one failed: they must not take the places of those that work. */
export const MAX_FAILING_IN_FLIGHT = 50;
/** Messages without a channel, and messages of one channel, that one step looks at. */
const BATCH = 50;
/** No more attempts begin this long after the message was made, seconds. */
export const GIVE_UP = 86_400;
/** Channels keep to their own limits, shorter than this: one that did not must not hold up the others, milliseconds. */
const ATTEMPT_LIMIT_MS = 120_000;

export const INTERRUPTED = "Muster ended during the attempt: whether it arrived is unknown";
export const NO_CHANNEL = "the channel was deleted";
export const CHANNEL_DISABLED = "the channel is disabled";
export const NO_RULE = "the rule was deleted";
export const NO_EVENTS = "what it tells of was deleted";
const INTERNAL_ERROR = "Something went wrong inside Muster; its log says what";

export interface SenderDependencies {
  db: Db;
  box: SecretBox;
  channels: Pick<Channels, "sendable">;
  clock: Clock;
  log: Log;
  /** Origin under which people reach Muster; null when nobody told. */
  baseUrl: () => URL | null;
  /** Of the times in messages, an IANA name. */
  timeZone: () => string;
}

/** An attempt that is under way. */
interface Attempt {
  delivery: Delivery;
  channel: Sendable;
  /** Whether the channel's last attempt failed. */
  isFailing: boolean;
}

/** An attempt that ended. `isOfChannel` is false when the message could not be made, so that nothing was sent. */
interface Ended extends Attempt {
  answer: Answer;
  isOfChannel: boolean;
}

/**
 * Delivers what is in the outbox. That an attempt begins is stored before it does, and its outcome after it: should Muster
 * end in between, nobody knows whether the message arrived, and it is sent again under the same id.
 *
 * Channels are served in turn, and each has one attempt under way at most, so that its messages keep their order. One that
 * keeps failing is held between its attempts (see the breaker). So a remote that never answers costs only its own messages.
 */
export class Sender {
  readonly #sign: (text: string) => string;
  /** By channel. */
  readonly #inFlight = new Map<number, { isFailing: boolean; done: Promise<void> }>();
  /** Outcomes that are not stored yet. */
  readonly #ended: Ended[] = [];
  #isStopping = false;
  /** When the last step was, unix seconds. */
  #steppedAt = 0;

  constructor(private readonly dependencies: SenderDependencies) {
    this.#sign = dependencies.box.signer("messages");
  }

  /** To be called once, before the first step. */
  start(): void {
    const { db, clock, log } = this.dependencies;
    const revived = transaction(db, () => {
      // What was wrong may have been this machine.
      endHolds(db);
      bringForward(db, clock.now(), MAX_BACK_OFF);
      return reviveSending(db, clock.now(), INTERRUPTED);
    });
    if (revived > 0) log.warn("messages were interrupted and are sent again", { messages: revived });
  }

  /** Stores the outcomes of attempts and begins those that are due, as far as there is room. */
  step(): void {
    this.#storeOutcomes();
    this.#followClock();
    if (this.#isStopping || !isAnyWaiting(this.dependencies.db, this.dependencies.clock.now())) return;
    const begun = transaction(this.dependencies.db, () => {
      this.#failWithoutChannel();
      return this.#begin();
    });
    for (const attempt of begun) this.#attempt(attempt);
  }

  /** Times of the next attempts are of the clock: when that is set back they move with it, so that the waits stay. */
  #followClock(): void {
    const now = this.dependencies.clock.now();
    if (now < this.#steppedAt) moveBack(this.dependencies.db, this.#steppedAt - now);
    this.#steppedAt = now;
  }

  /** Resolves when no attempt is under way. */
  async settled(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all([...this.#inFlight.values()].map(({ done }) => done));
  }

  /**
   * Begins no more attempts, and waits for those that are under way, but no longer than `milliseconds`. What has no outcome
   * by then counts as interrupted at the next start.
   */
  async stop(milliseconds: number): Promise<void> {
    this.#isStopping = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, milliseconds);
    });
    await Promise.race([this.settled(), limit]);
    clearTimeout(timer);
    this.#storeOutcomes();
  }

  /** Marks the attempts that are to begin, at most one of each channel. */
  #begin(): Attempt[] {
    const { db, clock, channels } = this.dependencies;
    const now = clock.now();
    const begun: Attempt[] = [];
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

  /** The message that a channel is to be sent now. What can never be sent is set aside on the way. */
  #nextOf(channelId: number, now: number): Delivery | null {
    const { db } = this.dependencies;
    let next = nextOfChannel(db, channelId, now);
    for (let looks = 0; next && looks < BATCH; looks++) {
      // The end of a failure must not arrive before its beginning.
      const earlier = earlierWaiting(db, next);
      if (earlier && (earlier.nextAt ?? now) <= now) next = earlier;
      else if (!earlier && next.ruleId !== null) return next;
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

  #attempt(attempt: Attempt): void {
    const { channel, isFailing } = attempt;
    const done = this.#send(attempt).then((ended) => {
      this.#inFlight.delete(channel.id);
      this.#ended.push({ ...attempt, ...ended });
      this.#goOn();
    });
    this.#inFlight.set(channel.id, { isFailing, done });
  }

  /** Never rejects. */
  async #send({ delivery, channel }: Attempt): Promise<Pick<Ended, "answer" | "isOfChannel">> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      const message = this.#messageOf(delivery);
      if (!message) return { answer: { outcome: "refused", detail: NO_EVENTS }, isOfChannel: false };
      const limit = new Promise<Answer>((resolve) => {
        const late: Answer = { outcome: "unknown", detail: `No answer within ${ATTEMPT_LIMIT_MS / 1000} s` };
        timer = setTimeout(() => resolve(late), ATTEMPT_LIMIT_MS);
      });
      return { answer: await Promise.race([channel.send(message), limit]), isOfChannel: true };
    } catch (error) {
      this.dependencies.log.error("message cannot be made", { id: delivery.id, error });
      return { answer: { outcome: "failed", detail: INTERNAL_ERROR }, isOfChannel: false };
    } finally {
      clearTimeout(timer);
    }
  }

  #messageOf({ id, kind, ruleName: rule, createdAt: at }: Delivery): AlertMessage | null {
    const { db } = this.dependencies;
    const [baseUrl, timeZone] = [this.dependencies.baseUrl(), this.dependencies.timeZone()];
    const events = eventsOfDelivery(db, id, at);
    if (events.length === 0) return null;
    return composeMessage({ id: this.#sign(`${id} ${at}`), kind, rule, events, baseUrl, timeZone, at });
  }

  /** After an attempt: the next one need not wait for the next step. What fails here is tried again by that. */
  #goOn(): void {
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

  /** What becomes of the message. */
  #storeOutcome({ delivery, answer }: Ended, now: number): void {
    const { outcome, detail, retryAfter } = answer;
    const { db } = this.dependencies;
    if (outcome === "sent")
      updateDelivery(db, delivery.id, { status: "sent", nextAt: null, finishedAt: now, answer: detail });
    else if (outcome === "refused") this.#fail(delivery, detail, now);
    else {
      const nextAt = now + Math.min(Math.max(retryAfter ?? backOff(delivery.attempts), 1), MAX_BACK_OFF);
      if (nextAt - delivery.createdAt > GIVE_UP) this.#fail(delivery, givenUp(detail), now);
      else updateDelivery(db, delivery.id, { status: "pending", nextAt, answer: detail });
    }
  }

  /** What it says of the channel. */
  #storeResult({ channel, answer }: Ended, now: number): void {
    const { db, log } = this.dependencies;
    const { id, name } = channel;
    const row = findChannel(db, id);
    if (!row) return;
    const { outcome, detail } = answer;
    const failures = outcome === "sent" ? 0 : row.failures + 1;
    const held = heldUntil(failures, answer, now);
    updateChannel(db, id, {
      failures,
      heldUntil: held,
      lastAt: now,
      lastOutcome: outcome,
      lastAnswer: detail,
    });
    if (held !== null && row.heldUntil === null)
      log.warn("channel fails and is held", { channel: name, failures });
    if (outcome === "sent" && row.heldUntil !== null) log.info("channel works again", { channel: name });
    if (held === null) return;
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
