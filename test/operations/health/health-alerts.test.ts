/** Failures of Muster itself go through rules, dispatcher and outbox as those of hosts do. */
import { describe, expect, test } from "bun:test";
import { HealthAlerts } from "../../../src/alerting/notifications/health-alerts.service.ts";
import { canTell, findingsOf } from "../../../src/operations/health/checks.ts";
import type { HealthFacts } from "../../../src/operations/health/facts.ts";
import { Findings } from "../../../src/operations/health/findings.service.ts";
import { Alerting } from "../../alerting/notifications/support.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { escalating, notifying } from "../../support/rules.ts";
import { soundFacts } from "./facts.ts";
import { arrivedAt, failing, OF_MUSTER, PROBLEM, working } from "./support.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;
const BASE_URL = "https://muster.example";

test("a rule about Muster itself notifies of what two evaluations find, and of its end", async () => {
  const alerting = await Alerting.create(new TestApp({ baseUrl: BASE_URL }));
  await alerting.rule({ name: "own", filter: OF_MUSTER, ...notifying(alerting.channel("mail")) });
  await failing(alerting);
  expect(alerting.arrived).toEqual([]);
  await failing(alerting, 2);
  await working(alerting, 2);
  expect(arrivedAt(alerting)).toEqual([
    `@66 mail problem: ${PROBLEM}`,
    `@188 mail recovery: Recovered after 3m 3s: ${PROBLEM}`,
  ]);
  const [problem, recovery] = alerting.arrived.map(({ message }) => message);
  const event = {
    ...{ id: 1, hostId: 0, hostname: "Muster", service: "background.failing", type: "Health" },
    ...{ message: "Background work is failing: retention.", key: `muster-health-1-${START}` },
  };
  expect(problem).toMatchObject({
    ...{ rule: "own", url: `${BASE_URL}/health` },
    acknowledgeUrl: expect.stringMatching(/^https:\/\/muster\.example\/acknowledge\/[\w-]{22}$/),
    events: [{ ...event, state: "error", date: START }],
    text: expect.stringContaining(
      "Background work is failing: retention. Read the reason in the log of Muster, and run muster doctor.",
    ),
  });
  expect(recovery?.events).toEqual([{ ...event, state: "success", date: START + 183 }]);
  expect(recovery?.text).toContain("Background work is failing: retention. Resolved at ");
});

describe("what was found before a restart", () => {
  /** Evaluations of a process that has run for so many seconds, a minute apart. */
  async function evaluate(alerting: Alerting, facts: Partial<HealthFacts>, times: number): Promise<void> {
    const { app } = alerting;
    const findings = new Findings(app.db, new HealthAlerts(app.db));
    for (let i = 0; i < times; i++) {
      const all = soundFacts({ now: app.clock.now(), ...facts });
      findings.store(findingsOf(all), all.now, (code) => canTell(code, all));
      await alerting.pass(60);
    }
  }
  const lasting = ({ app }: Alerting) =>
    app.rows("select code, opened_at - since as after, ended_at from health_findings");
  const BEHIND = { code: "forecasts.behind", after: 60, ended_at: null };

  test("lasts, acknowledged, until the new process can tell that it is over", async () => {
    const alerting = await Alerting.create();
    await alerting.rule({ filter: OF_MUSTER, flapcount: 0, ...notifying(alerting.channel("mail")) });
    await evaluate(alerting, { uptime: DAY, forecasts: { behind: 3 } }, 3);
    await alerting.call("admin/health/acknowledge", { id: 1 });
    const told = alerting.arrived.length;
    await evaluate(alerting, { uptime: 60, forecasts: { behind: 3 } }, 3);
    await evaluate(alerting, { uptime: 7 * HOUR, forecasts: { behind: 3 } }, 3);
    expect(lasting(alerting)).toEqual([BEHIND]);
    expect(alerting.app.rows("select ended_at from finding_acknowledgements")).toEqual([{ ended_at: null }]);
    expect(alerting.arrived).toHaveLength(told);
    await evaluate(alerting, { uptime: 7 * HOUR }, 1);
    expect(lasting(alerting)).toEqual([{ ...BEHIND, ended_at: expect.any(Number) }]);
  });

  test("lasts while the hosts that it is about cannot be read", async () => {
    const alerting = await Alerting.create();
    const overdue = { ...soundFacts().agents, overdue: { count: 1, names: ["web-9"] } };
    await evaluate(alerting, { agents: overdue }, 2);
    await evaluate(alerting, { isFleetRead: false }, 2);
    expect(lasting(alerting)).toEqual([{ code: "hosts.expected", after: 60, ended_at: null }]);
    await evaluate(alerting, {}, 1);
    expect(lasting(alerting)).toEqual([{ code: "hosts.expected", after: 60, ended_at: expect.any(Number) }]);
  });
});

test("the outbox says which failures of Muster a message reports", async () => {
  const alerting = await Alerting.create();
  await alerting.rule({ filter: OF_MUSTER, ...notifying(alerting.channel("mail")) });
  await failing(alerting, 2);
  const { json } = await alerting.admin.get("/api/1/admin/deliveries/list");
  expect(json.records).toMatchObject([
    {
      ...{ kind: "problem", status: "sent", eventcount: 0, events: [] },
      findings: [
        {
          id: 1,
          code: "background.failing",
          subject: "retention",
          text: "Background work is failing: retention.",
        },
      ],
    },
  ]);
});

test("nothing of it is stored as an event, host, service or alert of a host", async () => {
  const alerting = await Alerting.create();
  await alerting.rule({ filter: OF_MUSTER, ...notifying(alerting.channel("mail")) });
  await failing(alerting, 3);
  await working(alerting, 2);
  expect(alerting.arrived).toHaveLength(2);
  for (const table of [
    "hosts",
    "services",
    "names",
    "events",
    "alerts",
    "downtime_intervals",
    "event_counts",
  ])
    expect([table, alerting.app.rows(`select * from ${table}`)]).toEqual([table, []]);
});

describe("rules", () => {
  test("about hosts are not about Muster, and those about Muster not about hosts, even one that is called Muster", async () => {
    const alerting = await Alerting.create();
    await alerting.rule({ name: "hosts", ...notifying(alerting.channel("hosts")) });
    await alerting.rule({ name: "muster", filter: OF_MUSTER, ...notifying(alerting.channel("muster")) });
    await alerting.event({ message: "is gone" }, { id: "Muster", hostname: "Muster" });
    await failing(alerting, 2);
    expect(arrivedAt(alerting)).toEqual([
      "@5 hosts problem: web on Muster: is gone",
      `@66 muster problem: ${PROBLEM}`,
    ]);
    const { json } = await alerting.admin.get("/api/1/status/hosts/list");
    expect(json.records).toMatchObject([{ hostname: "Muster", events: 1 }]);
  });

  test("of a severity are notified when a warning becomes critical, and only then", async () => {
    const alerting = await Alerting.create();
    const filter = { ...OF_MUSTER, severities: [2] };
    await alerting.rule({ name: "critical", filter, ...notifying(alerting.channel("pager")) });
    await alerting.rule({ name: "all", filter: OF_MUSTER, ...notifying(alerting.channel("mail")) });
    const failed = (attempts: number) =>
      alerting.app.db.$client.run(`update channels set failures = ${attempts} where name = 'mail'`);
    failed(1);
    await working(alerting);
    failed(1);
    await working(alerting);
    const title = 'Muster: Notifications through the channel "mail" fail: ';
    const first = arrivedAt(alerting);
    expect(first).toHaveLength(1);
    expect(first[0]).toStartWith(`@66 mail problem: ${title}`);
    failed(3);
    await working(alerting);
    expect(arrivedAt(alerting).slice(1)).toEqual([expect.stringMatching(/^@127 pager problem: Muster: /)]);
  });

  test("are notified when a warning becomes critical, though they were disabled in between", async () => {
    const alerting = await Alerting.create();
    const id = await alerting.rule({ filter: OF_MUSTER, ...notifying(alerting.channel("pager")) });
    alerting.channel("mail");
    const failed = (attempts: number) =>
      alerting.app.db.$client.run(`update channels set failures = ${attempts} where name = 'mail'`);
    failed(1);
    await working(alerting, 2);
    expect(arrivedAt(alerting)).toEqual([expect.stringMatching(/^@66 pager problem: /)]);
    for (const enabled of [false, true]) await alerting.call("admin/rules/update", { id, enabled });
    await working(alerting);
    failed(3);
    await working(alerting);
    failed(0);
    await working(alerting, 2);
    expect(arrivedAt(alerting).slice(1)).toEqual([
      expect.stringMatching(/^@188 pager problem: Muster: /),
      expect.stringMatching(/^@249 pager recovery: /),
    ]);
  });

  test("keep their delay when the clock is set back", async () => {
    const alerting = await Alerting.create();
    await alerting.rule({ filter: OF_MUSTER, delay: 3, ...notifying(alerting.channel("mail")) });
    await failing(alerting, 2);
    alerting.app.clock.step(-3600);
    await alerting.work();
    expect(alerting.arrived).toEqual([]);
    await failing(alerting, 3);
    expect(alerting.arrived.map(({ message }) => message.kind)).toEqual(["problem"]);
  });

  test("up to the first that has the last word take it", async () => {
    const alerting = await Alerting.create();
    const steps = notifying(alerting.channel("mail"));
    await alerting.rule({ name: "of hosts", final: true, ...steps });
    await alerting.rule({ name: "first", filter: OF_MUSTER, ...steps });
    await alerting.rule({ name: "last", filter: OF_MUSTER, final: true, ...steps });
    await alerting.rule({ name: "never", filter: OF_MUSTER, ...steps });
    await failing(alerting, 2);
    expect(alerting.arrived.map(({ message }) => message.rule)).toEqual(["first", "last"]);
  });

  test("remind and escalate while it lasts", async () => {
    const alerting = await Alerting.create();
    const steps = escalating([alerting.channel("mail")], 3, alerting.channel("boss"));
    await alerting.rule({ filter: OF_MUSTER, repeat: 2, ...steps });
    await failing(alerting, 6);
    expect(arrivedAt(alerting)).toEqual([
      `@66 mail problem: ${PROBLEM}`,
      expect.stringContaining("mail reminder: Ongoing for 3m"),
      expect.stringContaining("boss escalation: Escalated after 4m"),
      expect.stringContaining("mail reminder: Ongoing for"),
      expect.stringContaining("boss reminder: Ongoing for"),
    ]);
  });

  test("report a check that fails again and again once, as flapping", async () => {
    const alerting = await Alerting.create();
    await alerting.rule({
      ...{ filter: OF_MUSTER, flapcount: 2, flapwindow: 20 },
      ...notifying(alerting.channel("mail")),
    });
    for (let i = 0; i < 3; i++) {
      await failing(alerting, 2);
      await working(alerting, 2);
    }
    const kinds = () => alerting.arrived.map(({ message }) => message.kind);
    expect(kinds()).toEqual(["problem", "recovery", "flapping"]);
    await working(alerting, 21);
    expect(kinds()).toEqual(["problem", "recovery", "flapping", "steady"]);
    expect(alerting.app.rows("select id from health_alerts where closed_at is null")).toEqual([]);
  });

  test("that are disabled or deleted leave nothing open", async () => {
    const alerting = await Alerting.create();
    const steps = notifying(alerting.channel("mail"));
    await alerting.rule({ name: "disabled", filter: OF_MUSTER, delay: 2, ...steps });
    await alerting.rule({ name: "deleted", filter: OF_MUSTER, delay: 2, ...steps });
    await failing(alerting, 2);
    await alerting.call("admin/rules/update", { id: 1, enabled: false });
    await alerting.call("admin/rules/delete", { id: 2 });
    await failing(alerting, 3);
    expect(alerting.arrived).toEqual([]);
    expect(alerting.app.rows("select rule_id, outcome from health_alerts")).toEqual([
      { rule_id: 1, outcome: "the rule is disabled" },
    ]);
  });

  test("refuse conditions that only hosts meet, and name them", async () => {
    const alerting = await Alerting.create();
    const steps = notifying(alerting.channel("mail"));
    const create = (filter: object) =>
      alerting.admin.post("/api/1/admin/rules/create", { name: "r", filter, ...steps });
    await alerting.report({ hostGroups: ["rack"] });
    for (const [name, value] of [
      ["hosts", [1]],
      ["hostgroups", [1]],
      ["tags", ["env=prod"]],
      ["servicenames", ["web"]],
      ["states", [1]],
      ["eventtypes", 512],
    ] as const) {
      const { status, json } = await create({ ...OF_MUSTER, [name]: value });
      expect([name, status, json.error]).toEqual([
        name,
        400,
        expect.stringContaining(`filter.${name} must be absent`),
      ]);
    }
    expect((await create({ about: "hosts" })).status).toBe(400);
    expect(alerting.app.rows("select * from rules")).toEqual([]);
    expect((await create({ ...OF_MUSTER, severities: [1, 2] })).status).toBe(200);
  });

  test("about Muster are not among those that match no host", async () => {
    const alerting = await Alerting.create();
    await alerting.report();
    await alerting.rule({ filter: OF_MUSTER, ...notifying(alerting.channel("mail")) });
    expect((await alerting.admin.get("/api/1/admin/rules/unmatched")).json).toEqual({ ids: [] });
  });
});

describe("notifications about Muster itself", () => {
  const prepared = async () => {
    const alerting = await Alerting.create();
    await alerting.report();
    await alerting.rule({ filter: OF_MUSTER, ...notifying(alerting.channel("mail")) });
    return alerting;
  };
  const muted = async (filter: object) => {
    const alerting = await prepared();
    await alerting.call("mutes/create", { filter, minutes: 10 });
    await failing(alerting, 4);
    return alerting;
  };

  test("are paused by maintenance of everything, until it ends", async () => {
    const alerting = await prepared();
    const schedule = { kind: "once", from: START, to: START + 600 };
    await alerting.call("admin/maintenance/create", { name: "Move", filter: {}, schedule });
    await failing(alerting, 4);
    expect(alerting.arrived).toEqual([]);
    expect(alerting.app.rows("select outcome from health_alerts")).toEqual([
      { outcome: 'maintenance "Move"' },
    ]);
    await failing(alerting, 8);
    expect(arrivedAt(alerting)).toEqual([expect.stringContaining(`mail problem: ${PROBLEM}`)]);
  });

  test("are paused by a mute of their rule", async () => {
    expect((await muted({ rules: [1] })).arrived).toEqual([]);
  });

  test("are sent when the mute of their rule is ended early", async () => {
    const alerting = await muted({ rules: [1] });
    const { json } = await alerting.admin.get("/api/1/mutes/list");
    await alerting.call("mutes/delete", { id: json.records[0].id });
    await alerting.work();
    expect(arrivedAt(alerting)).toEqual([expect.stringContaining(`mail problem: ${PROBLEM}`)]);
    expect(alerting.app.rows("select * from alert_wakes")).toEqual([]);
  });

  test.each([
    ["a host", { hosts: [1] }],
    ["all services", { servicenames: ["*"] }],
  ])("are not paused by a mute of %s", async (_what, filter) => {
    expect((await muted(filter)).arrived).toHaveLength(1);
  });
});

test("a recovery waits for its problem, which the channel does not take yet", async () => {
  const alerting = await Alerting.create();
  await alerting.rule({ filter: OF_MUSTER, ...notifying(alerting.channel("mail")) });
  let isDown = true;
  alerting.far.set("mail", () =>
    isDown ? { outcome: "failed", detail: "down" } : { outcome: "sent", detail: "taken" },
  );
  await failing(alerting, 2);
  await working(alerting, 3);
  isDown = false;
  alerting.arrived.splice(0);
  await working(alerting, 6);
  const kinds = alerting.arrived.map(({ message }) => message.kind);
  expect([kinds[0], kinds.includes("recovery")]).toEqual(["problem", true]);
});
