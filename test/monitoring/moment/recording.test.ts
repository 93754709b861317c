import { beforeEach, describe, expect, test } from "bun:test";
import { type AgentXml, processXml } from "../../support/agent-messages.ts";
import { START } from "../../support/clock.ts";
import { app, freshAppOfEachTest } from "../../support/each-test.ts";
import { newRevisions, ofHost, ofMember, type StoredRevision } from "./new-revisions.ts";

const HOUR = 3600;
const web = { name: "web", body: processXml() };
const db = { name: "db", body: processXml() };
const REPORT: AgentXml = {
  id: "a",
  hostname: "shop",
  incarnation: START - HOUR,
  hostGroups: ["linux"],
  serviceGroups: { frontend: ["web"] },
  services: [web, db],
};

/** Lets time pass and the agent of host 1 report. */
async function report(changes: AgentXml = {}): Promise<void> {
  app.clock.step(30);
  await app.report({ ...REPORT, at: app.clock.now(), ...changes });
}

/** Host 1 "shop" with the services 1 "web" and 2 "db", in the agents' group 1 "linux". */
freshAppOfEachTest();
beforeEach(async () => {
  await app.report(REPORT);
  expect(newRevisions(app)).toEqual([]);
});

const ofService = (object: number, content: unknown) => ({ kind: "services", host: 1, object, content });

describe("a message of an agent leaves revisions of what it changed", () => {
  const cases: [change: string, message: AgentXml, revisions: StoredRevision[]][] = [
    ["nothing", {}, []],
    ["its name", { hostname: "store" }, [ofHost({ hostname: "shop" })]],
    ["the length of its cycle", { poll: 60 }, [ofHost({ poll: 30 })]],
    [
      "its platform",
      { platform: { release: "7.1", cpu: 16 } },
      [ofHost({ platformRelease: "6.1.0", cpuCount: 2 })],
    ],
    [
      "its run",
      { incarnation: START + 29 },
      [ofHost({ incarnation: START - HOUR, agentUptime: HOUR, lastmodified: START })],
    ],
    [
      "the group that it names",
      { hostGroups: ["bsd"] },
      [ofMember(2, null), ofMember(1, { byHand: false, byAgent: true, name: "linux" })],
    ],
    [
      "its service groups",
      { serviceGroups: { frontend: ["web", "db"] } },
      [ofHost({ serviceGroups: { frontend: [1] } })],
    ],
    [
      "whether a service is monitored",
      { services: [{ ...web, monitor: 0 }, db] },
      [ofService(1, { monitorState: 1 })],
    ],
    [
      "how a service is monitored",
      { services: [web, { ...db, monitorMode: 1, every: 5, onReboot: 2 }] },
      [ofService(2, { monitorMode: 0, onReboot: 0, every: "" })],
    ],
    [
      "the failures of a service",
      { services: [{ ...web, status: 512 }, db] },
      [ofService(1, { status: 0, statusHint: 0 })],
    ],
    [
      "whether a service was checked",
      { services: [{ ...web, monitor: 6 }, db] },
      [ofService(1, { monitorState: 1 })],
    ],
    ["that a scheduled check waits for its turn", { services: [{ ...web, monitor: 5 }, db] }, []],
    ["a mere change of a service", { services: [{ ...web, status: 1, statusHint: 1 }, db] }, []],
    ["its list of services: excluded time says when one was not there", { services: [web] }, []],
    ["only numbers", { services: [{ ...web, body: processXml({ cpu: 77 }) }, db] }, []],
  ];
  for (const [change, message, expected] of cases)
    test(change, async () => {
      await report(message);
      expect(newRevisions(app)).toEqual(expected);
      await report(message);
      expect(newRevisions(app)).toEqual([]);
    });

  test("a service that returns differs from the one that vanished", async () => {
    await report({ services: [web] });
    await report({ services: [web, { ...db, monitor: 2 }] });
    expect(newRevisions(app)).toEqual([ofService(2, { monitorState: 1 })]);
    expect(app.rows("select reason, ended_at from excluded_intervals where service_id = 2")).toEqual([
      { reason: "vanished", ended_at: app.clock.now() },
    ]);
  });

  test("a host that stops reporting and returns", async () => {
    app.clock.step(89);
    while (app.rows("select 1 from hosts where id = 1 and heartbeat = 1").length > 0) app.pass(1);
    expect(newRevisions(app)).toEqual([ofHost({ status: 0, heartbeat: 1 })]);
    await report();
    expect(newRevisions(app)).toEqual([ofHost({ status: 1, heartbeat: 0 })]);
  });
});
