/** Lists of more hosts than are sorted at once: each order then follows an index. */
import { expect, test } from "bun:test";
import { listHosts } from "../../../src/monitoring/status/status.repository.ts";
import { hostListArguments } from "../../../src/monitoring/status/status.schemas.ts";
import { validate } from "../../../src/platform/http/validate.ts";
import { TestApp } from "../../support/app.ts";
import { isOnPostgres } from "../../support/database.ts";
import { plansOf } from "../../support/plans.ts";

const LIST = "/api/1/status/hosts/list";
const HOSTS = 2400;

interface Row {
  id: number;
  hostname: string;
  led: number;
  events: number;
  cpu: number;
  mem: number;
  status: string;
}

/** Hosts with many ties in everything but their id, every other one in group 1. */
function manyHosts(app: TestApp): Row[] {
  app.db.$client.run("insert into host_groups (id, name) values (1, 'half')");
  app.db.$client.run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${HOSTS})
      insert into hosts (id, agent_id, created_at, hostname, poll, incarnation, deadline, lastmodified, led, events, cpu, mem,
        status_text, hostname_key)
      select i, 'agent-' || i, 0, 'host-' || (i * 7 % 400), 30, 0, 0, 0, i % 4, i * 13 % 50, i * 31 % 100 - 1, i * 17 % 90 / 2.0,
        'text ' || (i % 9), 'host-' || (i * 7 % 400) from n`,
  );
  app.db.$client.run(
    "insert into host_group_members (group_id, host_id, by_hand) select 1, id, 1 from hosts where id % 2 = 1",
  );
  app.recount();
  return app.rows<Row>("select id, hostname, led, events, cpu, mem, status_text as status from hosts");
}

const compare = <T>(a: T, b: T) => (a < b ? -1 : a > b ? 1 : 0);

const app = new TestApp();
const rows = manyHosts(app);
const SELECTIONS: readonly [query: Record<string, string | number>, includes: (row: Row) => boolean][] = [
  [{}, () => true],
  [{ hostpattern: "T-" }, () => true],
  [{ hostgroupid: 1 }, ({ id }) => id % 2 === 1],
  [
    { hostgroupid: 1, led: 1, hostpattern: "7" },
    ({ id, led, hostname }) => id % 2 === 1 && led === 1 && hostname.includes("7"),
  ],
];

for (const sort of ["hostname", "led", "events", "cpu", "mem", "status"] as const)
  for (const dir of ["asc", "desc"] as const)
    test(`${HOSTS} hosts by ${sort} ${dir} are in that order, ties by name and id, on every page`, async () => {
      const user = await app.user();
      const sign = dir === "asc" ? 1 : -1;
      for (const [query, includes] of SELECTIONS) {
        const expected = rows
          .filter(includes)
          .sort((a, b) => sign * compare(a[sort], b[sort]) || compare(a.hostname, b.hostname) || a.id - b.id)
          .map(({ id }) => id);
        for (const startindex of [0, 50]) {
          const { json } = await user.get(LIST, { ...query, sort, dir, startindex, results: 100 });
          expect(json.totalRecords).toBe(expected.length);
          expect(json.records.map(({ id }: Row) => id)).toEqual(expected.slice(startindex, startindex + 100));
        }
      }
    });

/** Columns that change with messages have no index each, and are sorted from one that covers them. */
const INDEX = {
  hostname: "hosts_by_name",
  led: "hosts_by_led",
  events: "hosts_in_lists",
  status: "hosts_in_lists",
  cpu: "hosts_now",
  mem: "hosts_now",
};
// PostgreSQL's statistics decide how it reads, so there are no such tests of it.
for (const [sort, index] of isOnPostgres() ? [] : Object.entries(INDEX))
  for (const dir of ["asc", "desc"])
    test(`a page of many hosts by ${sort} ${dir}, found by a part of their name or not, is read from ${index} alone`, () => {
      for (const hostpattern of ["", "T-"]) {
        const args = new Map(
          Object.entries({ sort, dir, hostpattern }).map(([name, text]) => [name, [text]]),
        );
        const filter = validate(hostListArguments, args);
        const [walk = "", ...rest] = plansOf(app, () =>
          listHosts(app.db, filter, "all", { limit: 50, total: HOSTS }),
        );
        if (hostpattern === "" || sort !== "led")
          expect(walk).toBe(`SCAN hosts USING COVERING INDEX ${index}`);
        if (sort === "hostname" || sort === "led") expect(rest).not.toContain("USE TEMP B-TREE FOR ORDER BY");
      }
    });

if (!isOnPostgres())
  test("few hosts are found by the filter and then sorted", () => {
    const filter = { ...validate(hostListArguments, new Map()), platform: ["Linux"] };
    const plans = plansOf(app, () => listHosts(app.db, filter, "all", { limit: 50, total: 3 }));
    expect(plans.slice(0, 2)).toEqual(["SCAN hosts", "USE TEMP B-TREE FOR ORDER BY"]);
  });
