/** What the service needs to open its database, and what it then has. */
import type { Config } from "../../platform/config/config.definitions.ts";
import type { Log } from "../../platform/log.ts";
import type { OpenFolder } from "../../platform/storage/data-folder.ts";
import type { DatabaseFile } from "../../platform/storage/database-file.ts";
import type { Nodes } from "../../platform/storage/nodes.postgres.ts";
import type { ReadPlace } from "../../platform/storage/read-place.ts";

export interface ServiceContext {
  config: Config;
  log: Log;
  stop: AbortSignal;
}

export interface ServiceDatabase extends OpenFolder {
  /** Null for a database on a server. */
  file: DatabaseFile | null;
  /** Null for a file. */
  nodes: Nodes | null;
  /** Where query workers find it. */
  readPlace: ReadPlace;
  /** Aborted when another node has become the active one: this one must end at once. Its reason says why. */
  replaced: AbortSignal;
  close(): void;
}
