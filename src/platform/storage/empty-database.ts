/** Empty databases of this version, in memory. */
import { migrationsFolder } from "../assets.ts";
import { type Db, openDatabase, openImage, sqliteClient } from "./open.ts";
import { migrateDatabase } from "./sqlite-migrations.ts";

/** Kept, since migrating a database takes forty times as long as copying it. It has 0.6 MB. */
let image: Uint8Array | undefined;

/** An empty database as SQLite serializes it: the same bytes for all callers, which must not change them. */
export function emptyImage(): Uint8Array {
  image ??= migratedImage();
  return image;
}

function migratedImage(): Uint8Array {
  const db = openDatabase(":memory:");
  try {
    migrateDatabase(db, migrationsFolder());
    return sqliteClient(db).serialize();
  } finally {
    db.$client.close();
  }
}

/** Opens an empty database in memory. The caller closes it. */
export function emptyDatabase(): Db {
  return openImage(emptyImage());
}
