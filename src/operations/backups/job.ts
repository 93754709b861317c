/** A backup, from the copy to the proof: what the thread that makes it receives and returns, as plain data. */
import type { AddressReach } from "../../platform/net/addresses.ts";
import type { ReadPlace } from "../../platform/storage/read-place.ts";
import type { Keeping, KeptBackup } from "./keeping.ts";
import type { BackupTarget } from "./target.ts";

export interface BackupJob {
  /** When it begins, unix seconds. */
  now: number;
  database: ReadPlace;
  /** Path of the data folder. */
  folder: string;
  /** Folder of the migrations. */
  migrations: string;
  target: BackupTarget;
  /** Public keys; none: the backup is not encrypted. */
  recipients: readonly string[];
  /** File of private keys with which backups are proven; null without one. */
  identityFile: string | null;
  /** Bytes a second to and from the target; 0: unlimited. */
  rate: number;
  reach: AddressReach;
  /** Backups at the target, and which of them to keep. */
  stored: readonly KeptBackup[];
  keeping: Keeping;
  timezone: string;
  /** Bytes of the last archive; null before the first. */
  lastBytes: number | null;
}

export const PHASES = ["copying", "packing", "storing", "reading back", "restoring", "tidying up"] as const;

export interface BackupProgress {
  phase: (typeof PHASES)[number];
  /** Bytes; both are 0 in phases that are not measured. */
  done: number;
  total: number;
}

export interface BackupOutcome {
  name: string;
  /** When the copy was made, unix seconds: that of an earlier attempt if it was resumed. */
  created: number;
  bytes: number;
  /** Size of the database in it. */
  databaseBytes: number;
  /** proven: it was restored and compared. verified: what the target has is what was sent. */
  proof: "verified" | "proven";
  /** Why it was not proven, or what else did not succeed; "" without trouble. */
  trouble: string;
  /** Names of the outdated backups that were removed. */
  removed: string[];
}
