import { errors, found } from "../../platform/http/errors.ts";
import type { Reach } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import { eventsById } from "./events.repository.ts";

export type StoredEvent = NonNullable<ReturnType<ReturnType<typeof eventsById>["get"]>>;

/**
 * The events that a caller is about to change, each once.
 * @param refuse throws for an event that cannot be changed in this way
 * @throws ApiError 403, 404 and what `refuse` throws, for the first event that is refused
 */
export function eventsToChange(
  db: Db,
  ids: readonly number[],
  { view, act }: Reach,
  refuse: (event: StoredEvent) => void = () => undefined,
): StoredEvent[] {
  const visible = eventsById(db, ids, view);
  const granted = act === "all" ? visible : eventsById(db, ids, act);
  return [...new Set(ids)].map((id) => {
    const event = found(visible.get(id), "event", id);
    if (!granted.has(id)) throw errors.notGranted();
    refuse(event);
    return event;
  });
}

/** @throws ApiError 400 */
export function refuseInactive({ id, active }: StoredEvent): void {
  if (!active) throw errors.badArgument("id", `the id of an active error, which event ${id} is not`);
}
