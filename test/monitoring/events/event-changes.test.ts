import { expect, test } from "bun:test";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";

const CHANGES = "/api/1/reports/events/changes";
const CHECKSUM = 1;
const NONEXIST = 512;
const INSTANCE = 65_536;
const PID = 262_144;
const CHANGED = 2;

interface Happening {
  host?: string;
  service?: string;
  id: number;
  state?: number;
  message: string;
}

/** A fleet whose agents report changes. */
class Fleet {
  readonly app = new TestApp();
  /** Hosts whose nginx has failed. */
  readonly #failing = new Set<string>();

  async happens({ host = "web-1", service = "nginx", ...event }: Happening): Promise<void> {
    const at = this.app.clock.now();
    if (event.state !== CHANGED) this.#failing.add(host);
    const services = ["nginx", "nginx.conf", "php", "sshd"].map((name) => ({
      name,
      status: name === "nginx" && this.#failing.has(host) ? NONEXIST : 0,
    }));
    const groups = { "web-1": ["web"], "web-2": ["web", "blue"], "db-1": ["db"] }[host] ?? [];
    await this.app.report({
      id: host,
      hostname: host,
      hostGroups: groups,
      incarnation: START - 86_400,
      poll: 86_400,
      services,
      event: { service, collectedSec: at, ...event },
    });
  }

  wait(seconds: number): void {
    this.app.clock.step(seconds);
  }

  /** The id of the event with this message. */
  id(message: string): number {
    return this.app.rows<{ id: number }>(`select id from events where message = '${message}'`)[0]?.id ?? -1;
  }

  async changesBefore(message: string): Promise<string[]> {
    const reply = await (await this.app.admin()).get(CHANGES, { id: this.id(message) });
    expect(reply.status).toBe(200);
    return reply.json.records.map(
      (record: { hostname: string; message: string }) => `${record.hostname} ${record.message}`,
    );
  }
}

async function incident(): Promise<Fleet> {
  const fleet = new Fleet();
  const change = (message: string, more: Partial<Happening> = {}) =>
    fleet.happens({ id: CHECKSUM, state: CHANGED, message, ...more });
  await change("too early");
  fleet.wait(600);
  await change("deployed", { service: "nginx.conf" });
  fleet.wait(1800);
  await change("agent restarted", { service: "Monit", id: INSTANCE });
  await change("old change of the group", { host: "web-2" });
  fleet.wait(1740);
  await change("new process", { id: PID });
  await change("same minute", { host: "web-2", service: "nginx.conf" });
  await change("other group", { host: "db-1" });
  await fleet.happens({ host: "web-2", id: NONEXIST, message: "failed too" });
  fleet.wait(50);
  await fleet.happens({ id: NONEXIST, message: "gone" });
  fleet.wait(30);
  await change("after it", { service: "nginx.conf" });
  await change("just after it", { host: "web-2", service: "php" });
  fleet.wait(40);
  await change("long after it", { host: "web-2", service: "sshd" });
  return fleet;
}

test("shows what changed on the host in the hour before a failure and in its groups in the same minute", async () => {
  const fleet = await incident();
  const admin = await fleet.app.admin();
  const before = stored(fleet.app);
  const { json } = await admin.get(CHANGES, { id: fleet.id("gone") });
  expect(changedTables(fleet.app, before)).toEqual([]);
  const failed = START + 600 + 1800 + 1740 + 50;
  expect([json.datefrom, json.dateto]).toEqual([failed - 3600, failed]);
  const records = json.records.map(({ before, after, ...rest }: { before: string; after: string }) => {
    expect([before, after]).toEqual(["", ""]);
    return rest;
  });
  expect(records).toEqual([
    {
      id: fleet.id("just after it"),
      date: failed + 30,
      hostid: 2,
      hostname: "web-2",
      servicename: "php",
      message: "just after it",
      event: "Checksum",
    },
    {
      id: fleet.id("same minute"),
      date: failed - 50,
      hostid: 2,
      hostname: "web-2",
      servicename: "nginx.conf",
      message: "same minute",
      event: "Checksum",
    },
    {
      id: fleet.id("new process"),
      date: failed - 50,
      hostid: 1,
      hostname: "web-1",
      servicename: "nginx",
      message: "new process",
      event: "PID",
    },
    {
      id: fleet.id("agent restarted"),
      date: failed - 1790,
      hostid: 1,
      hostname: "web-1",
      servicename: "Monit",
      message: "agent restarted",
      event: "Instance",
    },
    {
      id: fleet.id("deployed"),
      date: failed - 3590,
      hostid: 1,
      hostname: "web-1",
      servicename: "nginx.conf",
      message: "deployed",
      event: "Checksum",
    },
  ]);
});

test("a failure that is reported again shows what changed before it began", async () => {
  const fleet = await incident();
  fleet.wait(7200);
  await fleet.happens({ id: NONEXIST, message: "still gone" });
  expect(await fleet.changesBefore("still gone")).toEqual(await fleet.changesBefore("gone"));
});

test("a change is not shown among the changes before itself", async () => {
  const fleet = await incident();
  expect(await fleet.changesBefore("agent restarted")).toEqual([
    "web-2 old change of the group",
    "web-1 deployed",
    "web-1 too early",
  ]);
});

test("there is none for an unknown event", async () => {
  const { app } = await incident();
  const admin = await app.admin();
  await expectRefusal(app, () => admin.get(CHANGES, { id: 99 }), 404, "object.unknown");
});
