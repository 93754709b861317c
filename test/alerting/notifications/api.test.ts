import { beforeEach, expect, test } from "bun:test";
import { deliveryRetention } from "../../../src/alerting/notifications/deliveries.service.ts";
import { Retention } from "../../../src/monitoring/retention/retention.service.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { notifying } from "../../support/rules.ts";
import { expectRefusal } from "../../support/stored.ts";
import { Alerting } from "./support.ts";

let alerting: Alerting;

/** Deliveries 1 and 2: a problem that "mail" refused and "phone" took. 3: its recovery to phone. Event 3 was held back. */
beforeEach(async () => {
  alerting = await Alerting.create(new TestApp({ baseUrl: "http://muster.test" }));
  const [mail, phone] = [alerting.channel("mail"), alerting.channel("phone")];
  alerting.far.set("mail", () => ({ outcome: "refused", detail: "550 no such mailbox" }));
  await alerting.rule({ name: "all", ...notifying(mail, phone), filter: { servicenames: ["web"] } });
  await alerting.rule({ name: "slow", ...notifying(phone), filter: { servicenames: ["db"] }, delay: 5 });
  await alerting.event({ message: "is gone" });
  await alerting.pass(60);
  await alerting.event({ state: 0 });
  await alerting.pass(60);
  await alerting.event({ service: "db" });
  await alerting.event({ service: "db", state: 0 });
  await alerting.pass(10);
});

async function list(fields: Record<string, string | number | string[]> = {}) {
  const reply = await alerting.admin.get("/api/1/admin/deliveries/list", fields);
  expect(reply.status).toBe(200);
  return reply.json;
}

test("messages are listed with what became of them, newest first", async () => {
  const reply = await list();
  expect({ ...reply, records: reply.records.length }).toEqual({
    recordsReturned: 4,
    pageSize: 50,
    totalRecords: 4,
    startIndex: 0,
    records: 4,
  });
  expect(
    reply.records.map(({ id, kind, channel, status }: Record<string, unknown>) => [
      id,
      kind,
      channel,
      status,
    ]),
  ).toEqual([
    [4, "recovery", "phone", "sent"],
    [3, "recovery", "mail", "failed"],
    [2, "problem", "phone", "sent"],
    [1, "problem", "mail", "failed"],
  ]);
  expect(reply.records[3]).toEqual({
    id: 1,
    date: START + 5,
    kind: "problem",
    status: "failed",
    attempts: 1,
    next: null,
    finished: START + 5,
    answer: "550 no such mailbox",
    rule: "all",
    ruleid: 1,
    channel: "mail",
    channelid: 1,
    eventcount: 1,
    events: [{ id: 1, host: "host-1", service: "web" }],
    findings: [],
    recipient: "",
    person: "",
  });
});

test("they are filtered and paged", async () => {
  const ids = async (fields: Record<string, string | number | string[]>) => {
    const { records, totalRecords } = await list(fields);
    return [records.map(({ id }: { id: number }) => id), totalRecords];
  };
  expect(await ids({ channelid: 2 })).toEqual([[4, 2], 2]);
  expect(await ids({ ruleid: 2 })).toEqual([[], 0]);
  expect(await ids({ ruleid: 1, status: "sent" })).toEqual([[4, 2], 2]);
  expect(await ids({ status: ["sent", "failed"] })).toEqual([[4, 3, 2, 1], 4]);
  expect(await ids({ eventid: 1 })).toEqual([[4, 3, 2, 1], 4]);
  expect(await ids({ eventid: 2 })).toEqual([[], 0]);
  expect(await ids({ datefrom: START + 6 })).toEqual([[4, 3], 2]);
  expect(await ids({ dateto: START + 5 })).toEqual([[2, 1], 2]);
  expect(await ids({ results: 2, startindex: 1 })).toEqual([[3, 2], 4]);
  await expectRefusal(
    alerting.app,
    () => alerting.admin.get("/api/1/admin/deliveries/list", { status: "lost" }),
    400,
    "argument.invalid",
  );
});

test("an event of which nobody was notified yet shows which rule waits", async () => {
  const waiting = await Alerting.create(new TestApp());
  await waiting.rule({ name: "slow", ...notifying(waiting.channel("mail")), delay: 5 });
  await waiting.event({ message: "is gone" });
  const notified = async () => (await waiting.admin.get("/api/1/reports/events/alerts", { id: 1 })).json;
  expect(await notified()).toEqual({
    records: [],
    heldback: [{ rule: "slow", reason: "waiting for the rule's delay, or to be grouped with other events" }],
  });
  await waiting.pass(310);
  expect((await notified()).heldback).toEqual([]);
});

test("an event shows who was notified of it, to users without the replies of channels", async () => {
  const user = await alerting.app.user();
  const record = {
    rule: "all",
    kind: "problem",
    channel: "mail",
    status: "failed",
    date: START + 5,
    finished: START + 5,
    attempts: 1,
    person: "",
    recipient: "",
  };
  const admins = (await alerting.admin.get("/api/1/reports/events/alerts", { id: 1 })).json;
  const users = (await user.get("/api/1/reports/events/alerts", { id: 1 })).json;
  expect([admins.records.length, admins.records[3], admins.heldback]).toEqual([
    4,
    { ...record, answer: "550 no such mailbox" },
    [],
  ]);
  expect(users.records[3]).toEqual({ ...record, answer: "" });
  const [{ id }] = alerting.app.rows<{ id: number }>(
    "select id from events where state = 1 order by id desc",
  ) as [{ id: number }];
  expect((await user.get("/api/1/reports/events/alerts", { id })).json).toEqual({
    records: [],
    heldback: [{ rule: "slow", reason: "recovered before the delay" }],
  });
  await expectRefusal(
    alerting.app,
    () => user.get("/api/1/reports/events/alerts", { id: 99 }),
    404,
    "object.unknown",
  );
});

const retry = (id: number) => alerting.admin.post("/api/1/admin/deliveries/retry", { id });

test("only what failed can be sent again", async () => {
  const { app } = alerting;
  expect((await retry(1)).status).toBe(200);
  expect(alerting.outbox()[0]).toEqual(["pending", 1, app.clock.now() - START, "550 no such mailbox"]);
  await expectRefusal(app, () => retry(1), 409, "delivery.notfailed");
  await expectRefusal(app, () => retry(2), 409, "delivery.notfailed");
  await expectRefusal(app, () => retry(99), 404, "object.unknown");
  expect(
    app.rows("select operation, subject, subject_id as id from audit order by audit.id desc limit 1"),
  ).toEqual([{ operation: "admin/deliveries/retry", subject: "delivery", id: "1" }]);
});

test("messages go after 90 days, but for those that are still to be sent", async () => {
  const { app } = alerting;
  expect((await retry(1)).status).toBe(200);
  const clean = () => {
    const retention = new Retention(app.db, app.settings, app.clock, { rules: [deliveryRetention(app.db)] });
    while (retention.step());
    return app.rows<{ id: number }>("select id from deliveries order by id").map(({ id }) => id);
  };
  app.clock.step(90 * 86_400 - 200);
  expect(clean()).toEqual([1, 2, 3, 4]);
  app.clock.step(3600);
  expect(clean()).toEqual([1]);
  expect(app.rows("select distinct delivery_id as id from delivery_events")).toEqual([{ id: 1 }]);
});
