import { type Actor, COMMAND_LINE } from "../../accounts/audit/actor.ts";
import type { Audit } from "../../accounts/audit/audit.service.ts";
import type { Nodes } from "../../platform/storage/nodes.postgres.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { VERSION } from "../../platform/version.ts";

/** `muster serve` itself, on the machine of the node. */
const SERVICE: Actor = COMMAND_LINE;

/** What administrators see of the nodes that share a database. */
export class Cluster {
  /** @param nodes null when the database is a file, which one process uses */
  constructor(
    private readonly db: Db,
    private readonly nodes: Nodes | null,
    private readonly audit: Audit,
  ) {}

  list() {
    const records = this.nodes?.list() ?? [];
    return {
      records: records.map(({ name, version, isActive, seenAt }) => ({
        ...{ name, version, active: isActive ? 1 : 0, lastseen: seenAt },
      })),
    };
  }

  /** Stores that this node became the active one, with an entry of the audit log if another one was before. */
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
