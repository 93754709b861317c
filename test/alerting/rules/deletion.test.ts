/** Rules and channels with many alerts and messages are deleted in steps, between which others are served. */
import { describe, expect, test } from "bun:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { notifying } from "../../support/rules.ts";
import { Alerting } from "../notifications/support.ts";

/** The most alerts, and messages, of a step. */
const MOST = 500;
const ALERTS = 1700;
const MESSAGES = 1300;

/** Rule 2 of three, with many alerts, and channel 2, with as many messages as the rule. */
async function site(): Promise<Alerting> {
  const alerting = await Alerting.create();
  for (const name of ["first", "second", "third"])
    await alerting.rule({ name, ...notifying(alerting.channel(name)), flapcount: 0 });
  await alerting.event({ message: "is gone" });
  const { $client } = alerting.app.db;
  const numbers = (n: number) =>
    `with recursive n(i) as (select 2 union all select i + 1 from n where i <= ${n})`;
  $client.run(
    `${numbers(ALERTS)} insert into events (host_id, name_id, service_type, date, collected_sec, collected_usec, event_type,
       state, action, message)
     select host_id, name_id, service_type, date, collected_sec, i, event_type, 2, action, message
     from n, (select * from events where id = 1) as first where i <= ${ALERTS}`,
  );
  $client.run(
    `insert into alerts (rule_id, event_id, host_id, name_id, event_type, created_at, closed_at)
     select 2, id, host_id, name_id, event_type, date, date from events where id > 1`,
  );
  $client.run(
    `${numbers(MESSAGES)} insert into deliveries (rule_id, channel_id, rule_name, channel_name, kind, created_at, status)
     select 2, 2, 'second', 'second', 'problem', 0, 'sent' from n`,
  );
  alerting.app.recount();
  return alerting;
}

const count = ({ app }: Alerting, what: string) =>
  app.rows<{ n: number }>(`select count(*) as n from ${what}`)[0]?.n ?? -1;
const alertsOf = (alerting: Alerting) => count(alerting, "alerts where rule_id = 2");
const ofRule = (alerting: Alerting) => count(alerting, "deliveries where rule_id = 2");
const ofChannel = (alerting: Alerting) => count(alerting, "deliveries where channel_id = 2");
const rules = ({ app }: Alerting) =>
  app.rows<object>("select id, position, enabled, disabled_at is not null as since from rules order by id");
const audited = ({ app }: Alerting) =>
  app.rows<object>("select operation, subject_id, subject_name from audit where operation like '%/delete'");

/** Deletes rule or channel 2. @param counts what is counted in each turn @returns the reply, and the counts */
async function deleted(alerting: Alerting, path: string, ...counts: ((alerting: Alerting) => number)[]) {
  const seen = [counts.map((count) => count(alerting))];
  let status = 0;
  const reply = alerting.admin.post(`/api/1/admin/${path}/delete`, { id: 2 }).then((answer) => {
    status = answer.status;
  });
  while (status === 0) {
    await nextTurn();
    seen.push(counts.map((count) => count(alerting)));
  }
  await reply;
  return { status, seen };
}

/** The most by which any of the counts decreased in a turn. */
function mostOf(seen: number[][]): number {
  const steps = seen.slice(1).flatMap((after, i) => after.map((n, k) => (seen[i]?.[k] ?? 0) - n));
  return Math.max(...steps);
}

describe("a rule with many alerts and messages", () => {
  test("is deleted in steps, its messages are kept, and it is recorded once", async () => {
    const alerting = await site();
    expect(alertsOf(alerting)).toBe(ALERTS);
    const { status, seen } = await deleted(alerting, "rules", alertsOf, ofRule);
    expect(status).toBe(200);
    expect(mostOf(seen)).toBe(MOST);
    expect(seen.at(-1)).toEqual([0, 0]);
    expect(rules(alerting)).toEqual([
      { id: 1, position: 1, enabled: 1, since: 0 },
      { id: 3, position: 2, enabled: 1, since: 0 },
    ]);
    expect(count(alerting, "deliveries where rule_name = 'second'")).toBe(MESSAGES);
    expect(count(alerting, "alerts where rule_id <> 2")).toBe(2);
    expect(audited(alerting)).toEqual([
      { operation: "admin/rules/delete", subject_id: "2", subject_name: "second" },
    ]);
  });

  test("matches no event while it is being deleted", async () => {
    const alerting = await site();
    const reply = alerting.admin.post("/api/1/admin/rules/delete", { id: 2 });
    while (alertsOf(alerting) === ALERTS) await nextTurn();
    expect(rules(alerting)[1]).toEqual({ id: 2, position: 2, enabled: 0, since: 1 });
    await alerting.event({ service: "db", message: "is gone" });
    expect((await reply).status).toBe(200);
    expect(alertsOf(alerting)).toBe(0);
    expect(count(alerting, "alerts where rule_id <> 2")).toBe(4);
  });

  test("stays, disabled, if its deletion is interrupted, and can be deleted again", async () => {
    const alerting = await site();
    const { $client } = alerting.app.db;
    $client.run(
      "create trigger full before delete on alerts when old.event_id = 1200 begin select raise(abort, 'interrupted'); end",
    );
    expect((await deleted(alerting, "rules", alertsOf)).status).toBe(500);
    $client.run("drop trigger full");
    expect(alertsOf(alerting)).toBeGreaterThan(0);
    expect(alertsOf(alerting)).toBeLessThan(ALERTS);
    expect(rules(alerting)[1]).toEqual({ id: 2, position: 2, enabled: 0, since: 1 });
    expect(audited(alerting)).toHaveLength(1);
    expect((await deleted(alerting, "rules", alertsOf)).status).toBe(200);
    expect([alertsOf(alerting), rules(alerting).length, audited(alerting).length]).toEqual([0, 2, 2]);
  });

  test("stays as it is if the beginning of its deletion cannot be recorded", async () => {
    const alerting = await site();
    const { $client } = alerting.app.db;
    $client.run("create trigger full before insert on audit begin select raise(abort, 'full'); end");
    expect((await deleted(alerting, "rules", alertsOf)).status).toBe(500);
    for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => setImmediate(resolve));
    expect([alertsOf(alerting), rules(alerting)[1]]).toMatchObject([ALERTS, { id: 2, enabled: 1 }]);
  });

  test("is deleted once, if two ask for it at the same time", async () => {
    const alerting = await site();
    const replies = await Promise.all([1, 2].map(() => deleted(alerting, "rules", alertsOf)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 404]);
    expect([alertsOf(alerting), rules(alerting).length, audited(alerting).length]).toEqual([0, 2, 2]);
  });
});

describe("a channel with many messages", () => {
  test("is deleted in steps, and its messages are kept", async () => {
    const alerting = await site();
    await alerting.call("admin/rules/update", { id: 2, ...notifying(1) });
    const { status, seen } = await deleted(alerting, "channels", ofChannel);
    expect(status).toBe(200);
    expect(mostOf(seen)).toBe(MOST);
    expect(seen.at(-1)).toEqual([0]);
    expect(count(alerting, "channels")).toBe(2);
    expect(count(alerting, "deliveries where channel_name = 'second'")).toBe(MESSAGES);
    expect(audited(alerting)).toEqual([
      { operation: "admin/channels/delete", subject_id: "2", subject_name: "second" },
    ]);
  });

  test("keeps them all if it is used", async () => {
    const alerting = await site();
    const { status, seen } = await deleted(alerting, "channels", ofChannel);
    expect([status, seen.at(-1)]).toEqual([409, [MESSAGES]]);
    expect(audited(alerting)).toEqual([]);
  });
});
