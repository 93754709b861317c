import type { ClusterNode } from "../../platform/storage/nodes.postgres.ts";
import { family, sample } from "./metrics.ts";

/** The metrics of the nodes that share a database, in the text format; none for a database file. */
export function nodeMetrics(nodes: readonly ClusterNode[]): string[] {
  if (nodes.length === 0) return [];
  return [
    ...family(
      "muster_node_active",
      "gauge",
      "Nodes that share the database: 1 for the active one, 0 for others.",
      nodes.map(({ name, version, isActive }) =>
        sample("muster_node_active", { node: name, version }, isActive ? 1 : 0),
      ),
    ),
    ...family(
      "muster_node_last_seen_timestamp_seconds",
      "gauge",
      "When the node last said that it runs, unix time.",
      nodes.map(({ name, seenAt }) =>
        sample("muster_node_last_seen_timestamp_seconds", { node: name }, seenAt),
      ),
    ),
  ];
}
