/** What the checks look at. Times are unix seconds, null is what Muster cannot know. */

import type { ForgottenList } from "../../alerting/forgotten/forgotten.schemas.ts";
import type { ClusterNode } from "../../platform/storage/nodes.postgres.ts";
import type { BackupFacts } from "../backups/backups.service.ts";

/** The file system of the database. */
export interface DiskSpace {
  free: number;
  total: number;
}

/** A certificate that Muster or the proxy in front of it presents. */
export interface CertificateFact {
  /** "Muster" for the one that Muster serves, otherwise host and port of the base URL. */
  name: string;
  /** When it expires; null if it could not be looked at. */
  expires: number | null;
  /** Why it could not be looked at, or why its renewed files cannot be used; "" otherwise. */
  problem: string;
}

/** Messages that were refused since the start, by reason. */
export interface Refusal {
  reason: string;
  count: number;
  /** Number of their addresses, of the last 200 groups of address and reason. */
  clients: number;
  last: number;
}

export interface FailingChannel {
  name: string;
  /** Consecutive failed attempts. */
  failures: number;
  /** What the remote said to the last attempt. */
  answer: string;
}

/** A host whose clock is wrong. */
export interface WrongClock {
  id: number;
  name: string;
  /** Seconds to add to its time. */
  offset: number;
}

export interface AgentFacts {
  /** Number of hosts that are not ignored. */
  total: number;
  /** The most frequent versions. */
  versions: { version: string; hosts: number }[];
  clocks: {
    /** Hosts whose clock is wrong. */
    wrong: number;
    /** Of these, the hosts whose clock is behind. */
    behind: number;
    /** The worst of them. */
    worst: WrongClock[];
  };
  /** Expected hosts that have not reported for longer than they may, and the names of the first of them. */
  overdue: { count: number; names: string[] };
}

/** What is read of all hosts, on a query worker. */
export interface FleetFacts {
  agents: AgentFacts;
  forgotten: ForgottenList;
}

export interface HealthFacts extends FleetFacts {
  now: number;
  /** Whether all hosts have been read; otherwise the facts about them are empty. */
  isFleetRead: boolean;
  version: string;
  /** Seconds since this process started. */
  uptime: number;
  /** Whether the database can be written. */
  writable: boolean;
  /** Seconds by which the check for hosts that are down is late. */
  heartbeatLag: number;
  /** Work in the background whose last step failed. */
  failingWork: string[];
  /** Requests to other systems that failed the last time. */
  failingRequests: string[];
  messages: {
    /** Stored per second since the last evaluation; null at the first one. */
    perSecond: number | null;
    waiting: number;
    /** The most messages that may wait. */
    mostWaiting: number;
    refused: Refusal[];
  };
  database: {
    engine: "SQLite" | "PostgreSQL";
    bytes: number;
    /** Bytes a day; null before there are two days to compare. */
    growth: number | null;
    /** Days for which sizes are known. */
    days: number;
    disk: DiskSpace | null;
  };
  backup: {
    /** Whether this database is backed up, on schedule or by `muster backup`. */
    possible: boolean;
    /** When the last one was made; null: never, as far as Muster knows. */
    last: number | null;
    /** When the newest backup that was proven was made; null: never. */
    lastProven: number | null;
    /** After how many days without a backup that is a finding; 0: never. */
    days: number;
    /** Facts about scheduled backups; null while none are scheduled. */
    automatic: BackupFacts | null;
  };
  channels: { failing: number; worst: FailingChannel[] };
  deliveries: { waiting: number; oldest: number | null };
  certificates: CertificateFact[];
  nodes: ClusterNode[];
  forecasts: {
    /** Days for which no forecasts were made, not counting today. */
    behind: number;
  };
  compaction: {
    /** Time up to which samples are known to be packed; null before that is known. */
    packedThrough: number | null;
    /** Hosts whose samples cannot be packed. */
    failed: number;
  };
}
