/** What a cluster notifies of, as the receiver of a webhook sees it. */
import { deepEqual, equal } from "node:assert/strict";
import { ADMIN_PASSWORD } from "../../support/app.ts";
import { TestClient } from "../../support/client.ts";
import { Receiver } from "../../support/receiver.ts";
import { eventually } from "../support.ts";
import { SERVICE } from "./load.ts";
import type { PostgresPair } from "./postgres-pair.ts";

const CHANGE = 2;
/** How long the receiver takes, so that a fault often meets a message under way, milliseconds. */
const ANSWER_MS = 2000;

export class Notifications implements Disposable {
  readonly #receiver = new Receiver();

  private constructor(private readonly pair: PostgresPair) {
    this.#receiver.answer = async () => {
      await Bun.sleep(ANSWER_MS);
      return Response.json({});
    };
  }

  /** Sets up a channel, and a rule for every change of the agents' service. @param url of the active node */
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
    const admin = await new TestClient(fetch, url).signIn("admin", ADMIN_PASSWORD);
    const channel = { name: "hook", kind: "webhook", "setting.url": this.#receiver.url };
    equal((await admin.post("/api/1/admin/channels/create", channel)).status, 200);
    const rule = { name: "changes", channelid: 1, servicename: SERVICE, state: CHANGE, flapcount: 0 };
    equal((await admin.post("/api/1/admin/rules/create", rule)).status, 200);
  }

  /** Ids of messages that arrived, and how often each did. */
  #arrivals(): Map<string, number> {
    const ids = this.#receiver.requests.map(({ headers }) => headers.get("X-Muster-Id") ?? "");
    return new Map([...Map.groupBy(ids, (id) => id)].map(([id, same]) => [id, same.length]));
  }

  /** Ids of the messages that named an event, by its number. */
  #idsOfEvents(): Map<number, Set<string>> {
    const found = new Map<number, Set<string>>();
    for (const { body } of this.#receiver.requests) {
      const { id, events } = JSON.parse(body) as { id: string; events: { message: string }[] };
      for (const { message } of events) {
        const number = Number(message);
        found.set(number, (found.get(number) ?? new Set()).add(id));
      }
    }
    return found;
  }

  /**
   * Waits until everybody was notified of these events: each in one message, which arrived once or twice.
   * @param numbers of events that were acknowledged
   * @throws AssertionError
   */
  async check(numbers: readonly number[]): Promise<void> {
    const changes = numbers.filter((number) => number % 3 === CHANGE);
    await eventually("each change was notified", () => {
      const known = this.#idsOfEvents();
      return changes.every((number) => known.has(number));
    });
    const newest = this.pair.primary.query("select coalesce(max(created_at), 0) from deliveries", "muster");
    // A message under way may come once more. The next fault must not meet it again.
    await eventually("no message is in doubt", () => this.#isSettled(newest));
    const several = [...this.#idsOfEvents()].filter(([, ids]) => ids.size > 1).map(([number]) => number);
    deepEqual(several, [], "events that were notified under several ids");
    const often = [...this.#arrivals()].filter(([, times]) => times > 2);
    deepEqual(often, [], "messages that arrived more than twice");
  }

  async #isSettled(newest: string): Promise<boolean> {
    // This process is the network of the cluster, which stands still while it asks the database.
    await Bun.sleep(1000);
    const sql = `select count(*) from deliveries where status <> 'sent' and created_at <= ${newest}`;
    return this.pair.primary.query(sql, "muster") === "0";
  }

  /** How many messages arrived, and how many of them a second time. */
  get figures(): { messages: number; twice: number } {
    const arrivals = this.#arrivals();
    return { messages: arrivals.size, twice: [...arrivals.values()].filter((times) => times > 1).length };
  }

  [Symbol.dispose](): void {
    this.#receiver.close();
  }
}
