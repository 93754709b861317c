/** Stores the messages of agents. Everything here runs inside the transaction of a flush. */

import { parseAgentMessage } from "../../monit/message.ts";
import type { AgentMessage } from "../../monit/message.types.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import { type Db, isRemote } from "../../platform/storage/open.ts";
import { sealRows } from "../../platform/storage/row-writer.ts";
import type { HostRow } from "../../platform/storage/schema.ts";
import type { EventLog } from "../events/event-log.service.ts";
import { setAgentHostGroups } from "../groups/agent-groups.repository.ts";
import { HOST_STATUS, hostLed, hostStatusText, tally } from "../health/health.ts";
import { changeHostState, hostStateOf, insertHost, updateHost } from "../hosts/hosts.repository.ts";
import type { LimitEvaluation } from "../limits/limit-evaluation.service.ts";
import { openFailuresOfAgent } from "../uptime/downtime.repository.ts";
import { excludedReason, setExcluded } from "../uptime/excluded-time.repository.ts";
import { AgentEvents } from "./agent-events.ts";
import { isBack } from "./agent-stop.ts";
import { FlushPrefetch } from "./flush-prefetch.ts";
import type { HostCache, KnownHost } from "./host-cache.ts";
import {
  conflictOf,
  credentialChanges,
  differences,
  type HostChanges,
  otherAddress,
  reportedFacts,
  systemUsage,
} from "./host-facts.ts";
import { insertSample, setServiceGroups, touchHost, usageOfHost } from "./ingest.repository.ts";
import { completed } from "./last-known.ts";
import { agentOf, type Receipt, type Repeat } from "./reading.ts";
import { isStable, resolveUnreportedRecoveries } from "./recoveries.ts";
import { storeSample, storeStatistics } from "./samples.ts";
import { addServices, newServices, syncServices } from "./services.ts";
import { UnreportedFailures } from "./unreported-failures.ts";

/** Poll cycles without a message after which a new host counts as down. */
const DEFAULT_SKEW = 3;

/** The columns of a host that follow from its state and that of its services. */
function healthOf({ row, services }: KnownHost) {
  const counts = tally([...services.values()].map((service) => service.led));
  return {
    servicesTotal: counts.total,
    servicesOk: counts.ok,
    led: hostLed(row, counts),
    statusText: hostStatusText(row, counts),
  };
}

/** The values of a stored sample. */
function sampleOf(values: Buffer): Float64Array {
  return new Float64Array(
    values.buffer,
    values.byteOffset,
    values.byteLength / Float64Array.BYTES_PER_ELEMENT,
  );
}

/** The conflict set when an incarnation alternates with an earlier one, which a single agent never does. */
const SHARED_ID =
  "Two agents report with the same id, as cloned machines do: on one of them stop Monit, delete its id file and start it again";

export class Ingest {
  readonly #agentEvents: AgentEvents;
  readonly #unreported: UnreportedFailures;
  readonly #prefetch: FlushPrefetch;

  constructor(
    private readonly db: Db,
    private readonly hostCache: HostCache,
    private readonly box: SecretBox,
    private readonly events: EventLog,
    private readonly limits: LimitEvaluation,
  ) {
    this.#unreported = new UnreportedFailures(db, events);
    this.#agentEvents = new AgentEvents(db, events, this.#unreported);
    this.#prefetch = new FlushPrefetch(db, hostCache, events);
  }

  /**
   * Stores messages in their order.
   * @throws a database error, upon which the caller must roll back and drop the hosts from the host cache
   */
  applyAll(posts: readonly (Receipt | Repeat)[]): void {
    const agents = new Set<string>();
    sealRows(this.db);
    try {
      if (isRemote(this.db)) this.#prefetch.load(posts);
      for (const post of posts) {
        const agentId = agentOf(post);
        if (agents.has(agentId)) sealRows(this.db);
        agents.add(agentId);
        this.#apply(post);
      }
    } finally {
      this.events.expectNothing();
    }
  }

  #apply(post: Receipt | Repeat): void {
    if ("message" in post) this.#take(post);
    else if (this.#isRepetition(post)) this.#repeat(post);
    else this.#take({ ...post, message: parseAgentMessage(post.bytes), template: post.host.template });
  }

  /**
   * Stores services of a message before the message itself, in a transaction of their own, if it has more
   * than `most` new ones.
   * @returns whether it did, and must be called again
   */
  introduceServices(given: Receipt, most: number): boolean {
    const known = this.hostCache.find(given.message.agentId);
    const added = newServices(known, given.message.services);
    if (added.length <= most) return false;
    const receipt = completed(given, known?.row);
    const host = known ?? this.#create(receipt);
    const some = added.slice(0, most);
    addServices(this.db, host, some, receipt.receivedAt);
    storeStatistics(this.db, [{ host, services: some }]);
    // The message must look for all of these anew, as its groups and its layout contain the new services.
    host.layouts.clear();
    host.groupsSignature = null;
    host.limits = undefined;
    const health = healthOf(host);
    updateHost(this.db, host.row.id, health);
    Object.assign(host.row, health);
    return true;
  }

  /**
   * Continues the evaluation of a message that passes very many limits, in a transaction of its own.
   * @returns whether there is more to do
   */
  finishLimits(agentId: string): boolean {
    const host = this.hostCache.cached(agentId);
    // A host that is read anew is evaluated from the beginning by its next message.
    if (!host || !this.limits.isUnfinished(host)) return false;
    this.limits.finish(host);
    const health = healthOf(host);
    updateHost(this.db, host.row.id, health);
    Object.assign(host.row, health);
    return this.limits.isUnfinished(host);
  }

  /** Whether the values of the last message of this agent are yet to be held to some limits. */
  hasUnfinishedLimits(agentId: string): boolean {
    const host = this.hostCache.cached(agentId);
    return host !== undefined && this.limits.isUnfinished(host);
  }

  /** Whether nothing but numbers of the host changes: its template is still cached, and so is every limit. */
  #isRepetition({ host, values, receivedAt }: Repeat): boolean {
    if (!this.hostCache.isCached(host)) return false;
    return host.limits?.isQuiet(sampleOf(values), receivedAt, host.patience) ?? true;
  }

  /** Stores a message that differs from the previous one only in its numbers. */
  #repeat({ host, receivedAt, uptime, usage, values }: Repeat): void {
    const { hostId, layoutId } = host;
    const { cpu, mem } = usage;
    touchHost(this.db, receivedAt, receivedAt + host.patience, uptime, cpu, mem, hostId);
    insertSample(this.db, hostId, layoutId, receivedAt, values);
    host.limits?.received(receivedAt, host.patience);
  }

  #take(given: Receipt): void {
    const known = this.hostCache.find(given.message.agentId);
    const receipt = completed(given, known?.row);
    const { message, receivedAt } = receipt;
    const isFirstOfRun = known?.row.incarnation !== message.incarnation;
    const host = known ?? this.#create(receipt);
    if (message.isEventOnly) {
      this.#takeEvents(host, receipt);
      return;
    }
    const before = { ...host.row };
    this.#updateFacts(host, receipt);
    this.#updateStatus(host, message, before, receivedAt);
    const isOtherList = syncServices(this.db, host, message, receivedAt);
    if (isOtherList) host.layouts.clear();
    // Groups come before events: the recipients of a notification can depend on them.
    this.#updateGroups(host, message, isOtherList);
    this.#recordEvents(host, receipt, isFirstOfRun);
    resolveUnreportedRecoveries(this.db, this.events.failures, host, message, receivedAt);
    this.#unreported.update(host, message, receivedAt);
    // A message without a service list has no values either.
    if (message.services.length > 0 || message.unreadServices.length === 0) {
      const values = storeSample(this.db, host, message, receivedAt);
      if (host.row.hostname !== before.hostname) host.limits = undefined;
      this.limits.evaluate(host, sampleOf(values), before.stopped, receivedAt);
    }
    this.#store(host, before, message, receivedAt);
    this.#cacheTemplate(host, receipt);
  }

  /** Stores the events of a message that says nothing else about its host. */
  #takeEvents(host: KnownHost, receipt: Receipt): void {
    const { message, receivedAt, source } = receipt;
    const { row } = host;
    const before = { ...row };
    row.conflict = conflictOf(row, otherAddress(row, message, source)) ?? row.conflict;
    // Only a message that names the agent's run can say that a stopped agent runs again.
    if (message.incarnation === row.incarnation) this.#updateStatus(host, message, before, receivedAt);
    else this.#noteSignOfLife(host, receivedAt);
    this.#recordEvents(host, receipt, false);
    Object.assign(row, { lastmodified: receivedAt, deadline: receivedAt + row.skew * row.poll });
    this.#storeState(host, before, receivedAt);
    // The cached date of the last message can be older than the stored one.
    const { lastmodified, deadline } = row;
    updateHost(this.db, row.id, {
      ...differences({ ...before, ...hostStateOf(row) }, row),
      ...{ lastmodified, deadline },
    });
    this.hostCache.dropTemplate(row.agentId);
  }

  #recordEvents(host: KnownHost, receipt: Receipt, isFirstOfRun: boolean): void {
    for (const [i, event] of receipt.message.events.entries()) {
      if (i > 0) sealRows(this.db);
      this.#agentEvents.record(host, event, receipt, isFirstOfRun);
    }
  }

  /** Caches the message's template if the next message may be a repetition of this one. */
  #cacheTemplate(host: KnownHost, { message, template, source }: Receipt): void {
    const { row, layoutId } = host;
    const { id, agentId, incarnation, clockOffset } = row;
    const isWhole = message.unreadable === null && message.unreadServices.length === 0;
    // The next message of a stopped agent may show that it is back, so it must be parsed.
    const hasNews =
      message.events.length > 0 ||
      !isStable(host, message) ||
      row.stopToldAt !== null ||
      row.groupsLeftOut > 0;
    if (template == null || layoutId === null || !isWhole || hasNews) {
      this.hostCache.dropTemplate(agentId);
      return;
    }
    this.hostCache.cacheTemplate({
      hostId: id,
      agentId,
      template,
      source,
      incarnation,
      clockOffset,
      patience: row.skew * row.poll,
      layoutId,
      limits: host.limits ?? null,
    });
  }

  #create({ message, receivedAt, source }: Receipt): KnownHost {
    const row = insertHost(this.db, {
      agentId: message.agentId,
      createdAt: receivedAt,
      hostname: message.server.hostname,
      skew: DEFAULT_SKEW,
      deadline: receivedAt + DEFAULT_SKEW * message.server.poll,
      lastmodified: receivedAt,
      ...reportedFacts(message, source, receivedAt),
    });
    return this.hostCache.add(row);
  }

  /** Updates what the agent reports about itself and its platform. */
  #updateFacts(host: KnownHost, { message, receivedAt, source }: Receipt): void {
    const { row } = host;
    const facts = differences(row, reportedFacts(message, source, receivedAt, row));
    Object.assign(row, credentialChanges(host, message, facts, this.box), facts);
    if (!row.keepname) row.hostname = message.server.hostname;
  }

  /** Ends an outage and a stop of the agent, and detects two agents with the same id. */
  #updateStatus(host: KnownHost, message: AgentMessage, before: HostRow, receivedAt: number): void {
    const { row } = host;
    if (isBack(message, before)) {
      row.stopped = false;
      row.stopToldAt = null;
    }
    if (message.incarnation !== before.incarnation) {
      if (message.incarnation === row.earlierIncarnation) row.conflict = SHARED_ID;
      row.earlierIncarnation = before.incarnation;
    }
    this.#noteSignOfLife(host, receivedAt);
  }

  /** Ends an outage. Makes the host Active unless it is stopped or ignored. */
  #noteSignOfLife(host: KnownHost, receivedAt: number): void {
    const { row } = host;
    if (row.heartbeat === 0) {
      row.heartbeat = 1;
      this.#endOutage(host, receivedAt);
    }
    if (row.status === HOST_STATUS.inactive && !row.stopped) row.status = HOST_STATUS.active;
  }

  #endOutage(host: KnownHost, receivedAt: number): void {
    const outage = host.openFailures.find((failure) => this.events.isOutage(failure));
    // The clock may have been set back meanwhile. The recovery must not precede the outage.
    const date = Math.max(receivedAt, outage?.startedAt ?? 0);
    if (host.row.status !== HOST_STATUS.ignored) this.events.recordReturn(host.row.id, date);
    else if (outage) this.events.failures.resolve(outage, date, host.row.incarnation);
    host.openFailures = openFailuresOfAgent(this.db, host.row.id);
  }

  #updateGroups(host: KnownHost, message: AgentMessage, isOtherList: boolean): void {
    const signature = JSON.stringify([message.hostGroups, message.serviceGroups]);
    if (host.groupsSignature === signature && !isOtherList) return;
    if (message.hostGroups !== null)
      host.row.groupsLeftOut = setAgentHostGroups(this.db, host.row.id, message.hostGroups);
    const members = message.serviceGroups?.map(({ name, services }) => {
      const ids = services.map((service) => host.services.get(service)?.id);
      return [name, ids.filter((id) => id !== undefined)] as const;
    });
    if (members !== undefined) setServiceGroups(this.db, host.row.id, new Map(members));
    // Names that were left out are tried again with the next message.
    host.groupsSignature = host.row.groupsLeftOut === 0 ? signature : null;
    host.limits = undefined;
  }

  /** Writes the host's row: the columns that every message changes, and any others that differ. */
  #store(host: KnownHost, before: HostRow, message: AgentMessage, receivedAt: number): void {
    const { row } = host;
    const { cpu, mem } = systemUsage(message) ?? usageOfHost(this.db, row.id);
    Object.assign(row, {
      lastmodified: receivedAt,
      deadline: receivedAt + row.skew * row.poll,
      agentUptime: Math.max(0, message.server.uptime),
      cpu,
      mem,
    });
    const { id, lastmodified, deadline, agentUptime } = row;
    touchHost(this.db, lastmodified, deadline, agentUptime, cpu, mem, id);
    this.#storeState(host, before, receivedAt);
    const changes = differences({ ...before, ...writtenApart(row) }, row);
    if (Object.keys(changes).length > 0) updateHost(this.db, id, changes);
  }

  /** Derives and stores the state of the host, and whether its time is excluded from uptime. */
  #storeState(host: KnownHost, before: HostRow, receivedAt: number): void {
    const { row } = host;
    Object.assign(row, healthOf(host));
    if (row.status !== before.status || row.stopped !== before.stopped)
      setExcluded(this.db, row.id, null, excludedReason(row), receivedAt);
    changeHostState(this.db, before, row);
  }
}

/** The columns that have statements of their own. */
function writtenApart(row: HostRow): HostChanges {
  const { lastmodified, deadline, agentUptime, cpu, mem } = row;
  return { lastmodified, deadline, agentUptime, cpu, mem, ...hostStateOf(row) };
}
