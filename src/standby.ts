/** What a standby answers. */
import type { IncomingMessage } from "node:http";
import type { Config } from "./platform/config/config.definitions.ts";
import { isDirectFromHere } from "./platform/http/client-info.ts";
import { Listener } from "./platform/http/listener.ts";
import type { ClusterNode } from "./platform/storage/nodes.postgres.ts";
import { TEXT_FORMAT } from "./publishing/metrics/metrics.ts";
import { nodeMetrics } from "./publishing/metrics/node-metrics.ts";

const STANDBY = { code: "standby", message: "Another Muster is active" };
const AWAY = { code: "database", message: "The database server cannot be reached" };

/** A standby cannot check tokens, so that only programs on this machine see its metrics. */
function isMetrics({ url, method, headers, socket }: IncomingMessage): boolean {
  const isAsked = url === "/metrics" && method === "GET";
  return isAsked && isDirectFromHere(socket.remoteAddress ?? "", (name) => headers[name]);
}

/**
 * Answers 503 to everyone, so that a balancer looks for the active node, and `/metrics` to this machine.
 * @param nodes as they were last read; null before the database server could be reached
 */
export function openStandbyListener(
  config: Config,
  nodes: () => readonly ClusterNode[] | null,
): Promise<Listener> {
  return Listener.open((request, response) => {
    const known = nodes();
    if (isMetrics(request)) {
      const metrics = nodeMetrics(known ?? []).join("\n");
      response.writeHead(200, { "Content-Type": TEXT_FORMAT }).end(`${metrics}\n`);
    } else {
      const body = JSON.stringify(known ? STANDBY : AWAY);
      response.writeHead(503, { "Content-Type": "application/json", "Retry-After": "5" }).end(body);
    }
  }, config);
}
