import type { HealthAlerts } from "../../alerting/notifications/health-alerts.service.ts";
import { endFindingAcknowledgement } from "../../alerting/problems/health-problems.repository.ts";
import type { RetentionRule } from "../../monitoring/retention/retention.service.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { cut } from "../../platform/text.ts";
import type { Finding } from "./finding.ts";
import {
  deleteEnded,
  deleteFinding,
  insertFinding,
  lastingFindings,
  type StoredFinding,
  updateFinding,
} from "./findings.repository.ts";

/** The most findings of an evaluation. Every refusal has one of its own. */
const MAX_FINDINGS = 100;
const MAX_SUBJECT = 255;
const MAX_TEXT = 1000;
/** Days that failures are kept after their end: as long as the deliveries about them. */
const RETENTION_DAYS = 90;

const keyOf = ({ code, subject }: Pick<Finding, "code" | "subject">) => JSON.stringify([code, subject]);

function bounded({ subject, text, ...finding }: Finding): Finding {
  return { ...finding, subject: cut(subject, MAX_SUBJECT), text: cut(text, MAX_TEXT) };
}

/** How long failures of Muster are kept. */
export function findingRetention(db: Db): RetentionRule {
  return { days: RETENTION_DAYS, delete: (before, limit) => deleteEnded(db, before, limit) };
}

/**
 * Stores what evaluations find, so that it is known since when it lasts. What two evaluations in a row find is a failure
 * of Muster: it opens with the second one, and ends with the first that no longer finds it.
 */
export class Findings {
  /** What this process has found itself, so that it can tell when it is over. */
  readonly #found = new Set<string>();

  constructor(
    private readonly db: Db,
    private readonly alerts: HealthAlerts,
  ) {}

  /**
   * Stores the findings of an evaluation, and ends those that are over.
   * @param found the findings of an evaluation
   * @param now unix seconds
   * @param canTell whether the check of this code can tell that nothing is wrong; until it can, what an earlier process
   * found lasts
   * @returns all findings that last, those of this evaluation first, in its order
   */
  store(found: readonly Finding[], now: number, canTell: (code: string) => boolean): StoredFinding[] {
    return transaction(this.db, () => {
      const before = new Map(lastingFindings(this.db).map((row) => [keyOf(row), row]));
      const findings = new Map(
        found.slice(0, MAX_FINDINGS).map((each) => [keyOf(bounded(each)), bounded(each)]),
      );
      for (const [key, finding] of findings) {
        this.#found.add(key);
        this.#store(finding, before.get(key), now);
      }
      for (const [key, row] of before)
        if (!findings.has(key)) {
          if (this.#found.delete(key) || canTell(row.code)) this.#gone(row, now);
          else findings.set(key, row);
        }
      const places = [...findings.keys()];
      const order = (row: StoredFinding) => places.indexOf(keyOf(row));
      return lastingFindings(this.db).sort((a, b) => order(a) - order(b));
    });
  }

  #store(finding: Finding, row: StoredFinding | undefined, now: number): void {
    if (!row) {
      insertFinding(this.db, { ...finding, since: now });
      return;
    }
    const values = { ...finding, openedAt: row.openedAt ?? now };
    const isSame = Object.entries(values).every(
      ([name, value]) => row[name as keyof StoredFinding] === value,
    );
    if (!isSame) updateFinding(this.db, row.id, values);
    const isWorse = row.severity === "warning" && finding.severity === "critical";
    if (row.openedAt === null || isWorse)
      this.alerts.failed({ ...finding, id: row.id, openedAt: values.openedAt }, now);
  }

  #gone({ id, openedAt, ...check }: StoredFinding, now: number): void {
    if (openedAt === null) {
      deleteFinding(this.db, id);
      return;
    }
    updateFinding(this.db, id, { endedAt: now });
    endFindingAcknowledgement(this.db, id, now);
    this.alerts.ended(check, now);
  }
}
