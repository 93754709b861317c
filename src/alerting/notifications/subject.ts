import type { Db } from "../../platform/storage/open.ts";
import type { EventSubject } from "../rules/event-filter.ts";
import { hostGroupIdsOf, nameOf, serviceGroupsOf } from "./alerts.repository.ts";

/** What is stored of an event, or of an alert for it. */
export interface StoredEvent {
  hostId: number;
  nameId: number;
  serviceType: number;
  eventType: number;
  state: number;
}

/** A stored event as filters ask for it. What needs a look into the database is read when the first filter asks. */
export class StoredSubject implements EventSubject {
  readonly hostId: number;
  readonly serviceType: number;
  readonly eventType: number;
  readonly state: number;
  readonly #nameId: number;
  #hostGroupIds: readonly number[] | null = null;
  #serviceName: string | null = null;
  #serviceGroups: readonly string[] | null = null;

  constructor(
    private readonly db: Db,
    event: StoredEvent,
  ) {
    this.hostId = event.hostId;
    this.serviceType = event.serviceType;
    this.eventType = event.eventType;
    this.state = event.state;
    this.#nameId = event.nameId;
  }

  get hostGroupIds(): readonly number[] {
    this.#hostGroupIds ??= hostGroupIdsOf(this.db, this.hostId);
    return this.#hostGroupIds;
  }

  get serviceName(): string {
    this.#serviceName ??= nameOf(this.db, this.#nameId);
    return this.#serviceName;
  }

  get serviceGroups(): readonly string[] {
    this.#serviceGroups ??= serviceGroupsOf(this.db, this.hostId, this.#nameId);
    return this.#serviceGroups;
  }
}
