import type { ClusterNode } from "../../platform/storage/nodes.postgres.ts";
import { family, gauge, sample } from "./metrics.ts";

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
      "When the node last reported that it runs, unix time.",
      nodes.map(({ name, seenAt }) =>
        sample("muster_node_last_seen_timestamp_seconds", { node: name }, seenAt),
      ),
    ),
  ];
}

/** Figures of a node that does not serve. */
export interface StandbyFigures {
  state: string;
  /** Since when it is in that state, unix seconds. */
  since: number;
  /** When the nodes were last read from the database, unix seconds; null before that. */
  nodesReadAt: number | null;
  isServerReached: boolean;
}

/** The metrics of a node that does not serve, in the text format. */
export function standbyMetrics({ state, since, nodesReadAt, isServerReached }: StandbyFigures): string[] {
  return [
    ...gauge(
      "muster_database_reached",
      "Whether this node reaches the database server.",
      isServerReached ? 1 : 0,
    ),
    ...gauge(
      "muster_node_state_since_timestamp_seconds",
      "Since when this node has been in the state of the label, unix time.",
      since,
      { state },
    ),
    ...gauge(
      "muster_nodes_read_timestamp_seconds",
      "When the nodes were last read from the database, unix time.",
      nodesReadAt,
    ),
  ];
}
