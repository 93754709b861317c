import { asc } from "drizzle-orm";
import type { Db } from "../../platform/storage/open.ts";
import { names } from "../../platform/storage/schema.ts";

/** Every service name with its id. */
export function allServiceNames(db: Db): { id: number; name: string }[] {
  return db
    .select({ id: names.id, name: names.name })
    .from(names)
    .orderBy(asc(names.nameKey), asc(names.id))
    .all();
}
