import type { Actor } from "../../accounts/audit/actor.ts";
import type { Audit } from "../../accounts/audit/audit.service.ts";
import { type AgentEndpoint, AgentError, pingAgent, placeOf, sendAction } from "../../monit/agent.client.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Details } from "../../platform/http/audit-details.ts";
import { declareError, errors } from "../../platform/http/errors.ts";
import { FULL_REACH, type Reach } from "../../platform/http/scope.ts";
import { itemsOf } from "../../platform/http/validate.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { HostRow } from "../../platform/storage/schema.ts";
import { HOST_STATUS } from "../health/health.ts";
import { tagsOf } from "../tags/tags.repository.ts";
import { setTags } from "../tags/tags.service.ts";
import { excludedReason, setExcluded } from "../uptime/excluded-time.repository.ts";
import { columnsOf, settingsOf } from "./host-settings.ts";
import { changeHost, healthOfHost } from "./hosts.repository.ts";
import { type HostAction, type HostTest, type HostUpdate, hostReply } from "./hosts.schemas.ts";
import type { KnownHosts } from "./known-hosts.ts";
import { managedHost, requireServices } from "./managed-host.ts";

export const hostConflict = declareError(
  409,
  "host.conflict",
  "The address of the agent has changed: confirm it with admin/hosts/update first",
  (conflict: string) => conflict,
);
export const agentFailed = declareError(
  502,
  "agent.failed",
  "The agent cannot be reached, or refused the request",
  (message: string) => message,
);

export const passwordNeeded = declareError(
  403,
  "host.password",
  "Changing the address, port or TLS of an agent requires its password again, except for administrators",
);

export const actionQueueByAdmin = declareError(
  403,
  "host.actionqueue",
  "Only administrators may let actions wait for the agent of a host",
);

/** The settings that decide where an agent's password is sent, and whether others can read it on the way. */
const OF_ENDPOINT = ["ipaddrout", "portout", "sslout", "sslverify"] as const;

/** Host administration. */
export class Hosts {
  constructor(
    private readonly db: Db,
    private readonly hostCache: KnownHosts,
    private readonly box: SecretBox,
    private readonly clock: Clock,
    private readonly audit: Audit,
  ) {}

  /** The settings of a host, with the address and credentials of its agent. @throws ApiError 403, 404 */
  get(id: number, reach: Reach) {
    const host = managedHost(this.db, id, reach);
    const settings = {
      ...settingsOf(host),
      id: host.id,
      ipaddrin: host.ipaddrin,
      portin: host.portin,
      sslin: Number(host.sslin),
      agentid: host.agentId,
      agentuser: host.agentuser,
      agentpassword: this.box.open(host.agentpassword),
      status: host.status,
      poll: host.poll,
      lastmodified: host.lastmodified,
      conflict: host.conflict,
      tags: tagsOf(this.db, id),
    };
    const names = Object.keys(hostReply.entries) as (keyof typeof settings)[];
    return Object.fromEntries(names.map((name) => [name, settings[name]])) as typeof settings;
  }

  /**
   * Stores settings that an administrator reviewed, which also confirms the agent's address. Undefined settings are
   * kept. If the credentials differ from those of the agent, its messages no longer overwrite them.
   */
  update(update: HostUpdate, reach: Reach): void {
    this.#store(update, { conflict: "" }, reach);
  }

  /**
   * Stores settings on behalf of a user who must not learn the agent's password. An empty password is kept. The
   * stored one is never sent to an address that the user chose: a new endpoint, or one in conflict, requires the
   * password again. Whether actions wait for the agent is an administrator's decision.
   * @throws ApiError 403, 404
   */
  updateAsManager(update: HostUpdate, reach: Reach): void {
    transaction(this.db, () => {
      const host = managedHost(this.db, update.id, reach);
      const { agentpassword, ...unprotected } = update;
      if (update.actionqueue !== undefined && (update.actionqueue === 1) !== host.actionqueue)
        throw actionQueueByAdmin();
      if (agentpassword) return this.#store(update, { conflict: "" }, reach);
      const changes = columnsOf(update);
      if (OF_ENDPOINT.some((name) => changes[name] !== undefined && changes[name] !== host[name]))
        throw passwordNeeded();
      this.#store(unprotected, {}, reach);
    });
  }

  /** Stores settings that no administrator reviewed, so the agent's address is not confirmed. */
  updateUnreviewed(update: HostUpdate): void {
    this.#store(update, {}, FULL_REACH);
  }

  #store(update: HostUpdate, confirmed: Partial<HostRow>, reach: Reach): void {
    if (update.portout === 0) throw errors.badArgument("portout", "-1 or a port from 1 to 65535");
    transaction(this.db, () => {
      const host = managedHost(this.db, update.id, reach);
      const changes = {
        ...columnsOf(update),
        ...this.#credentials(host, update),
        ...this.#status(host, update.status),
        ...confirmed,
      };
      const after = { ...host, ...changes };
      const now = this.clock.now();
      setExcluded(this.db, { hostId: host.id, serviceId: null }, excludedReason(after), now);
      const derived = { deadline: this.#deadline(host, update), ...healthOfHost(this.db, after) };
      changeHost(this.db, host.id, { ...changes, ...derived }, now);
      if (update.tag) setTags(this.db, host.id, itemsOf(update.tag), now);
      this.hostCache.forget(host.id);
    });
  }

  #credentials(host: HostRow, update: HostUpdate): Partial<HostRow> {
    if (update.agentuser === undefined && update.agentpassword === undefined) return {};
    const password = this.box.open(host.agentpassword);
    const { agentuser = host.agentuser, agentpassword = password } = update;
    if (host.agentuser === agentuser && password === agentpassword) return {};
    return { agentuser, agentpassword: this.box.seal(agentpassword), credentialsSetByAdmin: true };
  }

  /** Setting a host to Active restarts its deadline. Otherwise only a new skew changes it. */
  #deadline(host: HostRow, update: HostUpdate): number {
    const skew = update.skew ?? host.skew;
    if (update.status === HOST_STATUS.active) return this.clock.now() + skew * host.poll;
    return host.deadline + (skew - host.skew) * host.poll;
  }

  /** A host that an administrator made Inactive stays Inactive until an administrator makes it Active. */
  #status(host: HostRow, status: number | undefined): Partial<HostRow> {
    if (status === HOST_STATUS.active) return { status, stopped: false, stopToldAt: null };
    if (status === undefined || status === host.status) return {};
    return { status, stopped: status === HOST_STATUS.inactive, stopToldAt: null };
  }

  /**
   * The host with an id, or all Inactive hosts that last reported at least `inactive` seconds ago: at `inactiveSince`
   * or earlier.
   * @param inactiveIds those that last reported before a time, unix seconds
   * @throws ApiError 404; 400 unless exactly one of the two is given
   */
  async chosen(
    { id, inactive }: { id?: number | undefined; inactive?: number | undefined },
    inactiveIds: (before: number) => Promise<number[]>,
  ): Promise<{ ids: number[]; inactiveSince: number | null }> {
    if (id !== undefined && inactive === undefined)
      return { ids: [managedHost(this.db, id, FULL_REACH).id], inactiveSince: null };
    if (id !== undefined || inactive === undefined) throw errors.badRequest("Give either id or inactive");
    const inactiveSince = this.clock.now() - inactive;
    return { ids: await inactiveIds(inactiveSince), inactiveSince };
  }

  /** Tests the connection to an agent. */
  async test(args: HostTest): Promise<{ status: "green" | "red"; description: string }> {
    const endpoint = {
      address: args.ipaddr,
      port: args.port,
      ssl: args.ssl === 1,
      sslverify: args.sslverify === 1,
      user: args.agentuser,
      password: args.agentpassword,
    };
    try {
      await pingAgent(endpoint);
      return { status: "green", description: `The agent at ${placeOf(endpoint)} answered` };
    } catch (error) {
      if (error instanceof AgentError) return { status: "red", description: error.message };
      throw error;
    }
  }

  /**
   * Makes the host's agent perform an action on services. The audit log records the request before it is sent, and
   * then the result.
   * @throws ApiError 403; 404 for an unknown host or service (nothing is sent), 409 while the agent's address is
   * unconfirmed, 502 if the agent cannot be reached or rejects the request
   */
  async act({ id, action, service }: HostAction, actor: Actor, reach: Reach): Promise<void> {
    const host = managedHost(this.db, id, reach);
    requireServices(this.db, id, service);
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
}
