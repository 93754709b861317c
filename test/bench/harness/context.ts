/** What benchmarks are told, and share. */
import { FleetSite } from "./fleet-site.ts";

export class BenchContext implements Disposable {
  #site: FleetSite | null = null;

  constructor(
    /** At full length rather than in short. */
    readonly long: boolean,
    /** Hosts of the benchmark of history; null: as many as suit the length. */
    readonly hosts: number | null,
  ) {}

  /** One fleet for the benchmarks of large ones: making its hosts known takes longer than most benchmarks. It only grows. */
  get site(): FleetSite {
    this.#site ??= new FleetSite();
    return this.#site;
  }

  [Symbol.dispose](): void {
    this.#site?.[Symbol.dispose]();
  }
}
