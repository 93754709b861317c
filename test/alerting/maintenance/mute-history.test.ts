/** When maintenance and mutes cover a host or service: what charts mark. */

import { beforeEach, describe, expect, test } from "bun:test";
import { TestApp } from "../../support/app.ts";
import type { Fields, TestClient } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { notifying } from "../../support/rules.ts";

const DAY = 86_400;
const SPAN = { datefrom: START - DAY, dateto: START + DAY };

let app: TestApp;
let admin: TestClient;
let user: TestClient;

/** Host 1 with the tag env=prod and the service nginx is in group 1, host 2 in group 2. */
beforeEach(async () => {
  app = new TestApp();
  for (const id of [1, 2])
    await app.report({
      id: `agent-${id}`,
      hostname: `host-${id}`,
      hostGroups: [`group-${id}`],
      services: [{ name: "nginx" }],
    });
  admin = await app.admin();
  user = await app.user();
  await admin.post("/api/1/admin/tags/add", { hosts: [1], tags: ["env=prod"] });
});

async function windowsOf(client: TestClient, fields: Fields = {}) {
  const { json } = await client.get("/api/1/mutes/history", { hostid: 1, ...SPAN, ...fields });
  return json.records.map(({ from, to, uname, note }: Record<string, unknown>) => [from, to, uname, note]);
}

async function plan(name: string, fields: Fields): Promise<void> {
  const reply = await admin.post("/api/1/admin/maintenance/create", {
    name,
    filter: {},
    schedule: { kind: "once", from: START, to: START + 9 },
    ...fields,
  });
  expect(reply.status).toBe(200);
}

test("every user sees maintenance and mutes of a host, also those that are over", async () => {
  const schedule = { kind: "once", from: START - 9, to: START - 5 };
  await plan("move", { filter: { hosts: [1] }, schedule });
  await admin.post("/api/1/mutes/create", { filter: { hosts: [1] }, minutes: 5, note: "new disk" });
  const windows = [
    [START - 9, START - 5, "", "move"],
    [START, START + 300, "admin", "new disk"],
  ];
  expect(await windowsOf(user)).toEqual(windows);
  expect(await windowsOf(admin)).toEqual(windows);
  expect(await windowsOf(user, { dateto: START })).toEqual([windows[0]]);
});

test("a host that the user does not see does not exist", async () => {
  await plan("move", {});
  await admin.post("/api/1/admin/grants/set", { uname: "user", view: 2 });
  expect((await user.get("/api/1/mutes/history", { hostid: 1, ...SPAN })).status).toBe(404);
  expect(await windowsOf(user, { hostid: 2 })).toHaveLength(1);
});

describe("covered", () => {
  const CASES: readonly [fields: Fields, servicename: string | null, covered: boolean, why: string][] = [
    [{}, null, true, "everything"],
    [{ filter: { hosts: [1] } }, "nginx", true, "its host"],
    [{ filter: { hosts: [2] } }, null, false, "another host"],
    [{ filter: { hostgroups: [1] } }, null, true, "its group"],
    [{ filter: { hosts: [1], hostgroups: [2] } }, null, false, "the host, but in another group"],
    [{ filter: { tags: ["env"] } }, null, true, "its tag"],
    [{ filter: { tags: ["env=test"] } }, null, false, "another tag"],
    [{ filter: { servicenames: ["ng*"] } }, "nginx", true, "its service"],
    [{ filter: { servicenames: ["ng*"] } }, null, false, "one service, and the whole host is asked for"],
    [{ enabled: false }, null, false, "everything, but it is off"],
  ];
  for (const [fields, servicename, covered, why] of CASES)
    test(`${covered ? "" : "not "}by maintenance of ${why}`, async () => {
      await plan("move", fields);
      const windows = await windowsOf(user, servicename === null ? {} : { servicename });
      expect(windows).toHaveLength(covered ? 1 : 0);
    });

  test("not by a mute of a rule, as others notify", async () => {
    await admin.post("/api/1/admin/channels/create", {
      name: "hook",
      kind: "webhook",
      settings: { url: "https://hooks.invalid/" },
    });
    await admin.post("/api/1/admin/rules/create", { name: "rule", ...notifying(1) });
    expect((await admin.post("/api/1/mutes/create", { filter: { rules: [1] }, minutes: 5 })).status).toBe(
      200,
    );
    expect(await windowsOf(user)).toEqual([]);
  });
});

/** Every day at the time at which tests begin, less 10 minutes, for an hour. */
const DAILY = { kind: "weekly", days: [0, 1, 2, 3, 4, 5, 6], from: "11:50", minutes: 60 };

test("maintenance that recurs has no windows from before it was planned", async () => {
  await plan("backup", { schedule: DAILY });
  expect(await windowsOf(user, { datefrom: START - 30 * DAY, dateto: START + 2 * DAY })).toEqual([
    [START, START + 3000, "", "backup"],
    [START + DAY - 600, START + DAY + 3000, "", "backup"],
    [START + 2 * DAY - 600, START + 2 * DAY + 3000, "", "backup"],
  ]);
  expect(await windowsOf(user, { dateto: START - 1 })).toEqual([]);
});

test("no more than 500 windows are given", async () => {
  await plan("nightly", { schedule: DAILY });
  expect(await windowsOf(user, { dateto: START + 600 * DAY })).toHaveLength(500);
});
