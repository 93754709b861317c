/** Rehearsals over real mail and a real web server: who gets them, who acknowledges them, and what they leave. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { expectRefusal } from "../../support/stored.ts";
import { BASE, DAY, HOOK, MAIL, MINUTE, Rehearsing } from "./support.ts";

let rehearsing: Rehearsing;
beforeEach(async () => {
  rehearsing = await Rehearsing.create();
});
afterEach(() => rehearsing[Symbol.asyncDispose]());

const TO_ANNA = 'anna@example.org: Rehearsal, nothing is wrong: rule "Web"';

describe("a rehearsal of a rule", () => {
  test("goes on to the second step while nobody acknowledges it, and ends once its link is used", async () => {
    const rule = await rehearsing.rule();
    const id = await rehearsing.start({ rule, escalate: true });
    await rehearsing.work();
    expect([rehearsing.mailed(), rehearsing.hook.received.length]).toEqual([[TO_ANNA], 0]);

    await rehearsing.pass(15 * MINUTE);
    expect(rehearsing.hook.received).toHaveLength(0);
    await rehearsing.pass(MINUTE);
    expect(rehearsing.hook.only.json).toMatchObject({
      kind: "rehearsal",
      rule: "Web",
      title: 'Rehearsal, nothing is wrong: rule "Web"',
      events: [{ id: 0, hostid: 0, host: "Muster", service: "Rehearsal", state: "success" }],
    });
    expect(rehearsing.hook.only.json.text).toContain("Step 2: nobody had acknowledged it after 15 min.");

    await rehearsing.pass(2 * MINUTE);
    const page = await rehearsing.acknowledge(rehearsing.linkOfHook(0));
    expect([page.status, page.text.includes("You would have noticed a problem")]).toEqual([200, true]);
    await rehearsing.pass(30 * MINUTE);
    expect(await rehearsing.result(id)).toMatchObject({
      of: "Web",
      ruleid: rule,
      startedby: "admin",
      escalate: true,
      outcome: "",
      notified: 2,
      acknowledged: 1,
      asleep: ["anna"],
      ended: rehearsing.app.clock.now() - 2 * MINUTE,
      messages: [
        { step: 0, person: "anna", channel: "Mail", status: "sent", delivered: 0, acknowledged: null },
        { step: 1, person: "", channel: "Hook", status: "sent", delivered: 0, acknowledged: 2 * MINUTE },
      ],
    });
    expect([rehearsing.mail.mails.length, rehearsing.hook.received.length]).toEqual([1, 1]);
  });

  test("reaches the first step only, unless it is to escalate, and says who would have slept", async () => {
    const rule = await rehearsing.rule();
    await rehearsing.start({ rule, wait: 60 });
    await rehearsing.pass(59 * MINUTE);
    expect(await rehearsing.result()).toMatchObject({ ended: null, asleep: ["anna"] });
    await rehearsing.pass(MINUTE);
    expect(await rehearsing.result()).toMatchObject({
      ended: rehearsing.app.clock.now(),
      notified: 1,
      acknowledged: 0,
      asleep: ["anna"],
    });
    await rehearsing.pass(60 * MINUTE);
    expect([rehearsing.mailed(), rehearsing.hook.received.length]).toEqual([[TO_ANNA], 0]);
  });

  test("stops escalating when the first step acknowledges, and ends as soon as everyone has", async () => {
    const steps = [{ users: ["anna", "ben"] }, { after: 15, channels: [HOOK] }];
    await rehearsing.start({ rule: await rehearsing.rule({ steps }), escalate: true });
    await rehearsing.pass(3 * MINUTE);
    await rehearsing.acknowledge(rehearsing.linkOfMail(0));
    await rehearsing.pass(17 * MINUTE);
    expect(rehearsing.hook.received).toHaveLength(0);
    expect(await rehearsing.result()).toMatchObject({ ended: null, acknowledged: 1, asleep: ["ben"] });
    await rehearsing.acknowledge(rehearsing.linkOfMail(1));
    await rehearsing.work();
    expect(await rehearsing.result()).toMatchObject({
      ended: rehearsing.app.clock.now(),
      acknowledged: 2,
      asleep: [],
      messages: [{ acknowledged: 3 * MINUTE }, { acknowledged: 20 * MINUTE }],
    });
  });

  test("does not wait for the delay of the rule, and keeps the distance between the steps", async () => {
    await rehearsing.start({ rule: await rehearsing.rule({ delay: 10 }), escalate: true });
    await rehearsing.work();
    expect(rehearsing.mailed()).toEqual([TO_ANNA]);
    await rehearsing.pass(5 * MINUTE);
    expect(rehearsing.hook.received).toHaveLength(0);
    await rehearsing.pass(MINUTE);
    expect(rehearsing.hook.only.json.text).toContain("Step 2: nobody had acknowledged it after 5 min.");
  });

  test("notifies someone of several steps once if these are due together", async () => {
    const steps = [{ users: ["anna"] }, { after: 15, users: ["anna", "ben"] }];
    await rehearsing.start({ rule: await rehearsing.rule({ steps, delay: 15 }), escalate: true });
    await rehearsing.work();
    expect(await rehearsing.result()).toMatchObject({
      notified: 2,
      messages: [
        { step: 0, person: "anna" },
        { step: 1, person: "ben" },
      ],
    });
    expect(rehearsing.mail.mails.filter(({ text }) => text.includes("had acknowledged"))).toEqual([]);
    expect(rehearsing.mail.mails).toHaveLength(2);
  });

  test("keeps its waits when the clock is set back", async () => {
    await rehearsing.start({ rule: await rehearsing.rule(), escalate: true, wait: 20 });
    await rehearsing.pass(10 * MINUTE);
    rehearsing.app.clock.step(-DAY);
    await rehearsing.work();
    await rehearsing.pass(5 * MINUTE);
    expect(rehearsing.hook.received).toHaveLength(0);
    await rehearsing.pass(MINUTE);
    expect(rehearsing.hook.received).toHaveLength(1);
    await rehearsing.pass(19 * MINUTE);
    expect((await rehearsing.result()).ended).toBeNull();
    await rehearsing.pass(MINUTE);
    expect(await rehearsing.result()).toMatchObject({ ended: rehearsing.app.clock.now() });
  });

  test("keeps its waits when the clock is set back while Muster is off", async () => {
    await rehearsing.start({ rule: await rehearsing.rule(), escalate: true, wait: 20 });
    await rehearsing.pass(10 * MINUTE);
    rehearsing.app.heartbeat.stop();
    rehearsing.app.clock.step(-DAY);
    await rehearsing.restart();
    await rehearsing.pass(6 * MINUTE);
    expect(rehearsing.hook.received).toHaveLength(1);
  });

  test("gives each recipient of a mail channel a message, and names who cannot be reached", async () => {
    await rehearsing.call("admin/users/create", {
      uname: "carl",
      password: "carl password",
      fullname: "Carl",
    });
    const schedule = await rehearsing.schedule("ben", "2030-01-01");
    const steps = [{ channels: [MAIL], users: ["carl"], schedules: [schedule] }];
    await rehearsing.start({ rule: await rehearsing.rule({ steps }) });
    await rehearsing.work();
    expect(await rehearsing.result()).toMatchObject({
      notified: 3,
      asleep: ["ops@example.org", "Nights", "carl"],
      messages: [
        { recipient: "ops@example.org", status: "sent" },
        { channel: "Nights", person: "", status: "failed", answer: "nobody is on call" },
        { channel: "carl", person: "carl", status: "failed" },
      ],
    });
  });

  test("continues after a restart between its steps, and sends nothing twice", async () => {
    await rehearsing.start({ rule: await rehearsing.rule(), escalate: true });
    await rehearsing.pass(10 * MINUTE);
    await rehearsing.restart();
    await rehearsing.pass(6 * MINUTE);
    expect([rehearsing.mailed(), rehearsing.hook.received.length]).toEqual([[TO_ANNA], 1]);
    await rehearsing.acknowledge(rehearsing.linkOfHook(0));
    await rehearsing.restart();
    await rehearsing.pass(30 * MINUTE);
    expect(await rehearsing.result()).toMatchObject({ acknowledged: 1, asleep: ["anna"], outcome: "" });
    expect([rehearsing.mail.mails.length, rehearsing.hook.received.length]).toEqual([1, 1]);
  });

  test("is sent again under the same id if Muster ended during the attempt", async () => {
    await rehearsing.start({ rule: await rehearsing.rule({ steps: [{ channels: [HOOK] }] }) });
    const attempted = new Promise<void>((resolve) => {
      rehearsing.hook.reply = () => resolve();
    });
    rehearsing.app.muster.sender.step();
    await attempted;
    rehearsing.hook.answers(200);
    await rehearsing.restart();
    expect(new Set(rehearsing.hook.received.map(({ json }) => json.id)).size).toBe(1);
    expect(await rehearsing.result()).toMatchObject({ messages: [{ status: "sent", attempts: 2 }] });
  });

  test("is not silenced by maintenance, but says that a real problem would be", async () => {
    const now = rehearsing.app.clock.now();
    await rehearsing.call("admin/maintenance/create", {
      name: "Move",
      filter: {},
      schedule: { kind: "once", from: now - 60, to: now + DAY },
    });
    await rehearsing.start({ rule: await rehearsing.rule() });
    await rehearsing.work();
    expect(rehearsing.mailed()).toEqual([TO_ANNA]);
    expect(rehearsing.mail.mails[0]?.text).toContain('maintenance "Move"');
    expect(await rehearsing.result()).toMatchObject({ muted: 'maintenance "Move"' });
  });

  test("ends when the rule is disabled, and its link is worth nothing then", async () => {
    const rule = await rehearsing.rule();
    await rehearsing.start({ rule, escalate: true });
    await rehearsing.work();
    await rehearsing.call("admin/rules/update", { id: rule, enabled: false });
    await rehearsing.work();
    expect(await rehearsing.result()).toMatchObject({ outcome: "the rule is disabled" });
    const page = await rehearsing.acknowledge(rehearsing.linkOfMail(0));
    expect([page.status, page.text.includes("the rehearsal is over")]).toEqual([410, true]);
    expect((await rehearsing.result()).acknowledged).toBe(0);
  });

  test("ends when it is deleted: what waits is not sent", async () => {
    rehearsing.hook.answers(503);
    const id = await rehearsing.start({ rule: await rehearsing.rule({ steps: [{ channels: [HOOK] }] }) });
    await rehearsing.work();
    const { length } = rehearsing.hook.received;
    await rehearsing.call("admin/rehearsals/delete", { id });
    await rehearsing.pass(10 * MINUTE);
    expect(rehearsing.hook.received).toHaveLength(length);
    expect((await rehearsing.get("admin/rehearsals/get", { id })).status).toBe(404);
    expect(rehearsing.app.rows("select * from rehearsal_messages")).toEqual([]);
  });
});

describe("a rehearsal of a schedule", () => {
  test("notifies who is on call, once", async () => {
    const schedule = await rehearsing.schedule("ben");
    await rehearsing.start({ schedule });
    await rehearsing.pass(5 * MINUTE);
    expect(rehearsing.mailed()).toEqual(['ben@example.org: Rehearsal, nothing is wrong: schedule "Nights"']);
    await rehearsing.acknowledge(rehearsing.linkOfMail(0));
    expect(await rehearsing.result()).toMatchObject({
      of: "Nights",
      scheduleid: schedule,
      ruleid: null,
      acknowledged: 1,
      asleep: [],
    });
  });
});

describe("the link of a rehearsal", () => {
  test("changes nothing when it is only looked at, and works once", async () => {
    await rehearsing.start({ rule: await rehearsing.rule() });
    await rehearsing.work();
    const path = rehearsing.linkOfMail(0);
    const shown = await rehearsing.app.client().get(path);
    expect([shown.status, shown.text.includes("This is a rehearsal")]).toEqual([200, true]);
    expect((await rehearsing.result()).acknowledged).toBe(0);
    expect((await rehearsing.acknowledge(path)).status).toBe(200);
    const again = await rehearsing.acknowledge(path);
    expect([again.status, again.text.includes("The rehearsal was acknowledged.")]).toEqual([410, true]);
  });
});

describe("a rehearsal is refused", () => {
  const refused = async (fields: object, status: number, code: string) => {
    const admin = await rehearsing.admin();
    const call = () => admin.post("/api/1/admin/rehearsals/start", { ...fields });
    return (await expectRefusal(rehearsing.app, call, status, code)).json.error;
  };

  test("with arguments that contradict each other, which the message names", async () => {
    const [rule, schedule] = [await rehearsing.rule(), await rehearsing.schedule("ben")];
    expect(await refused({}, 400, "argument.missing")).toMatch(/^rule is required/);
    expect(await refused({ rule, schedule }, 400, "argument.invalid")).toMatch(/^schedule must be null/);
    expect(await refused({ schedule, escalate: true }, 400, "argument.invalid")).toMatch(/^escalate must be/);
    expect(await refused({ rule: 99 }, 400, "argument.invalid")).toMatch(/^rule must be .* no rule 99$/);
    expect(await refused({ rule, wait: 0 }, 400, "argument.invalid")).toMatch(/^wait must be/);
  });

  test("of a disabled rule, and while another one of it is ongoing", async () => {
    const rule = await rehearsing.rule({ enabled: false });
    expect(await refused({ rule }, 409, "rehearsal.refused")).toContain("the rule is disabled");
    await rehearsing.call("admin/rules/update", { id: rule, enabled: true });
    await rehearsing.start({ rule });
    expect(await refused({ rule }, 409, "rehearsal.refused")).toContain("ongoing");
  });

  test("while Muster has no public address, without which nobody could acknowledge it", async () => {
    await rehearsing[Symbol.asyncDispose]();
    rehearsing = await Rehearsing.create({});
    const rule = await rehearsing.rule();
    expect(await refused({ rule }, 409, "rehearsal.refused")).toContain("public address");
    await rehearsing.call("admin/settings/update", { baseurl: BASE });
    await rehearsing.start({ rule });
  });
});

test("the manager of a host group rehearses rules of that group, and sees nothing of others", async () => {
  await rehearsing.app.report({});
  await rehearsing.call("admin/groups/create", { name: "Racks" });
  await rehearsing.call("admin/groups/add", { id: 1, hostid: 1 });
  await rehearsing.call("admin/grants/set", { uname: "ben", restricted: true, manage: [1] });
  const steps = [{ channels: [MAIL], users: ["anna"] }];
  const [mine, other] = [
    await rehearsing.rule({ filter: { hostgroups: [1] }, steps }),
    await rehearsing.rule({ name: "All" }),
  ];
  const schedule = await rehearsing.schedule("anna");
  const ofOther = await rehearsing.start({ rule: other });
  const ben = await rehearsing.app.signedIn("ben", "ben password");
  const start = (fields: object) => ben.post("/api/1/admin/rehearsals/start", { ...fields });
  expect((await start({ rule: other })).json.error).toContain("there is no rule");
  expect((await start({ schedule })).status).toBe(403);
  const { id } = (await start({ rule: mine })).json;
  const { json: list } = await ben.get("/api/1/admin/rehearsals/list");
  expect([list.totalRecords, list.records.map((record: { id: number }) => record.id)]).toEqual([1, [id]]);
  // Settings of channels, addresses and answers of remotes are those of administrators.
  rehearsing.app.muster.rehearsals.step();
  await rehearsing.work();
  expect((await rehearsing.result(id)).asleep).toEqual(["ops@example.org", "anna"]);
  const { json: result } = await ben.get("/api/1/admin/rehearsals/get", { id });
  expect(result).toMatchObject({ notified: 2, asleep: ["Mail", "anna"], messages: [{ status: "sent" }, {}] });
  expect(JSON.stringify(result)).not.toMatch(/@|queued/);
  for (const [verb, status] of [
    ["get", 404],
    ["delete", 404],
  ] as const) {
    const path = `/api/1/admin/rehearsals/${verb}`;
    const call = verb === "get" ? ben.get(path, { id: ofOther }) : ben.post(path, { id: ofOther });
    expect((await call).status).toBe(status);
  }
  expect((await ben.get("/api/1/admin/rehearsals/suggestions")).status).toBe(403);
  expect((await ben.post("/api/1/admin/rehearsals/delete", { id })).status).toBe(200);
});

test("with the rule, the schedule or the user, what rehearsals stored of them is deleted", async () => {
  const steps = [{ users: ["anna"] }];
  const [rule, schedule] = [await rehearsing.rule({ steps }), await rehearsing.schedule("ben")];
  const weekly = { day: 1, time: "07:00" };
  await rehearsing.call("admin/weeklyrehearsals/create", { name: "Rule", rule, ...weekly });
  await rehearsing.call("admin/weeklyrehearsals/create", { name: "Nights", schedule, ...weekly });
  await rehearsing.start({ rule });
  await rehearsing.start({ schedule });
  await rehearsing.work();
  const rows = (table: string) => rehearsing.app.rows(`select 1 from ${table}`).length;
  const counts = () => ["weekly_rehearsals", "rehearsals", "rehearsal_messages"].map(rows);
  expect(counts()).toEqual([2, 2, 2]);
  await rehearsing.call("admin/rules/update", { id: rule, steps: [{ channels: [HOOK] }] });
  await rehearsing.call("admin/users/delete", { uname: "anna" });
  expect(counts()).toEqual([2, 2, 1]);
  await rehearsing.call("admin/rules/delete", { id: rule });
  await rehearsing.call("oncall/delete", { id: schedule });
  expect(counts()).toEqual([0, 0, 0]);
});
