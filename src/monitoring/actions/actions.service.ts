import type { Actor } from "../../accounts/audit/actor.ts";
import type { Audit } from "../../accounts/audit/audit.service.ts";
import type { Clock } from "../../platform/clock.ts";
import { declareError, found } from "../../platform/http/errors.ts";
import type { Reach } from "../../platform/http/scope.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { HostRow } from "../../platform/storage/schema.ts";
import { cleanLine, cut } from "../../platform/text.ts";
import { isBound } from "../agent-keys/agent-keys.repository.ts";
import type { Credential } from "../agent-keys/host-binding.ts";
import { keyErrors } from "../agent-keys/key-errors.ts";
import { hostOfAgent } from "../hosts/hosts.repository.ts";
import { hostConflict } from "../hosts/hosts.service.ts";
import { managedHost, requireServices } from "../hosts/managed-host.ts";
import { asksNow, endOf, RESULT_SECONDS, waitOf } from "./action-state.ts";
import {
  type ActionRow,
  changeAction,
  countPendingActions,
  deleteExcessActions,
  findAction,
  insertAction,
  overdueActions,
  waitingActions,
} from "./actions.repository.ts";
import { type CancelArguments, MAX_KEPT, MAX_WAITING, type QueueArguments } from "./actions.schemas.ts";

/** Interval between two searches for expired actions, milliseconds. */
export const ACTIONS_STEP_MS = 5000;
/** The most actions that one step ends. */
const STEP = 50;
/** Longest output that is kept, characters. */
const MAX_OUTPUT = 200;

export const queueOff = declareError(
  409,
  "actions.off",
  "Actions cannot wait for this host until an administrator allows it (the setting actionqueue)",
);
export const hostUnbound = declareError(
  409,
  "actions.key",
  "The host uses no agent key, without which its agent gets no actions",
);
const TOO_MANY_WAIT = `Too many actions are waiting for the agent: a host can have at most ${MAX_WAITING}`;

export const queueFull = declareError(
  409,
  "actions.full",
  TOO_MANY_WAIT,
  (reason?: string) => reason ?? TOO_MANY_WAIT,
);

export const notWaiting = declareError(
  409,
  "actions.fetched",
  "The action is no longer waiting: the agent has it, or it has ended",
);

interface ActionsParts {
  db: Db;
  clock: Clock;
  audit: Audit;
}

/** The result of an action, as the agent reports it. */
export interface ActionResult {
  id: number;
  /** Exit code of the command. */
  code: number;
  output: string;
}

/**
 * Actions that wait until the agent of their host asks for them, for agents that Muster cannot reach. Each is marked as
 * fetched, durably, before the agent gets it, so it runs once at most.
 */
export class Actions {
  /** When the agent of each host last asked, unix seconds. There are at most as many as hosts that asked. */
  readonly #asked = new Map<number, number>();

  constructor(private readonly parts: ActionsParts) {}

  /**
   * Queues an action for each of the services, or for none if one is refused. Each gets an entry in the audit log,
   * which later records its result.
   * @throws ApiError 403; 404 for an unknown host or service; 409 if the host cannot get actions or too many wait
   */
  queue({ id, action, service }: QueueArguments, actor: Actor, reach: Reach) {
    const { db, clock } = this.parts;
    return transaction(db, () => {
      const host = managedHost(db, id, reach);
      requireServices(db, id, service);
      if (!host.actionqueue) throw queueOff();
      if (!isBound(db, host)) throw hostUnbound();
      if (host.conflict !== "") throw hostConflict(host.conflict);
      const now = clock.now();
      const distinct = [...new Set(service)];
      if (waitingActions(db, id, now, MAX_WAITING).length + distinct.length > MAX_WAITING) throw queueFull();
      // Actions without a result are not deleted to make room, so their number has a bound of its own.
      if (countPendingActions(db, id) + distinct.length > MAX_KEPT)
        throw queueFull(
          `Too many actions of the host are waiting or have no result yet: it can have ${MAX_KEPT}`,
        );
      const expires = now + waitOf(host.poll);
      const actions = distinct.map((name) => this.#insert(host, action, name, expires, actor));
      deleteExcessActions(db, id);
      return { actions, expires };
    });
  }

  #insert(host: HostRow, action: string, service: string, until: number, actor: Actor): number {
    const { db, clock, audit } = this.parts;
    const auditId = audit.add(actor, {
      operation: "admin/hosts/action/queue",
      subject: "host",
      subjectId: host.id,
      details: { action, service: [service], outcome: "waiting" },
    });
    return insertAction(db, {
      hostId: host.id,
      service,
      action,
      state: "waiting",
      until,
      uname: actor.uname,
      createdAt: clock.now(),
      auditId,
    });
  }

  /**
   * Cancels a waiting action, so that it never runs. Its result and the audit log name who did it.
   * @throws ApiError 403; 404 for an unknown host or action; 409 if the agent has it already, or it has ended
   */
  cancel({ id, action }: CancelArguments, { uname }: Actor, reach: Reach): void {
    const { db, clock } = this.parts;
    transaction(db, () => {
      const host = managedHost(db, id, reach);
      const row = found(findAction(db, action, host.id), "action", action);
      const now = clock.now();
      const output = `Cancelled by ${uname}`;
      const change = { state: "cancelled", endedAt: now, output } as const;
      if (now >= row.until || !changeAction(db, row.id, "waiting", change)) throw notWaiting();
      this.#record(row, "cancelled", { output });
    });
  }

  /** When the agent of a host last asked for actions, unix seconds; null if it has not since Muster started. */
  lastAsked(hostId: number): number | null {
    return this.#asked.get(hostId) ?? null;
  }

  /** Whether the agent of a host asks for actions. @param poll length of its cycle, seconds */
  asks(hostId: number, poll: number): boolean {
    return asksNow(this.lastAsked(hostId), poll, this.parts.clock.now());
  }

  /**
   * Hands out the actions that wait for an agent and marks them as fetched, which is committed before this returns.
   * @throws ApiError 403 unless the host is bound to the key
   */
  fetch(key: Credential, agentId: string): ActionRow[] {
    const { db, clock } = this.parts;
    const host = this.#hostOf(key, agentId);
    const now = clock.now();
    this.#asked.set(host.id, now);
    if (!host.actionqueue || host.conflict !== "") return [];
    // Most requests find nothing waiting, and those write nothing.
    if (waitingActions(db, host.id, now, 1).length === 0) return [];
    return transaction(db, () => {
      const waiting = waitingActions(db, host.id, now, MAX_WAITING);
      const changes = { state: "fetched", fetchedAt: now, until: now + RESULT_SECONDS } as const;
      const fetched = waiting.filter(({ id }) => changeAction(db, id, "waiting", changes));
      for (const row of fetched) this.#record(row, "fetched");
      return fetched;
    });
  }

  /**
   * Stores the result of an action that the agent fetched.
   * @throws ApiError 403 unless the host is bound to the key; 404 if the host has no such action that waits for a
   *   result
   */
  report(key: Credential, agentId: string, { id, code, output }: ActionResult): void {
    const { db, clock } = this.parts;
    const host = this.#hostOf(key, agentId);
    const now = clock.now();
    transaction(db, () => {
      const row = findAction(db, id, host.id);
      const awaitsResult = row?.state === "fetched" && now < row.until;
      const action = found(awaitsResult ? row : undefined, "action without a result", id);
      const state = code === 0 ? "ran" : "failed";
      const line = cut(cleanLine(output).trim(), MAX_OUTPUT);
      changeAction(db, id, "fetched", { state, endedAt: now, code, output: line });
      this.#record(action, state, { code, output: line });
    });
  }

  /** Ends actions that no agent fetched, or whose results did not come in time. @returns whether there may be more */
  step(): boolean {
    const { db, clock } = this.parts;
    const now = clock.now();
    if (overdueActions(db, now, 1).length === 0) return false;
    return transaction(db, () => {
      const overdue = overdueActions(db, now, STEP);
      for (const row of overdue) {
        const end = endOf(row, now);
        if (end && changeAction(db, row.id, row.state, end))
          this.#record(row, end.state, end.output === "" ? {} : { output: end.output });
      }
      return overdue.length === STEP;
    });
  }

  #record({ auditId, action, service }: ActionRow, outcome: string, more: object = {}): void {
    this.parts.audit.complete(auditId, { action, service: [service], outcome, ...more });
  }

  /**
   * The host of an agent, if it is bound to the key. The collector's first credential is refused: every agent that has
   * it could take the actions. The error does not reveal whether another key has the host.
   */
  #hostOf(key: Credential, agentId: string): HostRow {
    const { db } = this.parts;
    if (!key)
      throw keyErrors.otherHost("The collector's first credential gets no actions: use the key of the host");
    const host = hostOfAgent(db, agentId);
    if (host?.keyId === key.id) return host;
    throw keyErrors.otherHost(`No host with this agent id uses the key ${key.name}`);
  }
}
