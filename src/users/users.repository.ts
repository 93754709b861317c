import { count, eq } from "drizzle-orm";
import type { Db } from "../database/open.ts";
import { users } from "../database/schema.ts";

export type User = typeof users.$inferSelect;
export type NewUser = typeof users.$inferInsert;

export function findUser(db: Db, uname: string): User | undefined {
  return db.select().from(users).where(eq(users.uname, uname)).get();
}

export function countUsers(db: Db): number {
  return db.select({ n: count() }).from(users).get()?.n ?? 0;
}

export function insertUser(db: Db, row: NewUser): number {
  return db.insert(users).values(row).returning({ id: users.id }).get().id;
}
