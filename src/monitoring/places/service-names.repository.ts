/** Services by the names of their host and their own, as the export file has them. */
import { and, eq, isNull, sql } from "drizzle-orm";
import { type Db, oncePerTransaction, prepareOnce } from "../../platform/storage/open.ts";
import { hosts, names, services } from "../../platform/storage/schema.ts";

/** The agent id of a service's host, and the name of the service. */
export function placeOfService(db: Db, serviceId: number): { host: string; name: string } | undefined {
  return db
    .select({ host: hosts.agentId, name: names.name })
    .from(services)
    .innerJoin(hosts, eq(hosts.id, services.hostId))
    .innerJoin(names, eq(names.id, services.nameId))
    .where(eq(services.id, serviceId))
    .get();
}

/** The id of a host's present service with this name. */
export function serviceAt(db: Db, hostId: number, name: string): number | undefined {
  const ofName = and(eq(services.hostId, hostId), eq(names.name, name), isNull(services.vanishedAt));
  const rows = db.select({ id: services.id }).from(services).innerJoin(names, eq(names.id, services.nameId));
  return rows.where(ofName).get()?.id;
}

const nameById = prepareOnce((db) =>
  db
    .select({ name: names.name })
    .from(names)
    .where(eq(names.id, sql.placeholder("id")))
    .prepare(),
);

/** Names that were read in the present transaction, by id: the events of a flush share few. */
const namesRead = oncePerTransaction(() => new Map<number, string>());

/** The name of a service, by the id of the name. It is read once in a transaction. */
export function serviceNameOf(db: Db, id: number): string | undefined {
  const read = namesRead(db);
  const name = read.get(id) ?? nameById(db).get({ id })?.name;
  if (name !== undefined) read.set(id, name);
  return name;
}
