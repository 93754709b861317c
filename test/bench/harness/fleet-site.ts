/** A data folder with a growing fleet, and a Muster that serves it, for the benchmarks of fleets. */
import { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { HEARTBEAT } from "../../../src/monit/event-types.ts";
import { Muster, temporaryFolder } from "../../e2e/support.ts";
import { type LoadPlan, type LoadResult, runLoad } from "../load/load.ts";
import { ADDRESSES, everyAddress } from "./addresses.ts";
import { Watch } from "./process-usage.ts";

/** Poll time while hosts are made known one after another, so that none becomes overdue, seconds. */
const PRIMING_POLL = 600;
const PRIMING_CONNECTIONS = 16;

/** Type of the events of hosts that fell silent. Events of their return have the same type, which does no harm. */
const SILENCES = "events where event_type = ?1";

/** Disposing of it removes everything. */
export class FleetSite implements Disposable {
  readonly #folder = temporaryFolder();
  /** Known hosts. */
  agents = 0;
  /** Number of acknowledged events, and of events that may or may not be stored. */
  #events = 0;
  #eventsUnsure = 0;
  /** Total number of hosts considered silent because they had been refused for so long. */
  #silences = 0;

  get data(): string {
    return join(this.#folder.path, "data");
  }

  get database(): string {
    return join(this.data, "muster.db");
  }

  get cwd(): string {
    mkdirSync(this.#folder.path, { recursive: true });
    return this.#folder.path;
  }

  start(): Promise<Muster> {
    return Muster.start({ cwd: this.cwd, listen: everyAddress() });
  }

  watch(muster: Muster): Watch {
    return new Watch(muster.pid, this.database);
  }

  /** Sends what agents send. @param plan see `runLoad`; by default for all known agents */
  async load(muster: Muster, plan: Partial<LoadPlan> & { seconds: number | null }): Promise<LoadResult> {
    const where = { port: muster.port, addresses: ADDRESSES };
    const result = await runLoad({ agents: this.agents, ...where, ...plan });
    this.#events += result.events;
    this.#eventsUnsure += result.eventsRefused;
    return result;
  }

  /**
   * Makes this many hosts known, through the collector like all others.
   * @returns seconds per 1,000 hosts; null if they were known before
   */
  async grow(muster: Muster, agents: number): Promise<number | null> {
    const more = agents - this.agents;
    if (more <= 0) return null;
    const { accepted, seconds } = await this.load(muster, {
      first: this.agents,
      agents: more,
      seconds: null,
      poll: PRIMING_POLL,
      state: "steady",
      loop: { mode: "closed", connections: PRIMING_CONNECTIONS },
    });
    if (accepted !== more) throw new Error(`of ${more} first messages only ${accepted} were accepted`);
    this.agents = agents;
    return (seconds / more) * 1000;
  }

  /** Declares that the load up to now was more than Muster can take, so that silences are no fault. */
  forgiveSilences(): void {
    const db = new Database(this.database, { readonly: true });
    const query = db.query<{ n: number }, [number]>(`select count(*) as n from ${SILENCES}`);
    this.#silences = query.get(HEARTBEAT)?.n ?? 0;
    db.close();
  }

  /**
   * Checks that everything acknowledged is stored, and that no host was wrongly considered silent.
   * @param heardSince unix seconds: a message of every host was accepted since then; null when that is not known
   * @throws with all failed checks
   */
  check(heardSince: number | null): void {
    const db = new Database(this.database, { readonly: true });
    try {
      const count = (sql: string, ...values: number[]) =>
        db.query<{ n: number }, number[]>(`select count(*) as n from ${sql}`).get(...values)?.n ?? Number.NaN;
      const faults: string[] = [];
      const hosts = count("hosts");
      if (hosts !== this.agents) faults.push(`${hosts} hosts instead of ${this.agents}`);
      const silences = count(SILENCES, HEARTBEAT) - this.#silences;
      if (silences > 0) faults.push(`${silences} hosts count as silent that are not`);
      // Muster's own, of a failure whose first message was before the load, have negative microseconds.
      const events = count("events where event_type <> ?1 and collected_usec >= 0", HEARTBEAT);
      if (events < this.#events || events > this.#events + this.#eventsUnsure)
        faults.push(`${events} events, while ${this.#events} were acknowledged`);
      const unheard = heardSince === null ? 0 : count("hosts where lastmodified < ?1", heardSince);
      if (unheard > 0) faults.push(`the last message of ${unheard} hosts is lost`);
      if (faults.length > 0) throw new Error(faults.join("; "));
    } finally {
      db.close();
    }
  }

  [Symbol.dispose](): void {
    this.#folder.remove();
  }
}
