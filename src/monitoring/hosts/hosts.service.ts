import type { Actor } from "../../accounts/audit/actor.ts";
import type { Audit } from "../../accounts/audit/audit.service.ts";
import { type AgentEndpoint, AgentError, pingAgent, sendAction } from "../../monit/agent.client.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Details } from "../../platform/http/audit-details.ts";
import { declareError, errors, found } from "../../platform/http/errors.ts";
import { FULL_REACH, type Reach } from "../../platform/http/scope.ts";
import { itemsOf } from "../../platform/http/validate.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { HostRow } from "../../platform/storage/schema.ts";
import { HOST_STATUS, hostLed, hostStatusText, tally } from "../health/health.ts";
import { requireReach } from "../scope/scope.repository.ts";
import { tagsOf } from "../tags/tags.repository.ts";
import { excludedReason, setExcluded } from "../uptime/excluded-time.repository.ts";
import { deleteHistoryOfHosts } from "./deleted-host-history.service.ts";
import { setTags } from "./host-tags.service.ts";
import { deleteHost, findHost, inactiveHosts, presentServices, updateHost } from "./hosts.repository.ts";
import type { HostAction, HostTest, HostUpdate } from "./hosts.schemas.ts";
import type { KnownHosts } from "./known-hosts.ts";

export const hostConflict = declareError(
  409,
  "host.conflict",
  "The address of the agent has changed: confirm it with admin/hosts/update first",
  (conflict: string) => conflict,
);
export const agentFailed = declareError(
  502,
  "agent.failed",
  "The agent cannot be reached, or refused",
  (message: string) => message,
);

export const passwordNeeded = declareError(
  403,
  "host.password",
  "A change of the address, port or TLS of an agent needs its password anew, except from an administrator",
);

/** The settings that decide where an agent's password is sent, and whether others can read it on the way. */
const OF_ENDPOINT = ["ipaddrout", "portout", "sslout", "sslverify"] as const;

/** The settings that are stored as given. */
function plainChanges(given: HostUpdate): Partial<HostRow> {
  const { hostname, keepname, description, ipaddrout, portout, sslout, sslverify, skew } = given;
  return {
    hostname,
    ...(keepname !== undefined && { keepname: keepname === 1 }),
    ...(description !== undefined && { description }),
    ...(ipaddrout !== undefined && { ipaddrout }),
    ...(portout !== undefined && { portout }),
    ...(sslout !== undefined && { sslout }),
    ...(sslverify !== undefined && { sslverify: sslverify === 1 }),
    ...(skew !== undefined && { skew }),
  };
}

/** Host administration. */
export class Hosts {
  constructor(
    private readonly db: Db,
    private readonly hostCache: KnownHosts,
    private readonly box: SecretBox,
    private readonly clock: Clock,
    private readonly audit: Audit,
  ) {}

  /** @throws ApiError 403, 404 */
  get(id: number, reach: Reach) {
    const host = this.#find(id, reach);
    return {
      id: host.id,
      hostname: host.hostname,
      keepname: Number(host.keepname),
      ipaddrin: host.ipaddrin,
      ipaddrout: host.ipaddrout,
      portin: host.portin,
      portout: host.portout,
      sslin: Number(host.sslin),
      sslout: host.sslout,
      agentid: host.agentId,
      agentuser: host.agentuser,
      agentpassword: this.box.open(host.agentpassword),
      description: host.description,
      status: host.status,
      skew: host.skew,
      poll: host.poll,
      lastmodified: host.lastmodified,
      sslverify: Number(host.sslverify),
      conflict: host.conflict,
      tags: tagsOf(this.db, id),
    };
  }

  /**
   * Stores settings that an administrator reviewed, which also confirms the agent's address. Undefined
   * settings are kept. Credentials that differ from those of the agent are no longer overwritten by its
   * messages.
   */
  update(given: HostUpdate, reach: Reach): void {
    this.#store(given, { conflict: "" }, reach);
  }

  /**
   * Stores settings on behalf of a user who must not learn the agent's password. An empty one is kept. The
   * stored one is sent to no address of the user's choice: another endpoint, and one in conflict, needs the
   * password anew. @throws ApiError 403, 404
   */
  updateAsManager(given: HostUpdate, reach: Reach): void {
    transaction(this.db, () => {
      const host = this.#find(given.id, reach);
      const { agentpassword, ...others } = given;
      if (agentpassword) return this.#store(given, { conflict: "" }, reach);
      const changes = plainChanges(given);
      if (OF_ENDPOINT.some((name) => changes[name] !== undefined && changes[name] !== host[name]))
        throw passwordNeeded();
      this.#store(others, {}, reach);
    });
  }

  /** Stores settings that no administrator reviewed, so the agent's address is not confirmed. */
  take(given: HostUpdate): void {
    this.#store(given, {}, FULL_REACH);
  }

  #store(given: HostUpdate, confirmed: Partial<HostRow>, reach: Reach): void {
    if (given.portout === 0) throw errors.badArgument("portout", "-1 or a port from 1 to 65535");
    transaction(this.db, () => {
      const host = this.#find(given.id, reach);
      const changes = {
        ...plainChanges(given),
        ...this.#credentials(host, given),
        ...this.#status(host, given.status),
        ...confirmed,
      };
      const after = { ...host, ...changes };
      const services = tally(presentServices(this.db, host.id).map(({ service }) => service.led));
      const now = this.clock.now();
      setExcluded(this.db, host.id, null, excludedReason(after), now);
      updateHost(this.db, host.id, {
        ...changes,
        deadline: this.#deadline(host, given),
        led: hostLed(after, services),
        statusText: hostStatusText(after, services),
      });
      if (given.tag) setTags(this.db, host.id, itemsOf(given.tag));
      this.hostCache.forget(host.id);
    });
  }

  #credentials(host: HostRow, given: HostUpdate): Partial<HostRow> {
    const password = this.box.open(host.agentpassword);
    const { agentuser = host.agentuser, agentpassword = password } = given;
    if (host.agentuser === agentuser && password === agentpassword) return {};
    return { agentuser, agentpassword: this.box.seal(agentpassword), credentialsSetByAdmin: true };
  }

  /** Setting a host to Active restarts its deadline. Otherwise only a new skew changes it. */
  #deadline(host: HostRow, given: HostUpdate): number {
    const skew = given.skew ?? host.skew;
    if (given.status === HOST_STATUS.active) return this.clock.now() + skew * host.poll;
    return host.deadline + (skew - host.skew) * host.poll;
  }

  /** A host that an administrator made Inactive stays so until an administrator makes it Active. */
  #status(host: HostRow, status: number | undefined): Partial<HostRow> {
    if (status === HOST_STATUS.active) return { status, stopped: false, stopToldAt: null };
    if (status === undefined || status === host.status) return {};
    return { status, stopped: status === HOST_STATUS.inactive, stopToldAt: null };
  }

  /**
   * The host with an id, or all Inactive hosts that last reported at least `inactive` seconds ago.
   * @throws ApiError 404; 400 unless exactly one of the two is given
   */
  chosen({ id, inactive }: { id?: number | undefined; inactive?: number | undefined }): number[] {
    if (id !== undefined && inactive === undefined) return [this.#find(id, FULL_REACH).id];
    if (id === undefined && inactive !== undefined)
      return inactiveHosts(this.db, this.clock.now() - inactive);
    throw errors.badRequest("Give either id or inactive");
  }

  /**
   * Deletes hosts in small steps, so that agents are served meanwhile: deleting years of events takes
   * seconds. The audit entry is written first. If the deletion is interrupted, hosts remain with less
   * history.
   * @returns the number of deleted hosts
   */
  async deleteSlowly(ids: readonly number[], details: Details, actor: Actor): Promise<number> {
    transaction(this.db, () => {
      for (const subjectId of ids)
        this.audit.add(actor, { operation: "admin/hosts/delete", subject: "host", subjectId, details });
    });
    await deleteHistoryOfHosts(this.db, ids);
    return this.delete(ids);
  }

  /** Deletes hosts with everything that belongs to them. @returns how many of them existed */
  delete(ids: readonly number[]): number {
    const deleted = transaction(this.db, () => ids.filter((id) => deleteHost(this.db, id)));
    for (const id of deleted) this.hostCache.forget(id);
    return deleted.length;
  }

  /** Tests the connection to an agent with the given settings. */
  async test(given: HostTest): Promise<{ status: "green" | "red"; description: string }> {
    try {
      await pingAgent({
        address: given.ipaddr,
        port: given.port,
        ssl: given.ssl === 1,
        sslverify: given.sslverify === 1,
        user: given.agentuser,
        password: given.agentpassword,
      });
      return { status: "green", description: `The agent at ${given.ipaddr}:${given.port} answered` };
    } catch (error) {
      if (error instanceof AgentError) return { status: "red", description: error.message };
      throw error;
    }
  }

  /**
   * Makes the host's agent perform an action on services. The audit log records the request before it is
   * sent, and then the result.
   * @throws ApiError 403; 404 for an unknown host or service (nothing is sent), 409 while the agent's address is
   *   unconfirmed, 502 if the agent cannot be reached or rejects the request
   */
  async act({ id, action, service }: HostAction, actor: Actor, reach: Reach): Promise<void> {
    const host = this.#find(id, reach);
    const known = new Set(presentServices(this.db, id).map(({ name }) => name));
    const unknown = service.find((name) => !known.has(name));
    if (unknown !== undefined) throw errors.notFound("service", unknown);
    if (host.conflict !== "") throw hostConflict(host.conflict);
    try {
      const endpoint = this.#endpoint(host);
      await this.#recorded(
        host,
        { action, service, agent: `${endpoint.address}:${endpoint.port}` },
        actor,
        () => sendAction(endpoint, action, service),
      );
    } catch (error) {
      throw error instanceof AgentError ? agentFailed(error.message) : error;
    }
  }

  async #recorded(host: HostRow, details: Details, actor: Actor, send: () => Promise<void>): Promise<void> {
    const entry = this.audit.add(actor, {
      operation: "admin/hosts/action",
      subject: "host",
      subjectId: host.id,
      details: { ...details, outcome: "sent" },
    });
    try {
      await send();
      this.audit.complete(entry, { ...details, outcome: "accepted" });
    } catch (error) {
      const outcome = error instanceof AgentError ? error.message : "failed";
      this.audit.complete(entry, { ...details, outcome });
      throw error;
    }
  }

  #endpoint(host: HostRow): AgentEndpoint {
    const port = host.portout === -1 ? host.portin : host.portout;
    if (port === -1)
      throw new AgentError(
        "The agent has no HTTP interface: it needs `set httpd` in its control file, or a port set here",
      );
    return {
      address: host.ipaddrout || host.ipaddrin,
      port,
      ssl: host.sslout === -1 ? host.sslin : host.sslout === 1,
      sslverify: host.sslverify,
      user: host.agentuser,
      password: this.box.open(host.agentpassword),
    };
  }

  #find(id: number, reach: Reach): HostRow {
    const host = found(findHost(this.db, id, reach.view), "host", id);
    requireReach(this.db, id, reach);
    return host;
  }
}
