/** The real app with its alerts, and a ledger of what reaches the channels: one line per input. */
import { expect, test } from "bun:test";
import { findChannel } from "../../../src/alerting/channels/channels.repository.ts";
import type { ChannelSender } from "../../../src/alerting/channels/channels.service.ts";
import type { AlertMessage, Answer } from "../../../src/alerting/channels/kinds/channel-kind.ts";
import { DeliveryMessages } from "../../../src/alerting/notifications/delivery-messages.service.ts";
import { Dispatcher } from "../../../src/alerting/notifications/dispatcher.service.ts";
import { Sender } from "../../../src/alerting/notifications/sender.service.ts";
import type { Db } from "../../../src/platform/storage/open.ts";
import { type AgentXml, type EventXml, processXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import { insertChannel } from "../../support/channels.ts";
import type { Fields, TestClient } from "../../support/client.ts";
import { START } from "../../support/clock.ts";

export const BOOT = START - 3600;
/** So that hosts do not go down in between. */
const LONG_POLL = 86_400;

export type Far = (message: AlertMessage) => Answer | Promise<Answer>;

/** A message that a channel got. */
export interface Arrived {
  channel: string;
  /** A person's address; "" if the channel's recipients got it. */
  address: string;
  message: AlertMessage;
  /** Seconds since the clock's start. */
  at: number;
}

export class Alerting {
  readonly app: TestApp;
  dispatcher: Dispatcher;
  sender: Sender;
  /** Messages in the order of arrival, including refused attempts. */
  readonly arrived: Arrived[] = [];
  /** How the remote of a channel answers, by its name; by default it accepts everything. */
  readonly far = new Map<string, Far>();
  /** The recipients of a channel of mail, by its name; by default it has none. */
  readonly recipients = new Map<string, readonly string[]>();

  #db: Db;
  /** Services of each agent that had an event, and their states. */
  readonly #services = new Map<string, Map<string, number>>();

  private constructor(
    app: TestApp,
    readonly admin: TestClient,
  ) {
    this.app = app;
    this.#db = app.db;
    this.dispatcher = this.#newDispatcher();
    this.sender = this.#newSender();
  }

  static async create(app = new TestApp()): Promise<Alerting> {
    return new Alerting(app, await app.admin());
  }

  /** Like a process that is killed, and one that starts on the same database. */
  restart(): void {
    this.dispatcher = this.#newDispatcher();
    this.sender = this.#newSender();
    this.sender.start();
  }

  /** Like another process that continues with the same database, over another connection. */
  takeOver(db: Db): void {
    this.#db = db;
    this.restart();
  }

  #newDispatcher(): Dispatcher {
    const { clock, muster } = this.app;
    const db = this.#db;
    return new Dispatcher({
      db,
      channels: this,
      clock,
      log: muster.log,
      aliveAt: muster.settings.get("aliveat"),
    });
  }

  #newSender(): Sender {
    const { box, clock, muster } = this.app;
    const messages = new DeliveryMessages({
      db: this.#db,
      box,
      sources: { report: muster.reportSender, rehearsal: muster.rehearsals, shift: muster.shiftNotices },
      baseUrl: () => muster.clientInfo.baseUrl,
      firstMoves: (eventId) => muster.firstMoves.of(eventId),
      acknowledgeLink: (deliveryId, baseUrl) => muster.acknowledgeLinks.issue(deliveryId, baseUrl),
      visibleTo: (uname) => muster.grants.visibleTo(uname),
      timeZone: () => "UTC",
    });
    return new Sender({ db: this.#db, channels: this, messages, clock, log: muster.log });
  }

  /** A channel of kind "single" takes one event at a time. */
  sendable(id: number): ChannelSender | null {
    const row = findChannel(this.app.db, id);
    if (!row) return null;
    const { name, enabled } = row;
    const send = async (message: AlertMessage, address = ""): Promise<Answer> => {
      this.arrived.push({ channel: name, address, message, at: this.app.clock.now() - START });
      return (await this.far.get(name)?.(message)) ?? { outcome: "sent", detail: "taken" };
    };
    const recipients = this.recipients.get(name) ?? [];
    return { id, name, enabled, grouped: row.kind !== "single", recipients, send };
  }

  channel(name: string, kind = "webhook"): number {
    return insertChannel(this.app.db, { name, kind, settings: "", createdAt: START });
  }

  /** Puts messages of rule 1 into the outbox of a channel, each about another event like the first. */
  waiting(...all: readonly (readonly [channelId: number, messages: number])[]): void {
    for (const [channelId, messages] of all) this.#wait(channelId, messages);
    // It counts all events anew.
    this.app.recount();
  }

  #wait(channelId: number, messages: number): void {
    const { db, clock } = this.app;
    const next = (table: string) =>
      this.app.rows<{ n: number }>(`select coalesce(max(id), 0) as n from ${table}`)[0]?.n ?? 0;
    const [event, delivery] = [next("events"), next("deliveries")];
    const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${messages})`;
    const { name } = findChannel(db, channelId) ?? {};
    db.$client.run(
      `${numbers} insert into events (host_id, name_id, service_type, date, collected_sec, collected_usec, event_type,
         state, action, message)
       select host_id, name_id, service_type, date, collected_sec, ${event} + i, event_type, 2, action, message
       from n, (select * from events where id = 1) as first`,
    );
    db.$client.run(
      `${numbers} insert into deliveries (rule_id, channel_id, rule_name, channel_name, kind, created_at, status, next_at)
       select 1, ${channelId}, 'rule', '${name}', 'problem', ${clock.now()}, 'pending', ${clock.now()} from n`,
    );
    db.$client.run(
      `${numbers} insert into delivery_events (delivery_id, event_id) select ${delivery} + i, ${event} + i from n`,
    );
  }

  async call(path: string, fields: Fields): Promise<number> {
    const reply = await this.admin.post(`/api/1/${path}`, fields);
    expect([reply.status, reply.text]).toEqual([200, reply.text]);
    return reply.json.id;
  }

  /** Creates a rule, by default about everything, without a time zone. */
  rule(fields: Fields): Promise<number> {
    return this.call("admin/rules/create", { name: "rule", ...fields });
  }

  async report(message: AgentXml = {}): Promise<void> {
    const at = this.app.clock.now();
    const reply = await this.app.report({ at, incarnation: BOOT, poll: LONG_POLL, ...message });
    expect(reply.status).toBe(200);
  }

  /** An event of the service "web" by default, and the states of the host's services after it. */
  async event(event: Partial<EventXml>, message: AgentXml = {}): Promise<void> {
    const { service = "web", state = 1, id = 512 } = event;
    const agent = message.id ?? "agent-1";
    const serviceIds = this.#services.get(agent) ?? new Map<string, number>();
    this.#services.set(agent, serviceIds.set(service, state === 1 ? id : 0));
    const services = [...serviceIds].map(([name, status]) => ({ name, status, body: processXml() }));
    await this.report({ services, event: { ...event, service, state, id }, ...message });
  }

  /** One round of the background work. */
  async work(): Promise<void> {
    while (this.dispatcher.step());
    this.sender.step();
    await this.sender.idle();
  }

  /** Time passes, in steps of a second. */
  async pass(seconds: number): Promise<void> {
    for (let i = 0; i < seconds; i++) {
      this.app.clock.step(1);
      this.app.heartbeat.tick();
      await this.work();
    }
  }

  outcomes(): string[] {
    return this.app.rows<{ t: string }>("select outcome as t from alerts order by id").map(({ t }) => t);
  }

  /** Rows of the outbox: status, attempts, seconds since the start of the next attempt, answer. */
  outbox(): unknown[][] {
    return this.app
      .rows<{ status: string; attempts: number; next: number | null; answer: string }>(
        `select status, attempts, next_at - ${START} as next, answer from deliveries order by id`,
      )
      .map(({ status, attempts, next, answer }) => [status, attempts, next, answer]);
  }
}

export const notified = ({ channel, address, message, at }: Arrived) =>
  `@${at} ${channel}${address && ` to ${address}`} ${message.kind}: ${message.title}`;

export type Input = (alerting: Alerting) => unknown;
/** What arrives is written "@seconds channel kind: title", as `told` does. */
export type Line = readonly [reason: string, input: Input, arrives: readonly string[]];

export const pass =
  (seconds: number): Input =>
  (alerting) =>
    alerting.pass(seconds);

/** "web" fails, changes or recovers, or another service does. */
export const fails =
  (event: Partial<EventXml> = {}, message: AgentXml = {}): Input =>
  (alerting) =>
    alerting.event({ message: "is gone", ...event, state: 1 }, message);
export const recovers =
  (event: Partial<EventXml> = {}, message: AgentXml = {}): Input =>
  (alerting) =>
    alerting.event({ message: "is back", ...event, state: 0 }, message);
export const changes =
  (event: Partial<EventXml> = {}): Input =>
  (alerting) =>
    alerting.event({ message: "has another pid", id: 262_144, ...event, state: 2 });

/** A user dismisses the open failures. */
export const dismissed: Input = async (alerting) => {
  const active = alerting.app.rows<{ id: number }>("select id from events where active = true");
  await alerting.call("reports/events/dismiss", { id: active.map(({ id }) => id) });
};

/** Runs the lines as a test. @param prepare makes channels and rules @param outcomes of all alerts at the end, in order */
export function ledger(
  name: string,
  prepare: Input,
  lines: readonly Line[],
  outcomes?: readonly string[],
): void {
  test(name, async () => {
    const alerting = await Alerting.create();
    await prepare(alerting);
    for (const [index, [reason, input, arrives]] of lines.entries()) {
      const before = alerting.arrived.length;
      await input(alerting);
      const line = `${index + 1}. ${reason}`;
      expect([line, ...alerting.arrived.slice(before).map(notified)]).toEqual([line, ...arrives]);
    }
    if (outcomes) expect(alerting.outcomes()).toEqual([...outcomes]);
  });
}
