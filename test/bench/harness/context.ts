/** Options and shared resources of benchmarks. */
import { FleetSite } from "./fleet-site.ts";

export class BenchContext implements Disposable {
  #site: FleetSite | null = null;

  constructor(
    /** Full length instead of short. */
    readonly long: boolean,
    /** Number of hosts in the history benchmark; null for one that suits the length. */
    readonly hosts: number | null,
  ) {}

  /** One fleet for all benchmarks of large fleets, since making its hosts known takes longer than most benchmarks. It only grows. */
  get site(): FleetSite {
    this.#site ??= new FleetSite();
    return this.#site;
  }

  [Symbol.dispose](): void {
    this.#site?.[Symbol.dispose]();
  }
}
