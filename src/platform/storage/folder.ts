/** The data folder, as paths, and as the resources opened in it. */
import type { SecretBox } from "../secrets/secret-box.ts";
import type { Db } from "./open.ts";
import type { PostgresOptions } from "./postgres/options.ts";

export interface DataFolder {
  path: string;
  database: string;
  key: string;
  backups: string;
  migrations: string;
  /** The server that has the database instead; null when it is the file. */
  server: PostgresOptions | null;
}

export interface OpenFolder {
  db: Db;
  box: SecretBox;
}
