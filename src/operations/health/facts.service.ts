import { existsSync, statfsSync } from "node:fs";
import { NOTHING_FORGOTTEN } from "../../alerting/forgotten/forgotten.queries.ts";
import type { RejectedMessages } from "../../monitoring/collector/rejected-messages.ts";
import type { ForecastPass } from "../../monitoring/forecast/forecast-pass.service.ts";
import type { Compaction } from "../../monitoring/history/compaction.service.ts";
import { type IngestQueue, MAX_QUEUE } from "../../monitoring/ingest/queue.ts";
import { type Clock, DAY } from "../../platform/clock.ts";
import type { Egress } from "../../platform/egress/egress.ts";
import type { ServedCertificate } from "../../platform/http/tls-files.ts";
import { type SettingsReader, savedBaseUrl } from "../../platform/settings/settings.service.ts";
import { dataFolder } from "../../platform/storage/data-folder.ts";
import { lastBackup } from "../../platform/storage/last-backup.ts";
import type { Nodes } from "../../platform/storage/nodes.postgres.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { databaseSize, engineName } from "../../platform/storage/size.repository.ts";
import type { StorageHealth } from "../../platform/storage/storage-health.ts";
import { VERSION } from "../../platform/version.ts";
import type { ServiceMetrics } from "../../publishing/metrics/service-metrics.ts";
import type { Backups } from "../backups/backups.service.ts";
import { BaseUrlCertificate } from "./base-url-certificate.ts";
import type { CertificateFact, DiskSpace, FleetFacts, HealthFacts, Refusal } from "./facts.ts";
import { failingChannels, firstSize, hasSize, storeSize, waitingDeliveries } from "./health.repository.ts";

/** Days over which the growth of the database is measured, at most. */
const GROWTH_DAYS = 30;

/** The facts about hosts before they could be read. */
const NO_FLEET: FleetFacts = {
  agents: {
    total: 0,
    versions: [],
    clocks: { wrong: 0, behind: 0, worst: [] },
    overdue: { count: 0, names: [] },
  },
  forgotten: NOTHING_FORGOTTEN,
};

export interface FactSources {
  db: Db;
  settings: SettingsReader;
  clock: Clock;
  /** Milliseconds of a monotonic clock. */
  monotonic: () => number;
  egress: Egress;
  storage: Pick<StorageHealth, "ifPossible">;
  /** The same result as `/healthz`. */
  healthy: () => boolean;
  metrics: Pick<ServiceMetrics, "lag" | "stored" | "failingWork" | "failingRequests">;
  queue: Pick<IngestQueue, "length">;
  rejectedMessages: Pick<RejectedMessages, "list">;
  backups: Pick<Backups, "facts" | "newest">;
  forecastPass: Pick<ForecastPass, "daysBehind">;
  compaction: Pick<Compaction, "progress">;
  /** Null when the database is a file. */
  nodes: Pick<Nodes, "list"> | null;
  /** Path of the data folder; null for a database in memory. */
  folder: string | null;
  /** From the command line or environment. */
  baseUrl: URL | null;
  /** The certificate that Muster serves; null if it serves none. */
  servedCertificate: () => ServedCertificate | null;
}

/** The disk of the database, which a link in the data folder may lead to. */
function diskOf(folder: string | null): DiskSpace | null {
  if (folder === null) return null;
  const { database } = dataFolder(folder);
  try {
    const { bavail, blocks, bsize } = statfsSync(existsSync(database) ? database : folder);
    return { free: bavail * bsize, total: blocks * bsize };
  } catch {
    return null;
  }
}

/** Gathers what the checks look at: counters in memory, files, and a bounded number of rows. */
export class FactGathering {
  readonly #certificate: BaseUrlCertificate;
  readonly #startedAt: number;
  /** Messages stored at the last evaluation, and when that was in monotonic milliseconds. */
  #stored: { messages: number; at: number } | null = null;

  constructor(private readonly sources: FactSources) {
    this.#certificate = new BaseUrlCertificate(sources.egress);
    this.#startedAt = sources.monotonic();
  }

  /** @param fleet what was read of all hosts, on a query worker; null if nothing could be read */
  async gather(fleet: FleetFacts | null): Promise<HealthFacts> {
    const { db, clock, monotonic, healthy, metrics, queue, nodes } = this.sources;
    const now = clock.now();
    const certificates = await this.#certificates(now);
    return {
      now,
      version: VERSION,
      uptime: Math.floor((monotonic() - this.#startedAt) / 1000),
      writable: healthy(),
      heartbeatLag: metrics.lag,
      failingWork: metrics.failingWork,
      failingRequests: this.#failingRequests(),
      messages: {
        perSecond: this.#rate(),
        waiting: queue.length,
        mostWaiting: MAX_QUEUE,
        refused: this.#refused(),
      },
      ...(fleet ?? NO_FLEET),
      isFleetRead: fleet !== null,
      database: this.#database(now),
      backup: this.#backup(),
      channels: this.#channels(),
      deliveries: waitingDeliveries(db),
      certificates,
      nodes: nodes?.list() ?? [],
      forecasts: { behind: this.sources.forecastPass.daysBehind },
      compaction: this.sources.compaction.progress,
    };
  }

  #backup(): HealthFacts["backup"] {
    const { settings, folder, nodes, backups } = this.sources;
    const { stored, proven } = backups.newest;
    const automatic = backups.facts;
    const made = folder === null ? null : lastBackup(folder);
    return {
      possible: (nodes === null && folder !== null) || automatic !== null,
      last: stored === null || made === null ? (stored ?? made) : Math.max(stored, made),
      lastProven: proven,
      days: settings.get("backupdays"),
      automatic,
    };
  }

  #channels() {
    const worst = failingChannels(this.sources.db);
    return { failing: worst.length, worst };
  }

  async #certificates(now: number): Promise<CertificateFact[]> {
    const { settings, baseUrl, servedCertificate } = this.sources;
    const served = servedCertificate();
    const presented = await this.#certificate.look(baseUrl ?? savedBaseUrl(settings), now);
    return [...(served ? [{ name: "Muster", ...served }] : []), ...(presented ? [presented] : [])];
  }

  #failingRequests(): string[] {
    const { settings, metrics } = this.sources;
    const names = { heartbeat: "dead-man ping", otlp: "push of metrics" } as const;
    const isOn = { heartbeat: settings.get("heartbeaturl") !== "", otlp: settings.get("otlpurl") !== "" };
    return metrics.failingRequests.filter((to) => isOn[to]).map((to) => names[to]);
  }

  #rate(): number | null {
    const { metrics, monotonic } = this.sources;
    const [before, messages, at] = [this.#stored, metrics.stored, monotonic()];
    this.#stored = { messages, at };
    return before && at > before.at ? (messages - before.messages) / ((at - before.at) / 1000) : null;
  }

  #refused(): Refusal[] {
    const groups = Map.groupBy(this.sources.rejectedMessages.list(), ({ reason }) => reason);
    return [...groups].map(([reason, refusals]) => ({
      reason,
      count: refusals.reduce((sum, group) => sum + group.count, 0),
      clients: refusals.length,
      last: Math.max(...refusals.map(({ last }) => last)),
    }));
  }

  #database(now: number): HealthFacts["database"] {
    const { db, settings, storage, folder, nodes } = this.sources;
    const bytes = databaseSize(db);
    const day = Math.floor(now / DAY);
    const before = firstSize(db, day - GROWTH_DAYS);
    const days = day - (firstSize(db)?.day ?? day);
    // If no backup was ever made, one is missing once sizes are known for `backupdays` days, so they are kept as long.
    const kept = Math.max(GROWTH_DAYS, settings.get("backupdays"));
    if (!hasSize(db, day))
      storage.ifPossible(() => transaction(db, () => storeSize(db, { day, bytes }, day - kept)));
    return {
      engine: engineName(db),
      bytes,
      growth: before && before.day < day ? (bytes - before.bytes) / (day - before.day) : null,
      days,
      disk: nodes === null ? diskOf(folder) : null,
    };
  }
}
