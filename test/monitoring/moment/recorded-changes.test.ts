import { beforeEach, describe, expect, test } from "bun:test";
import { changeHost } from "../../../src/monitoring/hosts/hosts.repository.ts";
import { transaction } from "../../../src/platform/storage/open.ts";
import { type AgentXml, processXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import type { Fields, TestClient } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { expectRefusal } from "../../support/stored.ts";
import { newRevisions, ofHost, ofMember, ofOther } from "./new-revisions.ts";

const HOUR = 3600;
const web = { name: "web", body: processXml() };

let app: TestApp;
let admin: TestClient;

/** Lets time pass and the agent of host 1 report. */
async function report(changes: AgentXml = {}): Promise<void> {
  app.clock.step(30);
  const base = {
    id: "a",
    hostname: "shop",
    incarnation: START - HOUR,
    hostGroups: ["linux"],
    services: [web],
  };
  await app.report({ ...base, at: app.clock.now(), ...changes });
}

async function call(operation: string, fields: Fields): Promise<number> {
  app.clock.step(30);
  const reply = await admin.post(`/api/1/${operation}`, fields);
  expect([operation, reply.status, reply.text]).toEqual([operation, 200, reply.text]);
  return Number(reply.json?.id);
}

/** Host 1 "shop" in the agents' group 1 "linux", host 2 "gate"; group 2 "racks", by hand. */
beforeEach(async () => {
  app = new TestApp();
  admin = await app.admin();
  await report();
  await app.report({ id: "b", hostname: "gate" });
  await admin.post("/api/1/admin/groups/create", { name: "racks" });
  newRevisions(app);
});

describe("a change by a user leaves revisions", () => {
  test("of the settings of a host that screens show, and its state", async () => {
    const settings = {
      id: 1,
      hostname: "till",
      description: "by the door",
      keepname: 1,
      portout: 2812,
      agentuser: "",
      agentpassword: "",
    };
    await call("admin/hosts/update", settings);
    expect(newRevisions(app)).toEqual([ofHost({ hostname: "shop", description: "", keepname: false })]);
    await call("admin/hosts/update", settings);
    expect(newRevisions(app)).toEqual([]);
    await call("admin/hosts/update", { ...settings, status: 2 });
    expect(newRevisions(app)).toEqual([ofHost({ status: 0 })]);
  });

  test("of tags", async () => {
    await call("admin/tags/add", { hosts: [1, 2], tags: ["blue", "rack=3"] });
    expect(newRevisions(app)).toEqual([ofHost({ tags: [] }), ofHost({ tags: [] }, 2)]);
    await call("admin/tags/add", { hosts: [1], tags: ["blue"] });
    expect(newRevisions(app)).toEqual([]);
    await call("admin/tags/remove", { hosts: [1], tags: ["blue"] });
    expect(newRevisions(app)).toEqual([ofHost({ tags: ["blue", "rack=3"] })]);
  });

  test("of groups and their members", async () => {
    await call("admin/groups/create", { name: "floor" });
    expect(newRevisions(app)).toEqual([ofOther("host_groups", 3, null)]);
    await call("admin/groups/update", { id: 3, name: "cellar" });
    expect(newRevisions(app)).toEqual([ofOther("host_groups", 3, { name: "floor", nameKey: "floor" })]);
    await call("admin/groups/target", { id: 3, target: 99.9 });
    expect(newRevisions(app)).toEqual([ofOther("host_groups", 3, { target: null })]);
    await call("admin/groups/add", { id: 3, hostid: [1, 2] });
    expect(newRevisions(app)).toEqual([ofMember(3, null), ofMember(3, null, 2)]);
    await call("admin/groups/add", { id: 3, hostid: [1] });
    expect(newRevisions(app)).toEqual([]);
    const byHand = { byHand: true, byAgent: false, name: "cellar" };
    await call("admin/groups/remove", { id: 3, hostid: [2] });
    expect(newRevisions(app)).toEqual([ofMember(3, byHand, 2)]);
    await call("admin/groups/delete", { id: 3 });
    const group = { id: 3, name: "cellar", nameKey: "cellar", namedByHand: true, target: 99.9 };
    expect(newRevisions(app)).toEqual([ofOther("host_groups", 3, group), ofMember(3, byHand)]);
  });

  test("of both origins of a membership", async () => {
    await call("admin/groups/add", { id: 1, hostid: [1] });
    expect(newRevisions(app)).toEqual([ofMember(1, { byHand: false, byAgent: true, name: "linux" })]);
    await report({ hostGroups: [] });
    expect(newRevisions(app)).toEqual([ofMember(1, { byHand: true, byAgent: true, name: "linux" })]);
  });

  test("of a bulk change, host by host", async () => {
    await call("admin/hosts/bulk/update", {
      hosts: [1, 2],
      addtags: ["blue"],
      addgroups: [2],
      description: "x",
    });
    expect(newRevisions(app)).toEqual([
      ofMember(2, null),
      ofHost({ description: "" }),
      ofHost({ tags: [] }),
      ofMember(2, null, 2),
      ofHost({ description: "" }, 2),
      ofHost({ tags: [] }, 2),
    ]);
  });

  test("of dismissals, also of the errors that a dismissed one replaced", async () => {
    const failing = { services: [{ ...web, status: 512 }] };
    await report({ ...failing, event: { service: "web", collectedUsec: 1 } });
    newRevisions(app);
    const ofEvent = (object: number, content: unknown) => ({ kind: "events", host: 1, object, content });
    await call("reports/events/dismiss", { id: 1 });
    expect(newRevisions(app)).toEqual([ofEvent(1, { dismissed: false, dismissedFrom: null })]);
    await call("reports/events/dismiss", { id: 1 });
    expect(newRevisions(app)).toEqual([]);
    await report({ ...failing, event: { service: "web", collectedUsec: 2 } });
    expect(newRevisions(app)).toEqual([]);
    await call("reports/events/undismiss", { id: 2 });
    const dismissed = { dismissed: true, dismissedFrom: 1 };
    expect(newRevisions(app)).toEqual([ofEvent(2, dismissed), ofEvent(1, dismissed)]);
  });

  test("of dependencies", async () => {
    const dependency = { dependent: { host: 1, service: "web" }, cause: { host: 2, service: "" } };
    await call("admin/dependencies/create", dependency);
    const revision = { kind: "dependencies", host: 1, object: 1 };
    expect(newRevisions(app)).toEqual([{ ...revision, content: null }]);
    await call("admin/dependencies/delete", { id: 1 });
    const row = { id: 1, hostId: 1, service: "web", causeHostId: 2, causeService: "" };
    expect(newRevisions(app)).toEqual([{ ...revision, content: row }]);
  });

  test("of mutes: of their end, not of renewals of a lease", async () => {
    const now = app.clock.now() + 30;
    await call("mutes/create", { filter: { hosts: [1] }, minutes: 60 });
    expect(newRevisions(app)).toEqual([]);
    await call("mutes/delete", { id: 1 });
    const schedule = { kind: "once", from: now, to: now + HOUR };
    expect(newRevisions(app)).toEqual([ofOther("maintenance_windows", 1, { schedule })]);
    await call("mutes/create", { filter: { hosts: [1] }, lease: {} });
    await call("mutes/renew", { id: 2 });
    expect(newRevisions(app)).toEqual([]);
    const leasedUntil = app.clock.now() + 180;
    await call("mutes/release", { id: 2 });
    expect(newRevisions(app)).toEqual([ofOther("maintenance_windows", 2, { leasedUntil })]);
  });

  test("of people on call", async () => {
    app.muster.users.create({ uname: "ben", fullname: "Ben B", password: "some password", admin: false });
    const daily = { start: "2026-01-05", handover: "12:00", unit: "day", every: 1, hours: null };
    const rotations = [{ name: "Daily", users: ["user"], ...daily }];
    const schedule = await call("oncall/create", { name: "Office", timezone: "UTC", rotations });
    expect(newRevisions(app)).toEqual([ofOther("on_call_schedules", 1, null)]);
    const from = app.clock.now() + HOUR;
    const override = { schedule, user: "ben", from, to: from + HOUR };
    const first = await call("oncall/override/create", override);
    expect(newRevisions(app)).toEqual([ofOther("on_call_overrides", first, null)]);
    await call("oncall/override/delete", { id: first });
    const stored = { id: first, scheduleId: schedule, userId: 3, from, to: from + HOUR, createdBy: "admin" };
    expect(newRevisions(app)).toEqual([ofOther("on_call_overrides", first, stored)]);
    const second = await call("oncall/override/create", override);
    newRevisions(app);
    app.clock.step(2 * HOUR);
    admin = await app.admin();
    app.muster.users.delete("ben");
    expect(newRevisions(app)).toEqual([
      ofOther("on_call_overrides", second, { ...stored, id: second }),
      ofOther("users", 3, { uname: "ben", fullname: "Ben B" }),
    ]);
    await call("oncall/update", { id: schedule, name: "Ops" });
    expect(newRevisions(app)).toEqual([ofOther("on_call_schedules", schedule, { name: "Office" })]);
    await call("oncall/delete", { id: schedule });
    expect(newRevisions(app)).toMatchObject([
      // As it is stored, with the ids of users.
      ofOther("on_call_schedules", schedule, {
        name: "Ops",
        rotations: [{ name: "Daily", users: [2], ...daily }],
      }),
    ]);
    app.muster.users.update(
      { uname: "user", fullname: "New N", password: "" } as never,
      { admin: true } as never,
    );
    expect(newRevisions(app)).toEqual([ofOther("users", 2, { fullname: "A User" })]);
  });

  test("of limits, rules and planned maintenance", async () => {
    const limit = { name: "disk", statistics: [18], warning: 90 };
    const id = await call("limits/create", limit);
    expect(newRevisions(app)).toEqual([ofOther("limits", id, null)]);
    await call("limits/update", { id, warning: 80 });
    expect(newRevisions(app)).toEqual([ofOther("limits", id, { warning: 90 })]);
    await call("limits/update", { id, warning: 80 });
    expect(newRevisions(app)).toEqual([]);
    await call("limits/delete", { id });
    expect(newRevisions(app)).toMatchObject([
      ofOther("limits", id, { id, ...limit, warning: 80, enabled: true }),
    ]);

    const steps = [{ after: 0, channels: [], users: ["user"], schedules: [] }];
    const rule = await call("admin/rules/create", { name: "all", steps });
    expect(newRevisions(app)).toEqual([ofOther("rules", rule, null)]);
    await call("admin/rules/update", { id: rule, enabled: false });
    expect(newRevisions(app)).toEqual([ofOther("rules", rule, { enabled: true, disabledAt: null })]);
    await call("admin/rules/update", { id: rule, steps: [{ ...steps[0], users: ["admin"] }] });
    expect(newRevisions(app)).toEqual([ofOther("rules", rule, { steps })]);

    const schedule = { kind: "once", from: START, to: START + HOUR };
    const window = await call("admin/maintenance/create", { name: "night", filter: {}, schedule });
    expect(newRevisions(app)).toEqual([ofOther("maintenance_windows", window, null)]);
    await call("admin/maintenance/update", { id: window, schedule: { ...schedule, to: START + 60 } });
    expect(newRevisions(app)).toEqual([ofOther("maintenance_windows", window, { schedule })]);
    await call("admin/maintenance/delete", { id: window });
    expect(newRevisions(app)).toMatchObject([ofOther("maintenance_windows", window, { name: "night" })]);
  });

  test("none when it is refused, or rolled back with its transaction", async () => {
    const { db, muster, clock } = app;
    await expectRefusal(
      app,
      () => admin.post("/api/1/admin/groups/update", { id: 2, name: "linux" }),
      409,
      "group.exists",
    );
    expect(() =>
      transaction(db, () => {
        muster.groups.create("lost");
        changeHost(db, 1, { hostname: "lost" }, clock.now());
        throw new Error("rolled back");
      }),
    ).toThrow("rolled back");
    expect(newRevisions(app)).toEqual([]);
  });
});
