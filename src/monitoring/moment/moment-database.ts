/**
 * A database in memory with the state as of a moment, as far as it is known now. The queries of the present run over
 * it. It has all hosts, or only those that a query is about.
 */
import { type Db, transaction } from "../../platform/storage/open.ts";
import { idsIn } from "../../platform/storage/words.ts";
import { type HostSelection, type Past, showPast } from "../past/past.ts";
import { MomentEvents } from "./moment-events.ts";
import { addHosts } from "./moment-hosts.ts";
import { asParameter, readValues } from "./moment-rows.ts";
import type { MomentScope } from "./moment-scope.ts";
import { MomentNames, MomentServices } from "./moment-services.ts";
import { MomentValues } from "./moment-values.ts";
import { addConfiguration, addMemberships, deleteOfAbsentHosts } from "./past-configuration.ts";
import { changesBefore, eventsOfFailure, failuresOfEvents } from "./past-events.repository.ts";
import type { PastFailure } from "./past-failures.repository.ts";
import { hostsSelected } from "./past-selection.ts";
import { PastServices } from "./past-services.ts";

/**
 * The state at one moment. The constructor adds the configuration and the hosts, and queries add what else
 * they need with the methods that begin with `take`.
 */
export class MomentDatabase implements Past {
  readonly at: number;
  readonly isRecorded: boolean;
  readonly #open: readonly PastFailure[];
  readonly #services: MomentServices;
  readonly #events: MomentEvents;
  readonly #values: MomentValues;

  /** @param db an empty database in memory @param history the real one */
  constructor(
    readonly db: Db,
    readonly history: Db,
    scope: MomentScope,
  ) {
    this.at = scope.at;
    this.isRecorded = scope.at >= scope.recorded;
    showPast(db, this);
    const moment = { ...scope, db, history };
    const { past, down } = transaction(db, () => {
      addConfiguration(moment);
      addMemberships(moment);
      const services = new PastServices(moment);
      const downThen = addHosts(moment, services);
      deleteOfAbsentHosts(moment);
      return { past: services, down: downThen };
    });
    const names = new MomentNames(moment);
    this.#open = past.open;
    this.#services = new MomentServices(moment, past, names);
    this.#events = new MomentEvents(moment, names);
    this.#values = new MomentValues(moment, this.#services);
    // The text of a host that is down says when it reported last.
    this.takeUsage(down);
  }

  /** Adds the services of hosts, with their names. @param hostIds undefined: of all hosts */
  takeServices(hostIds?: readonly number[]): void {
    transaction(this.db, () => this.#services.take(hostIds));
  }

  /** Adds the service groups of the hosts with their members, if they are recorded. */
  takeServiceGroups(): void {
    transaction(this.db, () => this.#services.takeGroups());
  }

  /** Adds the open failures. @param eventType undefined: of all types */
  takeOpenFailures(eventType?: number): void {
    const wanted = this.#open.filter((failure) => eventType === undefined || failure.eventType === eventType);
    transaction(this.db, () => this.#events.addFailures(wanted.map(({ id }) => id)));
  }

  takeEvents(ids: readonly number[]): void {
    transaction(this.db, () => {
      this.#events.addFailures(failuresOfEvents(this.history, ids));
      this.#events.add(ids);
      this.#addServicesOf(ids);
      this.#events.addNotesAndMessages(ids);
    });
  }

  takeFailures(ids: readonly number[]): void {
    const eventIds = ids.flatMap((id) => eventsOfFailure(this.history, id, this.at));
    this.takeEvents([...new Set(eventIds)]);
    transaction(this.db, () => {
      this.#events.addFailures(ids);
      this.#events.add(changesBefore(this.history, ids));
    });
  }

  /** Adds the services of the hosts of events. */
  #addServicesOf(eventIds: readonly number[]): void {
    const rows = readValues(
      this.db,
      `select distinct host_id from events where id in ${idsIn("?1")}`,
      asParameter(eventIds),
    );
    this.takeServices(rows.map(([id]) => Number(id)));
  }

  takeUsage(hostIds?: readonly number[]): void {
    this.#values.takeUsage(hostIds);
  }

  takeValues(types: readonly number[]): void {
    this.#values.takeTypes(types);
  }

  /** Adds the statistics of some hosts, and their last values. */
  takeHostValues(hostIds: readonly number[]): void {
    this.#values.takeHosts(hostIds);
  }

  hostsThen(filter: HostSelection): number[] | undefined {
    return hostsSelected(this.db, this, filter);
  }
}
