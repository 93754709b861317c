import { describe, expect, test } from "bun:test";
import { examine } from "../../../src/operations/doctor/doctor.ts";
import { transaction } from "../../../src/platform/storage/open.ts";
import { START } from "../../support/clock.ts";
import { notifying } from "../../support/rules.ts";
import { changedTables, stored } from "../../support/stored.ts";
import { Alerting, BOOT, notified } from "./support.ts";

function alertsOf({ app }: Alerting): unknown[] {
  return app.rows(
    "select rule_id as rule, event_id as event, created_at as at, due_at as due from alerts order by id",
  );
}

describe("rules", () => {
  test("each that asks for an event takes it, until one that has the last word", async () => {
    const alerting = await Alerting.create();
    const channelid = alerting.channel("mail");
    await alerting.rule({ name: "others", ...notifying(channelid), filter: { servicenames: ["db"] } });
    await alerting.rule({ name: "first", ...notifying(channelid), delay: 2, flapcount: 0 });
    await alerting.rule({ name: "off", ...notifying(channelid), final: true, enabled: false });
    await alerting.rule({ name: "last", ...notifying(channelid), final: true });
    await alerting.rule({ name: "never", ...notifying(channelid) });
    await alerting.event({});
    expect(alertsOf(alerting)).toEqual([
      { rule: 2, event: 1, at: START, due: START + 125 },
      { rule: 4, event: 1, at: START, due: START + 5 },
    ]);
    // The final rule took the failure before, so its repetition also belongs to no other rule.
    await alerting.event({ collectedUsec: 1 });
    expect(alertsOf(alerting)).toHaveLength(2);
  });

  test("may ask for groups of the host and the service, which count from the first message on", async () => {
    const alerting = await Alerting.create();
    const channelid = alerting.channel("mail");
    await alerting.call("admin/groups/create", { name: "Edge" });
    await alerting.rule({ name: "host", ...notifying(channelid), filter: { hostgroups: [1] } });
    await alerting.rule({
      name: "service",
      ...notifying(channelid),
      filter: { servicegroups: ["frontend"] },
    });
    await alerting.event({}, { hostGroups: ["Edge"], serviceGroups: { frontend: ["web"] } });
    await alerting.event({}, { id: "agent-2" });
    expect(alertsOf(alerting).map((row) => (row as { rule: number }).rule)).toEqual([1, 2]);
  });

  test("that are disabled or deleted leave nothing open", async () => {
    const alerting = await Alerting.create();
    const channelid = alerting.channel("mail");
    await alerting.rule({ name: "disabled", ...notifying(channelid) });
    await alerting.rule({ name: "deleted", ...notifying(channelid) });
    await alerting.event({});
    await alerting.call("admin/rules/update", { id: 1, enabled: false });
    await alerting.call("admin/rules/delete", { id: 2 });
    await alerting.pass(60);
    expect(alerting.arrived).toEqual([]);
    expect(alerting.app.rows("select rule_id, outcome, closed_at - created_at as age from alerts")).toEqual([
      { rule_id: 1, outcome: "the rule is disabled", age: 1 },
    ]);
  });

  test("see a failure that is reported late from the time of the report", async () => {
    const alerting = await Alerting.create();
    const channelid = alerting.channel("mail");
    await alerting.rule({ name: "without flapping", ...notifying(channelid), delay: 5, flapcount: 0 });
    // Flapping is checked at once, however long a failure must last before its message.
    await alerting.rule({ ...notifying(channelid), delay: 5 });
    alerting.app.clock.step(7200);
    const services = [{ name: "web", status: 512, monitor: 1 }];
    await alerting.report({ services, event: { service: "web", collectedSec: START + 60 } });
    expect(alertsOf(alerting)).toEqual([
      { rule: 1, event: 1, at: START + 7200, due: START + 7505 },
      { rule: 2, event: 1, at: START + 7200, due: START + 7205 },
    ]);
    await alerting.pass(304);
    expect(alerting.arrived).toEqual([]);
    await alerting.pass(1);
    expect(alerting.arrived.map(({ at, message }) => [at, message.kind])).toEqual([
      [7505, "problem"],
      [7505, "problem"],
    ]);
  });

  test("do not mention a failure that ended before it was reported", async () => {
    const alerting = await Alerting.create();
    await alerting.rule({ ...notifying(alerting.channel("mail")) });
    await alerting.report();
    alerting.app.clock.step(7200);
    const services = [{ name: "web" }];
    for (const state of [0, 1])
      await alerting.report({ services, event: { service: "web", state, collectedSec: START + 60 - state } });
    await alerting.pass(60);
    expect(alerting.arrived).toEqual([]);
    expect(alerting.outcomes()).toEqual(["recovered before anyone was notified"]);
  });
});

describe("an alert", () => {
  test("is stored with its event or not at all", async () => {
    const alerting = await Alerting.create();
    const { app } = alerting;
    await alerting.rule({ ...notifying(alerting.channel("mail")) });
    await alerting.report();
    const before = stored(app);
    const event = {
      hostId: 1,
      nameId: 1,
      serviceType: 3,
      date: START,
      collectedSec: START,
      collectedUsec: 0,
      eventType: 512,
      state: 1,
      action: 1,
      message: "",
    };
    app.db.$client.run("insert into names (id, name, name_key) values (1, 'web', 'web')");
    const cause = new Error("the cause of the event fails");
    const attempt = () =>
      transaction(app.db, () => {
        app.events.record(event, BOOT, START);
        expect(alertsOf(alerting)).toHaveLength(1);
        throw cause;
      });
    expect(attempt).toThrow(cause);
    expect(changedTables(app, before)).toEqual(["names"]);
    transaction(app.db, () => app.events.record(event, BOOT, START));
    expect(alertsOf(alerting)).toHaveLength(1);
    expect(examine(app.db, 0)).toEqual([]);
  });

  test("is told after a crash right behind its commit, at every point, and once", async () => {
    const alerting = await Alerting.create();
    await alerting.rule({ ...notifying(alerting.channel("mail")) });
    await alerting.event({ message: "is gone" });
    alerting.restart();
    await alerting.pass(4);
    alerting.app.clock.step(1);
    alerting.dispatcher.step();
    expect(alerting.outbox()).toEqual([["pending", 0, 5, ""]]);
    alerting.restart();
    await alerting.pass(60);
    alerting.restart();
    await alerting.pass(60);
    expect(alerting.arrived.map(notified)).toEqual(["@6 mail problem: web on host-1: is gone"]);
    expect(alerting.outbox()).toEqual([["sent", 1, null, "taken"]]);
  });

  test("goes with its host, and takes what was to be sent along", async () => {
    const alerting = await Alerting.create();
    await alerting.rule({ ...notifying(alerting.channel("mail")) });
    await alerting.event({});
    alerting.app.clock.step(5);
    alerting.dispatcher.step();
    await alerting.call("admin/hosts/delete", { id: 1 });
    await alerting.pass(60);
    expect(alerting.arrived).toEqual([]);
    expect(alerting.outcomes()).toEqual([]);
    expect(alerting.outbox()).toEqual([["failed", 1, null, "what it reports was deleted"]]);
  });
});

describe("simultaneous events share a message", () => {
  test("200 hosts that fall silent within a minute make one message, and one when they are back", async () => {
    const alerting = await Alerting.create();
    await alerting.rule({ ...notifying(alerting.channel("mail")) });
    const names = Array.from({ length: 200 }, (_, i) => `host-${String(i).padStart(3, "0")}`);
    const report = async (hostname: string) => alerting.report({ id: hostname, hostname, poll: 30 });
    for (const [i, name] of names.entries()) {
      if (i % 4 === 0) await alerting.pass(1);
      await report(name);
    }
    await alerting.pass(300);
    expect(
      alerting.arrived.map(({ message }) => [message.kind, message.title, message.events.length]),
    ).toEqual([["problem", "200 hosts are down: host-000, host-001, host-002, and 197 more", 200]]);
    const lines = alerting.arrived[0]?.message.text.split("\n") ?? [];
    const hosts = lines.slice(0, 50).map((line) => / Monit on (\S+): No report /.exec(line)?.[1]);
    expect(hosts).toEqual(names.slice(0, 50));
    expect(lines[50]).toBe("and 150 more");
    for (const name of names) await report(name);
    await alerting.pass(70);
    expect(alerting.arrived.slice(1).map(({ message }) => message.title)).toEqual([
      "200 hosts report again: host-000, host-001, host-002, and 197 more",
    ]);
  });

  test("services that fail within seconds make one message, silent hosts another one", async () => {
    const alerting = await Alerting.create();
    await alerting.rule({ ...notifying(alerting.channel("mail")) });
    await alerting.report({ id: "agent-9", hostname: "host-9", poll: 30 });
    await alerting.pass(91);
    await alerting.event({ service: "web", message: "is gone" });
    await alerting.pass(3);
    await alerting.event({ service: "db", message: "is gone" });
    await alerting.pass(120);
    expect(alerting.arrived.map(notified)).toEqual([
      "@96 mail problem: 2 problems: db on host-1, web on host-1",
      "@151 mail problem: host-9 is down",
    ]);
  });

  test("but one by one where the channel takes no more at a time, in the order of what happened", async () => {
    const alerting = await Alerting.create();
    await alerting.rule({ ...notifying(alerting.channel("pager", "single"), alerting.channel("mail")) });
    for (const service of ["web", "db", "cron"]) await alerting.event({ service, message: "is gone" });
    await alerting.pass(10);
    expect(alerting.arrived.map(notified).filter((text) => text.includes("pager"))).toEqual([
      "@5 pager problem: web on host-1: is gone",
      "@5 pager problem: db on host-1: is gone",
      "@5 pager problem: cron on host-1: is gone",
    ]);
    const keys = alerting.arrived
      .filter(({ channel }) => channel === "pager")
      .map(({ message }) => message.events[0]?.key);
    expect(new Set(keys).size).toBe(3);
    await alerting.event({ service: "web", state: 0 });
    await alerting.pass(10);
    const recovery = alerting.arrived.find(({ message }) => message.kind === "recovery")?.message;
    expect(recovery?.events.map(({ key, state }) => [key, state])).toEqual([[keys[0] ?? "", "success"]]);
  });
});
