/** Administrators who define dependencies. */
import type { HostModel } from "../monitoring/uptime/uptime-model.ts";
import type { Random } from "../support/random.ts";
import { type Action, SERVICES } from "./administrators.ts";
import type { Dependency, Place } from "./cause-model.ts";
import type { World } from "./world.ts";

const MAX_DEPENDENCIES = 8;
/** The service whose failures count as outages of its host. */
const MONIT = "Monit";

const keyOf = ({ dependent, cause }: Dependency) => ({
  host: dependent.host.name,
  service: dependent.service,
  cause: cause.host.name,
  causeService: cause.service,
});

export class DependencyKeepers {
  constructor(private readonly world: World) {}

  create(random: Random): Action | null {
    const { fleet, notifications, server } = this.world;
    const { causes } = notifications;
    if (server === null || causes.dependencies.length >= MAX_DEPENDENCIES) return null;
    const hosts = [...fleet.hosts.values()];
    const cause = this.#pickCause(hosts, random);
    // Always from a later name to an earlier one, since a cycle would be refused.
    const others = hosts.filter(({ name }) => cause && name > cause.host.name);
    if (cause === null || others.length === 0) return null;
    const service = random.chance(0.7) ? "" : random.pick(SERVICES);
    const dependency = { dependent: { host: random.pick(others), service }, cause };
    const key = keyOf(dependency);
    const ids = [key.host, key.cause].map((name) => server.rows.host(name)?.id ?? 0);
    if (server.rows.dependencyId(key) !== undefined) return null;
    return {
      path: "admin/dependencies/create",
      fields: {
        dependent: { host: ids[0] ?? 0, service: key.service },
        cause: { host: ids[1] ?? 0, service: key.causeService },
      },
      isDone: (file) => file.dependencyId(key) !== undefined,
      apply: () => causes.dependencies.push(dependency),
    };
  }

  /** Mostly hosts and services that fail now, so that their dependents fail with them. */
  #pickCause(hosts: readonly HostModel[], random: Random): Place | null {
    const failing = hosts.flatMap((host) =>
      host.checks
        .filter(({ isFailing }) => isFailing)
        .map(({ service }) => ({ host, service: service === MONIT ? "" : service })),
    );
    if (failing.length > 0 && random.chance(0.8)) return random.pick(failing);
    return hosts.length > 0 ? { host: random.pick(hosts), service: "" } : null;
  }

  remove(random: Random): Action | null {
    const { causes } = this.world.notifications;
    if (causes.dependencies.length === 0) return null;
    const dependency = random.pick(causes.dependencies);
    const key = keyOf(dependency);
    const id = this.world.server?.rows.dependencyId(key);
    if (id === undefined) this.world.fail(`a dependency of ${key.host} is not stored any more`);
    return {
      path: "admin/dependencies/delete",
      fields: { id },
      isDone: (file) => file.dependencyId(key) === undefined,
      apply: () => causes.dependencies.splice(causes.dependencies.indexOf(dependency), 1),
    };
  }
}
