/** Runs the queries of the present over a moment in the past. */
import { RESOURCE } from "./monit/event-types.ts";
import { hostOfService } from "./monitoring/history/history.repository.ts";
import { Moments, type MomentsOptions } from "./monitoring/moment/moments.ts";
import { hostOfEvent } from "./monitoring/moment/past-events.repository.ts";
import type { Clock } from "./platform/clock.ts";
import type { Scope } from "./platform/http/scope.ts";
import type { Queries, QueriesAt } from "./platform/queries/queries.ts";
import type { SettingsReader } from "./platform/settings/settings.service.ts";
import type { Db } from "./platform/storage/open.ts";
import { allQueries, type QueryList } from "./queries.ts";

/** What a query reads of a moment. */
interface Subject {
  /** Undefined: all hosts. */
  hosts?: readonly number[] | undefined;
  /** Their services: of hosts that are named, or of all. Queries of events take those that they need. */
  services?: boolean;
  serviceGroups?: boolean;
  /** The last values of the hosts that are named. */
  values?: boolean;
  /** Their open failures, of one event type or of all. */
  failures?: number | "all" | undefined;
  /** An event that it is about. */
  event?: number;
}

type Subjects = { [K in keyof QueryList]?: (db: Db, ...args: Parameters<QueryList[K]>) => Subject };

const isRestricted = (scope: Scope) => scope !== "all";

function ofEvent(db: Db, id: number): Subject {
  const host = hostOfEvent(db, id);
  return { hosts: host === undefined ? [] : [host], event: id };
}

/** The queries that show the past. */
const SUBJECTS: Subjects = {
  hostStatusList: (_db, { hostid }) => ({ hosts: hostid }),
  hostStatus: (_db, id) => ({ hosts: [id], services: true, values: true, failures: "all" }),
  hostSummary: () => ({}),
  hostGlance: (_db, ids) => ({ hosts: ids, services: true, values: true, failures: RESOURCE }),
  groupStatusList: () => ({}),
  serviceGroupList: () => ({ serviceGroups: true }),
  tagList: () => ({}),
  eventList: (_db, { hostid, active, servicegroupid }) => ({
    hosts: hostid,
    failures: active > 0 ? "all" : undefined,
    serviceGroups: servicegroupid !== undefined,
  }),
  event: (db, id) => ofEvent(db, id),
  eventSummary: () => ({ hosts: [] }),
  deliveriesOfEvent: (db, id) => ofEvent(db, id),
  history: (_db, { hostid }) => ({ hosts: [hostid], services: true, values: true }),
  historyTop: () => ({ failures: RESOURCE }),
  historyCompare: (db, { hostid, serviceid }) => ({
    hosts: [...new Set([...hostid, ...serviceid.flatMap((id) => hostOfService(db, id) ?? [])])],
    services: true,
    values: true,
  }),
  incidentList: (_db, { hostid, state }) => ({
    hosts: hostid,
    failures: state === "open" ? "all" : undefined,
  }),
  incident: (db, id) => ofEvent(db, id),
  limitList: (_db, { view }) => ({ services: isRestricted(view) }),
  muteList: (_db, scope) => (isRestricted(scope) ? { services: true } : { hosts: [] }),
  onCallNow: () => ({ hosts: [] }),
  uptimeList: () => ({}),
  uptimeOfServices: (_db, id) => ({ hosts: [id], services: true }),
  uptimeBudget: () => ({}),
  uptimeBars: (_db, { hostId }) => ({ hosts: [hostId], services: true }),
};

/**
 * The queries that answer for a moment. Without `keptSeconds`, the state of a moment is used for one query.
 */
export function pastQueries(
  db: Db,
  settings: SettingsReader,
  clock: Clock,
  {
    keptSeconds = 0,
    maxServices,
  }: Partial<Pick<MomentsOptions<Queries>, "keptSeconds" | "maxServices">> = {},
): QueriesAt<QueryList> {
  const queriesOver = (moment: Db, standing: Clock): Queries => allQueries(moment, settings, standing);
  const moments = new Moments(db, { settings, clock, queriesOver, keptSeconds, maxServices });
  const entries = Object.entries(SUBJECTS) as [string, (db: Db, ...args: never[]) => Subject][];
  return (at) =>
    Object.fromEntries(
      entries.map(([name, subjectOf]) => [
        name,
        (...args: never[]) => {
          const subject = subjectOf(db, ...args);
          return moments.run(at, subject.hosts, (queries, database) => {
            if (subject.values && subject.hosts) database.takeHostValues(subject.hosts);
            else if (subject.services) database.takeServices(subject.hosts);
            if (subject.failures !== undefined)
              database.takeOpenFailures(subject.failures === "all" ? undefined : subject.failures);
            if (subject.serviceGroups) database.takeServiceGroups();
            if (subject.event !== undefined) database.takeEvents([subject.event]);
            return queries[name]?.(...args);
          });
        },
      ]),
    ) as unknown as QueryList;
}
