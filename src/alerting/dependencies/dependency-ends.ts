/** A host, or one service of it: an end of a dependency. Pure functions. */

export interface DependencyEnd {
  hostId: number;
  /** Name of the service; "" stands for the whole host. */
  service: string;
}

/** The two ends of a dependency, as they are stored. */
export interface Ends extends DependencyEnd {
  causeHostId: number;
  causeService: string;
}

/** The end of a dependency whose alerts are suppressed while the cause fails. */
export function dependentOf({ hostId, service }: Ends): DependencyEnd {
  return { hostId, service };
}

/** The end of a dependency that the other one depends on. */
export function causeOf({ causeHostId, causeService }: Ends): DependencyEnd {
  return { hostId: causeHostId, service: causeService };
}

/** Whether `outer` includes `inner`: a host includes its services, but no service includes its host. */
export function includes(outer: DependencyEnd, inner: DependencyEnd): boolean {
  return outer.hostId === inner.hostId && (outer.service === "" || outer.service === inner.service);
}

/** Whether a new dependency would make something depend on itself, through the existing ones. */
export function makesCycle(existing: readonly Ends[], added: Ends): boolean {
  const dependent = dependentOf(added);
  const seen = new Set<string>();
  const open = [causeOf(added)];
  for (let place = open.pop(); place; place = open.pop()) {
    const from = place;
    if (includes(dependent, from)) return true;
    const key = `${from.hostId} ${from.service}`;
    if (seen.has(key)) continue;
    seen.add(key);
    open.push(...existing.filter((dependency) => includes(dependentOf(dependency), from)).map(causeOf));
  }
  return false;
}
