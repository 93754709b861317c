import { asc, eq } from "drizzle-orm";
import { inNameOrder } from "../../platform/sort-key.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { maintenanceWindows } from "../../platform/storage/schema.ts";
import type { PlaceFilter } from "../rules/event-filter.ts";
import type { Schedule } from "./schedule.ts";

type MaintenanceRow = typeof maintenanceWindows.$inferSelect;

export interface Maintenance extends Omit<MaintenanceRow, "filter" | "schedule"> {
  filter: PlaceFilter;
  schedule: Schedule;
}

const enabledRows = prepareOnce((db) =>
  db
    .select()
    .from(maintenanceWindows)
    .where(eq(maintenanceWindows.enabled, true))
    .orderBy(asc(maintenanceWindows.id))
    .prepare(),
);

function parsed(row: MaintenanceRow): Maintenance {
  return {
    ...row,
    filter: JSON.parse(row.filter) as PlaceFilter,
    schedule: JSON.parse(row.schedule) as Schedule,
  };
}

/** Enabled maintenance, by name. */
export function enabledMaintenance(db: Db): Maintenance[] {
  return inNameOrder(enabledRows(db).all(), ({ name }) => name).map(parsed);
}

/** All maintenance, by name. */
export function allMaintenance(db: Db): Maintenance[] {
  const rows = db.select().from(maintenanceWindows).orderBy(asc(maintenanceWindows.id)).all();
  return inNameOrder(rows, ({ name }) => name).map(parsed);
}

export function findMaintenance(db: Db, id: number): Maintenance | undefined {
  return db.select().from(maintenanceWindows).where(eq(maintenanceWindows.id, id)).all().map(parsed)[0];
}

export function findMaintenanceByName(db: Db, name: string) {
  const { id } = maintenanceWindows;
  return db.select({ id }).from(maintenanceWindows).where(eq(maintenanceWindows.name, name)).get();
}

type MaintenanceContent = Omit<Maintenance, "id" | "createdAt">;

function columnsOf({ filter, schedule, ...same }: MaintenanceContent) {
  return { ...same, filter: JSON.stringify(filter), schedule: JSON.stringify(schedule) };
}

/** @returns the id of the new maintenance */
export function insertMaintenance(db: Db, content: MaintenanceContent, createdAt: number): number {
  const { id } = maintenanceWindows;
  const row = { ...columnsOf(content), createdAt };
  return db.insert(maintenanceWindows).values(row).returning({ id }).get().id;
}

export function updateMaintenance(db: Db, id: number, content: MaintenanceContent): void {
  db.update(maintenanceWindows).set(columnsOf(content)).where(eq(maintenanceWindows.id, id)).run();
}

export function deleteMaintenance(db: Db, id: number): void {
  db.delete(maintenanceWindows).where(eq(maintenanceWindows.id, id)).run();
}
