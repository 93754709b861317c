/** The maintained counts agree with the rows that they count, whatever the app did to those. */
import { expect, test } from "bun:test";
import { GroupCounts } from "../../../src/monitoring/events/group-counts.service.ts";
import { Retention } from "../../../src/monitoring/retention/retention.service.ts";
import { findCounterFaults } from "../../../src/operations/doctor/counters.ts";
import { TestApp } from "../../support/app.ts";
import type { Fields } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { Random } from "../../support/random.ts";

const DAY = 86_400;
const AGENTS = 8;
const STEPS = 700;
const GROUPS = ["edge", "linux", "oslo"];
const SERVICES = ["app", "web", "db"];

/** The expected counts, calculated from the rows. */
const EXPECTED: readonly [kept: string, counted: string][] = [
  [
    "select day, service_type, event_type, state, n from event_counts where scope = 0 order by 1, 2, 3, 4",
    `select date / ${DAY} as day, service_type, event_type, state, count(*) as n from events
     group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
  ],
  [
    "select scope, sum(n) as n from event_counts where scope > 0 group by 1 order by 1",
    "select name_id as scope, count(*) as n from events group by 1 order by 1",
  ],
  [
    "select status, stopped, heartbeat, led, n from host_counts where n <> 0 order by 1, 2, 3, 4",
    `select status, stopped, heartbeat, led, count(*) as n from hosts
     group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
  ],
  [
    "select id, events from hosts order by id",
    "select id, (select count(*) from events where host_id = hosts.id) as events from hosts order by id",
  ],
  [
    "select id, events from services order by id",
    `select id, (select count(*) from events e where e.host_id = services.host_id and e.name_id = services.name_id)
       as events from services order by id`,
  ],
];

/** Once every change of groups is applied to their counts. */
const EXPECTED_OF_GROUPS: readonly [kept: string, counted: string][] = [
  ["select * from group_count_changes", "select * from group_count_changes where false"],
  [
    "select -scope as id, sum(n) as n from event_counts where scope < 0 group by 1 order by 1",
    `select group_id as id, count(*) as n from host_group_members m join events e on e.host_id = m.host_id
     group by 1 order by 1`,
  ],
  [
    "select group_id, name_id, n from event_name_counts order by 1, 2",
    `select group_id, name_id, count(*) as n from host_group_members m join events e on e.host_id = m.host_id
     group by 1, 2 order by 1, 2`,
  ],
];

class Scene {
  readonly app = new TestApp();
  readonly groupCounts = new GroupCounts(this.app.db, () => 0);
  readonly #retention = new Retention(this.app.db, this.app.settings, this.app.clock);

  constructor(private readonly random: Random) {}

  /**
   * An action of an agent or an administrator, or the passing of time.
   * @returns its name, and whether it did something
   */
  async step(): Promise<[string, boolean]> {
    const { random } = this;
    if (random.chance(0.7)) return ["report", await this.#report()];
    const [name, act] = random.pick(this.#acts);
    return [name, await act()];
  }

  get names(): string[] {
    return ["report", ...this.#acts.map(([name]) => name)].sort();
  }

  readonly #acts: readonly [string, () => Promise<boolean>][] = [
    ["groups/add", () => this.#member("add")],
    ["groups/remove", () => this.#member("remove")],
    ["groups/create", () => this.#post("groups/create", { name: this.random.pick(["new", ...GROUPS]) })],
    ["groups/delete", () => this.#post("groups/delete", { id: this.#any("host_groups") })],
    ["hosts/delete", () => this.#deleteHost()],
    ["hosts/delete inactive", () => this.#post("hosts/delete", { inactive: 3000 })],
    ["hosts/update", () => this.#updateHost()],
    ["dismiss", () => this.#dismiss()],
    ["note", () => this.#note()],
    ["import", () => this.#import()],
    ["time", () => this.#pass()],
    ["retention", () => this.#clean()],
    ["group counts", async () => this.#applyGroupChanges()],
  ];

  async #report(): Promise<boolean> {
    const { random, app } = this;
    app.clock.step(random.below(40));
    const failing = random.chance(0.4);
    const service = random.pick(SERVICES);
    const stop = random.chance(0.05);
    const { status } = await app.report({
      id: `agent-${random.below(AGENTS)}`,
      hostname: random.pick(["a.example.org", "b.example.org"]),
      at: app.clock.now(),
      incarnation: START - 3600 + random.pick([0, 0, 0, app.clock.now() - START]),
      services: SERVICES.filter((name) => name === service || random.chance(0.8)).map((name) => ({
        name,
        status: name === service && failing ? 512 : 0,
        monitor: random.chance(0.1) ? 0 : 1,
      })),
      hostGroups: random.chance(0.8) ? ["linux"] : GROUPS.filter(() => random.chance(0.5)),
      event: stop
        ? { service: "Monit", serviceType: 5, id: 65_536, state: 2, action: 3 }
        : random.chance(0.7)
          ? {
              service: random.chance(0.9) ? service : "not listed",
              id: random.pick([512, 2]),
              state: failing ? 1 : random.pick([0, 2]),
              collectedSec: app.clock.now() - random.pick([0, 0, 0, 5 * DAY]),
            }
          : null,
    });
    return status === 200;
  }

  #any(table: string): number {
    const rows = this.app.rows<{ id: number }>(`select id from ${table} union all select 9999 order by id`);
    return this.random.pick(rows).id;
  }

  async #post(path: string, fields: Fields): Promise<boolean> {
    const { status, json } = await (await this.app.admin()).post(`/api/1/admin/${path}`, fields);
    return status === 200 && json.deleted !== 0;
  }

  #member(verb: "add" | "remove"): Promise<boolean> {
    return this.#post(`groups/${verb}`, { id: this.#any("host_groups"), hostid: [this.#any("hosts")] });
  }

  /** Rare, since many events must be counted. */
  async #deleteHost(): Promise<boolean> {
    return this.random.chance(0.3) && this.#post("hosts/delete", { id: this.#any("hosts") });
  }

  async #applyGroupChanges(): Promise<boolean> {
    const changes = this.app.rows("select * from group_count_changes").length;
    this.groupCounts.step();
    return changes > 0;
  }

  #updateHost(): Promise<boolean> {
    const status = this.random.below(3);
    const credentials = { agentuser: "", agentpassword: "" };
    return this.#post("hosts/update", {
      id: this.#any("hosts"),
      hostname: "renamed",
      status,
      ...credentials,
    });
  }

  async #dismiss(): Promise<boolean> {
    const admin = await this.app.admin();
    const { status } = await admin.post("/api/1/reports/events/dismiss", {
      id: [this.#any("events where active and not dismissed")],
    });
    return status === 200;
  }

  async #note(): Promise<boolean> {
    const admin = await this.app.admin();
    const note = { id: this.#any("events"), message: "looked at" };
    return (await admin.post("/api/1/reports/events/note", note)).status === 200;
  }

  /** Hosts come, and join groups, by an import. */
  async #import(): Promise<boolean> {
    const admin = await this.app.admin();
    const { json } = await admin.get("/api/1/admin/transfer/export");
    const agentid = `agent-${this.random.below(AGENTS)}`;
    const firstHost = (json.hosts as { agentid: string }[])[0];
    if (!firstHost) return false;
    const host = {
      ...firstHost,
      agentid,
      groups: [this.random.pick(GROUPS)],
      ignored: this.random.chance(0.5),
    };
    const form = new FormData();
    const groups = GROUPS.map((name) => ({ name }));
    form.set("file", new Blob([JSON.stringify({ muster: 1, groups, hosts: [host] })]), "setup.json");
    return (await admin.upload("/api/1/admin/transfer/import", form)).status === 200;
  }

  /** Hosts go down, or all deadlines restart. */
  async #pass(): Promise<boolean> {
    if (this.random.chance(0.5)) this.app.pass(200);
    else this.app.clock.step(this.random.pick([1000, DAY]));
    this.app.heartbeat.tick();
    return true;
  }

  /** Events of the days before are past their time, all but the last. */
  async #clean(): Promise<boolean> {
    const before = this.app.rows("select id from events").length;
    this.app.settings.set("eventdays", 1);
    this.#retention.step();
    this.app.clock.step(600);
    return this.app.rows("select id from events").length < before;
  }

  expectEqual(pairs: readonly [kept: string, counted: string][], after: string): void {
    for (const [kept, counted] of pairs)
      expect({ after, kept, rows: this.app.rows(kept) }).toEqual({
        after,
        kept,
        rows: this.app.rows(counted),
      });
  }
}

for (const seed of [1, 2])
  test(`after each of ${STEPS} random steps all counts are those of the rows, seed ${seed}`, async () => {
    const scene = new Scene(new Random(seed));
    const effects = new Map<string, number>();
    for (let i = 0; i < STEPS; i++) {
      const [name, happened] = await scene.step();
      if (happened) effects.set(name, (effects.get(name) ?? 0) + 1);
      scene.expectEqual(EXPECTED, `step ${i}: ${name}`);
      // There are no limits.
      const found = findCounterFaults(scene.app.db, () => 0);
      expect({ i, name, found }).toEqual({ i, name, found: [] });
    }
    while (scene.groupCounts.step());
    scene.expectEqual(EXPECTED_OF_GROUPS, "all changes of groups");
    expect([...effects.keys()].sort()).toEqual(scene.names);
  });
