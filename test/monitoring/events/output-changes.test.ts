import { expect, test } from "bun:test";
import { EventChanges } from "../../../src/monitoring/events/event-changes.service.ts";
import { Retention } from "../../../src/monitoring/retention/retention.service.ts";
import type { Scope } from "../../../src/platform/http/scope.ts";
import { programXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { changedTables, stored } from "../../support/stored.ts";

const CHANGES = "/api/1/reports/events/changes";
const NONEXIST = 512;
const DAY = 86_400;
const HOUR = 3600;

interface Check {
  host?: string;
  output: string;
  /** Seconds since the check ran. */
  ago?: number;
  isFailing?: boolean;
}

/** Hosts of one group, with a program that is checked and a process. */
class Fleet {
  readonly app = new TestApp();

  async reports({ host = "web-1", output, ago = 0, isFailing = false }: Check): Promise<void> {
    const at = this.app.clock.now();
    const collectedSec = at - ago;
    const services = [
      { name: "certificates", type: 7, collectedSec, body: programXml({ output }) },
      { name: "nginx", collectedSec: at, status: isFailing ? NONEXIST : 0 },
    ];
    const event = isFailing ? { service: "nginx", id: NONEXIST, collectedSec: at } : null;
    await this.app.report({
      id: host,
      hostname: host,
      hostGroups: ["web"],
      incarnation: START - DAY,
      poll: 86_400,
      services,
      event,
    });
  }

  wait(seconds: number): void {
    this.app.clock.step(seconds);
  }

  /** The recorded changes, oldest first. */
  get changes(): Record<string, unknown>[] {
    return this.app.rows(
      'select host_id, service_id, date, "before", "after" from output_changes order by date, id',
    );
  }

  /** Deletes all that is past its time or too much. */
  clean(): void {
    const { db, settings, clock } = this.app;
    const retention = new Retention(db, settings, clock);
    while (retention.step());
  }
}

test("the page of a failure shows what the output of a program was before and after it changed", async () => {
  const fleet = new Fleet();
  await fleet.reports({ output: "shop: valid\nmail: valid" });
  await fleet.reports({ host: "web-2", output: "fine" });
  fleet.wait(60);
  await fleet.reports({ output: "shop: valid\nmail: expired", ago: 20 });
  fleet.wait(1200);
  await fleet.reports({ host: "web-2", output: "slow" });
  fleet.wait(30);
  await fleet.reports({ output: "shop: valid\nmail: expired", isFailing: true });
  const admin = await fleet.app.admin();
  const before = stored(fleet.app);
  const { json } = await admin.get(CHANGES, { id: 1 });
  expect(changedTables(fleet.app, before)).toEqual([]);
  const change = { id: 0, servicename: "certificates", message: "output changed", event: "Output" };
  expect(json.records).toEqual([
    { ...change, date: START + 1260, hostid: 2, hostname: "web-2", before: "fine", after: "slow" },
    {
      ...change,
      date: START + 40,
      hostid: 1,
      hostname: "web-1",
      before: "mail: valid",
      after: "mail: expired",
    },
  ]);
});

test("who may not see a host does not see its output", async () => {
  const fleet = new Fleet();
  for (const output of ["fine", "slow"]) await fleet.reports({ host: "web-2", output });
  await fleet.reports({ output: "fine", isFailing: true });
  fleet.app.db.$client.run("insert into host_groups (id, name, name_key) values (9, 'own', 'own')");
  fleet.app.db.$client.run("insert into host_group_members (group_id, host_id) values (9, 2)");
  const changes = new EventChanges(fleet.app.db);
  const namesFor = (scope: Scope) => changes.before(1, scope).records.map(({ hostname }) => hostname);
  expect(namesFor("all")).toEqual(["web-2"]);
  expect(namesFor({ groups: [1] })).toEqual(["web-2"]);
  expect(namesFor({ groups: [9] })).toEqual([]);
});

test("a message whose output is the same writes no change, also after a restart", async () => {
  const fleet = new Fleet();
  await fleet.reports({ output: "fine" });
  for (let i = 0; i < 3; i++) {
    fleet.wait(60);
    if (i === 2) fleet.app.hostCache.forgetAll();
    await fleet.reports({ output: "fine" });
  }
  expect(fleet.changes).toEqual([]);
});

test("the first output of a program is no change, and neither is one while its host is ignored", async () => {
  const fleet = new Fleet();
  await fleet.reports({ output: "one" });
  const admin = await fleet.app.admin();
  const host = { id: 1, hostname: "web-1", agentuser: "admin", agentpassword: "monit" };
  expect((await admin.post("/api/1/admin/hosts/update", { ...host, status: 2 })).status).toBe(200);
  await fleet.reports({ output: "two" });
  expect(fleet.changes).toEqual([]);
  expect((await admin.post("/api/1/admin/hosts/update", { ...host, status: 1 })).status).toBe(200);
  await fleet.reports({ output: "three" });
  expect(fleet.changes).toMatchObject([{ before: "two", after: "three" }]);
});

test("of a program that prints the time, five changes are recorded an hour", async () => {
  const fleet = new Fleet();
  for (let i = 0; i < 120; i++) {
    await fleet.reports({ output: `it is ${i}` });
    fleet.wait(60);
  }
  const minutes = fleet.changes.map(({ date }) => (Number(date) - START) / 60);
  expect(minutes).toEqual([1, 2, 3, 4, 5, 61, 62, 63, 64, 65]);
  expect(fleet.app.rows("select text from statistics where type = 35")).toEqual([{ text: "it is 119" }]);
});

/** Stores changes of a service, an hour apart; the newest is of now. */
function store({ app }: Fleet, serviceId: number, count: number): void {
  for (let i = 0; i < count; i++)
    app.db.$client
      .prepare(
        'insert into output_changes (host_id, service_id, date, "before", "after") values (1, ?, ?, ?, ?)',
      )
      .run(serviceId, app.clock.now() - i * HOUR, "", "");
}

test("the newest 40 changes of a service are kept, and the newest 1,000 of a host", async () => {
  const fleet = new Fleet();
  const services = Array.from({ length: 30 }, (_, i) => ({ name: `p${i}`, type: 7 }));
  await fleet.app.report({ services });
  store(fleet, 1, 50);
  store(fleet, 2, 3);
  fleet.clean();
  const count = "select service_id, count(*) as n, min(date) as oldest from output_changes";
  expect(fleet.app.rows(`${count} group by service_id order by service_id`)).toEqual([
    { service_id: 1, n: 40, oldest: fleet.app.clock.now() - 39 * HOUR },
    { service_id: 2, n: 3, oldest: fleet.app.clock.now() - 2 * HOUR },
  ]);
  for (let id = 3; id <= 30; id++) store(fleet, id, 40);
  fleet.wait(601);
  fleet.clean();
  expect(fleet.app.rows("select count(*) as n from output_changes")).toEqual([{ n: 1000 }]);
});

test("changes go with the events of their time, and with their host", async () => {
  const fleet = new Fleet();
  fleet.app.settings.set("eventdays", 1);
  for (const output of ["one", "two"]) await fleet.reports({ output });
  fleet.wait(DAY);
  await fleet.reports({ output: "three" });
  fleet.clean();
  expect(fleet.changes).toMatchObject([{ after: "two" }, { after: "three" }]);
  fleet.wait(601);
  fleet.clean();
  expect(fleet.changes).toMatchObject([{ after: "three" }]);
  const admin = await fleet.app.admin();
  await admin.post("/api/1/admin/hosts/delete", { id: 1 });
  expect(fleet.changes).toEqual([]);
});
