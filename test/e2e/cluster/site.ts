/**
 * A whole installation: two Musters behind a real HAProxy, set up as docs/cluster.md says, on a PostgreSQL
 * primary with a synchronous standby, with a load of agents and real ones.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathOf } from "../../../scripts/test-tools.ts";
import { blocksOf } from "../../docs/markdown.ts";
import { COLLECTOR_PASSWORD } from "../../support/passwords.ts";
import { replaced } from "../documented.ts";
import { RealAgent } from "../real-agent.ts";
import { eventually, freePort, temporaryFolder } from "../support.ts";
import { HEARTBEAT, Load } from "./load.ts";
import { ClusterNode } from "./node.ts";
import { Notifications } from "./notifications.ts";
import { PostgresPair } from "./postgres-pair.ts";

/** Seconds between two cycles of the real agents. */
const CYCLE = 5;

function haproxyConfig(port: number, nodes: readonly ClusterNode[]): string {
  const documented = blocksOf("docs/cluster.md").find(({ language }) => language === "haproxy")?.text ?? "";
  const [first, second] = nodes.map(({ front }) => `127.0.0.1:${front.port}`);
  return replaced(documented, [
    ["bind :8080", `bind 127.0.0.1:${port}`],
    ["10.0.0.1:8080", first ?? ""],
    ["10.0.0.2:8080", second ?? ""],
  ]);
}

/** A real agent that watches a file which the test removes. */
class Watcher implements AsyncDisposable {
  readonly folder: string;
  readonly #file: string;
  readonly #agent: RealAgent;
  /** How often the file was removed and created. */
  changes = 0;

  constructor(
    readonly name: string,
    cwd: string,
    port: number,
  ) {
    this.folder = join(cwd, name);
    const { folder } = this;
    mkdirSync(folder);
    this.#file = join(folder, "watched");
    writeFileSync(this.#file, "");
    const checks = [
      `set eventqueue basedir ${folder}/queue slots 1000`,
      `check file watched-${name} with path ${this.#file}`,
      "  if does not exist then alert",
    ];
    const collectorUrl = `http://monit:${encodeURIComponent(COLLECTOR_PASSWORD)}@127.0.0.1:${port}/collector`;
    this.#agent = new RealAgent({ folder, collectorUrl, cycle: CYCLE, checks: checks.join("\n") });
    this.#agent.start();
  }

  get log(): string {
    return readFileSync(join(this.folder, "monit.log"), "utf8");
  }

  change(): void {
    if (this.changes % 2 === 0) rmSync(this.#file);
    else writeFileSync(this.#file, "");
    this.changes++;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#agent.kill();
  }
}

export class Site implements AsyncDisposable {
  readonly #stack = new AsyncDisposableStack();
  #active = 0;

  private constructor(
    readonly pair: PostgresPair,
    readonly nodes: readonly [ClusterNode, ClusterNode],
    readonly load: Load,
    readonly watcher: Watcher,
    readonly notifications: Notifications,
  ) {}

  static async start(): Promise<Site> {
    const stack = new AsyncDisposableStack();
    try {
      const cwd = stack.use(temporaryFolder()).path;
      const pair = stack.use(await PostgresPair.start());
      await pair.primary.ask("create database muster");
      const first = stack.use(await ClusterNode.start({ name: "alpha", cwd, pair, keyOf: null }));
      await eventually("the first node is active", () => first.hasKey && first.isActive());
      const second = stack.use(await ClusterNode.start({ name: "beta", cwd, pair, keyOf: first }));
      await eventually("the second node is a standby", () => second.output.includes("this one is a standby"));
      const port = freePort();
      writeFileSync(join(cwd, "haproxy.cfg"), `${haproxyConfig(port, [first, second])}\n`);
      const haproxy = Bun.spawn([pathOf("haproxy"), "-db", "-f", join(cwd, "haproxy.cfg")], {
        stdin: "ignore",
        stdout: "ignore",
        stderr: "ignore",
      });
      stack.defer(() => haproxy.kill("SIGKILL"));
      const url = `http://127.0.0.1:${port}`;
      const load = new Load(url);
      const watcher = stack.use(new Watcher("watcher", cwd, port));
      const notifications = stack.use(await Notifications.start(url, pair));
      const site = new Site(pair, [first, second], load, watcher, notifications);
      load.start();
      stack.defer(() => load.stop());
      await eventually("the agents are known", () => site.#isKnown());
      site.#stack.use(stack.move());
      return site;
    } catch (error) {
      await stack.disposeAsync();
      throw error;
    }
  }

  async #isKnown(): Promise<boolean> {
    return (
      this.load.acknowledged().newest.size > 0 && (await this.#query("select count(*) from hosts")) === "13"
    );
  }

  #query(sql: string): Promise<string> {
    return this.pair.primary.ask(sql, "muster");
  }

  /** The node that serves. */
  get active(): ClusterNode {
    return this.nodes[this.#active] as ClusterNode;
  }

  get standby(): ClusterNode {
    return this.nodes[1 - this.#active] as ClusterNode;
  }

  /** Waits until one node serves and the other is its standby. */
  async settled(): Promise<void> {
    await eventually("one node is active and the other one waits", async () => {
      const health = await Promise.all(this.nodes.map((node) => node.isActive()));
      this.#active = health.indexOf(true);
      if (health.filter(Boolean).length !== 1) return false;
      const seen = await this.#query(
        "select count(*) from muster_nodes where seen_at >= extract(epoch from clock_timestamp())::bigint - 7",
      );
      return seen === "2";
    });
  }

  /** Milliseconds from the mark of the load until a message that was sent after it is taken. */
  async takenAgain(): Promise<number> {
    return eventually("messages are taken again", () => this.load.takenAfter);
  }

  /** Everything acknowledged is stored, each event once, and no host counted as down. @throws AssertionError */
  async check(): Promise<void> {
    const { events, newest } = this.load.acknowledged();
    const rows = async (sql: string) => {
      const text = await this.#query(sql);
      return text
        .split("\n")
        .filter(Boolean)
        .map((row) => row.split("|"));
    };
    const counts = await rows(
      `select collected_usec, count(*) from events join hosts on hosts.id = host_id
       where agent_id like 'load-%' and event_type <> ${HEARTBEAT} group by 1`,
    );
    const stored = new Map(counts.map(([number, times]) => [Number(number), Number(times)]));
    const lost = events.filter((number) => !stored.has(number));
    deepEqual(lost, [], "acknowledged events that were lost");
    const doubled = [...stored].filter(([, times]) => times !== 1);
    deepEqual(doubled, [], "events that are stored twice");
    const reported = await rows("select agent_id, agent_uptime from hosts");
    const idByName = new Map(reported.map(([agent, uptime]) => [agent, Number(uptime)]));
    const behind = [...newest].filter(([agent, number]) => (idByName.get(agent) ?? 0) < number);
    deepEqual(behind, [], "hosts that are behind their newest acknowledged message");
    const down = await this.#query(
      `select hostname, date, message from events join hosts on hosts.id = host_id where event_type = ${HEARTBEAT} and state = 1`,
    );
    equal(down, "", "hosts that counted as down");
  }

  /** Everything acknowledged was notified. @throws AssertionError */
  checkNotifications(): Promise<void> {
    return this.notifications.check(this.load.acknowledged().events);
  }

  /**
   * Each change that the real agent saw is stored as one event. Muster's own event, about a failure of which two statuses
   * told before the agent sent its event from its queue, has a negative time. @throws AssertionError
   */
  async checkWatcher(): Promise<void> {
    const count = async () =>
      Number(
        await this.#query(
          "select count(*) from events join names on names.id = name_id where name = 'watched-watcher' and event_type = 512 and collected_usec >= 0",
        ),
      );
    try {
      await eventually("the events of the real agent are there", async () => {
        return (await count()) >= this.watcher.changes;
      });
    } catch (cause) {
      throw new Error(
        `${await count()} of ${this.watcher.changes} events of the real agent:\n${this.watcher.log}`,
        { cause },
      );
    }
    equal(await count(), this.watcher.changes, "events of the real agent");
    ok(this.watcher.changes > 0);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}
