/** The end of mutes whose lease ended, where there are many hosts, failures and mutes. */
import { describe, expect, test } from "bun:test";
import { RowsRead } from "../../platform/queries/rows-read.ts";
import type { Fields } from "../../support/client.ts";
import { Alerting } from "../notifications/support.ts";

const HOSTS = 2500;
/** The most rows that a step reads, apart from the mutes. */
const MOST = 1500;

/** Hosts 1 to 2500, which reported just now; those up to 1250 are of group 1, and have the tag env=prod. */
async function fleet() {
  const alerting = await Alerting.create();
  const { app } = alerting;
  await alerting.report({ services: [{ name: "web" }] });
  await alerting.call("admin/groups/create", { name: "half" });
  const { $client } = app.db;
  const [first = {}] = app.rows<object>("select * from hosts where id = 1");
  const columns = Object.keys(first)
    .filter((name) => !["id", "agent_id", "hostname", "hostname_key"].includes(name))
    .join(", ");
  const numbers = `with recursive n(i) as (select 2 union all select i + 1 from n where i < ${HOSTS})`;
  $client.run(
    `${numbers} insert into hosts (id, agent_id, hostname, hostname_key, ${columns})
     select i, 'a' || i, 'h' || i, 'h' || i, ${columns} from n, (select * from hosts where id = 1) as first`,
  );
  $client.run(
    "insert into host_group_members (group_id, host_id, by_hand) select 1, id, true from hosts where id <= 1250",
  );
  $client.run(
    "insert into host_tags (host_id, name, value) select id, 'env', 'prod' from hosts where id <= 1250",
  );
  return alerting;
}

/** Opens failures of a service of hosts that a condition selects, now. */
function open({ app }: Alerting, service: string, condition: string, failures = 1): void {
  app.db.$client.run("insert into names (name, name_key) values (?, ?) on conflict do nothing", [
    service,
    service,
  ]);
  app.db.$client.run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${failures})
     insert into downtime_intervals (host_id, name_id, event_type, started_at)
     select hosts.id, names.id, i, ${app.clock.now()} from hosts, names, n where names.name = '${service}' and ${condition}`,
  );
}

/** Begins a mute, and ends its lease a second later. @returns its id */
async function released(alerting: Alerting, filter: Fields): Promise<number> {
  const id = await alerting.call("mutes/create", { filter, lease: {} });
  alerting.app.clock.step(1);
  await alerting.call("mutes/release", { id });
  return id;
}

/** All hosts report, a second later. */
function allReport({ app }: Alerting): void {
  app.clock.step(1);
  app.db.$client.run(`update hosts set lastmodified = ${app.clock.now()}`);
}

/** The ids of the mutes that have not ended. */
async function lasting({ admin }: Alerting): Promise<number[]> {
  const { json } = await admin.get("/api/1/mutes/list");
  return json.records.map(({ id }: { id: number }) => id).sort((a: number, b: number) => a - b);
}

/** Steps until nothing is left to look at now. @returns how many */
function steps({ dispatcher }: Alerting): number {
  let steps = 1;
  while (dispatcher.step()) steps++;
  return steps;
}

describe("however many mutes were released", () => {
  test("a step reads no more than a fixed number of rows of the open failures and the hosts", async () => {
    const counter = new RowsRead();
    counter.start();
    try {
      const alerting = await fleet();
      for (let i = 0; i < 10; i++) await released(alerting, { hosts: [5] });
      await released(alerting, { servicenames: ["db"] });
      await released(alerting, { hostgroups: [1] });
      open(alerting, "web", "hosts.id >= 5 and hosts.id <> 1250", 3);
      allReport(alerting);
      let most = 0;
      let more = true;
      for (let n = 0; more; n++) {
        counter.reset();
        more = alerting.dispatcher.step();
        most = Math.max(most, counter.rows);
        expect(n).toBeLessThan(100);
      }
      expect(await lasting(alerting)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12]);
      expect(most).toBeGreaterThan(100);
      expect(most).toBeLessThan(MOST);
      // From now on, only what makes them last is looked at.
      counter.reset();
      expect(alerting.dispatcher.step()).toBe(false);
      expect(counter.rows).toBeLessThan(100);
    } finally {
      counter.stop();
    }
  });

  test("those of few hosts do not wait for one of all hosts", async () => {
    const alerting = await fleet();
    await released(alerting, { servicenames: ["*"] });
    await released(alerting, { hosts: [2000] });
    allReport(alerting);
    expect(alerting.dispatcher.step()).toBe(true);
    expect(await lasting(alerting)).toEqual([1]);
    expect(steps(alerting)).toBeGreaterThan(2);
    expect(await lasting(alerting)).toEqual([]);
  });
});

describe("a mute of many hosts", () => {
  const FILTERS: Readonly<Record<string, Fields>> = {
    "of hosts": { hosts: Array.from({ length: 1000 }, (_, i) => 1 + i) },
    "of a group": { hostgroups: [1] },
    "of a tag": { tags: ["env=prod"] },
    "of a tag with any value": { tags: ["env"] },
    "of services": { servicenames: ["w*"] },
    "of hosts of a group with a tag": { hosts: [3, 700, 2000], hostgroups: [1], tags: ["env=prod"] },
  };
  for (const [name, filter] of Object.entries(FILTERS)) {
    test(`${name} lasts while any of them has yet to report, or fails since`, async () => {
      const alerting = await fleet();
      const { $client } = alerting.app.db;
      const id = await released(alerting, filter);
      allReport(alerting);
      $client.run("update hosts set lastmodified = 0 where id = 700");
      steps(alerting);
      expect(await lasting(alerting)).toEqual([id]);
      open(alerting, "web", "hosts.id = 700");
      $client.run(`update hosts set lastmodified = ${alerting.app.clock.now()} where id = 700`);
      steps(alerting);
      expect(await lasting(alerting)).toEqual([id]);
      // A host that was found to have recovered fails while the other one still does.
      open(alerting, "web", "hosts.id = 3");
      $client.run("update downtime_intervals set ended_at = started_at where host_id = 700");
      steps(alerting);
      expect(await lasting(alerting)).toEqual([id]);
      $client.run("update downtime_intervals set ended_at = started_at where host_id = 3");
      steps(alerting);
      expect(await lasting(alerting)).toEqual([]);
    });
  }

  test("is not prolonged by failures that it does not cover, however many one host has", async () => {
    const alerting = await fleet();
    open(alerting, "db", "hosts.id = 700", 2);
    alerting.app.clock.step(1);
    const id = await released(alerting, { hostgroups: [1], servicenames: ["db"] });
    open(alerting, "web", "hosts.id in (700, 2000)", 350);
    open(alerting, "db", "hosts.id = 2000");
    open(alerting, "db", "hosts.id = 700", 3);
    allReport(alerting);
    steps(alerting);
    expect(await lasting(alerting)).toEqual([id]);
    alerting.app.db.$client.run(
      `update downtime_intervals set ended_at = started_at where host_id = 700 and id in
         (select failure.id from downtime_intervals as failure join names on names.id = name_id
          where host_id = 700 and name = 'db' order by failure.id desc limit 3)`,
    );
    steps(alerting);
    expect(await lasting(alerting)).toEqual([]);
  });

  test("lasts again once its lease is renewed, and all hosts have to report after its next end", async () => {
    const alerting = await fleet();
    const id = await released(alerting, { servicenames: ["*"] });
    allReport(alerting);
    expect(alerting.dispatcher.step()).toBe(true);
    await alerting.call("mutes/renew", { id });
    alerting.app.clock.step(1);
    await alerting.call("mutes/release", { id });
    alerting.app.db.$client.run("update hosts set lastmodified = lastmodified + 60 where id > 100");
    steps(alerting);
    expect(await lasting(alerting)).toEqual([id]);
    allReport(alerting);
    steps(alerting);
    expect(await lasting(alerting)).toEqual([]);
  });
});
