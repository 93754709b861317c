import { describe, expect, test } from "bun:test";
import type { ReportFigures } from "../../../src/alerting/mail-reports/figures.schemas.ts";
import type { ReportSubject } from "../../../src/alerting/mail-reports/figures.service.ts";
import { sectionsOf } from "../../../src/alerting/mail-reports/sections.ts";
import { filesystemXml } from "../../support/agent-messages.ts";
import { START } from "../../support/clock.ts";
import { notifying } from "../../support/rules.ts";
import { Alerting, fails, recovers } from "../notifications/support.ts";

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

async function figuresOf(alerting: Alerting, changes: Partial<ReportSubject> = {}): Promise<ReportFigures> {
  const subject: ReportSubject = {
    about: "all",
    scope: "all",
    target: 99,
    window: { from: START, to: START + DAY },
    before: { from: START - DAY, to: START },
    manage: "all",
    listsForgotten: true,
    ...changes,
  };
  return (await alerting.app.muster.queries.reportFigures("reports", subject)).value;
}

/** Two hosts, and a rule that sends a message for each failure. */
async function begin(): Promise<Alerting> {
  const alerting = await Alerting.create();
  alerting.channel("chat", "single");
  await alerting.rule({ ...notifying(1), flapcount: 0, recovery: false });
  await alerting.report();
  await alerting.report({ id: "agent-2", hostname: "host-2" });
  return alerting;
}

const second = { id: "agent-2", hostname: "host-2" } as const;

describe("the figures of a report", () => {
  test("count failures, and name the hosts and checks with the most", async () => {
    const alerting = await begin();
    for (let i = 0; i < 3; i++) {
      await fails()(alerting);
      await alerting.pass(MINUTE);
      await recovers()(alerting);
      await alerting.pass(MINUTE);
    }
    await fails({ service: "db" }, second)(alerting);
    alerting.app.clock.step(DAY);
    const { failuretotal, failures, worst } = await figuresOf(alerting);
    expect(failuretotal).toBe(4);
    const failed = { failure: "Nonexist" };
    expect(failures).toEqual([
      {
        hostid: 1,
        hostname: "host-1",
        servicename: "web",
        ...failed,
        times: 3,
        timesbefore: 0,
        seconds: 180,
      },
      {
        hostid: 2,
        hostname: "host-2",
        servicename: "db",
        ...failed,
        times: 1,
        timesbefore: 0,
        seconds: DAY - 360,
      },
    ]);
    expect(worst.map(({ hostname, failures: n }) => [hostname, n])).toEqual([
      ["host-1", 3],
      ["host-2", 1],
    ]);
  });

  test("name checks alike in all numbers by host, service and limit", async () => {
    const alerting = await begin();
    const names = Array.from({ length: 14 }, (_, i) => `limit ${14 - i}`);
    for (const name of names) await alerting.call("limits/create", { name, statistics: [18], warning: 90 });
    const services = [{ name: "rootfs", type: 0, status: 0, body: filesystemXml({ percent: 95 }) }];
    await alerting.report({ services });
    await alerting.pass(MINUTE);
    const { failures, noise } = await figuresOf(alerting);
    expect(failures.map(({ failure }) => failure)).toEqual(names.slice(0, 10));
    expect(noise.map(({ failure }) => failure)).toEqual(names.slice(0, 10));
  });

  test("hold uptime to the target: the error budget is the share of the counted time that may be down", async () => {
    const alerting = await begin();
    const { admin, app } = alerting;
    for (const [name, id] of [
      ["both", [1, 2]],
      ["first", [1]],
    ] as const) {
      const { json } = await admin.post("/api/1/admin/groups/create", { name });
      await admin.post("/api/1/admin/groups/add", { id: json.id, hostid: [...id] });
    }
    await admin.post("/api/1/admin/groups/target", { id: 2, target: 95.5 });
    app.db.$client.run("insert into names (name, name_key) values ('Monit', 'monit')");
    app.db.$client.run(
      `insert into downtime_intervals (host_id, name_id, event_type, started_at, ended_at)
       select 1, id, 1048576, ${START + HOUR}, ${START + 2 * HOUR} from names where name = 'Monit'`,
    );
    app.clock.step(DAY);
    const { total, groups, worst } = await figuresOf(alerting);
    const both = {
      hosts: 2,
      uptime: (100 * 47) / 48,
      uptimebefore: null,
      counted: 2 * DAY,
      down: HOUR,
      budget: (2 * DAY) / 100,
    };
    expect(total).toEqual(both);
    expect(groups).toEqual([
      {
        id: 2,
        name: "first",
        hosts: 1,
        uptime: (100 * 23) / 24,
        uptimebefore: null,
        counted: DAY,
        down: HOUR,
        target: 95.5,
        budget: (DAY * 4.5) / 100,
      },
      { id: 1, name: "both", target: 99, ...both },
    ]);
    expect(worst).toEqual([
      { hostid: 1, hostname: "host-1", uptime: (100 * 23) / 24, uptimebefore: null, down: HOUR, failures: 1 },
    ]);
    const first = await figuresOf(alerting, { about: { groups: [2] } });
    expect([first.total.hosts, first.groups.map(({ name }) => name)]).toEqual([1, ["first"]]);
  });

  test("stand beside those of the period before, which the reader sees as little of", async () => {
    const alerting = await begin();
    const { admin, app } = alerting;
    for (const [name, hostid] of [
      ["mine", 1],
      ["theirs", 2],
    ] as const) {
      const { json } = await admin.post("/api/1/admin/groups/create", { name });
      await admin.post("/api/1/admin/groups/add", { id: json.id, hostid });
    }
    for (let i = 0; i < 2; i++) {
      await fails()(alerting);
      await alerting.pass(MINUTE);
      await recovers()(alerting);
      await alerting.pass(MINUTE);
    }
    await fails({ service: "db" }, second)(alerting);
    await alerting.pass(MINUTE);
    await recovers({ service: "db" }, second)(alerting);
    app.db.$client.run(
      `insert into downtime_intervals (host_id, name_id, event_type, started_at, ended_at)
       select 1, id, 1048576, ${START + HOUR}, ${START + 2 * HOUR} from names where name = 'Monit'`,
    );
    app.clock.step(DAY);
    await fails()(alerting);
    await alerting.pass(MINUTE);
    app.clock.step(DAY);
    const days = {
      before: { from: START, to: START + DAY },
      window: { from: START + DAY, to: START + 2 * DAY },
    };
    const whole = await figuresOf(alerting, days);
    const earlier = await figuresOf(alerting);
    expect([whole.failuretotal, whole.failuretotalbefore]).toEqual([1, earlier.failuretotal]);
    expect(earlier.failuretotal).toBeGreaterThanOrEqual(3);
    expect([whole.messages, whole.messagesbefore]).toEqual([1, earlier.messages]);
    expect(earlier.messages).toBe(3);
    expect([whole.total.uptime, whole.total.uptimebefore]).toEqual([100, earlier.total.uptime]);
    expect(
      whole.failures.map(({ servicename, times, timesbefore }) => [servicename, times, timesbefore]),
    ).toEqual([["web", 1, 2]]);
    const mine = await figuresOf(alerting, { ...days, scope: { groups: [1] } });
    const mineEarlier = await figuresOf(alerting, { scope: { groups: [1] } });
    expect([mine.messagesbefore, mine.failuretotalbefore]).toEqual([2, mineEarlier.failuretotal]);
    expect(mine.total.uptimebefore).toBe(mineEarlier.total.uptime);
    expect(mine.groups.map(({ uptimebefore }) => uptimebefore)).toEqual([mineEarlier.total.uptime]);
    expect(JSON.stringify(mine)).not.toMatch(/host-2|theirs/);
  });

  test("are about the hosts alone that the reader sees and the report is about, totals too", async () => {
    const alerting = await begin();
    const { admin } = alerting;
    for (const [name, hostid] of [
      ["mine", 1],
      ["theirs", 2],
    ] as const) {
      const { json } = await admin.post("/api/1/admin/groups/create", { name });
      await admin.post("/api/1/admin/groups/add", { id: json.id, hostid });
    }
    await fails()(alerting);
    await fails({ service: "db" }, second)(alerting);
    await alerting.pass(5);
    alerting.app.clock.step(DAY);
    const mine = await figuresOf(alerting, { scope: { groups: [1] } });
    expect(JSON.stringify(mine)).not.toMatch(/host-2|theirs|db/);
    expect([mine.total.hosts, mine.failuretotal, mine.messages]).toEqual([1, 1, 1]);
    expect(mine.noise.map(({ share }) => share)).toEqual([100]);
    expect(await figuresOf(alerting, { about: { groups: [1] } })).toEqual(mine);
    const none = await figuresOf(alerting, { about: { groups: [2] }, scope: { groups: [1] } });
    expect([none.total.hosts, none.total.uptime, none.failuretotal, none.messages]).toEqual([0, null, 0, 0]);
    expect([none.groups, none.worst, none.noise]).toEqual([[], [], []]);
  });
});

describe("noise", () => {
  /** The service fails so often, and each failure has a message. */
  async function tell(alerting: Alerting, service: string, times: number): Promise<void> {
    for (let i = 0; i < times; i++) {
      await fails({ service })(alerting);
      await alerting.pass(5);
      await recovers({ service })(alerting);
      await alerting.pass(5);
    }
  }

  test("is the fewest checks that sent 80 percent of the messages, and whether anybody acted", async () => {
    const alerting = await begin();
    await tell(alerting, "chatty", 6);
    await tell(alerting, "muted", 2);
    await tell(alerting, "rare", 1);
    await tell(alerting, "seldom", 1);
    await alerting.call("mutes/create", {
      filter: { hosts: [1], servicenames: ["muted"] },
      minutes: 10,
    });
    alerting.app.clock.step(DAY);
    const { messages, noise } = await figuresOf(alerting);
    expect(messages).toBe(10);
    expect(noise.map((row) => [row.servicename, row.messages, row.share, row.acted])).toEqual([
      ["chatty", 6, 60, false],
      ["muted", 2, 20, true],
    ]);
  });

  test("knows of acknowledgements, dismissals and actions on services, but only of those in the period", async () => {
    const alerting = await begin();
    const act = async (service: string, path: string) => {
      await fails({ service })(alerting);
      await alerting.pass(5);
      const [row] = alerting.app.rows<{ id: number }>("select max(id) as id from events where active = true");
      await alerting.call(path, { id: row?.id ?? 0 });
    };
    await act("acknowledged", "problems/acknowledge");
    await act("dismissed", "reports/events/dismiss");
    await tell(alerting, "restarted", 1);
    await tell(alerting, "forgotten", 1);
    // No agent answers: the attempt counts anyway.
    const action = { id: 1, action: "restart", service: "restarted" };
    await alerting.admin.post("/api/1/admin/hosts/action", action);
    alerting.app.clock.step(DAY);
    const acted = ({ noise }: ReportFigures) =>
      noise.map(({ servicename, acted }) => `${servicename} ${acted}`).toSorted();
    expect(acted(await figuresOf(alerting))).toEqual([
      "acknowledged true",
      "dismissed true",
      "forgotten false",
      "restarted true",
    ]);
    const later = { from: START + DAY / 2, to: START + DAY };
    expect(acted(await figuresOf(alerting, { window: later }))).toEqual([]);
  });

  test("knows of the dismissal of a failure that began before the period, and not of an earlier one", async () => {
    const alerting = await Alerting.create();
    alerting.channel("chat", "single");
    await alerting.rule({ ...notifying(1), flapcount: 0 });
    await alerting.report();
    const begun = async (service: string) => {
      await fails({ service })(alerting);
      await alerting.pass(5);
      return alerting.app.rows<{ id: number }>("select max(id) as id from events")[0]?.id ?? 0;
    };
    const [before, within] = [await begun("before"), await begun("within")];
    await alerting.call("reports/events/dismiss", { id: before });
    await alerting.pass(MINUTE);
    const from = START + MINUTE;
    await alerting.call("reports/events/dismiss", { id: within });
    for (const service of ["before", "within"]) await recovers({ service })(alerting);
    await alerting.pass(5);
    alerting.app.clock.step(DAY);
    const { noise } = await figuresOf(alerting, { window: { from, to: from + DAY } });
    expect(noise.map(({ servicename, acted }) => [servicename, acted])).toEqual([
      ["before", false],
      ["within", true],
    ]);
  });

  test("counts a mute of a rule for the checks that the rule sent messages about", async () => {
    const alerting = await Alerting.create();
    for (const service of ["muted", "other"]) {
      const channel = alerting.channel(service, "single");
      await alerting.rule({
        ...notifying(channel),
        name: service,
        filter: { servicenames: [service] },
        flapcount: 0,
        recovery: false,
      });
    }
    await alerting.report();
    for (const service of ["muted", "other"]) await tell(alerting, service, 1);
    await alerting.call("mutes/create", { filter: { rules: [1] }, minutes: 5 });
    alerting.app.clock.step(DAY);
    const { noise } = await figuresOf(alerting);
    expect(noise.map(({ servicename, acted }) => [servicename, acted])).toEqual([
      ["muted", true],
      ["other", false],
    ]);
  });

  test("counts a message about several checks for each in equal parts", async () => {
    const alerting = await Alerting.create();
    alerting.channel("mail");
    await alerting.rule({ ...notifying(1), flapcount: 0, recovery: false });
    await alerting.report();
    await fails({ service: "a" })(alerting);
    await fails({ service: "b" })(alerting);
    await alerting.pass(60);
    await fails({ service: "c" })(alerting);
    await alerting.pass(60);
    alerting.app.clock.step(DAY);
    const { messages, noise } = await figuresOf(alerting);
    expect(messages).toBe(2);
    expect(noise.map((row) => [row.servicename, row.messages, row.share])).toEqual([
      ["c", 1, 50],
      ["a", 1, 25],
      ["b", 1, 25],
    ]);
  });
});

test("the first section says what is left of the error budget, or by how much it was exceeded", async () => {
  const alerting = await begin();
  alerting.app.clock.step(DAY);
  const figures = await figuresOf(alerting);
  const cells = (down: number) =>
    sectionsOf({ ...figures, total: { ...figures.total, down, uptime: 99.4 } })[0]?.rows[0]?.map(
      ({ text, tone }) => (tone ? `${text} ${tone}` : text),
    );
  expect(cells(900)).toEqual(["All hosts", "99.4% good", "15m", "13m 48s good"]);
  expect(cells(3600)).toEqual(["All hosts", "99.4% good", "1h", "over by 31m 12s bad"]);
});
