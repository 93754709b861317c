/** Administrators who change and delete things through the API, and report each change to the model. */
import { withoutEmpty } from "../../src/monitoring/places/place-filter.ts";
import type { Fields, Reply, TestClient } from "../support/client.ts";
import { Random } from "../support/random.ts";
import { DependencyKeepers } from "./dependency-keepers.ts";
import { RECIPIENTS } from "./faults.ts";
import type { LimitSettings } from "./limit-model.ts";
import type { RuleSettings } from "./notification-model.ts";
import type { IncidentKind } from "./plan.ts";
import { Responders } from "./responders.ts";
import type { Rows } from "./rows.ts";
import type { World } from "./world.ts";

/** Rules and limits that exist at the start. */
const FIRST_RULES = 4;
const FIRST_LIMITS = 2;
const MAX_LIMITS = 5;
const MAX_RULES = 8;
export const SERVICES = ["web", "db", "nginx"] as const;

/** Host groups that agents name. */
const GROUPS = ["Oslo", "Bergen"] as const;
/** A service group of each of these hosts. */
const SERVICE_GROUP = "apps";
/** Idle time after which a user has to sign in again, seconds. */
const SESSION = 1200;

/** Something that an administrator does. */
export interface Action {
  path: string;
  fields: Fields;
  /** Whether a refusal can leave it half done. */
  isInSteps?: boolean;
  /** Whether it has been done, judged by the stored rows. */
  isDone: (file: Rows) => boolean;
  /** Updates the model. `at` is the time of the request, since a slow disk delays the answer by seconds. */
  apply: (at: number) => void;
}

export class Administrators {
  #client: TestClient | null = null;
  /** Unix seconds. */
  #signedInAt = 0;
  #isSetUp = false;
  readonly #responders: Responders;
  readonly #dependencies: DependencyKeepers;
  /** Actions refused halfway: a host is deleted in steps. They may go on without the administrator. */
  readonly #unfinished: Action[] = [];
  #rules = 0;
  #limits = 0;
  /** Days that events, statistics and the audit log are kept; null: longer than the simulation lasts. */
  eventDays: number | null = null;

  constructor(
    private readonly world: World,
    private readonly seed: number,
  ) {
    this.#responders = new Responders(world);
    this.#dependencies = new DependencyKeepers(world);
  }

  /** Signs in again if the session has expired. */
  async client(): Promise<TestClient> {
    const { server } = this.world;
    if (server === null) this.world.fail("there is nobody to sign in to");
    const now = this.world.now();
    if (this.#client === null || now > this.#signedInAt + SESSION || now < this.#signedInAt) {
      this.#client = await server.administrator();
      this.#signedInAt = now;
    }
    return this.#client;
  }

  /** Called when the server has started. */
  async begin(): Promise<void> {
    this.#client = null;
    if (this.#isSetUp) return;
    this.#isSetUp = true;
    const random = new Random(this.seed ^ 0x5eed);
    for (const recipient of RECIPIENTS)
      await this.#call("admin/channels/create", {
        name: recipient,
        kind: "webhook",
        settings: { url: `http://${recipient}/` },
      });
    for (let i = 0; i < FIRST_RULES; i++) {
      const { path, fields, apply } = this.#newRule(random);
      await this.#call(path, fields);
      apply(this.world.now());
    }
    for (let i = 0; i < FIRST_LIMITS; i++) {
      const { path, fields, apply } = this.#newLimit(random);
      await this.#call(path, fields);
      apply(this.world.now());
    }
  }

  async #call(path: string, fields: Fields): Promise<Reply> {
    const reply = await (await this.client()).post(`/api/1/${path}`, fields);
    if (reply.status !== 200 && !(reply.status === 503 && this.world.faults.mayRefuse))
      this.world.fail(`${path} was answered ${reply.status}: ${reply.text}`);
    return reply;
  }

  /** Carries out the incident, if there is anything it applies to. */
  async act(kind: IncidentKind, random: Random): Promise<void> {
    const action = this.#actionOf(kind, random);
    if (action !== null) await this.#take(action);
  }

  /** Repeats actions that were refused halfway until they are done. */
  async goOn(): Promise<void> {
    for (const action of this.#unfinished.splice(0))
      if (this.world.server && action.isDone(this.world.server.rows)) action.apply(this.world.now());
      else await this.#take(action);
  }

  async #take(action: Action): Promise<void> {
    const { world } = this;
    let status = 0;
    let at = world.now();
    try {
      const client = await this.client();
      at = world.now();
      ({ status } = await client.post(`/api/1/${action.path}`, action.fields));
    } catch (error) {
      if (!world.disk.killed) throw error;
    }
    if (!world.disk.killed) {
      if (status === 200) action.apply(at);
      else if (status !== 503 || !world.faults.mayRefuse)
        world.fail(`${action.path} ${JSON.stringify(action.fields)} was answered ${status}`);
      else if (action.isInSteps) this.#unfinished.push(action);
      return;
    }
    const file = world.disk.read();
    const isDone = action.isDone(file);
    file.close();
    if (isDone) action.apply(at);
    await world.startAgain();
    // An administrator who got no answer checks again and repeats what was not done.
    if (isDone) return;
    await this.client();
    at = world.now();
    await this.#call(action.path, action.fields);
    action.apply(at);
  }

  #actionOf(kind: IncidentKind, random: Random): Action | null {
    if (kind === "set status") return this.#setStatus(random);
    if (kind === "delete host") return this.#deleteHost(random);
    if (kind === "dismiss") return this.#responders.dismiss(random);
    if (kind === "acknowledge") return this.#responders.acknowledge(random);
    if (kind === "maintenance") return this.#maintain(random);
    if (kind === "mute") return this.#responders.mute(random);
    if (kind === "end mute") return this.#responders.endMute(random);
    if (kind === "new dependency") return this.#dependencies.create(random);
    if (kind === "remove dependency") return this.#dependencies.remove(random);
    if (kind === "new rule") return this.#newRule(random);
    if (kind === "remove rule") return this.#removeRule(random);
    if (kind === "new limit") return this.#limitCount < MAX_LIMITS ? this.#newLimit(random) : null;
    if (kind === "remove limit") return this.#removeLimit(random);
    if (kind === "keep events for a day") return this.#keepEvents();
    return null;
  }

  /** Often picks a host that is down or stopped, since those get attention first. */
  #pickHost(random: Random) {
    const everyHost = [...this.world.fleet.hosts.values()];
    const silent = everyHost.filter(({ heartbeat, stopped }) => heartbeat === 0 || stopped);
    const hosts = silent.length > 0 && random.chance(0.5) ? silent : everyHost;
    const model = hosts.length > 0 ? random.pick(hosts) : null;
    const row = model && this.world.server?.rows.host(model.name);
    return model && row ? { model, row } : null;
  }

  #setStatus(random: Random): Action | null {
    const host = this.#pickHost(random);
    if (!host) return null;
    const { model, row } = host;
    const status = random.pick([0, 0, 1, 2]);
    const { id, hostname } = row;
    return {
      path: "admin/hosts/update",
      fields: { id, hostname, agentuser: "admin", agentpassword: "monit", status },
      isDone: (file) => file.host(model.name)?.status === status && model.status !== status,
      apply: (at) => model.setStatus(status, at),
    };
  }

  #deleteHost(random: Random): Action | null {
    const host = this.#pickHost(random);
    if (!host) return null;
    const { model, row } = host;
    return {
      path: "admin/hosts/delete",
      fields: { id: row.id },
      isInSteps: true,
      isDone: (file) => file.host(model.name)?.id !== row.id,
      apply: () => {
        // It may have been requested twice.
        if (this.world.fleet.hosts.get(model.name) !== model) return;
        this.world.fleet.hosts.delete(model.name);
        this.world.notifications.forget(model);
        this.world.outbox.forget(model.name);
      },
    };
  }

  #maintain(random: Random): Action | null {
    const now = this.world.now();
    const from = now + random.between(-100, 3000);
    const to = Math.max(now + 60, from + random.between(60, 20_000));
    const name = `maintenance ${this.world.notifications.maintenance.length}`;
    const hosts = [...this.world.fleet.hosts.values()].filter(() => random.chance(0.3));
    const services = random.chance(0.3) ? [random.pick(SERVICES)] : [];
    const ids = hosts.flatMap((model) => this.world.server?.rows.host(model.name)?.id ?? []);
    const filter = withoutEmpty({ hosts: ids, servicenames: services });
    return {
      path: "admin/maintenance/create",
      fields: { name, filter, schedule: { kind: "once", from, to } },
      isDone: (file) => file.has("maintenance_windows", name),
      apply: () => {
        const of = ids.length > 0 ? new Set(hosts) : null;
        this.world.notifications.maintenance.push({ from, to, hosts: of, services, rules: [] });
      },
    };
  }

  #newRule(random: Random): Action {
    const name = `rule ${++this.#rules}`;
    const escalateAfter = random.pick([0, 0, 30, 60]);
    const hostGroup = random.chance(0.3) ? random.pick(GROUPS) : null;
    const groupId = hostGroup === null ? undefined : this.world.server?.rows.groupId(hostGroup);
    const quiet = random.chance(0.3) ? { from: random.below(24), to: random.below(24) } : null;
    const rule: RuleSettings = {
      name,
      delay: random.pick([0, 0, 2, 5, 15]),
      repeat: random.pick([0, 10, 30, 60]),
      recovery: random.chance(0.8),
      escalateAfter,
      flapCount: random.pick([0, 3, 2, 3]),
      flapWindow: random.pick([10, 30, 60]),
      // The group does not exist until an agent names it.
      hostGroup: groupId === undefined ? null : hostGroup,
      serviceGroup: random.chance(0.15) ? SERVICE_GROUP : null,
      services: random.chance(0.2) ? [random.pick(SERVICES)] : [],
      eventTypes: random.chance(0.2) ? random.pick([32, 512 | 2, 1_048_576]) : 0,
      quiet,
      channels: RECIPIENTS.slice(0, random.between(1, 2)),
      escalationChannels: escalateAfter > 0 ? ["pager.test"] : [],
    };
    const hours = (n: number) => `${String(n).padStart(2, "0")}:00`;
    const channelIds = (names: readonly string[]) =>
      names.map((name) => RECIPIENTS.indexOf(name as never) + 1);
    const fields: Fields = {
      name,
      delay: rule.delay,
      repeat: rule.repeat,
      recovery: rule.recovery,
      flapcount: rule.flapCount,
      flapwindow: rule.flapWindow,
      filter: {
        ...(rule.eventTypes > 0 && { eventtypes: rule.eventTypes }),
        ...(rule.services.length > 0 && { servicenames: rule.services }),
        ...(groupId !== undefined && { hostgroups: [groupId] }),
        ...(rule.serviceGroup !== null && { servicegroups: [rule.serviceGroup] }),
      },
      quiet: quiet && { from: hours(quiet.from), to: hours(quiet.to), timezone: "UTC" },
      steps: [
        { channels: channelIds(rule.channels) },
        ...(escalateAfter > 0
          ? [{ after: escalateAfter, channels: channelIds(rule.escalationChannels) }]
          : []),
      ],
    };
    return {
      path: "admin/rules/create",
      fields,
      isDone: (file) => file.has("rules", name),
      apply: () => this.world.notifications.rules.push(rule),
    };
  }

  #removeRule(random: Random): Action | null {
    const { rules } = this.world.notifications;
    if (rules.length < 2 || (rules.length < MAX_RULES && random.chance(0.5))) return null;
    const { name } = random.pick(rules);
    const id = this.world.server?.rows.ruleId(name);
    if (id === undefined) return null;
    return {
      path: "admin/rules/delete",
      fields: { id },
      isDone: (file) => !file.has("rules", name),
      apply: () => this.world.notifications.removeRule(name),
    };
  }

  get #limitCount(): number {
    return this.world.fleet.limits.limits.length;
  }

  #newLimit(random: Random): Action {
    const name = `limit ${++this.#limits}`;
    const [service, statistics, warning, critical, clear] = random.pick([
      ["disk", [1, 2], 60, 85, 50],
      ["disk", [0], 0.7, 0.9, 0.5],
      ["web", [8], 6, 9, 5],
    ] as const);
    // For a limit with direction "below", small values are the bad ones.
    const below = random.chance(0.3);
    const settings: Omit<LimitSettings, "id" | "createdAt"> = {
      name,
      service,
      statistics,
      below,
      downtime: random.chance(0.3),
      warning: random.chance(0.8) ? (below ? clear : warning) : null,
      critical: below ? clear / 2 : critical,
      clearValue: random.chance(0.4) ? (below ? warning : clear) : null,
      hold: 60 * random.pick([0, 0, 5, 15, 30]),
      clearAfter: 60 * random.pick([0, 0, 10, 25]),
      missing: random.pick(["keep", "clear", "warn"]),
    };
    let id = 0;
    return {
      path: "limits/create",
      fields: {
        name,
        statistics: [...statistics],
        filter: { servicenames: [service] },
        direction: below ? "below" : "above",
        missing: settings.missing,
        warning: settings.warning,
        critical: settings.critical,
        clearvalue: settings.clearValue,
        minutes: settings.hold / 60,
        clearminutes: settings.clearAfter / 60,
        downtime: settings.downtime,
      },
      isDone: (file) => {
        id = file.limitId(name) ?? 0;
        return id > 0;
      },
      apply: (createdAt) => {
        if (id === 0) id = this.world.server?.rows.limitId(name) ?? 0;
        this.world.fleet.limits.limits.push({ ...settings, id, createdAt });
      },
    };
  }

  #removeLimit(random: Random): Action | null {
    const { limits } = this.world.fleet;
    if (limits.limits.length < 2) return null;
    const { name } = random.pick(limits.limits);
    const id = this.world.server?.rows.limitId(name);
    if (id === undefined) return null;
    return {
      path: "limits/delete",
      fields: { id },
      isDone: (file) => !file.has("limits", name),
      apply: (at) => limits.remove(name, this.world.fleet.hosts.values(), at),
    };
  }

  #keepEvents(): Action {
    return {
      path: "admin/settings/update",
      fields: { eventdays: 1, historyraw: 1, historyfiveminutes: 1, historyhourly: 1, auditdays: 1 },
      isDone: (file) => file.setting("eventdays") === "1",
      apply: () => {
        this.eventDays = 1;
      },
    };
  }
}
