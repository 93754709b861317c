import { and, eq } from "drizzle-orm";
import type { Db } from "../../platform/storage/open.ts";
import { services } from "../../platform/storage/schema.ts";

/**
 * Changes the creation date of the services that a host has had since its first report.
 * @param from, to unix seconds
 */
export function moveFirstServices(
  db: Db,
  { hostId, from, to }: { hostId: number; from: number; to: number },
): void {
  if (from === to) return;
  const isFirst = and(eq(services.hostId, hostId), eq(services.createdAt, from));
  db.update(services).set({ createdAt: to }).where(isFirst).run();
}
