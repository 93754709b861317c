import { hostGroupIdsOf } from "../../monitoring/groups/groups.repository.ts";
import { serviceNameOf } from "../../monitoring/places/service-names.repository.ts";
import { serviceGroupsOf } from "../../monitoring/service-groups/service-groups.repository.ts";
import { tagsOf } from "../../monitoring/tags/tags.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { EventSubject } from "../rules/event-filter.ts";

/** The stored columns of an event, or of an alert for it. */
export interface SubjectColumns {
  hostId: number;
  nameId: number;
  serviceType: number;
  eventType: number;
  state: number;
  severity: number;
}

/** A stored event as filters see it. Values that need a query are read when a filter first needs them. */
export class StoredSubject implements EventSubject {
  readonly hostId: number;
  readonly serviceType: number;
  readonly eventType: number;
  readonly state: number;
  readonly severity: number;
  readonly #nameId: number;
  #hostGroupIds: readonly number[] | null = null;
  #tags: readonly string[] | null = null;
  #serviceName: string | null = null;
  #serviceGroups: readonly string[] | null = null;

  constructor(
    private readonly db: Db,
    event: SubjectColumns,
  ) {
    this.hostId = event.hostId;
    this.serviceType = event.serviceType;
    this.eventType = event.eventType;
    this.state = event.state;
    this.severity = event.severity;
    this.#nameId = event.nameId;
  }

  get hostGroupIds(): readonly number[] {
    this.#hostGroupIds ??= hostGroupIdsOf(this.db, this.hostId);
    return this.#hostGroupIds;
  }

  get tags(): readonly string[] {
    this.#tags ??= tagsOf(this.db, this.hostId);
    return this.#tags;
  }

  get serviceName(): string {
    this.#serviceName ??= serviceNameOf(this.db, this.#nameId) ?? "";
    return this.#serviceName;
  }

  get serviceGroups(): readonly string[] {
    this.#serviceGroups ??= serviceGroupsOf(this.db, this.hostId, this.#nameId);
    return this.#serviceGroups;
  }
}
