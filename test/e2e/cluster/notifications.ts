/** The notifications of a cluster, as the receiver of a webhook sees them. */

import { deepEqual } from "node:assert/strict";
import { type Fields, TestClient } from "../../support/client.ts";
import { ADMIN_PASSWORD } from "../../support/passwords.ts";
import { Receiver } from "../../support/receiver.ts";
import { notifying } from "../../support/rules.ts";
import { eventually } from "../support.ts";
import { SERVICE } from "./load.ts";
import type { PostgresPair } from "./postgres-pair.ts";

const CHANGE = 2;
/** How long the receiver takes, so that a fault often meets a message under way, milliseconds. */
const ANSWER_MS = 2000;

export class Notifications implements Disposable {
  readonly #receiver = new Receiver();
  readonly #ids = new Map<number, Set<string>>();
  /** How many messages `#ids` is of. */
  #read = 0;

  private constructor(private readonly pair: PostgresPair) {
    this.#receiver.answer = async () => {
      await Bun.sleep(ANSWER_MS);
      return Response.json({});
    };
  }

  /** Sets up a channel, and a rule for every change of the agents' service. @param url of the balancer */
  static async start(url: string, pair: PostgresPair): Promise<Notifications> {
    const notifications = new Notifications(pair);
    try {
      await notifications.#setUp(url);
      return notifications;
    } catch (error) {
      notifications[Symbol.dispose]();
      throw error;
    }
  }

  async #setUp(url: string): Promise<void> {
    const admin = await eventually("the administrator is signed in", () =>
      new TestClient(fetch, url).signIn("admin", ADMIN_PASSWORD),
    );
    const create = (path: string, fields: Fields) =>
      eventually(`${path} is created`, async () => {
        const { status } = await admin.post(`/api/1/admin/${path}/create`, fields);
        // Its name is taken when an attempt was stored that could not be answered.
        return status === 200 || status === 409;
      });
    const channel = { name: "hook", kind: "webhook", settings: { url: this.#receiver.url } };
    await create("channels", channel);
    const id = Number(await this.pair.primary.ask("select id from channels", "muster"));
    const rule = {
      name: "changes",
      ...notifying(id),
      filter: { servicenames: [SERVICE], states: [CHANGE] },
      flapcount: 0,
    };
    await create("rules", rule);
  }

  /** Ids of messages that arrived, and how often each did. */
  #arrivals(): Map<string, number> {
    const ids = this.#receiver.requests.map(({ headers }) => headers.get("X-Muster-Id") ?? "");
    return new Map([...Map.groupBy(ids, (id) => id)].map(([id, same]) => [id, same.length]));
  }

  /** Ids of the messages that named an event, by its number. Reads each message once: there are thousands. */
  #idsOfEvents(): ReadonlyMap<number, ReadonlySet<string>> {
    const { requests } = this.#receiver;
    for (const { body } of requests.slice(this.#read)) {
      const { id, events } = JSON.parse(body) as { id: string; events: { message: string }[] };
      for (const { message } of events) {
        const number = Number(message);
        this.#ids.set(number, (this.#ids.get(number) ?? new Set()).add(id));
      }
    }
    this.#read = requests.length;
    return this.#ids;
  }

  /**
   * Waits until a message about each of these events arrived: one message, once or twice.
   * @param numbers of events that were acknowledged
   * @throws AssertionError
   */
  async check(numbers: readonly number[]): Promise<void> {
    const changes = numbers.filter((number) => number % 3 === CHANGE);
    await eventually("each change was notified", () => {
      const ids = this.#idsOfEvents();
      return changes.every((number) => ids.has(number));
    });
    const newest = await this.pair.primary.ask(
      "select coalesce(max(created_at), 0) from deliveries",
      "muster",
    );
    // A message under way may arrive once more. It must not be under way at the next fault.
    await eventually("no message is in doubt", () => this.#isSettled(newest));
    const several = [...this.#idsOfEvents()].filter(([, ids]) => ids.size > 1).map(([number]) => number);
    deepEqual(several, [], "events that were notified under several ids");
    const often = [...this.#arrivals()].filter(([, times]) => times > 2);
    deepEqual(often, [], "messages that arrived more than twice");
  }

  async #isSettled(newest: string): Promise<boolean> {
    const sql = `select count(*) from deliveries where status <> 'sent' and created_at <= ${newest}`;
    return (await this.pair.primary.ask(sql, "muster")) === "0";
  }

  /** How many messages arrived, and how many of them twice. */
  get figures(): { messages: number; twice: number } {
    const arrivals = this.#arrivals();
    return { messages: arrivals.size, twice: [...arrivals.values()].filter((times) => times > 1).length };
  }

  [Symbol.dispose](): void {
    this.#receiver.close();
  }
}
