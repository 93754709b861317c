import { TICK_MS } from "../../monitoring/heartbeat/heartbeat.service.ts";
import type { RequestResult } from "../../platform/egress/recurring-requests.ts";
import type { Nodes } from "../../platform/storage/nodes.postgres.ts";
import type { Db } from "../../platform/storage/open.ts";
import { databaseSize } from "../../platform/storage/size.repository.ts";
import { VERSION } from "../../platform/version.ts";
import { family, gauge, Histogram, MetricCounter, sample } from "./metrics.ts";
import { nodeMetrics } from "./node-metrics.ts";

/** Upper bounds in seconds. Agents give up after 5. */
const LATENCY_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export type Surface = "collector" | "api";

/** Seconds for which work counts as failing after a failed step. Failed steps are repeated sooner. */
const FAILING_SECONDS = 60;

/** Other systems to which Muster makes recurring requests. */
const RECIPIENTS = ["heartbeat", "otlp"] as const;
type Recipient = (typeof RECIPIENTS)[number];
const RESULTS: readonly RequestResult[] = ["ok", "failed", "withheld"];

export interface ServiceMetricsDependencies {
  db: Db;
  queue: { readonly length: number };
  /** Null when the database is a file. */
  nodes: Pick<Nodes, "list"> | null;
  /** Milliseconds of a monotonic clock. */
  monotonic: () => number;
}

/** Metrics about the running service itself. None of them is updated per statistic of a message. */
export class ServiceMetrics {
  readonly #messages = new MetricCounter("muster_messages_total", "Messages of agents that were stored.", [
    {},
  ]);
  readonly #refusals = new MetricCounter(
    "muster_messages_refused_total",
    "Posts of agents that were not accepted, by the code of the reason.",
  );
  readonly #requests = new MetricCounter("muster_http_requests_total", "Requests that were answered.");
  readonly #latency = new Histogram(
    "muster_http_request_duration_seconds",
    "Time from a request to its answer.",
    LATENCY_BOUNDS,
  );
  readonly #failures = new MetricCounter(
    "muster_background_failures_total",
    "Steps of work in the background that failed.",
  );
  readonly #outgoing = new MetricCounter(
    "muster_outgoing_requests_total",
    "Requests to the heartbeat address and of pushed metrics; withheld while Muster is not healthy.",
    RECIPIENTS.flatMap((to) => RESULTS.map((result) => ({ to, result }))),
  );
  /** When a step of each work last failed, monotonic milliseconds. */
  readonly #failedAt = new Map<string, number>();
  readonly #lastResults = new Map<Recipient, RequestResult>();
  #lastTick: number | null = null;
  #lateness = 0;

  constructor(private readonly dependencies: ServiceMetricsDependencies) {}

  /** Counts a request. @param code of the error, null if there is none @param seconds duration of the request */
  answered(surface: Surface, status: number, code: string | null, seconds: number): void {
    this.#requests.add({ surface, status: `${Math.floor(status / 100)}xx` });
    this.#latency.observe({ surface }, seconds);
    if (surface !== "collector") return;
    if (code === null && status < 300) this.#messages.add();
    else this.#refusals.add({ reason: code ?? "internal" });
  }

  /** Call it whenever the heartbeat check has run. */
  ticked(): void {
    const now = this.dependencies.monotonic();
    this.#lateness = this.#lastTick === null ? 0 : Math.max(0, now - this.#lastTick - TICK_MS);
    this.#lastTick = now;
  }

  backgroundFailed(work: string): void {
    this.#failures.add({ work });
    this.#failedAt.set(work, this.dependencies.monotonic());
  }

  /** Work in the background that fails now. */
  get failingWork(): string[] {
    const since = this.dependencies.monotonic() - FAILING_SECONDS * 1000;
    return [...this.#failedAt].filter(([, at]) => at >= since).map(([work]) => work);
  }

  /** Counts a recurring request to another system by its result. */
  countRequest(to: Recipient, result: RequestResult): void {
    this.#outgoing.add({ to, result });
    this.#lastResults.set(to, result);
  }

  /** The systems to which the last request failed. */
  get failingRequests(): Recipient[] {
    return [...this.#lastResults].filter(([, result]) => result === "failed").map(([to]) => to);
  }

  /** Number of messages stored since the start. */
  get stored(): number {
    return this.#messages.total;
  }

  /** How late the heartbeat check is, seconds. */
  get lag(): number {
    if (this.#lastTick === null) return 0;
    return Math.max(0, this.#lateness, this.dependencies.monotonic() - this.#lastTick - TICK_MS) / 1000;
  }

  /** All metrics in the text format. @param extraLines further families, as lines */
  text(extraLines: readonly string[] = []): string {
    const { db, queue, nodes } = this.dependencies;
    const { user, system } = process.cpuUsage();
    const lines = [
      gauge("muster_build_info", "Version of Muster.", 1, { version: VERSION }),
      gauge(
        "process_start_time_seconds",
        "Start of the process, unix time.",
        Math.round(performance.timeOrigin / 1000),
      ),
      gauge("process_resident_memory_bytes", "Memory of the process.", process.memoryUsage.rss()),
      family("process_cpu_seconds_total", "counter", "CPU time of the process.", [
        sample("process_cpu_seconds_total", {}, (user + system) / 1e6),
      ]),
      this.#messages.lines(),
      this.#refusals.lines(),
      gauge("muster_queue_length", "Messages that wait to be stored.", queue.length),
      this.#requests.lines(),
      this.#latency.lines(),
      gauge("muster_database_bytes", "Size of the database, without its log.", databaseSize(db)),
      gauge("muster_heartbeat_lag_seconds", "How late the check for hosts that are down is.", this.lag),
      this.#failures.lines(),
      this.#outgoing.lines(),
      nodeMetrics(nodes?.list() ?? []),
      ...extraLines,
    ];
    return `${lines.flat().join("\n")}\n`;
  }
}
