import { max } from "drizzle-orm";
import type { Db } from "../storage/open.ts";
import { events, hosts } from "../storage/schema.ts";

/** The newest ids: upper bounds for the numbers of hosts and events, obtained without counting. */
export function newestIds(db: Db): { host: number; event: number } {
  const host = db
    .select({ id: max(hosts.id) })
    .from(hosts)
    .get();
  const event = db
    .select({ id: max(events.id) })
    .from(events)
    .get();
  return { host: host?.id ?? 0, event: event?.id ?? 0 };
}
