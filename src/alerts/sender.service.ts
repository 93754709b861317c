import type { Answer } from "../channels/channel-kind.ts";
import type { Channels, Sendable } from "../channels/channels.service.ts";
import type { Clock } from "../clock.ts";
import { type Db, transaction } from "../database/open.ts";
import type { Log } from "../log.ts";
import type { SecretBox } from "../secrets/secret-box.ts";
import {
  type Delivery,
  type DeliveryChanges,
  deliveriesDue,
  eventsOfDelivery,
  nextOfEarlier,
  reviveSending,
  updateDelivery,
} from "./deliveries.repository.ts";
import { composeMessage } from "./message.ts";

/** Between two looks at the outbox, milliseconds. What ends an attempt looks too. */
export const SEND_STEP_MS = 1000;
/** Attempts at the same time, of different channels. */
const MAX_IN_FLIGHT = 4;
/** Messages that one step looks at. */
const BATCH = 50;
/** Until the next attempt, by the number of those that failed; then as the last, seconds. */
const BACK_OFF = [10, 30, 60, 120, 300, 600, 1800, 3600] as const;
const MAX_BACK_OFF = 3600;
/** No more attempts begin this long after the message was made, seconds. */
export const GIVE_UP = 86_400;
/** Channels keep to their own limits, shorter than this: one that did not must not hold up the others, milliseconds. */
const ATTEMPT_LIMIT_MS = 120_000;

export const INTERRUPTED = "Muster ended during the attempt: whether it arrived is unknown";
export const NO_CHANNEL = "the channel was deleted";
export const CHANNEL_DISABLED = "the channel is disabled";
export const NO_RULE = "the rule was deleted";
export const NO_EVENTS = "what it tells of was deleted";

export interface SenderParts {
  db: Db;
  box: SecretBox;
  channels: Pick<Channels, "sendable">;
  clock: Clock;
  log: Log;
  baseUrl: URL | null;
}

/** Seconds until the next attempt after `attempts` of them failed. */
export function backOff(attempts: number): number {
  return BACK_OFF[attempts - 1] ?? MAX_BACK_OFF;
}

/**
 * Delivers what is in the outbox. That an attempt begins is stored before it does, and its outcome after it: should Muster
 * end in between, nobody knows whether the message arrived, and it is sent again under the same id.
 */
export class Sender {
  readonly #sign: (text: string) => string;
  /** By channel: one attempt of each at a time, so that its messages keep their order. */
  readonly #inFlight = new Map<number, Promise<void>>();
  /** Outcomes that are not stored yet. */
  readonly #answered: { delivery: Delivery; answer: Answer }[] = [];
  #isStopping = false;

  constructor(private readonly parts: SenderParts) {
    this.#sign = parts.box.signer("messages");
  }

  /** To be called once, before the first step. */
  start(): void {
    const { db, clock, log } = this.parts;
    const revived = reviveSending(db, clock.now(), INTERRUPTED);
    if (revived > 0) log.warn("messages were interrupted and are sent again", { messages: revived });
  }

  /** Stores the outcomes of attempts and begins those that are due, as far as there is room. */
  step(): void {
    this.#storeOutcomes();
    // Each round finds messages of channels that the ones before left free.
    while (!this.#isStopping && this.#beginSome() > 0);
  }

  /** Resolves when no attempt is under way. */
  async settled(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight.values());
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

  /** @returns how many attempts began */
  #beginSome(): number {
    const { db, clock } = this.parts;
    const room = MAX_IN_FLIGHT - this.#inFlight.size;
    if (room <= 0) return 0;
    const now = clock.now();
    const due = deliveriesDue(db, now, [...this.#inFlight.keys()], BATCH);
    if (due.length === 0) return 0;
    const begun = transaction(db, () => this.#begin(due, room, now));
    for (const { delivery, channel } of begun) this.#attempt(delivery, channel);
    return begun.length;
  }

  /** Marks the attempts that are to begin. */
  #begin(due: readonly Delivery[], room: number, now: number) {
    const begun: { delivery: Delivery; channel: Sendable }[] = [];
    const taken = new Set<number>();
    for (const delivery of due) {
      if (begun.length === room) break;
      const channel = this.#channelOf(delivery, now);
      if (!channel || taken.has(channel.id)) continue;
      const earlier = nextOfEarlier(this.parts.db, delivery);
      if (earlier !== null) {
        // The end of a failure must not arrive before its beginning.
        updateDelivery(this.parts.db, delivery.id, { nextAt: Math.max(earlier, now + 1) });
        continue;
      }
      taken.add(channel.id);
      const attempts = delivery.attempts + 1;
      updateDelivery(this.parts.db, delivery.id, { status: "sending", attempts, nextAt: null });
      begun.push({ delivery: { ...delivery, attempts }, channel });
    }
    return begun;
  }

  /** @returns null for a message that can never be sent; that is stored */
  #channelOf(delivery: Delivery, now: number): Sendable | null {
    const { channelId, ruleId } = delivery;
    const channel = channelId === null ? null : this.parts.channels.sendable(channelId);
    const reason = !channel
      ? NO_CHANNEL
      : !channel.enabled
        ? CHANNEL_DISABLED
        : ruleId === null
          ? NO_RULE
          : null;
    if (channel && reason === null) return channel;
    this.#fail(delivery, reason ?? NO_CHANNEL, now);
    return null;
  }

  #attempt(delivery: Delivery, channel: Sendable): void {
    const attempt = this.#send(delivery, channel)
      .catch((error: unknown): Answer => {
        this.parts.log.error("message cannot be made", { id: delivery.id, error });
        return { outcome: "failed", detail: "Something went wrong inside Muster; its log says what" };
      })
      .then((answer) => {
        this.#inFlight.delete(channel.id);
        this.#answered.push({ delivery, answer });
        this.#goOn();
      });
    this.#inFlight.set(channel.id, attempt);
  }

  async #send(delivery: Delivery, channel: Sendable): Promise<Answer> {
    const events = eventsOfDelivery(this.parts.db, delivery.id, delivery.createdAt);
    if (events.length === 0) return { outcome: "refused", detail: NO_EVENTS };
    const { baseUrl } = this.parts;
    const { kind, ruleName: rule, createdAt: at } = delivery;
    const id = this.#sign(`${delivery.id} ${at}`);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const limit = new Promise<Answer>((resolve) => {
      const late: Answer = { outcome: "unknown", detail: `No answer within ${ATTEMPT_LIMIT_MS / 1000} s` };
      timer = setTimeout(() => resolve(late), ATTEMPT_LIMIT_MS);
    });
    const sent = channel.send(composeMessage({ id, kind, rule, events, baseUrl, at }));
    const answer = await Promise.race([sent, limit]);
    clearTimeout(timer);
    return answer;
  }

  /** After an attempt: the next one need not wait for the next step. What fails here is tried again by that. */
  #goOn(): void {
    if (this.#isStopping) return;
    try {
      this.step();
    } catch (error) {
      this.parts.log.error("outcome of a message cannot be stored yet", { error });
    }
  }

  #storeOutcomes(): void {
    if (this.#answered.length === 0) return;
    const now = this.parts.clock.now();
    transaction(this.parts.db, () => {
      for (const { delivery, answer } of this.#answered) this.#store(delivery, answer, now);
    });
    this.#answered.length = 0;
  }

  #store(delivery: Delivery, { outcome, detail, retryAfter }: Answer, now: number): void {
    if (outcome === "sent")
      this.#update(delivery, { status: "sent", nextAt: null, finishedAt: now, answer: detail });
    else if (outcome === "refused") this.#fail(delivery, detail, now);
    else {
      const nextAt = now + Math.min(Math.max(retryAfter ?? backOff(delivery.attempts), 1), MAX_BACK_OFF);
      if (nextAt - delivery.createdAt > GIVE_UP) this.#fail(delivery, `given up after a day: ${detail}`, now);
      else this.#update(delivery, { status: "pending", nextAt, answer: detail });
    }
  }

  #fail(delivery: Delivery, answer: string, now: number): void {
    const { id, channelName: channel, ruleName: rule } = delivery;
    this.#update(delivery, { status: "failed", nextAt: null, finishedAt: now, answer });
    this.parts.log.warn("message failed", { id, channel, rule, answer });
  }

  #update(delivery: Delivery, changes: DeliveryChanges): void {
    updateDelivery(this.parts.db, delivery.id, changes);
  }
}
