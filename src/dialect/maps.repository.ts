import { asc } from "drizzle-orm";
import type { Db } from "../database/open.ts";
import { names } from "../database/schema.ts";

/** Every service name with its id. */
export function allServiceNames(db: Db): { id: number; name: string }[] {
  return db
    .select({ id: names.id, name: names.name })
    .from(names)
    .orderBy(asc(names.nameKey), asc(names.id))
    .all();
}
