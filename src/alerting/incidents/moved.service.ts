/** What moved before an incident, in the order of time. docs/what-moved.md has the method. */
import type { InferOutput } from "valibot";
import { entriesBetween } from "../../accounts/audit/audit.repository.ts";
import { CHANGE, HEARTBEAT } from "../../monit/event-types.ts";
import { STATISTIC, STATISTIC_NAMES } from "../../monit/statistic-types.ts";
import { outputChangesOfHost } from "../../monitoring/events/event-changes.repository.ts";
import { unusualChanges } from "../../monitoring/onsets/code-changes.ts";
import { type OnsetWindow, onsetWindow, readSpan } from "../../monitoring/onsets/onset-window.ts";
import { type FoundOnset, findOnsets, type SearchedHost } from "../../monitoring/onsets/onsets.service.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import { muteHistory } from "../maintenance/mute-history.ts";
import { type MoveOfHost, movesOfHost, relatedHosts } from "./moved.repository.ts";
import type { movedReply } from "./moved.schemas.ts";
import { inOrder } from "./tie-groups.ts";

/** The most hosts that are searched besides that of the incident. */
const MAX_OTHERS = 20;
/** The most events and outputs of a host that are read. */
const MAX_OF_HOST = 50;
/** The most entries of the audit log that are read. */
const MAX_AUDITED = 100;
/** The most entries of a reply. */
const MAX_ENTRIES = 100;

/** Operations that move nothing but the user's own session. */
const UNMOVING = /^(login|logout|session|tokens)(\/|$)/;
const MUTE_CREATED = "mutes/create";

type MovedReply = InferOutput<typeof movedReply>;
type Entry = Omit<MovedReply["records"][number], "tie">;

interface MovedSearch {
  scope: Scope;
  /** Whether the caller may see the audit log. */
  seesAudit: boolean;
  /** How many hosts are searched at most besides that of the incident. */
  maxOthers?: number;
}

/** What the search begins with. */
export interface MovedIncident {
  /** Id of its first error. */
  id: number;
  hostId: number;
  nameId: number;
  servicename: string;
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
  operation: "",
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

/**
 * When a move happened, as far as that is known. A host that went silent did so between its last report and the one
 * that is missing.
 */
function whenOf(move: Pick<MoveOfHost, "date" | "eventType">, host: SearchedHost, times: Float64Array) {
  const earliest = reportBefore(times, move.date, host.poll);
  const date = move.eventType === HEARTBEAT ? Math.min(move.date, earliest + host.poll) : move.date;
  return { date, earliest, latest: date };
}

interface OfEvents {
  entries: Entry[];
  /** How many there are beyond the bounds. */
  leftOut: number;
}

/** The entries of a host that events report, and changes of the output of its programs. */
function ofEvents(
  db: Db,
  host: SearchedHost,
  times: Float64Array,
  incident: MovedIncident,
  window: OnsetWindow,
): OfEvents {
  const hour = { from: window.from, to: window.failedAt };
  const isOfIncident = (move: MoveOfHost) =>
    host.id === incident.hostId &&
    move.nameId === incident.nameId &&
    move.eventType === incident.eventType &&
    move.limitId === incident.limitId;
  const moves = movesOfHost(db, host.id, hour, MAX_OF_HOST);
  const events = moves
    .filter((move) => move.state === CHANGE || !isOfIncident(move))
    .map((move): Entry => {
      const kind = move.state === CHANGE ? "change" : move.limitId > 0 ? "limit" : "failure";
      const { id: eventid, servicename, message: what } = move;
      return { ...EMPTY, ...ofHost(host), ...whenOf(move, host, times), kind, eventid, servicename, what };
    });
  return {
    entries: [...events, ...ofOutputs(db, host, times, window)],
    leftOut: (moves[0]?.total ?? 0) - moves.length,
  };
}

function ofOutputs(db: Db, host: SearchedHost, times: Float64Array, window: OnsetWindow): Entry[] {
  const hours = { from: readSpan(window).from, to: window.failedAt };
  const changes = outputChangesOfHost(db, host.id, hours, MAX_OF_HOST).toReversed();
  return [...Map.groupBy(changes, ({ servicename }) => servicename).values()]
    .flatMap((ofService) => unusualChanges(ofService, window.from))
    .map(({ date, servicename, before, after }) => ({
      ...EMPTY,
      ...ofHost(host),
      ...whenOf({ date, eventType: 0 }, host, times),
      kind: "output",
      servicename,
      what: "output changed",
      before,
      after,
    }));
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

/**
 * Searches what moved in the hour before an incident, on its host and related ones. It only reads, and may
 * read much: call it on a query worker.
 */
export class WhatMoved {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
  ) {}

  /** What moved before an incident. */
  before(incident: MovedIncident, { scope, seesAudit, maxOthers = MAX_OTHERS }: MovedSearch): MovedReply {
    const window = onsetWindow(incident.startedAt, this.clock.now());
    const { hosts, leftOut } = relatedHosts(this.db, incident.hostId, scope, maxOthers);
    const search = findOnsets(this.db, hosts, window);
    const ofHosts = hosts.map((host) =>
      ofEvents(this.db, host, search.times.get(host.id) ?? new Float64Array(), incident, window),
    );
    const reported = ofHosts.flatMap(({ entries }) => entries);
    const onsets = search.onsets.filter((onset) => !isReported(onset, reported));
    const windows = this.#windows(incident, window, scope);
    const entries = [
      ...onsets.map(ofOnset),
      ...reported,
      ...windows,
      ...(seesAudit ? this.#audited(hosts, window, windows) : []),
    ];
    const unread = ofHosts.reduce((sum, { leftOut }) => sum + leftOut, 0);
    return {
      id: incident.id,
      since: incident.startedAt,
      datefrom: window.from,
      hosts: hosts.length,
      hostsleftout: leftOut,
      metrics: search.tested,
      metricsleftout: search.untested,
      recordsleftout: Math.max(0, entries.length - MAX_ENTRIES) + unread,
      records: inOrder(entries, MAX_ENTRIES),
    };
  }

  /** Maintenance and mutes that began in the hour and cover the host, or the service that failed. */
  #windows({ hostId, servicename }: MovedIncident, { from, failedAt }: OnsetWindow, scope: Scope): Entry[] {
    const span = { hostid: hostId, servicename, datefrom: from, dateto: failedAt + 1 };
    const { records } = muteHistory(this.db, span, scope);
    return records
      .filter((window) => window.from >= from && window.from <= failedAt)
      .map(({ from: date, uname, note }) => ({
        ...EMPTY,
        kind: "muster",
        ...{ date, earliest: date, latest: date, uname },
        what: `${uname === "" ? "maintenance" : "mute"} began${note === "" ? "" : `: ${note}`}`,
      }));
  }

  /**
   * What users did in the hour, either to the searched hosts or not to a host.
   * @param windows entries listed already
   */
  #audited(
    hosts: readonly SearchedHost[],
    { from, failedAt }: OnsetWindow,
    windows: readonly Entry[],
  ): Entry[] {
    const byId = new Map(hosts.map((host) => [String(host.id), host]));
    const began = new Set(windows.map(({ date, uname }) => `${date} ${uname}`));
    return entriesBetween(this.db, from, failedAt, MAX_AUDITED)
      .toReversed()
      .flatMap((row): Entry[] => {
        const host = row.subject === "host" ? byId.get(row.subjectId) : undefined;
        const { date, uname, operation, subject, subjectName } = row;
        const isListed = operation === MUTE_CREATED && began.has(`${date} ${uname}`);
        if (UNMOVING.test(operation) || isListed || (subject === "host" && !host)) return [];
        const what = [subject, host ? "" : subjectName].filter((word) => word !== "").join(" ");
        return [
          {
            ...EMPTY,
            ...(host && ofHost(host)),
            kind: "muster",
            ...{ date, earliest: date, latest: date, operation, uname, what },
          },
        ];
      });
  }
}
