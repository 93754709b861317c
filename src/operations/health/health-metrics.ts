import { FINDING_SEVERITIES } from "../../platform/storage/schema/health.ts";
import { family, gauge, sample } from "../../publishing/metrics/metrics.ts";
import type { Evaluation } from "./health.service.ts";
import { daysUntilFull } from "./storage-checks.ts";

/**
 * How Muster itself is, in the text format of Prometheus. Not only administrators read it, so it names codes and numbers,
 * and no host, channel or client.
 * @param evaluation null before the first one, which has no metrics
 */
export function healthMetrics(evaluation: Evaluation | null): string[] {
  if (evaluation === null) return [];
  const { facts, findings } = evaluation;
  const byCode = Map.groupBy(findings, ({ code, severity }) => `${severity} ${code}`);
  return [
    ...gauge(
      "muster_health_evaluated_timestamp_seconds",
      "When the health of Muster was last evaluated.",
      facts.now,
    ),
    ...family(
      "muster_health_findings",
      "gauge",
      "Findings about Muster itself, by severity.",
      FINDING_SEVERITIES.map((severity) =>
        sample(
          "muster_health_findings",
          { severity },
          findings.filter((finding) => finding.severity === severity).length,
        ),
      ),
    ),
    ...family(
      "muster_health_finding",
      "gauge",
      "Findings about Muster itself that last, by code.",
      [...byCode.values()].flatMap((ofCode) => {
        const [first] = ofCode;
        return first
          ? sample("muster_health_finding", { code: first.code, severity: first.severity }, ofCode.length)
          : [];
      }),
    ),
    ...gauge(
      "muster_database_growth_bytes_per_day",
      "Growth of the database, over up to 30 days.",
      facts.database.growth,
    ),
    ...gauge(
      "muster_disk_free_bytes",
      "Free space on the disk of the database.",
      facts.database.disk?.free ?? null,
    ),
    ...gauge(
      "muster_disk_full_days",
      "Days until that disk is full at this growth.",
      daysUntilFull(facts.database),
    ),
    ...gauge("muster_backup_timestamp_seconds", "When the last backup was made.", facts.backup.last),
    ...gauge("muster_channels_failing", "Channels whose last attempt failed.", facts.channels.failing),
    ...gauge("muster_deliveries_waiting", "Notifications that wait to be sent.", facts.deliveries.waiting),
    ...gauge("muster_clocks_wrong", "Hosts whose clock is wrong.", facts.agents.clocks.wrong),
    ...gauge(
      "muster_certificate_expiry_timestamp_seconds",
      "When the first certificate of Muster expires.",
      firstExpiry(facts),
    ),
  ];
}

function firstExpiry({ certificates }: Evaluation["facts"]): number | null {
  const expiries = certificates.flatMap(({ expires }) => expires ?? []);
  return expiries.length === 0 ? null : Math.min(...expiries);
}
