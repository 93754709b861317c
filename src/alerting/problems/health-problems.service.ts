import type { Acknowledgement } from "../../monitoring/uptime/acknowledgements.repository.ts";
import type { Clock } from "../../platform/clock.ts";
import { errors, found } from "../../platform/http/errors.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { markFindingAcknowledged, wakeHealthAlerts } from "../notifications/health-alerts.repository.ts";
import { acknowledgementEnd } from "./acknowledgement-end.ts";
import {
  endFindingAcknowledgement,
  findFinding,
  findingAcknowledgementsOf,
  insertFindingAcknowledgement,
} from "./health-problems.repository.ts";
import type { AcknowledgeArguments } from "./problems.schemas.ts";

/** How administrators handle failures of Muster itself. Like `Problems`, it makes alerts due again. */
export class HealthProblems {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
  ) {}

  /**
   * Acknowledges findings that last: all of the requested ones or none. It replaces an earlier acknowledgement.
   * @throws ApiError 404; 400 if a finding is over, or `until` is not in the future
   */
  acknowledge({ id, note, until: end }: AcknowledgeArguments, uname: string): void {
    const { db } = this;
    const now = this.clock.now();
    const until = acknowledgementEnd(end, now);
    transaction(db, () => {
      for (const findingId of id) {
        const finding = found(findFinding(db, findingId), "finding", findingId);
        if (finding.endedAt !== null)
          throw errors.badArgument("id", `the id of a finding that lasts, which ${findingId} does not`);
        endFindingAcknowledgement(db, findingId, now);
        insertFindingAcknowledgement(db, { findingId, uname, note, createdAt: now, until });
        markFindingAcknowledged(db, finding);
        wakeHealthAlerts(db, finding, now);
      }
    });
  }

  /** Ends acknowledgements of findings. @throws ApiError 404 */
  unacknowledge(ids: readonly number[]): void {
    const { db } = this;
    const now = this.clock.now();
    transaction(db, () => {
      for (const id of ids) {
        const finding = found(findFinding(db, id), "finding", id);
        endFindingAcknowledgement(db, id, now);
        wakeHealthAlerts(db, finding, now);
      }
    });
  }

  /** The acknowledgements in effect now, keyed by finding. */
  acknowledgementsOf(findingIds: readonly number[]): Map<number, Acknowledgement> {
    return findingAcknowledgementsOf(this.db, findingIds, this.clock.now());
  }
}
