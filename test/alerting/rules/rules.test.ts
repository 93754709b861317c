import { describe, expect, test } from "bun:test";
import { enabledRules } from "../../../src/alerting/rules/rules.repository.ts";
import { insertChannel } from "../../support/channels.ts";
import type { Fields } from "../../support/client.ts";
import { admin, app, appOfEachTest } from "../../support/each-test.ts";
import { escalating, notifying } from "../../support/rules.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";

const path = (operation: string) => `/api/1/admin/rules/${operation}`;

/** Hosts 1 "web" and 2 "db"; host group 1 "linux"; channels 1 "mail" and 2 "pager"; no rules. */
appOfEachTest(async () => {
  await app.report({ id: "a-web", hostname: "web", hostGroups: ["linux"] });
  await app.report({ id: "a-db", hostname: "db" });
  for (const name of ["mail", "pager"])
    insertChannel(app.db, { name, kind: "webhook", settings: app.box.seal("{}"), createdAt: 0 });
});

const post = (operation: string, fields: Fields) => admin.post(path(operation), fields);
const get = async (id: number) => (await admin.get(path("get"), { id })).json;
const names = async () =>
  (await admin.get(path("list"))).json.records.map(({ name }: { name: string }) => name);

async function create(fields: Fields): Promise<number> {
  const reply = await post("create", { name: "rule", ...notifying(1), ...fields });
  expect([reply.status, reply.json.error]).toEqual([200, undefined]);
  return reply.json.id;
}

const FIRST_STEP = { after: 0, channels: [1, 2], users: [], schedules: [] };
const SECOND_STEP = { after: 30, channels: [2], users: ["admin"], schedules: [] };

const EVERYTHING = {
  name: "night shift",
  enabled: false,
  filter: {
    hosts: [1, 2],
    hostgroups: [1],
    servicenames: ["web*", "db"],
    servicegroups: ["frontend"],
    servicetypes: [0, 3],
    eventtypes: 544,
    states: [0, 1],
  },
  delay: 5,
  repeat: 60,
  recovery: false,
  final: true,
  quiet: { days: [5, 6], from: "22:00", to: "06:30", timezone: "Europe/Oslo" },
  flapcount: 5,
  flapwindow: 30,
  steps: [FIRST_STEP, SECOND_STEP],
};

describe("a rule", () => {
  test("that says nothing of itself tells of all failures and changes at once, and of recoveries", async () => {
    const id = await create({});
    expect(await get(id)).toEqual({
      id: 1,
      name: "rule",
      position: 1,
      enabled: true,
      filter: {},
      delay: 0,
      repeat: 0,
      recovery: true,
      final: false,
      quiet: null,
      flapcount: 3,
      flapwindow: 10,
      steps: [{ after: 0, channels: [1], users: [], schedules: [] }],
    });
  });

  test("is all that is said of it, and what it names twice once", async () => {
    const steps = [{ ...FIRST_STEP, channels: [2, 1, 2] }, SECOND_STEP];
    const id = await create({ ...EVERYTHING, steps });
    expect(await get(id)).toEqual({ id, position: 1, ...EVERYTHING });
    expect((await admin.get(path("list"))).json).toEqual({ totalRecords: 1, records: [await get(id)] });
  });

  test("has quiet hours every day in the zone of the settings, unless it says otherwise", async () => {
    await admin.post("/api/1/admin/settings/update", { timezone: "Asia/Tokyo" });
    const id = await create({ quiet: { from: "12:00", to: "13:00" } });
    expect((await get(id)).quiet).toEqual({
      days: [0, 1, 2, 3, 4, 5, 6],
      from: "12:00",
      to: "13:00",
      timezone: "Asia/Tokyo",
    });
  });

  test("keeps the ids of hosts and groups that are deleted, also through an update that repeats them", async () => {
    const filter = { hosts: [1, 2], hostgroups: [1] };
    const id = await create({ filter });
    await admin.post("/api/1/admin/hosts/delete", { id: 2 });
    await admin.post("/api/1/admin/groups/delete", { id: 1 });
    expect((await get(id)).filter).toEqual(filter);
    const reversed = { hosts: [2, 1], hostgroups: [1] };
    expect((await post("update", { id, filter: reversed })).status).toBe(200);
    expect((await get(id)).filter).toEqual(reversed);
    expect((await post("update", { id, filter: { hosts: [1] } })).status).toBe(200);
    const repeated = () => post("update", { id, filter: { hosts: [2] } });
    const again = await expectRefusal(app, repeated, 400, "argument.invalid");
    expect(again.json.error).toStartWith("filter.hosts[0] ");
  });

  test("is deleted with its channels' places, and the rules after it move up", async () => {
    for (const name of ["a", "b", "c"]) await create({ name });
    const before = stored(app);
    expect((await post("delete", { id: 2 })).json).toEqual({});
    expect(changedTables(app, before)).toEqual(["rule_channels", "rules"]);
    expect((await admin.get(path("list"))).json.records).toMatchObject([
      { name: "a", position: 1 },
      { name: "c", position: 2 },
    ]);
    expect(app.rows("select rule_id from rule_channels")).toEqual([{ rule_id: 1 }, { rule_id: 3 }]);
  });
});

describe("the order", () => {
  const MOVES: readonly [name: string, position: number, order: string][] = [
    ["a", 1, "abcd"],
    ["a", 2, "bacd"],
    ["a", 4, "bcda"],
    ["d", 1, "dabc"],
    ["c", 2, "acbd"],
    ["b", 99, "acdb"],
  ];
  for (const [name, position, order] of MOVES)
    test(`of a, b, c, d is ${[...order].join(", ")} after ${name} moved to ${position}`, async () => {
      for (const each of "abcd") await create({ name: each });
      expect((await post("move", { id: "abcd".indexOf(name) + 1, position })).status).toBe(200);
      expect((await names()).join("")).toBe(order);
      expect(app.rows("select position from rules order by 1")).toEqual(
        [1, 2, 3, 4].map((each) => ({ position: each })),
      );
    });

  test("is that in which the rules in force are asked", async () => {
    for (const name of ["a", "b", "c"]) await create({ name, enabled: name !== "b" });
    await post("move", { id: 3, position: 1 });
    expect(enabledRules(app.db).map(({ name, steps }) => [name, steps[0]?.channels])).toEqual([
      ["c", [1]],
      ["a", [1]],
    ]);
  });
});

describe("refused is", () => {
  const QUIET = { from: "22:00", to: "06:00" };
  const WRONG: readonly [what: string, fields: Fields, argument: string, code?: string][] = [
    ["an unknown host", { filter: { hosts: [1, 9] } }, "filter.hosts[1]"],
    ["an unknown host group", { filter: { hostgroups: [9] } }, "filter.hostgroups[0]"],
    ["an unknown channel of the escalation", escalating([1], 5, 1, 9), "steps[1].channels[1]"],
    ["a host that is no id", { filter: { hosts: ["web"] } }, "filter.hosts[0]"],
    ["more hosts than a filter holds", { filter: { hosts: Array(1001).fill(1) } }, "filter.hosts"],
    ["a service type that there is not", { filter: { servicetypes: [9] } }, "filter.servicetypes[0]"],
    ["an event type that is no sum of codes", { filter: { eventtypes: 0 } }, "filter.eventtypes"],
    ["a state that there is not", { filter: { states: [3] } }, "filter.states[0]"],
    ["a name that is too long", { filter: { servicenames: ["x".repeat(256)] } }, "filter.servicenames[0]"],
    ["an escalation after more than a week", escalating([1], 10_081, 2), "steps[1].after"],
    ["an escalation to nobody", escalating([1], 5), "steps[1]"],
    ["no channel", { steps: [{}] }, "steps[0]"],
    ["quiet hours without an end", { quiet: { from: "22:00" } }, "quiet.to", "argument.missing"],
    ["quiet hours without a beginning", { quiet: { to: "22:00" } }, "quiet.from", "argument.missing"],
    ["no quiet day", { quiet: { ...QUIET, days: [] } }, "quiet.days"],
    ["a day that there is not", { quiet: { ...QUIET, days: [7] } }, "quiet.days[0]"],
    ["a time of day beyond the day", { quiet: { ...QUIET, from: "24:00" } }, "quiet.from"],
    ["a time of day in other words", { quiet: { ...QUIET, to: "6:00" } }, "quiet.to"],
    ["an unknown time zone", { quiet: { ...QUIET, timezone: "Europe/Atlantis" } }, "quiet.timezone"],
  ];
  for (const [title, fields, argument, code = "argument.invalid"] of WRONG)
    test(`${title}, for a new rule and for one that is there`, async () => {
      const id = await create({});
      for (const call of [
        () => post("create", { name: "new", ...notifying(1), ...fields }),
        () => post("update", { id, ...fields }),
      ]) {
        const reply = await expectRefusal(app, call, 400, code);
        expect(reply.json.error).toStartWith(`${argument} `);
      }
    });

  test("position 0", async () => {
    await create({});
    const move = () => post("move", { id: 1, position: 0 });
    const reply = await expectRefusal(app, move, 400, "argument.invalid");
    expect(reply.json.error).toStartWith("position ");
  });
});

test("a manager keeps a channel that runs a program in the steps of a rule, but chooses none", async () => {
  app.db.$client.run("update channels set kind = 'exec' where id = 2");
  await create({ filter: { hostgroups: [1] }, ...notifying(2) });
  await admin.post("/api/1/admin/grants/set", { uname: "user", manage: 1 });
  const user = await app.user();
  const update = (fields: object) => user.post(path("update"), { id: 1, ...fields });
  expect((await update(notifying(1, 2))).status).toBe(200);
  expect((await update(notifying(1))).status).toBe(200);
  const reply = await expectRefusal(app, () => update(notifying(2)), 400, "argument.invalid");
  expect(reply.json.error).toStartWith("steps[0].channels[0] ");
});
