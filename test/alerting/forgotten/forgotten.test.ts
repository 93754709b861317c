/** What people put aside long ago: acknowledgements, mutes, ignored hosts and disabled rules. */
import { beforeEach, describe, expect, test } from "bun:test";
import { listsForgotten } from "../../../src/alerting/mail-reports/period.ts";
import { ADMIN_PASSWORD } from "../../support/app.ts";
import type { Fields, TestClient } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { notifying } from "../../support/rules.ts";
import { Alerting, fails, recovers } from "../notifications/support.ts";

const DAY = 86_400;
/** 30 days, the age from which things are listed. */
const AGE = 30 * DAY;
/** The minutes of the longest mute: 31 days. */
const LONGEST = 44_640;
const OLD = { acknowledgement: 1, mute: 1, host: 1, rule: 1 };

let alerting: Alerting;
let admin: TestClient;

/** Host 1 has an acknowledged failure of "web" and a mute, host 2 is ignored, and rule 2 is disabled, all at START. */
beforeEach(async () => {
  alerting = await Alerting.create();
  ({ admin } = alerting);
  alerting.channel("chat");
  await alerting.rule(notifying(1));
  await alerting.call("admin/rules/create", { ...notifying(1), name: "nights", enabled: false });
  const inRacks = { hostGroups: ["racks"] };
  await alerting.report(inRacks);
  await alerting.report({ id: "agent-2", hostname: "host-2" });
  await fails({}, inRacks)(alerting);
  await alerting.call("problems/acknowledge", { id: 1, note: "disk is ordered" });
  await alerting.call("mutes/create", { filter: { hosts: [1] }, note: "noisy", minutes: LONGEST });
  await changeHost({ status: 2 });
});

/** Time passes, after which the administrator has to sign in again. */
async function wait(seconds: number): Promise<void> {
  alerting.app.clock.step(seconds);
  await admin.signIn("admin", ADMIN_PASSWORD);
}

/** Changes the settings of host 2. */
async function changeHost(fields: Fields): Promise<void> {
  const { json } = await admin.get("/api/1/admin/hosts/get", { id: 2 });
  await alerting.call("admin/hosts/update", { ...json, ...fields });
}

async function listOf(client: TestClient) {
  const { status, json } = await client.get("/api/1/forgotten/list");
  expect(status).toBe(200);
  return json;
}

/** "kind name" of what is listed. */
async function listed(client: TestClient = admin): Promise<string[]> {
  return (await listOf(client)).records.map(({ kind, name }: Record<string, string>) => `${kind} ${name}`);
}

async function findings(): Promise<string[]> {
  const { json } = await admin.get("/api/1/admin/health/get");
  return json.findings.flatMap(({ code, text }: { code: string; text: string }) =>
    code.startsWith("forgotten.") ? [`${code}: ${text}`] : [],
  );
}

describe("what is older than the setting says", () => {
  test("is listed with its age, who did it and why", async () => {
    await wait(AGE - 1);
    expect(await listOf(admin)).toMatchObject({ days: 30, records: [], totals: { host: 0, rule: 0 } });
    await wait(1);
    const since = START;
    expect(await listOf(admin)).toEqual({
      days: 30,
      totals: OLD,
      records: [
        {
          kind: "acknowledgement",
          id: 1,
          name: "web on host-1",
          since,
          uname: "admin",
          note: "disk is ordered",
        },
        { kind: "mute", id: 1, name: "", since, uname: "admin", note: "noisy" },
        { kind: "host", id: 2, name: "host-2", since, uname: "", note: "" },
        { kind: "rule", id: 2, name: "nights", since, uname: "", note: "" },
      ],
    });
  });

  test("is a finding of each kind about Muster itself", async () => {
    expect(await findings()).toEqual([]);
    await wait(AGE);
    expect(await findings()).toEqual([
      "forgotten.acknowledgements: 1 acknowledgement has lasted for more than 30 days: web on host-1.",
      "forgotten.mutes: 1 mute has lasted for more than 30 days: noisy.",
      "forgotten.hosts: 1 host has been ignored for more than 30 days: host-2.",
      "forgotten.rules: 1 rule has been disabled for more than 30 days: nights.",
    ]);
  });

  test("is nowhere when the setting is 0", async () => {
    await wait(AGE);
    await alerting.call("admin/settings/update", { forgottendays: 0 });
    expect(await listOf(admin)).toMatchObject({ days: 0, records: [] });
    expect(await findings()).toEqual([]);
    await alerting.call("admin/settings/update", { forgottendays: 31 });
    expect(await listed()).toEqual([]);
  });
});

describe("what is no longer put aside", () => {
  beforeEach(() => wait(AGE));

  test.each<[what: string, undo: (alerting: Alerting) => unknown]>([
    ["acknowledgement web on host-1", () => alerting.call("problems/unacknowledge", { id: 1 })],
    ["acknowledgement web on host-1", recovers()],
    ["mute ", () => alerting.call("mutes/delete", { id: 1 })],
    ["host host-2", () => changeHost({ status: 0 })],
    ["host host-2", () => alerting.call("admin/hosts/delete", { id: 2 })],
    ["rule nights", () => alerting.call("admin/rules/update", { id: 2, enabled: true })],
    ["rule nights", () => alerting.call("admin/rules/delete", { id: 2 })],
  ])("is not listed: %s", async (what, undo) => {
    const before = await listed();
    expect(before).toContain(what);
    await undo(alerting);
    expect(await listed()).toEqual(before.filter((name) => name !== what));
  });

  test("begins anew when it is put aside again", async () => {
    for (const enabled of [true, false]) await alerting.call("admin/rules/update", { id: 2, enabled });
    for (const status of [0, 2]) await changeHost({ status });
    expect(await listed()).toEqual(["acknowledgement web on host-1", "mute "]);
    await wait(AGE);
    expect((await listed()).sort()).toEqual(["acknowledgement web on host-1", "host host-2", "rule nights"]);
  });

  test("keeps its age when something else about it changes", async () => {
    await alerting.call("admin/rules/update", { id: 2, name: "all nights" });
    await changeHost({ description: "in the cellar" });
    expect(await listed()).toEqual([
      "acknowledgement web on host-1",
      "mute ",
      "host host-2",
      "rule all nights",
    ]);
  });

  test("an acknowledgement whose time is over is not listed", async () => {
    await alerting.call("problems/acknowledge", { id: 1, until: START + AGE + 60 });
    await wait(AGE);
    expect(await listed()).not.toContain("acknowledgement web on host-1");
  });
});

describe("users", () => {
  beforeEach(() => wait(AGE));

  test("who see all hosts but manage none are not told of rules", async () => {
    expect(await listed(await alerting.app.user())).toEqual([
      "acknowledgement web on host-1",
      "mute ",
      "host host-2",
    ]);
  });

  test("who see only a group are told of its hosts alone", async () => {
    const user = await alerting.app.user();
    await admin.post("/api/1/admin/grants/set", { uname: "user", view: 1 });
    expect(await listOf(user)).toMatchObject({
      totals: { acknowledgement: 1, mute: 1, host: 0, rule: 0 },
      records: [{ name: "web on host-1" }, { note: "noisy" }],
    });
    await admin.post("/api/1/admin/groups/create", { name: "cellar" });
    await admin.post("/api/1/admin/grants/set", { uname: "user", view: 2 });
    expect(await listed(user)).toEqual([]);
  });
});

describe("reports by mail", () => {
  test.each([
    ["weekly", "2026-11-23", true],
    ["monthly", "2026-11-01", true],
    ["daily", "2026-11-23", true],
    ["daily", "2026-11-22", false],
    ["daily", "2026-11-24", false],
  ] as const)("%s, with a period until %s: lists it %p", (period, day, expected) => {
    const to = Temporal.ZonedDateTime.from(`${day}T00:00[Europe/Oslo]`).epochMilliseconds / 1000;
    expect(listsForgotten(period, { from: to - DAY, to }, "Europe/Oslo")).toBe(expected);
  });

  test("list it for the groups and the rights of their readers", async () => {
    await wait(AGE);
    const subject = {
      window: { from: START, to: START + 7 * DAY },
      before: { from: START - 7 * DAY, to: START },
      target: 99,
      listsForgotten: true,
    };
    const { queries } = alerting.app.muster;
    const totals = async (
      scopes: Pick<Parameters<typeof queries.reportFigures>[1], "about" | "scope" | "manage">,
    ) => (await queries.reportFigures("test", { ...subject, ...scopes })).value.forgotten?.totals;
    const racks = { groups: [1] };
    const ofRacks = { acknowledgement: 1, mute: 1, host: 0, rule: 0 };
    expect(await totals({ about: "all", scope: "all", manage: "all" })).toEqual(OLD);
    expect(await totals({ about: "all", scope: "all", manage: { groups: [] } })).toEqual({ ...OLD, rule: 0 });
    expect(await totals({ about: racks, scope: "all", manage: "all" })).toEqual(ofRacks);
    expect(await totals({ about: "all", scope: racks, manage: racks })).toEqual(ofRacks);
  });
});
