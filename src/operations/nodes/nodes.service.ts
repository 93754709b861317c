import { type Actor, COMMAND_LINE } from "../../accounts/audit/actor.ts";
import type { Audit } from "../../accounts/audit/audit.service.ts";
import type { Nodes } from "../../platform/storage/nodes.postgres.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { VERSION } from "../../platform/version.ts";

/** The actor of a takeover: `muster serve` itself, on the machine of the node. */
const SERVICE: Actor = COMMAND_LINE;

/** The nodes that share a database, as administrators see them. */
export class Cluster {
  /** @param nodes null when the database is a file, which only one process uses */
  constructor(
    private readonly db: Db,
    private readonly nodes: Nodes | null,
    private readonly audit: Audit,
  ) {}

  list() {
    const records = this.nodes?.list() ?? [];
    return {
      records: records.map(({ name, version, isActive, seenAt }) => ({
        name,
        version,
        active: isActive ? 1 : 0,
        lastseen: seenAt,
      })),
    };
  }

  /** Stores that this node became active, with an audit entry if another node was active before. */
  activated(): void {
    const { nodes } = this;
    if (!nodes) return;
    transaction(this.db, () => {
      const before = nodes.activated();
      if (before === null) return;
      this.audit.add(SERVICE, {
        operation: "nodes/takeover",
        subject: "node",
        subjectId: nodes.name,
        subjectName: nodes.name,
        details: { active: [before, nodes.name], version: VERSION },
      });
    });
  }
}
