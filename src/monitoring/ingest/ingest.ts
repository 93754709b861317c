/** Stores the messages of agents, in the transaction of the caller: that of a flush, or one for a part of a message. */

import { isWhole } from "../../monit/event-part.ts";
import { parseAgentMessage } from "../../monit/message.ts";
import type { AgentMessage } from "../../monit/message.types.ts";
import type { ApiError } from "../../platform/http/errors.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import type { Db } from "../../platform/storage/open.ts";
import { addTogether } from "../../platform/storage/rows.ts";
import type { HostRow } from "../../platform/storage/schema.ts";
import { allowedGroups, bindHost, refusalOf } from "../agent-keys/host-binding.ts";
import type { EventLog } from "../events/event-log.service.ts";
import type { Arrivals } from "../expected/arrivals.ts";
import { setAgentHostGroups } from "../groups/agent-groups.repository.ts";
import { HOST_STATUS, healthColumns } from "../health/health.ts";
import { INITIAL_SETTINGS } from "../hosts/host-settings.ts";
import {
  changeHost,
  changeHostState,
  hostStateOf,
  insertHost,
  storeReport,
  touchHost,
  updateHost,
  usageOfHost,
} from "../hosts/hosts.repository.ts";
import type { LimitEvaluation } from "../limits/limit-evaluation.service.ts";
import { setServiceGroups } from "../service-groups/agent-service-groups.repository.ts";
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
import { completed } from "./last-known.ts";
import type { Receipt, Repeat } from "./reading.ts";
import { isStable, resolveUnreportedRecoveries } from "./recoveries.ts";
import { putSample } from "./sample-rate.ts";
import { storeSample, storeStatistics } from "./samples.ts";
import { addServices, newServices, syncServices } from "./services.ts";
import { UnreportedFailures } from "./unreported-failures.ts";

function healthOf({ row, services }: KnownHost) {
  return healthColumns(
    row,
    [...services.values()].map(({ led }) => led),
  );
}

/** The conflict set when an incarnation alternates with an earlier one, which a single agent never does. */
export const SHARED_ID =
  "Two agents report with the same id, as cloned machines do: on one of them stop Monit, delete its id file and start it again";

/** Stores messages: hosts with services and values, and events with the failures that they open and end. */
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
    private readonly arrivals: Arrivals,
  ) {
    this.#unreported = new UnreportedFailures(db, events);
    this.#agentEvents = new AgentEvents(db, events, this.#unreported);
    this.#prefetch = new FlushPrefetch(db, hostCache, events);
  }

  /**
   * Stores messages in their order.
   * @returns the refused messages, of which nothing was stored, each with the reason
   * @throws a database error, upon which the caller must roll back and drop the hosts from the host cache
   */
  applyAll(posts: readonly (Receipt | Repeat)[]): ReadonlyMap<Receipt | Repeat, ApiError> {
    const refusals = new Map<Receipt | Repeat, ApiError>();
    try {
      this.#prefetch.load(posts.filter((post) => !this.#isSurelyRefused(post)));
      addTogether(this.db, () => {
        for (const post of posts) {
          const refusal = this.#apply(post);
          if (refusal) refusals.set(post, refusal);
        }
      });
    } finally {
      this.events.expectNothing();
    }
    return refusals;
  }

  /** @returns why the message was refused, null if it was stored */
  #apply(post: Receipt | Repeat): ApiError | null {
    if ("message" in post) return this.#accept(post);
    if (!this.#isRepetition(post))
      return this.#accept({
        ...post,
        message: parseAgentMessage(post.bytes),
        templateHash: post.template.hash,
      });
    this.#repeat(post);
    return null;
  }

  /** Whether a message will certainly be refused, judging before the messages ahead of it are stored. */
  #isSurelyRefused(post: Receipt | Repeat): boolean {
    if (!("message" in post)) return false;
    const knownHost = this.hostCache.find(post.message.agentId);
    return knownHost !== null && this.#refusalOf(completed(post, knownHost.row), knownHost.row) !== null;
  }

  #refusalOf({ key, message }: Receipt, row: HostRow | undefined): ApiError | null {
    return refusalOf(this.db, key, row, message.server.hostname);
  }

  /**
   * Stores services of a message before the message itself, in a transaction of their own, if more than `limit` of
   * them are new.
   * @returns whether it stored some, and must be called again
   */
  introduceServices(post: Receipt, limit: number): boolean {
    const knownHost = this.hostCache.find(post.message.agentId);
    const added = newServices(knownHost, post.message.services);
    if (added.length <= limit) return false;
    const receipt = completed(post, knownHost?.row);
    if (this.#refusalOf(receipt, knownHost?.row)) return false;
    const host = knownHost ?? this.#create(receipt);
    this.#bind(host, receipt);
    const batch = added.slice(0, limit);
    addServices(this.db, host, batch, receipt.receivedAt);
    storeStatistics(this.db, [{ host, services: batch }]);
    host.isNew = false;
    // The message must look these up again, as its groups and its layout contain the new services.
    host.layouts.clear();
    host.groupsSignature = null;
    host.limits = undefined;
    const health = healthOf(host);
    updateHost(this.db, host.row.id, health);
    Object.assign(host.row, health);
    return true;
  }

  /**
   * Continues the evaluation of a message that exceeds very many limits, in a transaction of its own.
   * @returns whether there is more to do
   */
  finishLimits(agentId: string): boolean {
    const host = this.hostCache.cached(agentId);
    // A host that was dropped from the cache is evaluated from the beginning by its next message.
    if (!host || !this.limits.isUnfinished(host)) return false;
    this.limits.finish(host);
    const health = healthOf(host);
    updateHost(this.db, host.row.id, health);
    Object.assign(host.row, health);
    return this.limits.isUnfinished(host);
  }

  /** Whether some limits are still to be evaluated against the last message of this agent. */
  hasUnfinishedLimits(agentId: string): boolean {
    const host = this.hostCache.cached(agentId);
    return host !== undefined && this.limits.isUnfinished(host);
  }

  /** Whether only numbers of the host change: its template is still cached, and so are its limits. */
  #isRepetition({ template, values, receivedAt }: Repeat): boolean {
    if (!this.hostCache.isCached(template)) return false;
    return template.limits?.isQuiet(values, receivedAt, template.patience) ?? true;
  }

  /** Stores a message that differs from the previous one only in its numbers. */
  #repeat({ template, receivedAt, uptime, usage, values }: Repeat): void {
    const { hostId, layoutId } = template;
    const { cpu, mem } = usage;
    const deadline = receivedAt + template.patience;
    touchHost(this.db, { id: hostId, lastmodified: receivedAt, deadline, agentUptime: uptime, cpu, mem });
    putSample(this.db, { hostId, layoutId, at: receivedAt, values });
    this.limits.received(template, values, receivedAt);
  }

  #accept(post: Receipt): ApiError | null {
    const knownHost = this.hostCache.find(post.message.agentId);
    const receipt = completed(post, knownHost?.row);
    const { message } = receipt;
    const refusal = this.#refusalOf(receipt, knownHost?.row);
    if (refusal) return refusal;
    const isFirstOfRun = knownHost?.row.incarnation !== message.incarnation;
    const host = knownHost ?? this.#create(receipt);
    this.#bind(host, receipt);
    if (message.isEventOnly) this.#acceptEvents(host, receipt);
    else this.#acceptReport(host, receipt, isFirstOfRun);
    host.isNew = false;
    return null;
  }

  /**
   * Binds a host to the key of its message. Groups and tags that it gets from the key apply to this message already.
   */
  #bind(host: KnownHost, { key, receivedAt }: Receipt): void {
    if (!bindHost(this.db, host.row, key, receivedAt)) return;
    host.limits = undefined;
    host.groupsSignature = null;
  }

  /** Stores a message in which an agent describes its host. */
  #acceptReport(host: KnownHost, receipt: Receipt, isFirstOfRun: boolean): void {
    const { message, receivedAt } = receipt;
    const before = { ...host.row };
    this.#updateFacts(host, receipt);
    if (host.row.hostname !== before.hostname) host.limits = undefined;
    this.#updateStatus(host, message, before, receivedAt);
    const isOtherList = syncServices(this.db, host, message, receivedAt);
    if (isOtherList) host.layouts.clear();
    // Groups come before events: the recipients of a notification can depend on them.
    this.#updateGroups(host, receipt, isOtherList);
    this.#recordEvents(host, receipt, isFirstOfRun);
    resolveUnreportedRecoveries(this.db, this.events.failures, host, message, receivedAt);
    this.#unreported.update(host, message, receivedAt);
    // A message without a service list has no values either.
    if (message.services.length > 0 || message.unreadServices.length === 0) {
      const values = storeSample(this.db, host, receipt);
      this.limits.evaluate(host, values, before.stopped, receivedAt);
    }
    this.#store(host, before, receipt);
    this.#cacheTemplate(host, receipt);
  }

  /** Stores the events of a message without a report on its host. */
  #acceptEvents(host: KnownHost, receipt: Receipt): void {
    const { message, receivedAt, source } = receipt;
    const { row } = host;
    const before = { ...row };
    row.conflict = conflictOf(row, otherAddress(row, message, source)) ?? row.conflict;
    // Only a message that names the agent's run can say that a stopped agent runs again.
    if (message.incarnation === row.incarnation) this.#updateStatus(host, message, before, receivedAt);
    else this.#noteReport(host, receivedAt);
    this.#recordEvents(host, receipt, false);
    Object.assign(row, { lastmodified: receivedAt, deadline: receivedAt + row.skew * row.poll });
    this.#deriveState(host, before, receivedAt);
    changeHostState(this.db, before, row, receivedAt);
    // The cached date of the last message can be older than the stored one.
    const { lastmodified, deadline } = row;
    const changes = differences({ ...before, ...hostStateOf(row) }, row);
    changeHost(this.db, row.id, { ...changes, lastmodified, deadline }, receivedAt);
    this.hostCache.dropTemplate(row.agentId);
  }

  #recordEvents(host: KnownHost, receipt: Receipt, isFirstOfRun: boolean): void {
    for (const event of receipt.message.events) this.#agentEvents.record(host, event, receipt, isFirstOfRun);
  }

  /** Caches the message's template if the next message may be a repetition of this one. */
  #cacheTemplate(host: KnownHost, { message, templateHash, source }: Receipt): void {
    const { row, layoutId } = host;
    const { id, agentId, incarnation, clockOffset, keyId, keySecret } = row;
    // The next message of a stopped agent may show that it is back, so it must be parsed.
    const hasNews = !isStable(host, message) || row.stopToldAt !== null || row.groupsLeftOut > 0;
    if (templateHash == null || layoutId === null || !isWhole(message) || hasNews) {
      this.hostCache.dropTemplate(agentId);
      return;
    }
    this.hostCache.cacheTemplate({
      hostId: id,
      agentId,
      hash: templateHash,
      source,
      keyId,
      keySecret,
      incarnation,
      clockOffset,
      patience: row.skew * row.poll,
      layoutId,
      limits: host.limits ?? null,
    });
  }

  /** Creates a host, with the settings of one that was expected. */
  #create({ message, receivedAt, source, key }: Receipt): KnownHost {
    const { hostname, poll } = message.server;
    const expected = this.arrivals.expectationOf(hostname, key);
    const { skew, description } = expected ?? INITIAL_SETTINGS;
    const row = insertHost(this.db, {
      agentId: message.agentId,
      createdAt: receivedAt,
      hostname,
      description,
      skew,
      deadline: receivedAt + skew * poll,
      lastmodified: receivedAt,
      ...reportedFacts(message, source, receivedAt),
    });
    if (expected) this.arrivals.settle(expected, row.id, receivedAt);
    const host = this.hostCache.add(row);
    host.isNew = true;
    return host;
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
    this.#noteReport(host, receivedAt);
  }

  /** Ends an outage. Makes the host Active unless it is stopped or ignored. */
  #noteReport(host: KnownHost, receivedAt: number): void {
    const { row } = host;
    if (row.heartbeat === 0) {
      row.heartbeat = 1;
      this.#endOutage(host, receivedAt);
    }
    if (row.status === HOST_STATUS.inactive && !row.stopped) row.status = HOST_STATUS.active;
  }

  #endOutage(host: KnownHost, receivedAt: number): void {
    const outage = host.openFailures.find((failure) => this.events.isOutage(failure));
    if (host.row.status !== HOST_STATUS.ignored) this.events.recordReturn(host.row.id, receivedAt);
    else if (outage) this.events.failures.resolve(outage, receivedAt, host.row.incarnation);
    host.openFailures = openFailuresOfAgent(this.db, host.row.id);
  }

  #updateGroups(host: KnownHost, { message, key, receivedAt }: Receipt, isOtherList: boolean): void {
    const signature = JSON.stringify([message.hostGroups, message.serviceGroups]);
    if (host.groupsSignature === signature && !isOtherList) return;
    const ofRow = { id: host.row.id, isNew: host.isNew };
    if (message.hostGroups !== null && !(host.isNew && message.hostGroups.length === 0)) {
      const allowed = allowedGroups(this.db, key, message.hostGroups);
      host.row.groupsIgnored = message.hostGroups.length - allowed.length;
      host.row.groupsLeftOut = setAgentHostGroups(this.db, ofRow, allowed, receivedAt);
    }
    const members = message.serviceGroups?.map(({ name, services }) => {
      const ids = services.map((service) => host.services.get(service)?.id);
      return [name, ids.filter((id) => id !== undefined)] as const;
    });
    if (members !== undefined && !(host.isNew && members.length === 0))
      setServiceGroups(this.db, ofRow, new Map(members), receivedAt);
    // Names that were left out are tried again with the next message.
    host.groupsSignature = host.row.groupsLeftOut === 0 ? signature : null;
    host.limits = undefined;
  }

  /** Writes the host's row: the columns that every message changes, and any others that differ. */
  #store(host: KnownHost, before: HostRow, { message, reading, receivedAt }: Receipt): void {
    const { row } = host;
    const { cpu, mem } = reading?.usage ?? systemUsage(message) ?? usageOfHost(this.db, row.id);
    Object.assign(row, {
      lastmodified: receivedAt,
      deadline: receivedAt + row.skew * row.poll,
      agentUptime: Math.max(0, message.server.uptime),
      cpu,
      mem,
    });
    this.#deriveState(host, before, receivedAt);
    const changes = differences({ ...before, ...writtenApart(row) }, row);
    // This comes first: a revision of these columns also holds numbers of the previous report.
    if (Object.keys(changes).length > 0) changeHost(this.db, row.id, changes, receivedAt);
    storeReport(this.db, before, row);
  }

  /** Derives the state of the host, and stores whether its time is excluded from uptime. */
  #deriveState(host: KnownHost, before: HostRow, receivedAt: number): void {
    const { row } = host;
    Object.assign(row, healthOf(host));
    if (row.status !== before.status || row.stopped !== before.stopped)
      setExcluded(this.db, { hostId: row.id, serviceId: null }, excludedReason(row), receivedAt);
  }
}

/** The columns that have statements of their own. */
function writtenApart(row: HostRow): HostChanges {
  const { lastmodified, deadline, agentUptime, cpu, mem } = row;
  return { lastmodified, deadline, agentUptime, cpu, mem, ...hostStateOf(row) };
}
