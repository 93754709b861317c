/** Compares messages as decided with messages as received, and both with the model. */
import type { Told } from "./notification-model.ts";
import type { Rows } from "./rows.ts";
import type { World } from "./world.ts";

const DECIDED = `select deliveries.id, rule_name as rule, kind, channel_name as channel, deliveries.created_at as at,
    agent_id as agentId, names.name as service, events.event_type as eventType, events.state,
    collected_sec as collectedSec, collected_usec as collectedUsec,
    limit_id as limitId
  from deliveries join delivery_events on delivery_id = deliveries.id join events on events.id = event_id
    join hosts on hosts.id = events.host_id join names on names.id = events.name_id
  where deliveries.id > $id order by deliveries.id`;

interface Decided {
  id: number;
  rule: string;
  kind: string;
  channel: string;
  at: number;
  agentId: string;
  service: string;
  eventType: number;
  state: number;
  collectedSec: number;
  collectedUsec: number;
  limitId: number;
}

const DELIVERIES = `select deliveries.id, rule_name as rule, kind, channel_name as channel, created_at as at, status, answer,
    group_concat(event_id) as events
  from deliveries left join delivery_events on delivery_id = deliveries.id group by deliveries.id`;

interface Delivery {
  id: number;
  rule: string;
  kind: string;
  channel: string;
  at: number;
  status: string;
  answer: string;
  events: string | null;
}

const HOUR = 3600;

const keyOf = (recipient: string, kind: string, rule: string, date: number, eventId: number) =>
  [recipient, kind, rule, date, eventId].join(" ");

export class Outbox {
  #last = 0;
  /** By agent id, when messages were received, unix seconds. */
  readonly samples = new Map<string, Set<number>>();

  constructor(private readonly world: World) {}

  /** By agent id, the hours with messages by their starts. */
  readonly hours = new Map<string, Set<number>>();
  /** What recipients were notified of: recipient, rule and event. */
  readonly #seen = new Set<string>();
  #heard = 0;

  noteSample(agentId: string, at: number): void {
    const add = (to: Map<string, Set<number>>, time: number) =>
      to.set(agentId, (to.get(agentId) ?? new Set()).add(time));
    add(this.samples, at);
    add(this.hours, at - (at % HOUR));
  }

  forget(agentId: string): void {
    this.samples.delete(agentId);
    this.hours.delete(agentId);
  }

  /** Called when Muster has decided on messages. @param isDone whether the decision could be stored */
  decided(rows: Rows, at: number, isDone: boolean): void {
    const { notifications, faults, isExact } = this.world;
    const deliveries = rows.lastDelivery() > this.#last ? rows.all<Decided>(DECIDED, { id: this.#last }) : [];
    this.#last = deliveries.at(-1)?.id ?? this.#last;
    if (!isExact || (!isDone && deliveries.length === 0)) return;
    const told = new Map<(typeof notifications.alerts)[number], Told[]>();
    for (const delivery of deliveries) {
      const { agentId, service, eventType, state, collectedSec, collectedUsec } = delivery;
      const { limitId, rule, kind, channel } = delivery;
      const alert = notifications.alerts.find(
        ({ rule: { name }, host, event }) =>
          name === rule &&
          host.name === agentId &&
          event.service === service &&
          event.eventType === eventType &&
          event.state === state &&
          event.collectedSec === collectedSec &&
          event.collectedUsec === collectedUsec &&
          (event.limit?.id ?? 0) === limitId,
      );
      if (!alert)
        this.world.fail(`${rule} told of ${service} ${eventType} of ${agentId} as ${kind}: it should not`);
      const messages = told.get(alert) ?? [];
      told.set(alert, messages);
      // After a long silence an escalation and a reminder can be due in the same second, one after the other.
      let message = messages.at(-1);
      if (message?.kind !== kind) {
        message = { rule, kind, channels: new Set() };
        messages.push(message);
      }
      if (message.channels.has(channel))
        this.world.fail(`${rule} told ${channel} of ${service} of ${agentId} twice`);
      message.channels.add(channel);
    }
    notifications.decided(at, told, faults.isChannelBad);
  }

  /** Checks that every message recorded as sent has arrived, and that no others have. */
  check(rows: Rows): void {
    const deliveries = rows.all<Delivery>(DELIVERIES, {});
    const arrived = new Map<string, Set<string>>();
    for (const { recipient, body } of this.world.network.arrivals)
      for (const { id } of body.events) {
        const key = keyOf(recipient, body.kind, body.rule, body.date, id);
        arrived.set(key, (arrived.get(key) ?? new Set()).add(body.id));
      }
    for (const { id, rule, kind, channel, at, status, events } of deliveries) {
      // Events deleted since are no longer listed with their message.
      if (status !== "sent" || events === null) continue;
      for (const eventId of events.split(",").map(Number)) {
        const ids = arrived.get(keyOf(channel, kind, rule, at, eventId));
        if (!ids) this.world.fail(`message ${id} is taken for sent and did not arrive`);
        if (ids.size > 1) this.world.fail(`message ${id} arrived under several ids`);
      }
    }
  }

  /** Checks that nobody is notified of a recovery who was not notified of the failure. */
  checkOrder(): void {
    const { arrivals } = this.world.network;
    for (const { recipient, at, body } of arrivals.slice(this.#heard))
      for (const { id } of body.events) {
        const key = `${recipient} ${body.rule} ${id}`;
        if ((body.kind === "recovery" || body.kind === "steady") && !this.#seen.has(key))
          this.world.fail(
            `${recipient} heard of a ${body.kind} of event ${id} at ${at}, and of no problem before`,
          );
        this.#seen.add(key);
      }
    this.#heard = arrivals.length;
  }

  /** Checks that nothing waits any more, and that only deliveries that had to fail have failed. */
  checkSettled(rows: Rows): void {
    const left = rows.all<Delivery>(DELIVERIES, {}).filter(({ status }) => status !== "sent");
    const wrong = left.filter(({ answer }) => !/rule was deleted|what it reports was deleted/.test(answer));
    if (wrong.length > 0) this.world.fail(`messages were not sent: ${JSON.stringify(wrong.slice(0, 3))}`);
  }
}
