import { eq } from "drizzle-orm";
import type { Db } from "../../platform/storage/open.ts";
import { pictures } from "../../platform/storage/schema.ts";

/** Stores a user's picture, replacing the previous one. A name is never used again. */
export function putPicture(db: Db, userId: number, name: string, content: Uint8Array): void {
  const row = { name, content: Buffer.from(content) };
  db.insert(pictures)
    .values({ userId, ...row })
    .onConflictDoUpdate({ target: pictures.userId, set: row })
    .run();
}

/** Deletes a user's picture; does nothing if there is none. The user's column `image` still names it. */
export function deletePicture(db: Db, userId: number): void {
  db.delete(pictures).where(eq(pictures.userId, userId)).run();
}

/** The content of the picture with this name, or null. Who may see it is not checked. */
export function findPicture(db: Db, name: string): Buffer | null {
  const picture = db
    .select({ content: pictures.content })
    .from(pictures)
    .where(eq(pictures.name, name))
    .get();
  return picture?.content ?? null;
}
