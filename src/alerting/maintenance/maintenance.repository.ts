import { asc, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { PlaceFilter } from "../../monitoring/places/place-filter.ts";
import { inNameOrder } from "../../platform/sort-key.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { maintenanceWindows } from "../../platform/storage/schema.ts";
import type { Schedule } from "./schedule.ts";

type MaintenanceRow = typeof maintenanceWindows.$inferSelect;

/** What a window covers. A mute may cover rules: they notify nobody. */
export interface MuteFilter extends PlaceFilter {
  ruleids?: number[];
}

/** Planned maintenance or a mute. */
export interface Maintenance extends Omit<MaintenanceRow, "filter" | "schedule"> {
  /** Empty for a mute. */
  name: string;
  filter: MuteFilter;
  /** A lease ends the window after its grace, unless it is renewed. */
  schedule: Schedule;
}

const enabledRows = prepareOnce((db) =>
  db
    .select()
    .from(maintenanceWindows)
    .where(sql`${maintenanceWindows.enabled} = 1`)
    .orderBy(asc(maintenanceWindows.id))
    .prepare(),
);

function parsed(row: MaintenanceRow): Maintenance {
  const schedule = JSON.parse(row.schedule) as Schedule;
  const { leasedUntil, grace } = row;
  if (schedule.kind === "once" && leasedUntil !== null)
    schedule.to = Math.min(schedule.to, leasedUntil + grace);
  return { ...row, name: row.name ?? "", filter: JSON.parse(row.filter) as MuteFilter, schedule };
}

const leases = prepareOnce((db) =>
  db.select().from(maintenanceWindows).where(isNotNull(maintenanceWindows.leasedUntil)).prepare(),
);

/** A mute is a single window. */
export type Mute = Maintenance & { schedule: Extract<Schedule, { kind: "once" }> };

function isOnce(one: Maintenance): one is Mute {
  return one.schedule.kind === "once";
}

/** Enabled maintenance and mutes, by name. */
export function enabledMaintenance(db: Db): Maintenance[] {
  return inNameOrder(enabledRows(db).all().map(parsed), ({ name }) => name);
}

function rowsOf(db: Db, which: SQL): Maintenance[] {
  const rows = db.select().from(maintenanceWindows).where(which).orderBy(asc(maintenanceWindows.id)).all();
  return rows.map(parsed);
}

const isPlanned = isNull(maintenanceWindows.mutedBy);
const isMute = isNotNull(maintenanceWindows.mutedBy);

/** All planned maintenance, by name. */
export function allMaintenance(db: Db): Maintenance[] {
  return inNameOrder(rowsOf(db, isPlanned), ({ name }) => name);
}

/** All mutes, in the order in which they began to exist; those that ended are kept for a while. */
export function allMutes(db: Db): Mute[] {
  return rowsOf(db, isMute).filter(isOnce);
}

export function mutesNotEnded(db: Db, now: number): Mute[] {
  return allMutes(db).filter(({ schedule }) => schedule.to > now);
}

/** Mutes with a lease, renewed or not, until they end. */
export function leasedMutes(db: Db): Mute[] {
  return leases(db).all().map(parsed).filter(isOnce);
}

export function findMute(db: Db, id: number): Mute | undefined {
  return rowsOf(db, sql`${isMute} and ${maintenanceWindows.id} = ${id}`).find(isOnce);
}

export function findMaintenance(db: Db, id: number): Maintenance | undefined {
  return rowsOf(db, sql`${isPlanned} and ${maintenanceWindows.id} = ${id}`)[0];
}

export function findMaintenanceByName(db: Db, name: string) {
  const { id } = maintenanceWindows;
  return db.select({ id }).from(maintenanceWindows).where(eq(maintenanceWindows.name, name)).get();
}

type MaintenanceContent = Pick<Maintenance, "name" | "enabled" | "filter" | "schedule">;

function columnsOf({ filter, schedule, ...same }: MaintenanceContent) {
  return { ...same, filter: JSON.stringify(filter), schedule: JSON.stringify(schedule) };
}

/** @returns the id of the new mute */
export function insertMute(
  db: Db,
  { filter, schedule, ...same }: Omit<Mute, "id" | "name" | "enabled">,
): number {
  const row = { ...same, filter: JSON.stringify(filter), schedule: JSON.stringify(schedule) };
  return db.insert(maintenanceWindows).values(row).returning({ id: maintenanceWindows.id }).get().id;
}

/** Gives a mute another end, and takes its lease. */
export function setEndOfMute(db: Db, { id, schedule }: Mute, to: number): void {
  const values = { schedule: JSON.stringify({ ...schedule, to }), leasedUntil: null };
  db.update(maintenanceWindows).set(values).where(eq(maintenanceWindows.id, id)).run();
}

export function setLease(db: Db, id: number, leasedUntil: number): void {
  db.update(maintenanceWindows).set({ leasedUntil }).where(eq(maintenanceWindows.id, id)).run();
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
