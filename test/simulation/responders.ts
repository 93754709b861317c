/** Users who respond to failures: they dismiss and acknowledge them, and mute notifications. */
import { withoutEmpty } from "../../src/monitoring/places/place-filter.ts";
import type { Random } from "../support/random.ts";
import { type Action, SERVICES } from "./administrators.ts";
import type { Maintenance } from "./notification-model.ts";
import type { World } from "./world.ts";

/** Maximum number of mutes that have not ended. */
const MAX_MUTES = 5;

export class Responders {
  /** Numbers acknowledgements and mutes. */
  #count = 0;
  readonly #mutes = new Map<string, Maintenance>();

  constructor(private readonly world: World) {}

  dismiss(random: Random): Action | null {
    const failure = this.#pickFailure(random);
    if (!failure) return null;
    const { id, check } = failure;
    return {
      path: "reports/events/dismiss",
      fields: { id },
      isDone: (file) => file.isDismissed(id),
      apply: () => this.world.notifications.dismiss(check),
    };
  }

  /** Acknowledges a failure, or withdraws the acknowledgement. */
  acknowledge(random: Random): Action | null {
    const failure = this.#pickFailure(random);
    if (!failure) return null;
    const { id, check } = failure;
    const { notifications, server } = this.world;
    if (server?.rows.isAcknowledged(id) && random.chance(0.5))
      return {
        path: "problems/unacknowledge",
        fields: { id },
        isDone: (file) => !file.isAcknowledged(id),
        apply: (at) => notifications.unacknowledge(check, at),
      };
    const note = `acknowledgement ${++this.#count}`;
    const until = random.chance(0.6) ? this.world.now() + random.between(100, 10_000) : null;
    return {
      path: "problems/acknowledge",
      fields: { id, note, until: until ?? "" },
      isDone: (file) => file.isNoted("acknowledgements", note),
      apply: (at) => notifications.acknowledge(check, until, at),
    };
  }

  /** Mutes hosts, services or rules. */
  mute(random: Random): Action | null {
    const { fleet, notifications, server } = this.world;
    if (server === null || this.#current().length >= MAX_MUTES) return null;
    const note = `mute ${++this.#count}`;
    const from = this.world.now();
    const to = from + random.between(60, 12_000);
    const hosts = [...fleet.hosts.values()].filter(() => random.chance(0.4));
    const hostIds = hosts.flatMap(({ name }) => server.rows.host(name)?.id ?? []);
    const rules = notifications.rules.filter(() => random.chance(0.3)).map(({ name }) => name);
    const services = random.chance(0.3) ? [random.pick(SERVICES)] : [];
    if (hostIds.length + rules.length + services.length === 0) return null;
    const ruleIds = rules.flatMap((name) => server.rows.ruleId(name) ?? []);
    return {
      path: "mutes/create",
      fields: {
        note,
        from,
        to,
        filter: withoutEmpty({ hosts: hostIds, servicenames: services, rules: ruleIds }),
      },
      isDone: (file) => file.isNoted("maintenance_windows", note),
      apply: () => {
        const mute = { from, to, hosts: hostIds.length > 0 ? new Set(hosts) : null, services, rules };
        this.#mutes.set(note, mute);
        notifications.maintenance.push(mute);
      },
    };
  }

  endMute(random: Random): Action | null {
    const current = this.#current();
    if (current.length === 0) return null;
    const [note, mute] = random.pick(current);
    const stored = this.world.server?.rows.mute(note);
    if (!stored) this.world.fail(`${note} is not stored any more`);
    return {
      path: "mutes/delete",
      fields: { id: stored.id },
      isDone: (file) => (file.mute(note)?.to ?? 0) < stored.to,
      apply: (at) => this.world.notifications.endMute(mute, at),
    };
  }

  #current(): [string, Maintenance][] {
    return [...this.#mutes].filter(([, { to }]) => to > this.world.now());
  }

  #pickFailure(random: Random) {
    const { fleet, server } = this.world;
    const active = server?.rows.activeErrors() ?? [];
    if (active.length === 0) return null;
    const { id, agentId, service, eventType, limitId } = random.pick(active);
    const check = fleet.hosts
      .get(agentId)
      ?.checks.find(
        (check) =>
          check.service === service && check.eventType === eventType && (check.limit?.id ?? 0) === limitId,
      );
    if (!check?.isFailing) this.world.fail(`an error of ${service} of ${agentId} is active that is over`);
    return { id, check };
  }
}
