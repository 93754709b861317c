import { describe, expect, test } from "bun:test";
import { Channels } from "../../../src/alerting/channels/channels.service.ts";
import type { Answer } from "../../../src/alerting/channels/kinds/channel-kind.ts";
import { backOff, MAX_HELD } from "../../../src/alerting/notifications/breaker.ts";
import { DeliveryMessages } from "../../../src/alerting/notifications/delivery-messages.service.ts";
import { MAX_WAITING } from "../../../src/alerting/notifications/outbox.repository.ts";
import {
  MAX_FAILING_IN_FLIGHT,
  MAX_IN_FLIGHT,
  Sender,
} from "../../../src/alerting/notifications/sender.service.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { notifying } from "../../support/rules.ts";
import { Receiver, Sockets, testEgress } from "../channels/support.ts";
import { Alerting, notified } from "./support.ts";

/** One failure, reported to the channel "mail". */
async function failing(fields: Record<string, string | number> = {}, kind?: string): Promise<Alerting> {
  const alerting = await Alerting.create();
  await alerting.rule({ ...notifying(alerting.channel("mail", kind)), ...fields });
  await alerting.event({ message: "is gone" });
  return alerting;
}

const answers =
  (...answers: Answer[]) =>
  () =>
    answers.shift() ?? { outcome: "sent" as const, detail: "taken" };

/** An answer that comes when the test says so. */
function later() {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  return { answer: () => promise, resolve };
}

describe("a channel that does not work", () => {
  test("is tried again at growing distances, under the same id, and then given up", async () => {
    const alerting = await failing();
    alerting.far.set("mail", () => ({ outcome: "failed", detail: "503 busy" }));
    await alerting.pass(5);
    for (let next = alerting.outbox()[0]?.[2]; typeof next === "number"; next = alerting.outbox()[0]?.[2]) {
      alerting.app.clock.step(START + next - 1 - alerting.app.clock.now());
      await alerting.work();
      alerting.app.clock.step(1);
      await alerting.work();
    }
    const times = alerting.arrived.map(({ at }) => at);
    const distances = times.slice(1).map((at, i) => at - (times[i] ?? 0));
    const hourly = Array.from({ length: 23 }, () => 3600);
    expect(distances).toEqual([10, 30, 60, 120, 300, 600, 1800, ...hourly]);
    expect(new Set(alerting.arrived.map(({ message }) => message.id)).size).toBe(1);
    expect(alerting.outbox()).toEqual([["failed", 31, null, "given up after a day: 503 busy"]]);
    expect(alerting.app.logged.filter((line) => line.includes("message failed"))).toHaveLength(1);
  });

  test("is not tried later because the clock was set back", async () => {
    const alerting = await failing();
    alerting.far.set("mail", answers({ outcome: "failed", detail: "busy" }));
    await alerting.pass(6);
    alerting.app.clock.step(-86_400);
    await alerting.pass(11);
    expect(alerting.outbox()).toEqual([["sent", 2, null, "taken"]]);
  });

  test("is tried at once with other settings, however long a message has waited", async () => {
    const alerting = await failing();
    alerting.far.set("mail", () => ({ outcome: "failed", detail: "no connection" }));
    await alerting.pass(1500);
    const tried = alerting.arrived.length;
    alerting.far.delete("mail");
    const url = "http://192.0.2.1/";
    await alerting.call("admin/channels/update", { id: 1, settings: { url } });
    await alerting.pass(1);
    expect(alerting.outbox()).toEqual([["sent", tried + 1, null, "taken"]]);
  });

  test("waits as before if only its name changes", async () => {
    const alerting = await failing();
    alerting.far.set("mail", () => ({ outcome: "failed", detail: "no connection" }));
    await alerting.pass(1500);
    const before = alerting.outbox();
    await alerting.call("admin/channels/update", { id: 1, name: "letters" });
    await alerting.pass(1);
    expect(alerting.outbox()).toEqual(before);
  });

  test("is told in time of what happened before the clock was set back", async () => {
    const alerting = await failing();
    await alerting.pass(2);
    alerting.app.clock.step(-86_400);
    await alerting.pass(5);
    expect(alerting.outbox()).toEqual([["sent", 1, null, "taken"]]);
  });

  test("is tried at the next start if the clock was set back while Muster was off", async () => {
    const alerting = await failing();
    alerting.far.set("mail", answers({ outcome: "failed", detail: "busy" }));
    await alerting.pass(6);
    alerting.app.clock.step(-86_400);
    alerting.restart();
    await alerting.pass(2);
    expect(alerting.outbox()).toEqual([["sent", 2, null, "taken"]]);
  });

  test("says itself how long to wait, within reason", async () => {
    const alerting = await failing();
    const outcome = "failed" as const;
    const wishes = [7, 0, 86_400].map((retryAfter) => ({ outcome, detail: "slow down", retryAfter }));
    alerting.far.set("mail", answers(...wishes));
    await alerting.pass(3700);
    expect(alerting.arrived.map(({ at }) => at)).toEqual([5, 12, 13, 3613]);
    expect(alerting.outbox()).toEqual([["sent", 4, null, "taken"]]);
  });

  test("that refuses a message is not asked again, until somebody wants it", async () => {
    const alerting = await failing();
    alerting.far.set("mail", answers({ outcome: "refused", detail: "401 wrong password" }));
    await alerting.pass(1000);
    expect(alerting.outbox()).toEqual([["failed", 1, null, "401 wrong password"]]);
    await alerting.call("admin/deliveries/retry", { id: 1 });
    await alerting.pass(1);
    expect(alerting.outbox()).toEqual([["sent", 2, null, "taken"]]);
    const [first, second] = alerting.arrived;
    expect(second?.message).toEqual(first?.message as never);
  });

  test("that gives no answer may have taken it, and is given it again under the same id", async () => {
    const alerting = await failing();
    alerting.far.set("mail", answers({ outcome: "unknown", detail: "no answer within 10 s" }));
    await alerting.pass(10);
    expect(alerting.outbox()).toEqual([["pending", 1, 15, "no answer within 10 s"]]);
    await alerting.pass(3600);
    expect(alerting.arrived.map(({ at }) => at)).toEqual([5, 15]);
    expect(alerting.arrived[1]?.message).toEqual(alerting.arrived[0]?.message as never);
  });

  test("gets the end of a failure only after its beginning, and no reminders before it", async () => {
    const alerting = await failing({ repeat: 1 });
    const busy = { outcome: "failed" as const, detail: "busy" };
    alerting.far.set("mail", answers(busy, busy, busy, busy));
    await alerting.pass(100);
    await alerting.event({ state: 0 });
    await alerting.pass(600);
    expect(alerting.arrived.map(notified).map((text) => text.replace(/: .*/, ""))).toEqual([
      "@5 mail problem",
      "@15 mail problem",
      "@45 mail problem",
      "@105 mail problem",
      "@225 mail problem",
      "@225 mail recovery",
    ]);
  });

  test("does not keep others waiting, nor its own messages about something else", async () => {
    const alerting = await failing({ name: "a" });
    await alerting.rule({ name: "b", ...notifying(alerting.channel("chat")) });
    alerting.far.set("mail", ({ events }) =>
      events[0]?.service === "web" ? { outcome: "failed", detail: "" } : { outcome: "sent", detail: "" },
    );
    await alerting.pass(20);
    await alerting.event({ service: "db", message: "is gone" });
    await alerting.pass(20);
    expect(alerting.arrived.map(notified)).toEqual([
      "@5 mail problem: web on host-1: is gone",
      "@15 mail problem: web on host-1: is gone",
      "@25 chat problem: db on host-1: is gone",
      "@25 mail problem: db on host-1: is gone",
    ]);
  });

  test("or that is deleted or disabled fails what waits for it, with the reason", async () => {
    const alerting = await failing();
    alerting.far.set("mail", answers({ outcome: "failed", detail: "busy" }));
    await alerting.pass(5);
    await alerting.call("admin/rules/update", { id: 1, ...notifying(alerting.channel("other")) });
    await alerting.call("admin/channels/delete", { id: 1 });
    await alerting.pass(60);
    expect(alerting.outbox()).toEqual([["failed", 1, null, "the channel was deleted"]]);
    alerting.app.db.$client.run("update channels set enabled = false");
    await alerting.event({ service: "db" });
    await alerting.pass(60);
    expect(alerting.outbox().slice(1)).toEqual([["failed", 0, null, "the channel is disabled"]]);
  });

  test("hears nothing of the end of a failure that began while it was disabled, unless it is reminded", async () => {
    const enable = (alerting: Alerting, enabled: boolean) =>
      alerting.app.db.$client.run(`update channels set enabled = ${enabled}`);
    const arrivedWith = async (fields: Parameters<typeof failing>[0]) => {
      const alerting = await failing(fields);
      enable(alerting, false);
      await alerting.pass(5);
      enable(alerting, true);
      await alerting.pass(70);
      await alerting.event({ state: 0 });
      await alerting.pass(5);
      return alerting.arrived.map(({ message }) => message.kind);
    };
    expect(await arrivedWith({ repeat: 0 })).toEqual([]);
    expect(await arrivedWith({ repeat: 1 })).toEqual(["reminder", "recovery"]);
  });

  test("is not asked any more once its rule is deleted", async () => {
    const alerting = await failing();
    alerting.far.set("mail", answers({ outcome: "failed", detail: "busy" }));
    await alerting.pass(5);
    await alerting.call("admin/rules/delete", { id: 1 });
    await alerting.pass(60);
    expect(alerting.outbox()).toEqual([["failed", 1, null, "the rule was deleted"]]);
  });

  test("is not asked any more if its rule is disabled during an attempt", async () => {
    const alerting = await failing();
    const { answer, resolve } = later();
    alerting.far.set("mail", answer);
    alerting.app.clock.step(5);
    alerting.dispatcher.step();
    alerting.sender.step();
    await alerting.call("admin/rules/update", { id: 1, enabled: false });
    expect(alerting.outbox()).toEqual([["sending", 1, null, ""]]);
    resolve({ outcome: "failed", detail: "busy" });
    await alerting.work();
    await alerting.pass(60);
    expect(alerting.outbox()).toEqual([["failed", 1, null, "the rule is disabled"]]);
    expect(alerting.arrived).toHaveLength(1);
  });

  test("is not asked any more if its rule is disabled during an attempt that Muster does not survive", async () => {
    const alerting = await failing();
    alerting.far.set("mail", later().answer);
    alerting.app.clock.step(5);
    alerting.dispatcher.step();
    alerting.sender.step();
    await alerting.call("admin/rules/update", { id: 1, enabled: false });
    alerting.far.delete("mail");
    alerting.restart();
    await alerting.pass(60);
    expect(alerting.outbox()).toEqual([["failed", 1, null, "the rule is disabled"]]);
    expect(alerting.arrived).toHaveLength(1);
  });

  test("and fails unexpectedly, fails like any other", async () => {
    const alerting = await failing();
    alerting.far.set("mail", () => {
      throw new Error("a mistake");
    });
    await alerting.pass(5);
    expect(alerting.outbox()).toEqual([
      ["pending", 1, 15, "Something went wrong inside Muster; its log says what"],
    ]);
    expect(alerting.app.logged.at(-1)).toContain("a mistake");
  });
});

describe("attempts", () => {
  test("run at once, one per channel, but no more than so many", async () => {
    const alerting = await Alerting.create();
    const gate = later();
    const more = MAX_IN_FLIGHT + 2;
    const ids = Array.from({ length: more }, (_, i) => alerting.channel(`channel ${i}`, "single"));
    for (let i = 0; i < more; i++) alerting.far.set(`channel ${i}`, gate.answer);
    await alerting.rule({ ...notifying(ids[0] ?? 0) });
    await alerting.event({ message: "is gone" });
    alerting.waiting(...ids.map((id) => [id, 2] as const));
    for (let i = 0; i < 3; i++) alerting.sender.step();
    expect(alerting.arrived.map(({ channel }) => channel)).toEqual(
      ids.slice(0, MAX_IN_FLIGHT).map((id) => `channel ${id - 1}`),
    );
    expect(alerting.outbox().filter(([status]) => status === "sending")).toHaveLength(MAX_IN_FLIGHT);
    gate.resolve({ outcome: "sent", detail: "" });
    await alerting.sender.idle();
    // The others followed at once, without another step.
    expect(alerting.outbox().filter(([status]) => status === "sent")).toHaveLength(2 * more);
    expect(alerting.arrived).toHaveLength(2 * more);
  });

  test("are marked before they begin; those that a crash ended are made again under the same id", async () => {
    const alerting = await failing();
    const gate = later();
    alerting.far.set("mail", gate.answer);
    alerting.app.clock.step(5);
    alerting.dispatcher.step();
    alerting.sender.step();
    expect(alerting.outbox()).toEqual([["sending", 1, null, ""]]);
    alerting.app.clock.step(30);
    alerting.far.delete("mail");
    alerting.restart();
    expect(alerting.outbox()).toEqual([
      ["pending", 1, 35, "Muster ended during the attempt: whether it arrived is unknown"],
    ]);
    await alerting.work();
    expect(alerting.outbox()).toEqual([["sent", 2, null, "taken"]]);
    expect(alerting.arrived[1]?.message).toEqual(alerting.arrived[0]?.message as never);
  });

  test("are waited for by a stop, but not for long", async () => {
    const alerting = await failing({}, "single");
    await alerting.event({ service: "db" });
    const gate = later();
    alerting.far.set("mail", gate.answer);
    alerting.app.clock.step(5);
    alerting.dispatcher.step();
    alerting.sender.step();
    await alerting.sender.stop(1);
    const sending = [
      ["sending", 1, null, ""],
      ["pending", 0, 5, ""],
    ];
    expect(alerting.outbox()).toEqual(sending);
    // Too late: the database may be closed by now.
    gate.resolve({ outcome: "sent", detail: "" });
    await alerting.sender.idle();
    alerting.sender.step();
    expect(alerting.arrived).toHaveLength(1);
  });

  test("that end in time are stored by the stop, and none begins after", async () => {
    const alerting = await failing({}, "single");
    await alerting.event({ service: "db" });
    const gate = later();
    alerting.far.set("mail", gate.answer);
    alerting.app.clock.step(5);
    alerting.dispatcher.step();
    alerting.sender.step();
    const stopped = alerting.sender.stop(10_000);
    gate.resolve({ outcome: "sent", detail: "taken" });
    await stopped;
    expect(alerting.outbox()).toEqual([
      ["sent", 1, null, "taken"],
      ["pending", 0, 5, ""],
    ]);
  });
});

describe("channels that accept a connection and never answer", () => {
  /** Channels with messages that wait for them, all about one event. */
  async function waiting(channels: Readonly<Record<string, number>>) {
    const alerting = await Alerting.create();
    await alerting.rule({
      name: "none",
      ...notifying(alerting.channel("unused")),
      filter: { eventtypes: 1 },
    });
    await alerting.event({ message: "is gone" });
    const all = Object.entries(channels);
    alerting.waiting(...all.map(([name, messages]) => [alerting.channel(name), messages] as const));
    return alerting;
  }

  const dead = (n: number, messages: number) =>
    Object.fromEntries(Array.from({ length: n }, (_, i) => [`dead ${i}`, messages]));
  const arrivedAt = (alerting: Alerting, name: string) =>
    alerting.arrived.filter(({ channel }) => channel === name).map(({ at }) => at);

  test("do not keep a healthy channel waiting, however many messages they have", async () => {
    const alerting = await waiting({ ...dead(5, 100), healthy: 20 });
    for (let i = 0; i < 5; i++) alerting.far.set(`dead ${i}`, () => new Promise(() => undefined));
    alerting.sender.step();
    for (let turns = 0; turns < 500 && arrivedAt(alerting, "healthy").length < 20; turns++)
      await Bun.sleep(0);
    // Not a second passed, and no attempt of the others ended.
    expect(arrivedAt(alerting, "healthy")).toEqual(Array.from({ length: 20 }, () => 0));
    await Bun.sleep(0);
    expect(alerting.outbox().filter(([status]) => status === "sending")).toHaveLength(5);
    expect(alerting.arrived).toHaveLength(25);
  });

  test("take only a part of the places, once they failed", async () => {
    const alerting = await waiting({ ...dead(MAX_IN_FLIGHT, 100), healthy: 20 });
    const gate = later();
    for (let i = 0; i < MAX_IN_FLIGHT; i++) alerting.far.set(`dead ${i}`, gate.answer);
    alerting.sender.step();
    expect(arrivedAt(alerting, "healthy")).toEqual([]);
    for (let i = 0; i < MAX_IN_FLIGHT; i++) alerting.far.set(`dead ${i}`, () => new Promise(() => undefined));
    gate.resolve({ outcome: "unknown", detail: "nothing came within 10 seconds" });
    for (let turns = 0; turns < 500 && arrivedAt(alerting, "healthy").length < 20; turns++)
      await Bun.sleep(0);
    expect(arrivedAt(alerting, "healthy")).toHaveLength(20);
    expect(alerting.outbox().filter(([status]) => status === "sending")).toHaveLength(MAX_FAILING_IN_FLIGHT);
  });

  test("are tried less and less often, with messages that were not tried yet first", async () => {
    const alerting = await waiting({ dead: 20 });
    alerting.far.set("dead", () => ({ outcome: "unknown", detail: "nothing came within 10 seconds" }));
    await alerting.pass(1200);
    expect(arrivedAt(alerting, "dead")).toEqual([1, 1, 1, 61, 181, 481, 781, 1081]);
    expect(new Set(alerting.arrived.map(({ message }) => message.id)).size).toBe(8);
    expect(alerting.app.logged.filter((line) => line.includes("channel fails and is held"))).toHaveLength(1);
    // Waiting messages go as soon as it works again.
    alerting.far.delete("dead");
    await alerting.pass(MAX_HELD);
    expect(
      alerting
        .outbox()
        .slice(0, 20)
        .map(([status]) => status),
    ).toEqual(Array.from({ length: 20 }, () => "sent"));
    expect(alerting.app.logged.filter((line) => line.includes("channel works again"))).toHaveLength(1);
  });

  test("are given up after a day, with all that waits for them", async () => {
    const alerting = await waiting({ dead: 1000 });
    alerting.far.set("dead", () => ({ outcome: "unknown", detail: "nothing came" }));
    for (let hours = 0; hours < 25; hours++) {
      alerting.app.clock.step(3600);
      await alerting.work();
    }
    expect(alerting.app.rows("select status, answer, count(*) n from deliveries group by 1, 2")).toEqual([
      { status: "failed", answer: "given up after a day: nothing came", n: 1000 },
    ]);
  });

  test("are tried at once when somebody asks for it, changes them, or starts Muster again", async () => {
    const alerting = await waiting({ dead: 20 });
    alerting.far.set("dead", () => ({ outcome: "failed", detail: "503 busy" }));
    const attempts = async (cause: () => unknown) => {
      await alerting.pass(1);
      const before = alerting.arrived.length;
      await cause();
      await alerting.work();
      return alerting.arrived.length - before;
    };
    expect(await attempts(() => undefined)).toBe(0);
    alerting.app.db.$client.run("update deliveries set status = 'failed', next_at = null where id = 20");
    expect(await attempts(() => alerting.call("admin/deliveries/retry", { id: 20 }))).toBe(1);
    expect(await attempts(() => alerting.restart())).toBe(1);
    // With other settings it is another channel: three failures hold it again.
    expect(
      await attempts(() =>
        alerting.call("admin/channels/update", { id: 2, settings: { url: "http://192.0.2.1/" } }),
      ),
    ).toBe(3);
  });

  test("as real ones: a healthy receiver is served while the others still wait", async () => {
    await using far = await Receiver.start();
    await using outages = await Sockets.start((socket) => socket.resume());
    const alerting = await Alerting.create(new TestApp());
    const { app } = alerting;
    const egress = testEgress({ timeLimit: 60_000 });
    const channels = new Channels({ ...app.muster, ...app, egress, monotonic: () => 0, baseUrl: () => null });
    const make = (name: string, url: string) =>
      channels.create({ name, kind: "webhook", enabled: true, settings: { url, secretheader: "" } });
    const ids = [1, 2, 3, 4, 5, 6].map((n) => make(`dead ${n}`, outages.url));
    await alerting.rule({ ...notifying(ids[0] ?? 0), filter: { eventtypes: 1 } });
    await alerting.event({ message: "is gone" });
    alerting.waiting(...ids.map((id) => [id, 100] as const), [make("healthy", far.url), 10]);
    const messages = new DeliveryMessages({
      ...app.muster,
      ...app,
      sources: {
        report: app.muster.reportSender,
        rehearsal: app.muster.rehearsals,
        shift: app.muster.shiftNotices,
      },
      baseUrl: () => null,
      firstMoves: () => [],
      acknowledgeLink: () => "https://muster.example/acknowledge/x",
      visibleTo: () => "all",
      timeZone: () => "UTC",
    });
    const sender = new Sender({ ...app.muster, ...app, channels, messages });
    sender.step();
    while (alerting.outbox().filter(([status]) => status === "sent").length < 10) await Bun.sleep(5);
    expect(alerting.outbox().filter(([status]) => status === "sending")).toHaveLength(6);
    expect(far.received).toHaveLength(10);
    expect(outages.connections).toBe(6);
  });
});

test("the list of channels says how the last attempt ended, and how many failed in a row", async () => {
  const alerting = await failing();
  const channel = async () => (await alerting.admin.get("/api/1/admin/channels/get", { id: 1 })).json;
  expect(await channel()).toMatchObject({ failures: 0, lastat: null, lastoutcome: null, lastanswer: "" });
  alerting.far.set("mail", () => ({ outcome: "failed", detail: "503 busy" }));
  await alerting.pass(50);
  expect(await channel()).toMatchObject({
    failures: 3,
    lastat: START + 45,
    lastoutcome: "failed",
    lastanswer: "503 busy",
  });
  const { records } = (await alerting.admin.get("/api/1/admin/channels/list")).json;
  expect(records).toEqual([await channel()]);
  expect(Object.keys(records[0]).slice(-4)).toEqual(["failures", "lastat", "lastoutcome", "lastanswer"]);
  alerting.far.delete("mail");
  await alerting.pass(100);
  expect(await channel()).toMatchObject({ failures: 0, lastoutcome: "sent", lastanswer: "taken" });
});

test.each([
  { recipients: ["one@example.org"], failures: 1 },
  { recipients: ["one@example.org", "two@example.org"], failures: 0 },
])("that a recipient of $recipients is refused counts for the channel if it has no other", async (given) => {
  const alerting = await Alerting.create();
  alerting.recipients.set("mail", given.recipients);
  alerting.far.set("mail", () => ({ outcome: "refused", detail: "550 no such user", only: "recipient" }));
  await alerting.rule(notifying(alerting.channel("mail")));
  await alerting.event({ message: "is gone" });
  await alerting.pass(5);
  expect(alerting.arrived).toHaveLength(given.recipients.length);
  expect(alerting.app.rows("select failures from channels")).toEqual([{ failures: given.failures }]);
});

test("no more than so many messages wait; beyond, the oldest fail", async () => {
  const alerting = await failing();
  const row = `(1, 1, 'rule', 'mail', 'problem', ${START}, 'pending', ${START + 500})`;
  alerting.app.db.$client.run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${MAX_WAITING})
     insert into deliveries (rule_id, channel_id, rule_name, channel_name, kind, created_at, status, next_at)
     select v.* from n, (select ${row.slice(1, -1)}) as v`,
  );
  await alerting.pass(6);
  expect(alerting.app.rows("select id, status, answer from deliveries where status = 'failed'")).toEqual([
    { id: 1, status: "failed", answer: "too many waiting" },
  ]);
  expect(alerting.arrived).toHaveLength(1);
  expect(
    alerting.app.logged.some((line) => line.includes("too many wait") && line.includes("messages=1")),
  ).toBe(true);
});

test("the next attempt comes an hour after the one before, at the latest", () => {
  expect([1, 2, 7, 8, 9, 30].map(backOff)).toEqual([10, 30, 1800, 3600, 3600, 3600]);
});
