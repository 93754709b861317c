import { beforeEach, describe, expect, test } from "bun:test";
import { insertChannel } from "../../../src/alerting/channels/channels.repository.ts";
import { enabledRules } from "../../../src/alerting/rules/rules.repository.ts";
import { MAX_RULES } from "../../../src/alerting/rules/rules.service.ts";
import { TestApp } from "../../support/app.ts";
import type { Fields, TestClient } from "../../support/client.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";

const path = (operation: string) => `/api/1/admin/rules/${operation}`;

let app: TestApp;
let admin: TestClient;

/** Hosts 1 "web" and 2 "db"; host group 1 "linux"; channels 1 "mail" and 2 "pager"; no rules. */
beforeEach(async () => {
  app = new TestApp();
  admin = await app.admin();
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
  const reply = await post("create", { name: "rule", channelid: 1, ...fields });
  expect([reply.status, reply.json.error]).toEqual([200, undefined]);
  return reply.json.id;
}

const EVERYTHING: Fields = {
  name: "night shift",
  enabled: 0,
  hostid: [1, 2],
  hostgroupid: 1,
  servicename: ["web*", "db"],
  servicegroup: "frontend",
  servicetype: [0, 3],
  eventtype: 544,
  state: [0, 1],
  delay: 5,
  repeat: 60,
  recovery: false,
  final: true,
  quietdays: [5, 6],
  quietfrom: "22:00",
  quietto: "06:30",
  quiettimezone: "Europe/Oslo",
  escalateafter: 30,
  flapcount: 5,
  flapwindow: 30,
  channelid: [2, 1, 2],
  escalationchannelid: 2,
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
      escalateafter: 0,
      flapcount: 3,
      flapwindow: 10,
      channels: [1],
      escalationchannels: [],
      steps: [{ after: 0, channels: [1], users: [], schedules: [] }],
    });
  });

  test("is all that is said of it", async () => {
    const id = await create(EVERYTHING);
    expect(await get(id)).toEqual({
      id,
      name: "night shift",
      position: 1,
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
      escalateafter: 30,
      flapcount: 5,
      flapwindow: 30,
      channels: [1, 2],
      escalationchannels: [2],
      steps: [
        { after: 0, channels: [1, 2], users: [], schedules: [] },
        { after: 30, channels: [2], users: [], schedules: [] },
      ],
    });
    expect((await admin.get(path("list"))).json).toEqual({ totalRecords: 1, records: [await get(id)] });
  });

  test("changes as far as an update says, and stays the same in the rest", async () => {
    const id = await create(EVERYTHING);
    const before = await get(id);
    await post("update", { id, delay: 0, enabled: true, quietto: "07:00" });
    expect(await get(id)).toEqual({
      ...before,
      delay: 0,
      enabled: true,
      quiet: { ...before.quiet, to: "07:00" },
    });
    await post("update", { id });
    expect((await get(id)).delay).toBe(0);
  });

  test("loses what an update says is empty", async () => {
    const id = await create(EVERYTHING);
    const conditions = ["hostid", "hostgroupid", "servicename", "servicegroup", "servicetype", "state"];
    const none = Object.fromEntries([...conditions, "escalationchannelid"].map((name) => [name, ""]));
    const reply = await post("update", {
      ...{ id, ...none, eventtype: 0, escalateafter: 0 },
      ...{ quietdays: "", quietfrom: "", quietto: "" },
    });
    expect([reply.status, reply.json]).toEqual([200, {}]);
    expect(await get(id)).toMatchObject({
      filter: {},
      quiet: null,
      escalateafter: 0,
      escalationchannels: [],
    });
  });

  test("has quiet hours every day in the zone of the settings, unless it says otherwise", async () => {
    await admin.post("/api/1/admin/settings/update", { timezone: "Asia/Tokyo" });
    const id = await create({ quietfrom: "12:00", quietto: "13:00" });
    expect((await get(id)).quiet).toEqual({
      days: [0, 1, 2, 3, 4, 5, 6],
      from: "12:00",
      to: "13:00",
      timezone: "Asia/Tokyo",
    });
  });

  test("keeps the ids of hosts and groups that are deleted, also through an update that repeats them", async () => {
    const id = await create({ hostid: [1, 2], hostgroupid: 1 });
    await admin.post("/api/1/admin/hosts/delete", { id: 2 });
    await admin.post("/api/1/admin/groups/delete", { id: 1 });
    const filter = { hosts: [1, 2], hostgroups: [1] };
    expect((await get(id)).filter).toEqual(filter);
    expect((await post("update", { id, hostid: [2, 1], hostgroupid: 1 })).status).toBe(200);
    expect((await get(id)).filter).toEqual({ hosts: [2, 1], hostgroups: [1] });
    expect((await post("update", { id, hostid: 1 })).status).toBe(200);
    const again = await expectRefusal(app, () => post("update", { id, hostid: 2 }), 400, "argument.invalid");
    expect(again.json.error).toStartWith("hostid");
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
  const WRONG: readonly [what: string, fields: Fields, argument: string, code?: string][] = [
    ["an unknown host", { hostid: [1, 9] }, "hostid"],
    ["an unknown host group", { hostgroupid: 9 }, "hostgroupid"],
    ["an unknown channel", { channelid: [1, 9] }, "channelid"],
    [
      "an unknown channel of the escalation",
      { escalateafter: 5, escalationchannelid: 9 },
      "escalationchannelid",
    ],
    ["a host that is no id", { hostid: "web" }, "hostid"],
    ["more hosts than a filter holds", { hostid: Array(1001).fill(1) }, "hostid"],
    ["a service type that there is not", { servicetype: 9 }, "servicetype"],
    ["an event type that is no sum of codes", { eventtype: -1 }, "eventtype"],
    ["a state that there is not", { state: 3 }, "state"],
    ["a name of a service that is too long", { servicename: "x".repeat(256) }, "servicename"],
    ["a negative delay", { delay: -1 }, "delay"],
    ["a delay of more than a week", { delay: 10_081 }, "delay"],
    ["a repetition after more than a week", { repeat: 10_081 }, "repeat"],
    ["an escalation after more than a week", { escalateafter: 10_081 }, "escalateafter"],
    ["flapping after a single failure", { flapcount: 1 }, "flapcount"],
    ["flapping after more failures than are looked at", { flapcount: 21 }, "flapcount"],
    ["flapping in no time", { flapwindow: 0 }, "flapwindow"],
    ["flapping within more than a day", { flapwindow: 1441 }, "flapwindow"],
    ["a recovery that is neither yes nor no", { recovery: "maybe" }, "recovery"],
    ["an escalation to nobody", { escalateafter: 5 }, "escalationchannelid", "argument.missing"],
    ["channels that nobody escalates to", { escalationchannelid: 1 }, "escalateafter"],
    ["no channel", { channelid: "" }, "channelid", "argument.missing"],
    ["quiet hours without an end", { quietfrom: "22:00" }, "quietto", "argument.missing"],
    ["quiet hours without a beginning", { quietto: "22:00" }, "quietfrom", "argument.missing"],
    ["quiet days without hours", { quietdays: 1 }, "quietfrom", "argument.missing"],
    ["a day that there is not", { quietdays: 7, quietfrom: "22:00", quietto: "06:00" }, "quietdays"],
    ["a time of day beyond the day", { quietfrom: "24:00", quietto: "06:00" }, "quietfrom"],
    ["a time of day in other words", { quietfrom: "22:00", quietto: "6:00" }, "quietto"],
    [
      "a time zone that there is not",
      { quietfrom: "22:00", quietto: "06:00", quiettimezone: "Europe/Atlantis" },
      "quiettimezone",
    ],
    ["an empty name", { name: "" }, "name"],
    ["a name that is too long", { name: "x".repeat(256) }, "name"],
  ];
  for (const [what, fields, argument, code = "argument.invalid"] of WRONG) {
    test(`${what}, for a new rule`, async () => {
      const call = () => post("create", { name: "new", channelid: 1, ...fields });
      const reply = await expectRefusal(app, call, 400, code);
      expect(reply.json.error).toStartWith(`${argument} `);
    });

    test(`${what}, for one that is there`, async () => {
      const id = await create({});
      const reply = await expectRefusal(app, () => post("update", { id, ...fields }), 400, code);
      expect(reply.json.error).toStartWith(`${argument} `);
    });
  }

  test("a rule without a name or a channel", async () => {
    for (const name of ["name", "channelid"]) {
      const fields = { name: "new", channelid: "1" };
      const call = () => post("create", { ...fields, [name]: "" });
      const reply = await expectRefusal(
        app,
        call,
        400,
        name === "name" ? "argument.invalid" : "argument.missing",
      );
      expect(reply.json.error).toStartWith(`${name} `);
    }
    await expectRefusal(app, () => post("create", {}), 400, "argument.missing");
  });

  test("the name of another rule", async () => {
    await create({ name: "a" });
    await create({ name: "b" });
    await expectRefusal(app, () => post("create", { name: "a", channelid: 1 }), 409, "rule.exists");
    await expectRefusal(app, () => post("update", { id: 2, name: "a" }), 409, "rule.exists");
    expect((await post("update", { id: 2, name: "b" })).status).toBe(200);
  });

  test("a rule that is not there", async () => {
    for (const operation of ["update", "delete"])
      await expectRefusal(app, () => post(operation, { id: 9 }), 404, "object.unknown");
    await expectRefusal(app, () => post("move", { id: 9, position: 1 }), 404, "object.unknown");
    await expectRefusal(app, () => admin.get(path("get"), { id: 9 }), 404, "object.unknown");
    await expectRefusal(app, () => admin.get(path("preview"), { id: 9 }), 404, "object.unknown");
  });

  test("position 0", async () => {
    await create({});
    const reply = await expectRefusal(
      app,
      () => post("move", { id: 1, position: 0 }),
      400,
      "argument.invalid",
    );
    expect(reply.json.error).toStartWith("position ");
  });

  test("one rule more than there may be", async () => {
    for (let i = 1; i <= MAX_RULES; i++)
      app.db.$client.run("insert into rules (name, position) values (?, ?)", [`rule ${i}`, i]);
    await expectRefusal(app, () => post("create", { name: "new", channelid: 1 }), 400, "request.invalid");
  });
});

test("a channel that a rule uses cannot be deleted, one that it used can", async () => {
  await create({ name: "a", channelid: 1, escalateafter: 5, escalationchannelid: 2 });
  const remove = (id: number) => admin.post("/api/1/admin/channels/delete", { id });
  await expectRefusal(app, () => remove(2), 409, "channel.used");
  await post("update", { id: 1, escalateafter: 0, escalationchannelid: "" });
  expect((await remove(2)).status).toBe(200);
});

describe("the audit log tells", () => {
  const entry = async () =>
    (await admin.get("/api/1/admin/audit/list", { operation: "admin/rules" })).json.records[0];

  test("what a new rule is", async () => {
    await create({ name: "new", hostid: 1, quietfrom: "22:00", quietto: "06:00", quiettimezone: "UTC" });
    expect(await entry()).toMatchObject({
      ...{ operation: "admin/rules/create", subject: "rule", subjectid: "1", subjectname: "new" },
      details: {
        name: "new",
        filter: { hosts: [1] },
        steps: [{ after: 0, channels: [1], users: [], schedules: [] }],
      },
    });
  });

  const FIRST_STEP = { after: 0, channels: [1, 2], users: [], schedules: [] };
  const SECOND_STEP = { after: 30, channels: [2], users: [], schedules: [] };

  test("what an update changed, and nothing else", async () => {
    await create(EVERYTHING);
    await post("update", { id: 1, hostid: 1, delay: 6, quietto: "06:30", channelid: 1 });
    const { filter } = await get(1);
    expect((await entry()).details).toEqual({
      delay: [5, 6],
      filter: [{ ...filter, hosts: [1, 2] }, filter],
      steps: [
        [FIRST_STEP, SECOND_STEP],
        [{ ...FIRST_STEP, channels: [1] }, SECOND_STEP],
      ],
    });
  });

  test("where a rule was moved, and which was deleted", async () => {
    for (const name of ["a", "b"]) await create({ name });
    await post("move", { id: 2, position: 1 });
    expect(await entry()).toMatchObject({ subjectname: "b", details: { position: [2, 1] } });
    await post("delete", { id: 2 });
    expect(await entry()).toMatchObject({ operation: "admin/rules/delete", subjectname: "b" });
  });
});
