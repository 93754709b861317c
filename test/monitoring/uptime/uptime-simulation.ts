/** Some hundred hosts in one real app, and beside each the slow model of what its uptime should be. */

import { Heartbeat } from "../../../src/monitoring/heartbeat/heartbeat.service.ts";
import { FULL_REACH } from "../../../src/platform/http/scope.ts";
import { TestApp } from "../../support/app.ts";
import { Random } from "../../support/random.ts";
import type { Period } from "./timeline.ts";
import { Agent } from "./uptime-agents.ts";
import { HostModel } from "./uptime-model.ts";

/** How often, seconds, it is stored that Muster runs. */
const ALIVE_INTERVAL = 60;

export class Simulation {
  readonly app = new TestApp();
  /** When it began, unix seconds. */
  readonly origin: number;
  readonly random: Random;
  /** By agent id; hosts that were deleted are not among them. */
  readonly models = new Map<string, HostModel>();
  /** When Muster was off. */
  readonly off: Period[] = [];
  readonly #agents: Agent[];
  #heartbeat = this.app.heartbeat;
  #aliveAt: number;
  /** When all hosts last had their full time again. */
  #lastRearmed: number;

  constructor(seed: number, hosts: number) {
    this.random = new Random(seed);
    this.#aliveAt = this.now;
    this.#lastRearmed = this.now;
    this.origin = this.now;
    this.#agents = Array.from(
      { length: hosts },
      (_, i) => new Agent(`host-${String(i).padStart(4, "0")}`, this.random, this.now),
    );
  }

  get now(): number {
    return this.app.clock.now();
  }

  /** One of the present hosts' ids as the database has it. */
  idOf(agentId: string): number {
    return this.app.rows<{ id: number }>(`select id from hosts where agent_id = '${agentId}'`)[0]?.id ?? -1;
  }

  async run(seconds: number): Promise<void> {
    const end = this.now + seconds;
    while (this.now < end) {
      if (this.random.chance(1 / 150)) this.#interrupt(this.random.between(4, 60));
      await this.#second();
    }
  }

  async #second(): Promise<void> {
    this.app.clock.step(1);
    const at = this.now;
    const answers: Promise<void>[] = [];
    for (const agent of this.#agents)
      for (const message of agent.messages(at)) {
        answers.push(this.app.queue.add({ message, receivedAt: at, source: "198.51.100.7" }));
        const model = this.models.get(message.agentId) ?? new HostModel(message.agentId, message, at);
        this.models.set(message.agentId, model);
        model.receive(message, at);
      }
    this.app.queue.drain();
    await Promise.all(answers);
    if (this.random.chance(0.15)) this.#administrate(at);
    this.#tick(at);
  }

  #tick(at: number): void {
    this.#heartbeat.tick();
    for (const model of this.models.values()) model.tick(at);
    if (at - this.#aliveAt >= ALIVE_INTERVAL) this.#aliveAt = at;
  }

  #administrate(at: number): void {
    const model = [...this.models.values()][this.random.below(this.models.size)];
    if (!model) return;
    const id = this.idOf(model.name);
    if (this.random.chance(0.1)) {
      this.app.deleteHosts([id]);
      this.models.delete(model.name);
      return;
    }
    const status = this.random.pick([0, 1, 2] as const);
    const { hostname, agentuser, agentpassword } = this.app.muster.hosts.get(id, FULL_REACH);
    this.app.muster.hosts.update({ id, hostname, agentuser, agentpassword, status }, FULL_REACH);
    model.setStatus(status, at);
  }

  /** Muster stalls, is started again, or is killed and started again. */
  #interrupt(seconds: number): void {
    const from = this.now;
    const how = this.random.pick(["stall", "restart", "kill"]);
    if (how === "restart") {
      this.#heartbeat.stop();
      this.#aliveAt = from;
    }
    this.app.clock.step(seconds);
    const newest = Math.max(this.#aliveAt, ...[...this.models.values()].map((model) => model.lastMessage));
    this.off.push({ from: how === "stall" ? from : newest, to: this.now });
    const stall = { seconds: this.now - from, lastRearmed: this.#lastRearmed };
    for (const model of this.models.values()) model.resume(this.now, how === "stall" ? stall : null);
    this.#lastRearmed = this.now;
    if (how !== "stall") {
      const { app } = this;
      const { db, hostCache, events, settings, storage, clock, muster } = app;
      this.#heartbeat = new Heartbeat({
        db,
        hostCache,
        events,
        settings,
        storage,
        clock,
        log: muster.log,
        limits: muster.limitEvaluation,
        monotonic: () => clock.now() * 1000,
      });
      this.#heartbeat.start();
      this.#aliveAt = this.now;
    }
    this.#tick(this.now);
  }
}
