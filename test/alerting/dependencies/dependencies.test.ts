/** One cause, one message: which messages are sent while something fails on which others depend. */

import { describe, expect, test } from "bun:test";
import { START } from "../../support/clock.ts";
import { notifying } from "../../support/rules.ts";
import { expectRefusal } from "../../support/stored.ts";
import { Alerting, fails, type Input, ledger, pass, recovers } from "../notifications/support.ts";

const MINUTE = 60;
const GATEWAY = { id: "gw", hostname: "gw" };
const WEB = { id: "web-1", hostname: "web-1" };

/** A dependency of the service of a host, "" for the whole host, on that of another. */
const depends = (host: number, service: string, causeHost: number, causeService = "") => ({
  dependent: { host, service },
  cause: { host: causeHost, service: causeService },
});

/** Two hosts, and a rule for both. Service "app" of the host web-1 depends on "db" of gw. */
const prepare =
  (dependency: object = depends(2, "app", 1, "db"), rule = {}): Input =>
  async (alerting) => {
    alerting.channel("mail");
    await alerting.rule({ ...notifying(1), flapcount: 0, ...rule });
    await alerting.report(GATEWAY);
    await alerting.report(WEB);
    await alerting.call("admin/dependencies/create", { ...dependency });
  };

const db = { service: "db" };
const app = { service: "app" };
const restarted: Input = (alerting) => alerting.restart();

const setRule =
  (enabled: number): Input =>
  (alerting) =>
    alerting.app.db.$client.run(`update rules set enabled = ${enabled}`);

/** What the rule would have sent, according to the preview: kind and title, or why nothing. */
async function previewed({ admin }: Alerting): Promise<string[]> {
  const { json } = await admin.post("/api/1/admin/rules/preview", { id: 1, days: 1 });
  return json.records
    .map(({ date, kind, title, heldback }: Record<string, string | number>) =>
      [`@${Number(date) - START} ${kind}: ${title}`, ...(heldback ? [heldback] : [])].join(", "),
    )
    .reverse();
}

describe("a failure of what depends on something that fails", () => {
  ledger(
    "is not told by itself, and when it recovers nobody hears of it",
    prepare(),
    [
      ["the cause fails", fails(db, GATEWAY), []],
      ["it is told", pass(5), ["@5 mail problem: db on gw: is gone"]],
      ["its dependent fails", fails(app, WEB), []],
      ["nobody is told", pass(10 * MINUTE), []],
      ["a restart changes nothing", restarted, []],
      ["", pass(10 * MINUTE), []],
      ["the dependent recovers first", recovers(app, WEB), []],
      ["", pass(10), []],
      ["then the cause", recovers(db, GATEWAY), []],
      ["which is told", pass(5), ["@1220 mail recovery: Recovered after 20m 15s: db on gw: is gone"]],
      ["", pass(10 * MINUTE), []],
    ],
    ["", "caused by db on gw"],
  );

  ledger("that lasts when the cause has recovered triggers a message two minutes later", prepare(), [
    ["", fails(db, GATEWAY), []],
    ["", fails(app, WEB), []],
    ["", pass(5), ["@5 mail problem: db on gw: is gone"]],
    ["", pass(10 * MINUTE), []],
    ["the cause recovers", recovers(db, GATEWAY), []],
    ["", pass(5), ["@610 mail recovery: Recovered after 10m 5s: db on gw: is gone"]],
    ["agents have time to report again", pass(114), []],
    ["then it is told", pass(1), ["@725 mail problem: app on web-1: is gone"]],
    ["its recovery is told as ever", recovers(app, WEB), []],
    ["", pass(5), ["@730 mail recovery: Recovered after 12m 5s: app on web-1: is gone"]],
  ]);

  ledger(
    "that began before the cause is told, and so are its reminders and its recovery",
    prepare(undefined, { repeat: 10 }),
    [
      ["", fails(app, WEB), []],
      ["", pass(5), ["@5 mail problem: app on web-1: is gone"]],
      ["", pass(5), []],
      ["", fails(db, GATEWAY), []],
      ["", pass(5), ["@15 mail problem: db on gw: is gone"]],
      ["", pass(10 * MINUTE), ["@610 mail reminder: Ongoing for 10m 10s: app on web-1: is gone"]],
      ["", recovers(app, WEB), []],
      [
        "",
        pass(5),
        [
          "@620 mail recovery: Recovered after 10m 15s: app on web-1: is gone",
          "@620 mail reminder: Ongoing for 10m 10s: db on gw: is gone",
        ],
      ],
    ],
  );

  ledger(
    "is told where no rule tells of the cause",
    prepare(undefined, { filter: { servicenames: ["app"] } }),
    [
      ["", fails(db, GATEWAY), []],
      ["", fails(app, WEB), []],
      ["", pass(5), ["@5 mail problem: app on web-1: is gone"]],
    ],
  );

  ledger(
    "is told where the rule let go of the cause, since it was disabled when it was to be told",
    prepare(),
    [
      ["", fails(db, GATEWAY), []],
      ["", setRule(0), []],
      ["nobody hears of the cause", pass(5), []],
      ["the rule is enabled again", setRule(1), []],
      ["", pass(MINUTE), []],
      ["", fails(app, WEB), []],
      ["", pass(5), ["@70 mail problem: app on web-1: is gone"]],
    ],
    ["the rule is disabled", ""],
  );

  ledger("triggers a message when something else of its host fails, on which nothing depends", prepare(), [
    ["", fails({ service: "disk" }, GATEWAY), []],
    ["", fails(app, WEB), []],
    ["", pass(5), ["@5 mail problem: 2 problems: disk on gw, app on web-1"]],
  ]);

  ledger("triggers a message once the dependency is deleted", prepare(), [
    ["", fails(db, GATEWAY), []],
    ["", fails(app, WEB), []],
    ["", pass(5), ["@5 mail problem: db on gw: is gone"]],
    ["", (alerting) => alerting.call("admin/dependencies/delete", { id: 1 }), []],
    ["", pass(MINUTE), ["@65 mail problem: app on web-1: is gone"]],
  ]);
});

ledger(
  "hosts behind a gateway that is down are not told, also when they are missed some seconds before it",
  async (alerting) => {
    await prepare(depends(2, "", 1))(alerting);
    await alerting.report({ ...GATEWAY, poll: 30 });
    await alerting.report({ ...WEB, poll: 25 });
  },
  [
    ["web-1 is missed at 76, the gateway at 91", pass(90), []],
    ["", pass(5 * MINUTE), ["@151 mail problem: gw is down"]],
    ["", pass(10 * MINUTE), []],
  ],
);

ledger(
  "a cause that depends on a third thing is no cause: one hop",
  async (alerting) => {
    await prepare()(alerting);
    await alerting.call("admin/dependencies/create", depends(1, "db", 1, "disk"));
  },
  [
    ["", fails({ service: "disk" }, GATEWAY), []],
    ["", fails(db, GATEWAY), []],
    ["", fails(app, WEB), []],
    ["", pass(5), ["@5 mail problem: 2 problems: disk on gw, app on web-1"]],
  ],
);

test("the message of the cause names its dependents, and everything is recorded; the preview says the same", async () => {
  const alerting = await Alerting.create();
  await prepare()(alerting);
  await alerting.call("admin/dependencies/create", depends(2, "mail", 1, "db"));
  await fails(db, GATEWAY)(alerting);
  await fails(app, WEB)(alerting);
  await alerting.pass(5);
  const [first] = alerting.arrived;
  expect(first?.message.text).toContain(
    "\nDepends on this: app on web-1 (fails too), mail on web-1\n\nRule: rule",
  );
  await alerting.pass(10 * MINUTE);
  const { json } = await alerting.admin.get("/api/1/reports/events/list?active=1");
  expect(json.totalRecords).toBe(2);
  const suppressed = await alerting.admin.get("/api/1/reports/events/alerts?id=2");
  expect(suppressed.json.heldback).toEqual([{ rule: "rule", reason: "caused by db on gw" }]);
  await recovers(db, GATEWAY)(alerting);
  await alerting.pass(5 * MINUTE);
  expect(await previewed(alerting)).toEqual(
    alerting.arrived.map(({ message, at }) => `@${at} ${message.kind}: ${message.title}`),
  );
  expect(alerting.arrived.map(({ message }) => message.kind)).toEqual(["problem", "recovery", "problem"]);
});

/** Puts the host of the dependent into group 1, and that of the cause into group 2. */
const groups: Input = async ({ admin }) => {
  for (const [name, hostid] of [
    ["apps", 2],
    ["gateways", 1],
  ] as const) {
    const { json } = await admin.post("/api/1/admin/groups/create", { name });
    await admin.post("/api/1/admin/groups/add", { id: json.id, hostid });
  }
};

test("a message to a user names the dependents that they see", async () => {
  const alerting = await Alerting.create();
  const { app: muster, admin } = alerting;
  await muster.user();
  await prepare(undefined, { steps: [{ channels: [1], users: ["user"] }] })(alerting);
  await groups(alerting);
  alerting.channel("personal");
  await alerting.call("admin/contacts/set", { uname: "user", channels: [2] });
  const linesTo = async (view: number[]) => {
    await admin.post("/api/1/admin/grants/set", { uname: "user", view });
    alerting.arrived.length = 0;
    await fails(db, GATEWAY)(alerting);
    await alerting.pass(5);
    const lines = alerting.arrived.map(({ channel, message }) => [
      channel,
      message.text.split("\n").filter((line) => line.startsWith("Depends on this")),
    ]);
    await recovers(db, GATEWAY)(alerting);
    await alerting.pass(5);
    return Object.fromEntries(lines);
  };
  const named = ["Depends on this: app on web-1"];
  expect(await linesTo([2])).toEqual({ mail: named, personal: [] });
  expect(await linesTo([1, 2])).toEqual({ mail: named, personal: named });
});

test("a user who does not see the host of the cause is not told what it is", async () => {
  const alerting = await Alerting.create();
  await prepare()(alerting);
  await groups(alerting);
  const { app: muster, admin } = alerting;
  const user = await muster.user();
  await fails(db, GATEWAY)(alerting);
  await fails(app, WEB)(alerting);
  await alerting.pass(10);
  const reasons = async () => [
    (await user.get("/api/1/reports/events/alerts", { id: 2 })).json.heldback,
    (await user.get("/api/1/incidents/get", { id: 2 })).json.notifications.heldback,
  ];
  const heldback = (reason: string) => [{ rule: "rule", reason }];
  await admin.post("/api/1/admin/grants/set", { uname: "user", view: [1] });
  expect(await reasons()).toEqual(Array(2).fill(heldback("caused by another failure")));
  await admin.post("/api/1/admin/grants/set", { uname: "user", view: [1, 2] });
  expect(await reasons()).toEqual(Array(2).fill(heldback("caused by db on gw")));
});

describe("a dependency", () => {
  test("that would close a circle is refused, and one on itself", async () => {
    const alerting = await Alerting.create();
    await prepare(depends(2, "", 1))(alerting);
    await alerting.report({ id: "third", hostname: "third" });
    await alerting.call("admin/dependencies/create", depends(1, "db", 3));
    const create = (fields: object) => () =>
      alerting.admin.post("/api/1/admin/dependencies/create", { ...fields });
    for (const circle of [
      depends(1, "", 1),
      depends(1, "", 1, "db"),
      depends(1, "", 2),
      depends(1, "", 2, "app"),
    ])
      await expectRefusal(alerting.app, create(circle), 409, "dependency.cycle");
    await expectRefusal(alerting.app, create(depends(2, "", 1)), 409, "dependency.exists");
    await expectRefusal(alerting.app, create(depends(2, "", 9)), 400, "argument.invalid");
    // A service may depend on its own host, and a host on a service of one that depends on another service of it.
    await alerting.call("admin/dependencies/create", depends(1, "web", 1));
    await alerting.call("admin/dependencies/create", depends(3, "", 1, "switch"));
  });

  test("goes with either of its hosts", async () => {
    for (const id of [1, 2]) {
      const alerting = await Alerting.create();
      await prepare()(alerting);
      await alerting.call("admin/hosts/delete", { id });
      expect(alerting.app.rows("select * from dependencies")).toEqual([]);
    }
  });

  test("is listed with the hosts at both ends", async () => {
    const alerting = await Alerting.create();
    await prepare()(alerting);
    const list = async (query: string) =>
      (await alerting.admin.get(`/api/1/admin/dependencies/list${query}`)).json;
    const record = {
      id: 1,
      dependent: { host: 2, service: "app" },
      cause: { host: 1, service: "db" },
      hostname: "web-1",
      causename: "gw",
    };
    expect(await list("")).toEqual({ totalRecords: 1, records: [record] });
    expect([(await list("?hostid=1")).totalRecords, (await list("?hostid=9")).totalRecords]).toEqual([1, 0]);
  });
});
