/** What a standby answers. */
import type { IncomingMessage } from "node:http";
import type { Config } from "./platform/config/config.definitions.ts";
import { isDirectFromHere } from "./platform/http/client-info.ts";
import { Listener } from "./platform/http/listener.ts";
import type { ClusterNode } from "./platform/storage/nodes.postgres.ts";
import { TEXT_FORMAT } from "./publishing/metrics/metrics.ts";
import { nodeMetrics } from "./publishing/metrics/node-metrics.ts";

const STANDBY = JSON.stringify({ code: "standby", message: "Another Muster is active" });

/** A standby cannot check tokens, so that only programs on this machine see its metrics. */
function isMetrics({ url, method, headers, socket }: IncomingMessage): boolean {
  const isAsked = url === "/metrics" && method === "GET";
  return isAsked && isDirectFromHere(socket.remoteAddress ?? "", (name) => headers[name]);
}

/**
 * Answers 503 to everyone, so that a balancer looks for the active node, and `/metrics` to this machine.
 * @param nodes as they were last read
 */
export function openStandbyListener(config: Config, nodes: () => readonly ClusterNode[]): Promise<Listener> {
  return Listener.open((request, response) => {
    if (isMetrics(request))
      response.writeHead(200, { "Content-Type": TEXT_FORMAT }).end(`${nodeMetrics(nodes()).join("\n")}\n`);
    else response.writeHead(503, { "Content-Type": "application/json", "Retry-After": "5" }).end(STANDBY);
  }, config);
}
