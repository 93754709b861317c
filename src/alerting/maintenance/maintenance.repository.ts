import { asc, isNotNull, isNull, sql } from "drizzle-orm";
import type { PlaceFilter } from "../../monitoring/places/place-filter.ts";
import { NamedRows } from "../../platform/resources/named.repository.ts";
import { inNameOrder } from "../../platform/sort-key.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { recordChange, recordRevision } from "../../platform/storage/revisions.repository.ts";
import { maintenanceWindows } from "../../platform/storage/schema.ts";
import { isTrue } from "../../platform/storage/words.ts";
import type { MaintenanceSchedule } from "./schedule.ts";

type WindowRow = typeof maintenanceWindows.$inferSelect;

/** The hosts, services and, for a mute, rules that a window covers. Covered rules notify nobody. */
interface MuteFilter extends PlaceFilter {
  rules?: number[];
}

/** Planned maintenance or a mute. */
export interface Maintenance extends Omit<WindowRow, "filter" | "schedule"> {
  /** Empty for a mute. */
  name: string;
  filter: MuteFilter;
  schedule: MaintenanceSchedule;
}

/** A mute is a single window. */
export interface Mute extends Maintenance {
  schedule: Extract<MaintenanceSchedule, { kind: "once" }>;
}

/** Planned maintenance. */
export const maintenanceRows = new NamedRows<Maintenance>(
  maintenanceWindows,
  "name",
  isNull(maintenanceWindows.mutedBy),
);
const muteRows = new NamedRows<Mute>(maintenanceWindows, "name", isNotNull(maintenanceWindows.mutedBy));

const statements = prepareOnce((db) => ({
  enabled: db
    .select()
    .from(maintenanceWindows)
    .where(sql`${maintenanceWindows.enabled} = ${isTrue}`)
    .orderBy(asc(maintenanceWindows.id))
    .prepare(),
  leased: db.select().from(maintenanceWindows).where(isNotNull(maintenanceWindows.leasedUntil)).prepare(),
}));

/** The window with its current end: a lease ends it after its grace period, unless it is renewed. */
function asOfNow<T extends Maintenance>(row: T): T {
  const { schedule, leasedUntil, grace } = row;
  if (schedule.kind !== "once" || leasedUntil === null) return row;
  return { ...row, schedule: { ...schedule, to: Math.min(schedule.to, leasedUntil + grace) } };
}

/** Enabled maintenance and mutes, by name. */
export function enabledMaintenance(db: Db): Maintenance[] {
  const rows = statements(db)
    .enabled.all()
    .map((row) => asOfNow({ ...row, name: row.name ?? "" } as Maintenance));
  return inNameOrder(rows, ({ name }) => name);
}

/** All mutes, oldest first. Those that ended are kept for a while. */
export function allMutes(db: Db): Mute[] {
  return muteRows.all(db).map(asOfNow);
}

/** All mutes, in pages. Each page is read when it is needed. */
export function mutePages(db: Db): Generator<Mute[]> {
  return muteRows.pages(db);
}

/** Mutes that end after `now`, unix seconds, oldest first: those in effect and those that have not begun. */
export function mutesNotEnded(db: Db, now: number): Mute[] {
  return allMutes(db).filter(({ schedule }) => schedule.to > now);
}

/** Mutes with a lease, renewed or not, until they end. */
export function leasedMutes(db: Db): Mute[] {
  return (statements(db).leased.all() as Mute[]).map(asOfNow);
}

/** The mute of this id with its current end, even if it has ended; undefined if there is none. */
export function findMute(db: Db, id: number): Mute | undefined {
  const row = muteRows.find(db, id);
  return row && asOfNow(row);
}

/** Stores a mute. @returns its id */
export function insertMute(db: Db, row: Omit<Mute, "id" | "name" | "enabled">): number {
  return db.insert(maintenanceWindows).values(row).returning({ id: maintenanceWindows.id }).get().id;
}

/** The revision of a window. @param until unix seconds */
function ofWindow(id: number, until: number) {
  return { kind: "maintenance_windows", hostId: null, objectId: id, until } as const;
}

/** Changes a mute, and records what it replaces. @param at unix seconds */
function changeMute(db: Db, id: number, changes: Partial<Omit<Mute, "id">>, at: number): void {
  const before = muteRows.find(db, id);
  if (before) recordChange(db, ofWindow(id, at), before, changes);
  muteRows.update(db, id, changes);
}

/** Gives a mute another end, and removes its lease. @param at unix seconds */
export function setEndOfMute(db: Db, { id, schedule }: Mute, to: number, at: number): void {
  changeMute(db, id, { schedule: { ...schedule, to }, leasedUntil: null }, at);
}

/** Renews a lease, which commands do each minute. It has no revision. */
export function renewLease(db: Db, id: number, leasedUntil: number): void {
  muteRows.update(db, id, { leasedUntil });
}

/** Ends the lease of a mute. @param at unix seconds */
export function endLease(db: Db, id: number, at: number): void {
  changeMute(db, id, { leasedUntil: at }, at);
}

/** Deletes a mute, and records it. @param at unix seconds */
export function deleteMute(db: Db, id: number, at: number): void {
  const before = muteRows.find(db, id);
  if (before) recordRevision(db, { ...ofWindow(id, at), content: { ...before } });
  muteRows.delete(db, id);
}
