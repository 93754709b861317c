import { expect, test } from "bun:test";
import { agentXml, filesystemXml, processXml, programXml, systemXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import type { TestClient } from "../../support/client.ts";

const POLL = 30;
/** Cycles without a report after which a host is down. */
const HEARTBEAT_CYCLES = 5;

interface Moved {
  id: number;
  since: number;
  hosts: number;
  hostsleftout: number;
  metrics: number;
  recordsleftout: number;
  records: {
    date: number;
    earliest: number;
    latest: number;
    tie: number;
    kind: string;
    hostname: string;
    servicename: string;
    what: string;
    operation: string;
    type: number | null;
    from: number | null;
    to: number | null;
    before: string;
    after: string;
    uname: string;
  }[];
}

/** Hosts that report every 30 s, each with the same services. What is said of them here is true of "db". */
class Fleet {
  readonly app = new TestApp();
  readonly silent = new Set<string>();
  pid = 4711;
  mode = 644;
  output = "fine";
  status = 0;
  percent = 40;

  constructor(readonly names: readonly string[]) {}

  /** Reports of all hosts for some cycles. @param events of hosts, in the first cycle */
  async cycles(count: number, events: Readonly<Record<string, object>> = {}): Promise<void> {
    for (let i = 0; i < count; i++) {
      this.app.pass(POLL);
      const at = this.app.clock.now();
      for (const name of this.names) {
        if (this.silent.has(name)) continue;
        const event = i === 0 && events[name] ? { service: "app", ...events[name] } : null;
        const services = name === "db" ? this.#services() : [{ name: "app", body: processXml() }];
        const incarnation = 1_767_000_000;
        const response = await this.app.report(
          agentXml({ id: name, hostname: name, at, poll: POLL, incarnation, services, event }),
        );
        expect(response.status).toBe(200);
      }
    }
  }

  #services() {
    const { pid, mode, output, status, percent } = this;
    return [
      { name: "db", type: 5, body: systemXml() },
      { name: "app", body: processXml({ pid }) },
      { name: "etc", type: 2, body: `<mode>${mode}</mode><uid>0</uid><gid>0</gid>` },
      { name: "backup", type: 7, body: programXml({ output, status }) },
      { name: "data", type: 0, body: filesystemXml({ percent }) },
    ];
  }

  idOf(message: string): number {
    return this.app.rows<{ id: number }>(`select id from events where message = '${message}'`)[0]?.id ?? 0;
  }
}

async function ask(client: TestClient, id: number): Promise<Moved> {
  const reply = await client.get("/api/1/incidents/moved", { id });
  expect([reply.status, reply.text]).toEqual([200, reply.text]);
  return reply.json;
}

async function post(client: TestClient, path: string, fields: object) {
  const reply = await client.post(`/api/1/${path}`, { ...fields });
  expect([reply.status, reply.text]).toEqual([200, reply.text]);
  return reply.json;
}

/** Two hosts of a group, one beside it, and a failure of "web" after it all. */
async function incident() {
  const fleet = new Fleet(["web", "db", "other"]);
  const { app } = fleet;
  await fleet.cycles(20);
  const admin = await app.admin();
  const { id: groupId } = await post(admin, "admin/groups/create", { name: "rack" });
  await post(admin, "admin/groups/add", { id: groupId, hostid: [1, 2] });
  app.clock.step(1);
  await fleet.cycles(2, { db: { state: 2, id: 1, message: "checksum changed" } });
  const changedAt = app.clock.now() - POLL;
  fleet.pid = 4800;
  await fleet.cycles(2, { other: { state: 1, message: "elsewhere" } });
  await fleet.cycles(2, { db: { state: 1, message: "db is gone" } });
  const mutedAt = app.clock.now();
  await post(admin, "mutes/create", { filter: { hosts: [1] }, minutes: 10, note: "new disk" });
  await fleet.cycles(2, { web: { state: 1, message: "web is gone" } });
  return { fleet, admin, groupId, changedAt, mutedAt, id: fleet.idOf("web is gone") };
}

test("changes, codes, failures of others and mutes are listed in the order of time, each after the report before it", async () => {
  const { admin, id, changedAt, mutedAt } = await incident();
  const moved = await ask(admin, id);
  expect(moved).toMatchObject({ id, hosts: 2, hostsleftout: 0 });
  const listed = moved.records.filter(({ operation }) => !operation.includes("groups/"));
  expect(listed.map(({ tie: _, ...record }) => record)).toMatchObject([
    {
      kind: "change",
      hostname: "db",
      what: "checksum changed",
      date: changedAt,
      earliest: changedAt - POLL - 1,
    },
    { kind: "change", hostname: "db", what: "PID", from: 4711, to: 4800, date: changedAt + 2 * POLL },
    { kind: "failure", hostname: "db", what: "db is gone", date: changedAt + 4 * POLL },
    {
      kind: "muster",
      what: "mute began: new disk",
      date: mutedAt,
      earliest: mutedAt,
      latest: mutedAt,
      uname: "admin",
    },
  ]);
  const ties = listed.map(({ tie }) => tie);
  expect(new Set(ties).size).toBe(ties.length);
});

test("administrators see what users did, others do not, and nobody sees hosts that are hidden from them", async () => {
  const { fleet, admin, groupId, id } = await incident();
  const actions = (moved: Moved) =>
    moved.records.filter(({ operation }) => operation.startsWith("admin/groups"));
  expect(actions(await ask(admin, id)).map(({ operation, what, uname }) => [operation, what, uname])).toEqual(
    [
      ["admin/groups/create", "group rack", "admin"],
      ["admin/groups/add", "group rack", "admin"],
    ],
  );
  const user = await fleet.app.user();
  const seen = await ask(user, id);
  expect(actions(seen)).toEqual([]);
  expect(seen.records.map(({ hostname }) => hostname)).toContain("db");

  // A group of its own shows the user only the host of the incident.
  const { id: own } = await post(admin, "admin/groups/create", { name: "own" });
  await post(admin, "admin/groups/add", { id: own, hostid: [1] });
  await post(admin, "admin/grants/set", { uname: "user", view: [own], restricted: true });
  const restricted = await ask(user, id);
  expect(restricted.hosts).toBe(1);
  expect(restricted.records.map(({ hostname }) => hostname)).not.toContain("db");
  expect(groupId).toBeGreaterThan(0);
});

test("a host that the failed one depends on is searched without a common group", async () => {
  const { admin, id } = await incident();
  await post(admin, "admin/dependencies/create", { dependent: { host: 1 }, cause: { host: 3 } });
  const { hosts, records } = await ask(admin, id);
  expect(hosts).toBe(3);
  expect(records.find(({ hostname }) => hostname === "other")).toMatchObject({
    kind: "failure",
    what: "elsewhere",
  });
});

test("a host went silent between its last report and the one that is missing", async () => {
  const fleet = new Fleet(["web", "db"]);
  await fleet.cycles(10);
  const admin = await fleet.app.admin();
  const { id: groupId } = await post(admin, "admin/groups/create", { name: "rack" });
  await post(admin, "admin/groups/add", { id: groupId, hostid: [1, 2] });
  fleet.silent.add("db");
  const lastReport = fleet.app.clock.now();
  await fleet.cycles(HEARTBEAT_CYCLES);
  await fleet.cycles(1, { web: { state: 1, message: "web is gone" } });
  const { records } = await ask(admin, fleet.idOf("web is gone"));
  expect(records.find(({ kind }) => kind === "failure")).toMatchObject({
    hostname: "db",
    earliest: lastReport,
    date: lastReport + POLL,
    latest: lastReport + POLL,
  });
});

test("an event that is no error belongs to no incident", async () => {
  const { admin, fleet } = await incident();
  const reply = await admin.get("/api/1/incidents/moved", { id: fleet.idOf("checksum changed") });
  expect(reply.status).toBe(404);
});

/** A failure of "web" in whose group "db" is. @param prepare lets things happen to "db" before it */
async function failureAfter(prepare: (fleet: Fleet, admin: TestClient) => Promise<void>): Promise<Moved> {
  const fleet = new Fleet(["web", "db"]);
  await fleet.cycles(5);
  const admin = await fleet.app.admin();
  const { id: groupId } = await post(admin, "admin/groups/create", { name: "rack" });
  await post(admin, "admin/groups/add", { id: groupId, hostid: [1, 2] });
  await prepare(fleet, admin);
  await fleet.cycles(1, { web: { state: 1, message: "web is gone" } });
  // The session may have ended by now.
  return ask(await fleet.app.admin(), fleet.idOf("web is gone"));
}

test("permissions, output and status of programs, limits and files are listed, each within a cycle of its report", async () => {
  const moved = await failureAfter(async (fleet, admin) => {
    await post(admin, "limits/create", { name: "disk", statistics: [18], warning: 90 });
    fleet.mode = 777;
    await fleet.cycles(1);
    fleet.output = "2 files are missing";
    await fleet.cycles(1);
    fleet.status = 3;
    await fleet.cycles(1);
    fleet.percent = 95;
    await fleet.cycles(1);
  });
  const listed = moved.records.filter(({ kind }) => kind !== "muster");
  expect(listed).toMatchObject([
    { kind: "change", servicename: "etc", what: "mode", from: 644, to: 777 },
    { kind: "output", servicename: "backup", before: "fine", after: "2 files are missing" },
    { kind: "change", servicename: "backup", what: "program status", from: 0, to: 3 },
    { kind: "limit", servicename: "data", what: expect.stringContaining("95 %") },
  ]);
  for (const { earliest, latest } of listed) expect(latest - earliest).toBe(POLL);
  expect(listed.map(({ tie }) => tie)).toEqual([...new Set(listed.map(({ tie }) => tie))]);
});

test("a program that prints something else each time is left out, and one that begins to do so is not", async () => {
  const outputs = async (prepare: (fleet: Fleet) => Promise<void>) =>
    (await failureAfter(prepare)).records.filter(({ kind }) => kind === "output").map(({ after }) => after);
  const print = async (fleet: Fleet, from: number) => {
    for (let i = from; i < from + 5; i++) {
      fleet.output = `line ${i}`;
      await fleet.cycles(1);
    }
  };
  expect(await outputs((fleet) => print(fleet, 0))).toEqual(["line 0", "line 1", "line 2"]);
  const always = async (fleet: Fleet) => {
    await print(fleet, 0);
    fleet.app.clock.step(3600);
    await print(fleet, 5);
  };
  expect(await outputs(always)).toEqual([]);
});

test("of a storm of changes the first are listed, and how many are left out is said", async () => {
  const { records, recordsleftout } = await failureAfter(async (fleet) => {
    for (let i = 0; i < 60; i++)
      await fleet.cycles(1, { db: { state: 2, id: 1, message: `checksum changed ${i}` } });
  });
  const changes = records.filter(({ kind }) => kind === "change").map(({ what }) => what);
  expect(changes).toEqual(Array.from({ length: 50 }, (_, i) => `checksum changed ${i}`));
  expect(recordsleftout).toBe(10);
});

test("a mute of the service that failed is listed for everyone, one of other things as an action for administrators", async () => {
  const { fleet, admin, id } = await incident();
  const { app } = fleet;
  const mutes = (moved: Moved) =>
    moved.records
      .map(({ operation, what }) => `${operation} ${what}`.trim())
      .filter((text) => /mute/.test(text));
  app.clock.step(-31);
  await post(admin, "mutes/create", { filter: { servicenames: ["app"] }, minutes: 5, note: "deploy" });
  app.clock.step(1);
  await post(admin, "mutes/create", { filter: { servicenames: ["elsewhere"] }, minutes: 5 });
  app.clock.step(30);
  expect(mutes(await ask(await app.user(), id))).toEqual(["mute began: new disk", "mute began: deploy"]);
  expect(mutes(await ask(admin, id))).toEqual([
    "mute began: new disk",
    "mute began: deploy",
    "mutes/create mute",
  ]);
});

test("metrics whose values of that time are gone do not count as compared", async () => {
  const { fleet, admin, id } = await incident();
  expect((await ask(admin, id)).metrics).toBeGreaterThan(0);
  fleet.app.muster.db.$client.run("delete from samples");
  expect((await ask(admin, id)).metrics).toBe(0);
});
