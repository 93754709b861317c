/** What moved before an incident, in the order of time. docs/what-moved.md has the method. */
import type { InferOutput } from "valibot";
import { entriesBetween } from "../../accounts/audit/audit.repository.ts";
import { CHANGE, HEARTBEAT } from "../../monit/event-types.ts";
import { STATISTIC, STATISTIC_NAMES } from "../../monit/statistic-types.ts";
import { outputChangesOfHost } from "../../monitoring/events/event-changes.repository.ts";
import { onsetWindow } from "../../monitoring/onsets/onset-window.ts";
import { type FoundOnset, findOnsets, type SearchedHost } from "../../monitoring/onsets/onsets.service.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import { muteHistory } from "../maintenance/mute-history.ts";
import { type MoveOfHost, movesOfHost, relatedHosts } from "./moved.repository.ts";
import type { movedReply } from "./moved.schemas.ts";
import { inOrder } from "./tie-groups.ts";

/** Most hosts that are searched besides that of the incident. */
const MAX_OTHERS = 20;
/** Most events and outputs of a host that are read. */
const MAX_OF_HOST = 50;
/** Most entries of the audit log that are read. */
const MAX_AUDITED = 100;
/** Most entries of a reply. */
const MAX_ENTRIES = 100;

/** Operations that move nothing but the user's own session, or that stand in the list as what they caused. */
const UNMOVING = /^(login|logout|session|tokens|mutes\/create)(\/|$)/;

type MovedReply = InferOutput<typeof movedReply>;
type Entry = Omit<MovedReply["records"][number], "tie">;

/** What the search begins with. */
export interface MovedIncident {
  /** Id of its first error. */
  id: number;
  hostId: number;
  nameId: number;
  eventType: number;
  limitId: number;
  /** Unix seconds. */
  startedAt: number;
}

const EMPTY = {
  hostid: 0,
  hostname: "",
  serviceid: 0,
  servicename: "",
  eventid: 0,
  type: null,
  descriptor: "",
  of: null,
  from: null,
  to: null,
  before: "",
  after: "",
  uname: "",
} as const;

function ofHost({ id, hostname }: SearchedHost) {
  return { hostid: id, hostname };
}

function ofOnset({ host, type, ...onset }: FoundOnset): Entry {
  const kind = onset.of === "code" ? "change" : "number";
  return { ...EMPTY, ...onset, ...ofHost(host), kind, type, what: STATISTIC_NAMES[type] ?? "" };
}

/** The last report before a time; without one, a cycle before it. */
function reportBefore(times: Float64Array, at: number, poll: number): number {
  return times.findLast((time) => time < at) ?? at - poll;
}

/** A host that went silent did so between its last report and the one that is missing. */
function whenOf(move: Pick<MoveOfHost, "date" | "eventType">, host: SearchedHost, times: Float64Array) {
  const earliest = reportBefore(times, move.date, host.poll);
  const date = move.eventType === HEARTBEAT ? Math.min(move.date, earliest + host.poll) : move.date;
  return { date, earliest, latest: date };
}

/** The entries of a host that events report. */
function ofEvents(db: Db, host: SearchedHost, times: Float64Array, incident: MovedIncident): Entry[] {
  const hour = { from: incident.startedAt - 3600, to: incident.startedAt };
  const isOfIncident = (move: MoveOfHost) =>
    host.id === incident.hostId &&
    move.nameId === incident.nameId &&
    move.eventType === incident.eventType &&
    move.limitId === incident.limitId;
  const events = movesOfHost(db, host.id, hour, MAX_OF_HOST)
    .toReversed()
    .filter((move) => move.state === CHANGE || !isOfIncident(move))
    .map((move): Entry => {
      const kind = move.state === CHANGE ? "change" : move.limitId > 0 ? "limit" : "failure";
      const { id: eventid, servicename, message: what } = move;
      return { ...EMPTY, ...ofHost(host), ...whenOf(move, host, times), kind, eventid, servicename, what };
    });
  const outputs = outputChangesOfHost(db, host.id, hour, MAX_OF_HOST).map(
    ({ date, servicename, before, after }): Entry => ({
      ...EMPTY,
      ...ofHost(host),
      ...whenOf({ date, eventType: 0 }, host, times),
      kind: "output",
      servicename,
      what: "output changed",
      before,
      after,
    }),
  );
  return [...events, ...outputs];
}

/** Whether an event reports the same change of a process id. */
function isReported(onset: FoundOnset, entries: readonly Entry[]): boolean {
  return (
    onset.type === STATISTIC.pid.code &&
    entries.some(
      ({ kind, hostid, servicename, date }) =>
        kind === "change" &&
        hostid === onset.host.id &&
        servicename === onset.servicename &&
        date > onset.earliest - onset.host.poll &&
        date <= onset.latest + onset.host.poll,
    )
  );
}

export class WhatMoved {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
  ) {}

  /**
   * @param seesAudit whether the caller may see the audit log
   * @param others how many hosts besides that of the incident are searched
   */
  before(incident: MovedIncident, scope: Scope, seesAudit: boolean, others = MAX_OTHERS): MovedReply {
    const window = onsetWindow(incident.startedAt, this.clock.now());
    const { hosts, leftOut } = relatedHosts(this.db, incident.hostId, scope, others);
    const search = findOnsets(this.db, hosts, window);
    const reported = hosts.flatMap((host) =>
      ofEvents(this.db, host, search.times.get(host.id) ?? new Float64Array(), incident),
    );
    const onsets = search.onsets.filter((onset) => !isReported(onset, reported));
    const entries = inOrder([
      ...onsets.map(ofOnset),
      ...reported,
      ...this.#windows(incident, window.from, scope),
      ...(seesAudit ? this.#audited(hosts, window.from, incident.startedAt) : []),
    ]);
    return {
      id: incident.id,
      since: incident.startedAt,
      datefrom: window.from,
      hosts: hosts.length,
      hostsleftout: leftOut,
      metrics: search.tested,
      metricsleftout: search.untested,
      recordsleftout: Math.max(0, entries.length - MAX_ENTRIES),
      records: entries.slice(0, MAX_ENTRIES),
    };
  }

  /** Maintenance and mutes of the host that began in the hour. */
  #windows({ hostId, startedAt }: MovedIncident, from: number, scope: Scope): Entry[] {
    const span = { hostid: hostId, datefrom: from, dateto: startedAt };
    const { records } = muteHistory(this.db, span, scope);
    return records
      .filter((window) => window.from >= from && window.from <= startedAt)
      .map(({ from: date, uname, note }) => ({
        ...EMPTY,
        kind: "muster",
        ...{ date, earliest: date, latest: date, uname },
        what: `${uname === "" ? "maintenance" : "mute"} began${note === "" ? "" : `: ${note}`}`,
      }));
  }

  /** What users did in the hour, about the searched hosts or about no host. */
  #audited(hosts: readonly SearchedHost[], from: number, to: number): Entry[] {
    const byId = new Map(hosts.map((host) => [String(host.id), host]));
    return entriesBetween(this.db, from, to, MAX_AUDITED)
      .toReversed()
      .flatMap((row): Entry[] => {
        const host = row.subject === "host" ? byId.get(row.subjectId) : undefined;
        if (UNMOVING.test(row.operation) || (row.subject === "host" && !host)) return [];
        const { date, uname, operation, subject, subjectName } = row;
        const what = [operation, host ? "" : subject, host ? "" : subjectName];
        return [
          {
            ...EMPTY,
            ...(host && ofHost(host)),
            kind: "muster",
            ...{ date, earliest: date, latest: date, uname },
            what: what.filter((word) => word !== "").join(" "),
          },
        ];
      });
  }
}
