import { type Operation, read } from "../../platform/http/operation.ts";
import { nodesReply } from "./nodes.schemas.ts";
import type { Cluster } from "./nodes.service.ts";

/** The operation that lists the nodes, to administrators. With a database file there are none. */
export function nodeOperations(cluster: Cluster): Operation[] {
  return [
    read("/admin/nodes/list", {
      access: "admin",
      summary: "The nodes that share a PostgreSQL database, with the active one",
      response: nodesReply,
      handle: () => cluster.list(),
    }),
  ];
}
