/**
 * Keeps what the API says at random moments while they are the present. Later, after kills, restarts, packing and retention,
 * it must say the same about these moments. A check of which a point arrived later and is dated before is held to the
 * model instead, as are all open failures.
 */
import { isDeepStrictEqual } from "node:util";
import type { CheckModel, HostModel } from "../monitoring/uptime/uptime-model.ts";
import { Random } from "../support/random.ts";
import { type Answers, ask, type Fact, Refused } from "./answers.ts";
import { compare, keptSince } from "./compare.ts";
import type { Server } from "./server.ts";
import type { World } from "./world.ts";

const DAY = 86_400;
/** Moments that are kept in a day; shorter runs have fewer. */
const MOMENTS_PER_DAY = 50;
const FEWEST_MOMENTS = 2;
/** Hosts whose pages are kept at a moment, and moments that are asked about at each check of a long run but the last. */
const PAGES = 3;
const ASKED_AT_A_TIME = 2;

interface KnownHost {
  model: HostModel;
  /** Number of its events that were stored, by the name of the service; "": all. */
  events: ReadonlyMap<string, number>;
  /** Number of points of each check. */
  points: ReadonlyMap<CheckModel, number>;
}

interface Moment {
  at: number;
  pages: readonly number[];
  answers: Answers;
  /** By id. */
  hosts: ReadonlyMap<number, KnownHost>;
}

const pointsBy = (check: CheckModel, at: number) => check.points.filter(({ date }) => date <= at).length;

/** How many stored events are dated by a moment, by the name of their service; "": of all. */
function eventsBy(host: HostModel, at: number): Map<string, number> {
  const counts = new Map([["", 0]]);
  for (const [stamp, date] of host.stamps)
    if (date <= at) for (const name of ["", serviceOf(stamp)]) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** A stamp is the name of the service, four numbers, and the limit of an event that is of one. */
const serviceOf = (stamp: string) => stamp.replace(/( -?\d+){4}( limit \d+)?$/, "");

/** When a host reported last according to the list of hosts, unix seconds. Infinity: it is not listed. */
function reportedAt({ facts }: Answers, host: number): number {
  const { lastmodified } = (facts.get(`host ${host}`)?.settled ?? {}) as { lastmodified?: number };
  return lastmodified ?? Number.POSITIVE_INFINITY;
}

export class AnswerKeeper {
  readonly #moments: Moment[] = [];
  /** When moments are to be kept, unix seconds, the last one first. */
  readonly #due: number[];
  readonly #random: Random;

  constructor(private readonly world: World) {
    const { scenario } = world;
    this.#random = new Random(scenario.seed ^ 0xa115);
    const count = Math.min(
      MOMENTS_PER_DAY,
      Math.max(FEWEST_MOMENTS, Math.floor(MOMENTS_PER_DAY * scenario.days)),
    );
    const from = world.now();
    this.#due = Array.from({ length: count }, () => this.#random.between(from, world.end)).sort(
      (a, b) => b - a,
    );
  }

  /** Keeps what the API says, if it is time. */
  async keepIfDue(): Promise<void> {
    const { world } = this;
    const next = this.#due.at(-1);
    if (next === undefined || world.now() < next || !world.isExact) return;
    const { server } = world;
    if (server === null || world.fleet.outageSince !== null || world.faults.mayRefuse) return;
    this.#due.pop();
    await world.disk.spare(() => this.#keep(server));
  }

  async #keep(server: Server): Promise<void> {
    const { world } = this;
    const at = world.now();
    const rows = server.rows.hosts();
    const hosts = new Map(
      rows.flatMap(({ id, agentId }) => {
        const model = world.fleet.hosts.get(agentId);
        if (!model) return [];
        const points = new Map(model.checks.map((check) => [check, check.points.length]));
        return [[id, { model, events: eventsBy(model, at), points }] as const];
      }),
    );
    const ids = rows.map(({ id }) => id);
    const pages = Array.from({ length: Math.min(PAGES, ids.length) }, () =>
      ids.splice(this.#random.below(ids.length), 1),
    ).flat();
    const answers = await ask(await world.administrators.client(), pages);
    this.#moments.push({ at, pages, answers, hosts });
  }

  /** Asks about a few of the moments again, in a run of a day or more. */
  async check(server: Server, random: Random): Promise<void> {
    if (this.world.scenario.days < 1) return;
    for (let i = 0; i < ASKED_AT_A_TIME && this.#moments.length > 0; i++)
      await this.#ask(random.pick(this.#moments), server);
  }

  /** Asks about all of them again. */
  async checkAll(): Promise<void> {
    const { world } = this;
    const { server } = world;
    if (server === null || !world.isExact) return;
    for (const moment of this.#moments) await this.#ask(moment, server);
    if (this.#moments.some(({ at }) => at >= keptSince(world)) && world.counts.compared === 0)
      world.fail("nothing was compared with what was said at moments");
  }

  async #ask(moment: Moment, server: Server): Promise<void> {
    const { world } = this;
    const { at } = moment;
    const existing = new Set(server.rows.hosts().map(({ id }) => id));
    const pages = moment.pages.filter((id) => existing.has(id));
    const client = await world.administrators.client();
    let answers: Answers;
    try {
      answers = await ask(client, pages, at);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const isExpired = at < keptSince(world);
      if (error.status !== 400 || !isExpired || !error.text.includes("no longer known"))
        world.fail(`as of ${at}, ${error.message}`);
      return;
    }
    if (at < keptSince(world)) world.fail(`${at} is answered, and is no longer known`);
    this.#compareFacts(moment, answers, existing);
    this.#compareWithModel(moment, answers, existing);
  }

  #compareFacts(moment: Moment, { facts }: Answers, existing: ReadonlySet<number>): void {
    const late = new LatePoints(moment);
    const forgotten = this.#forgotten(moment);
    for (const key of new Set([...moment.answers.facts.keys(), ...facts.keys()])) {
      const then = moment.answers.facts.get(key);
      const now = facts.get(key);
      const fact = then ?? now;
      if (!fact || this.#isOfUnsteadyClock(fact, moment)) continue;
      if (fact.hosts.some((id) => !existing.has(id) || forgotten.has(id))) continue;
      // It looks back on a day, of which retention may have deleted failures.
      if (fact.key.startsWith("glance") && moment.at - DAY < keptSince(this.world)) continue;
      const isLate = fact.hosts.some((id) => late.has(id, fact.service));
      // An error is listed or not by the points of its check.
      if (!then || !now) {
        if (fact.settled === null && fact.state !== null && isLate) continue;
        const [has, had] = [now, then].map((some) => (some ? "is" : "is not"));
        this.world.fail(`${key} ${has} told as of ${moment.at}, and ${had} then: ${JSON.stringify(fact)}`);
      }
      this.#compareFact(moment, then, now, isLate);
    }
  }

  /** Hosts that changed too often for their state at a moment to be known: two agents with one id change it by turns. */
  #forgotten({ at }: Moment): Set<number> {
    const rows = this.world.server?.rows.all<{ host: number }>(
      `select distinct host_id as host from revisions where content = 'false' and until > ${at}`,
    );
    return new Set(rows?.map(({ host }) => host));
  }

  /** How long an agent ran follows from its later reports, unless its clock was set while it ran. */
  #isOfUnsteadyClock({ key, hosts: [id] }: Fact, { hosts }: Moment): boolean {
    const name = hosts.get(id ?? 0)?.model.name;
    return (
      key.startsWith("run of") &&
      this.world.agents.some((agent) => agent.id === name && agent.kind === "clock set back")
    );
  }

  #compareFact({ at, hosts, answers }: Moment, then: Fact, now: Fact, isLate: boolean): void {
    const expected = (what: "settled" | "state" | "events", before: unknown) => {
      this.world.counts.compared++;
      if (isDeepStrictEqual(now[what], before)) return;
      this.world.fail(
        `${now.key} has ${what} ${JSON.stringify(now[what])} as of ${at}, and had ${JSON.stringify(before)}`,
      );
    };
    // Of an earlier report than that, only means of its hour are left, and the text of a host names the end of the hour.
    if (then.hosts.some((id) => reportedAt(answers, id) < keptSince(this.world))) return;
    expected("settled", then.settled);
    if (!isLate) expected("state", then.state);
    if (then.events === null || this.world.administrators.eventDays !== null) return;
    const known = hosts.get(then.hosts[0] ?? 0);
    if (!known) return;
    const service = then.service;
    const arrived = (eventsBy(known.model, at).get(service) ?? 0) - (known.events.get(service) ?? 0);
    expected("events", then.events + arrived);
  }

  /** The failures that were open, by what is known now. */
  #compareWithModel({ at, hosts }: Moment, { open, ignored }: Answers, existing: ReadonlySet<number>): void {
    const expected = [...hosts].flatMap(([id, { model }]) => {
      if (!existing.has(id) || ignored.has(id)) return [];
      return model.checks.flatMap((check) =>
        check
          .spans()
          .filter(({ from, to }) => from <= at && (to === null || to > at))
          .map(({ from }) => [id, check.service, from, check.limit?.id ?? 0].join(" ")),
      );
    });
    compare(
      this.world,
      `open failures as of ${at} (host, service, since, limit)`,
      open.map(({ host, service, since, limit }) => [host, service, since, limit].join(" ")),
      expected,
    );
  }
}

/** Of which services points arrived later that are dated by a moment, or were known that are dated after it. */
class LatePoints {
  readonly #late = new Set<string>();

  constructor({ at, hosts }: Moment) {
    for (const [id, { model, points }] of hosts)
      for (const check of model.checks)
        if (pointsBy(check, at) !== (points.get(check) ?? 0))
          for (const service of ["", check.service]) this.#late.add(`${id} ${service}`);
  }

  has(host: number, service: string): boolean {
    return this.#late.has(`${host} ${service}`);
  }
}
