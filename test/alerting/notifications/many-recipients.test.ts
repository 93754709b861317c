/** Failures that begin together and of which many are notified: they are written into messages in steps. */
import { describe, expect, test } from "bun:test";
import { notifying } from "../../support/rules.ts";
import { Alerting } from "./support.ts";

/** The most events of messages that a step writes, counted for each recipient. */
const MOST = 20_000;

/** As many failures of a host as given, all due in five seconds, of a rule about channels of these kinds. */
async function storm(failures: number, kinds: readonly string[]): Promise<Alerting> {
  const alerting = await Alerting.create();
  const channels = kinds.map((kind, i) => alerting.channel(`channel ${i}`, kind));
  await alerting.rule({ ...notifying(...channels), flapcount: 0 });
  await alerting.event({ message: "is gone" });
  const numbers = `with recursive n(i) as (select 2 union all select i + 1 from n where i <= ${failures})`;
  const { $client } = alerting.app.db;
  const of = (table: string) => `select * from ${table} where id = 1`;
  $client.run(`insert into names (name, name_key) ${numbers} select 's' || i, 's' || i from n`);
  const ofNames = "from n join names on names.name = 's' || i";
  $client.run(
    `${numbers} insert into events (id, host_id, name_id, service_type, date, collected_sec, collected_usec, event_type,
       state, action, message, active)
     select i, host_id, names.id, service_type, date, collected_sec, collected_usec, event_type, state, action, message, active
     ${ofNames}, (${of("events")}) as first where i <= ${failures}`,
  );
  $client.run(
    `${numbers} insert into downtime_intervals (host_id, name_id, event_type, started_at)
     select host_id, names.id, event_type, started_at ${ofNames}, (${of("downtime_intervals")}) as first where i <= ${failures}`,
  );
  $client.run(
    `${numbers} insert into alerts (rule_id, event_id, host_id, name_id, event_type, created_at, due_at)
     select rule_id, i, host_id, names.id, event_type, created_at, due_at ${ofNames}, (${of("alerts")}) as first
     where i <= ${failures}`,
  );
  alerting.app.recount();
  alerting.app.clock.step(5);
  return alerting;
}

const count = ({ app }: Alerting, what: string) =>
  app.rows<{ n: number }>(`select count(*) as n from ${what}`)[0]?.n ?? -1;
/** How many events each message in the outbox is about, in ascending order. */
const sizes = ({ app }: Alerting) =>
  app
    .rows<{ n: number }>("select count(*) as n from delivery_events group by delivery_id order by n")
    .map(({ n }) => n);

/** Steps until all is written. @returns the most events that a step wrote, and how many steps there were */
function written(alerting: Alerting): { most: number; steps: number } {
  let most = 0;
  let before = count(alerting, "delivery_events");
  for (let steps = 1; ; steps++) {
    const hasMore = alerting.dispatcher.step();
    const after = count(alerting, "delivery_events");
    most = Math.max(most, after - before);
    before = after;
    if (!hasMore) return { most, steps };
  }
}

describe("of many failures, many recipients are notified", () => {
  const webhooks = (n: number) => Array.from({ length: n }, () => "webhook");

  test("by one message each, to which a step adds no more than a fixed number of events", async () => {
    const alerting = await storm(500, webhooks(100));
    const { most, steps } = written(alerting);
    expect(most).toBe(MOST);
    expect(steps).toBeGreaterThanOrEqual(3);
    expect(sizes(alerting)).toEqual(Array.from({ length: 100 }, () => 500));
    expect(count(alerting, "alerts where notified_at is null")).toBe(0);
    await alerting.work();
    expect(alerting.arrived.map(({ message }) => message.events.length)).toEqual(sizes(alerting));
  });

  test("by a step as before where all fits", async () => {
    const alerting = await storm(200, webhooks(100));
    expect(written(alerting)).toEqual({ most: MOST, steps: 1 });
    expect(sizes(alerting)).toEqual(Array.from({ length: 100 }, () => 200));
  });

  test("by messages that wait for the rest, but only for seconds", async () => {
    const alerting = await storm(500, webhooks(100));
    alerting.dispatcher.step();
    alerting.sender.step();
    await alerting.sender.idle();
    expect(alerting.arrived).toEqual([]);
    // Muster ended in between, and what belongs together is not known any more.
    alerting.restart();
    await alerting.work();
    const arrived = () => alerting.arrived.map(({ message }) => message.events.length);
    expect(arrived()).toEqual(Array.from({ length: 100 }, () => 300));
    await alerting.pass(5);
    expect(arrived().slice(100)).toEqual(Array.from({ length: 100 }, () => 200));
    expect(sizes(alerting)).toEqual(arrived().sort((a, b) => a - b));
    expect(count(alerting, "alerts where notified_at is null")).toBe(0);
  });

  test("by a further message once theirs is under way", async () => {
    const alerting = await storm(400, webhooks(100));
    alerting.dispatcher.step();
    alerting.app.db.$client.run(
      "update deliveries set status = 'sending', attempts = 1, next_at = null where id <= 50",
    );
    written(alerting);
    expect(sizes(alerting)).toEqual([
      ...Array.from({ length: 100 }, () => 200),
      ...Array.from({ length: 50 }, () => 400),
    ]);
  });

  test("of each failure by a message of its own, where a channel takes one at a time", async () => {
    const alerting = await storm(
      300,
      Array.from({ length: 10 }, () => "single"),
    );
    const { most } = written(alerting);
    expect(most).toBeLessThanOrEqual(MOST / 10);
    expect(sizes(alerting)).toEqual(Array.from({ length: 3000 }, () => 1));
  });

  test("of the end of the failures, too, and each once", async () => {
    const alerting = await storm(500, webhooks(100));
    await alerting.work();
    alerting.app.clock.step(60);
    const { $client } = alerting.app.db;
    $client.run(`update downtime_intervals set ended_at = ${alerting.app.clock.now()}`);
    $client.run(`update alerts set due_at = ${alerting.app.clock.now()}`);
    alerting.arrived.length = 0;
    alerting.app.clock.step(5);
    expect(written(alerting).most).toBe(MOST);
    await alerting.work();
    expect(alerting.arrived.map(({ message }) => [message.kind, message.events.length])).toEqual(
      Array.from({ length: 100 }, () => ["recovery", 500]),
    );
    expect(count(alerting, "alerts where closed_at is null")).toBe(0);
  });

  test("and their old messages are deleted in steps, none of which deletes more than a fixed number of rows", async () => {
    const alerting = await storm(300, webhooks(100));
    await alerting.work();
    alerting.app.clock.step(91 * 86_400);
    const rows = () => count(alerting, "deliveries") + count(alerting, "delivery_events");
    let most = 0;
    for (let before = rows(); before > 0; ) {
      alerting.app.muster.retention.step();
      const after = rows();
      most = Math.max(most, before - after);
      before = after;
    }
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(5500);
  });
});
