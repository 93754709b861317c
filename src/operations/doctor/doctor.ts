import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import { damage } from "../../platform/storage/backup.ts";
import { type Db, sqliteClient, transaction } from "../../platform/storage/open.ts";
import { findCounterFaults } from "./counters.ts";
import { danglingRows } from "./doctor.repository.ts";
import { findFailureFaults } from "./failures.ts";
import type { Finding } from "./finding.ts";
import { findLimitStateFaults } from "./limit-states.ts";
import { findKeyFaults } from "./name-keys.ts";
import { findOnCallFaults } from "./on-call.ts";
import { findSealFaults } from "./seals.ts";

const beyond = (sentence: string): Finding => ({ sentence, repair: null });

/**
 * Looks for faults in a database: in the file itself, in references between rows, and in all data derived
 * from other rows.
 * @param keptSince start of the period for which events are kept, unix seconds
 * @param box opens what is sealed; without it, seals are not tried
 */
export function examine(db: Db, keptSince: number, box: SecretBox | null = null): Finding[] {
  const broken = db.engine.kind === "sqlite" ? damage(sqliteClient(db)) : [];
  // The rows of a damaged file prove nothing.
  if (broken.length > 0)
    return broken.map((text) => beyond(`The file is damaged: ${text}. Restore a backup (muster restore).`));
  // One read transaction, so that a server writing meanwhile is seen at a single moment.
  return db.$client.transaction(() => examineRows(db, keptSince, box)).deferred();
}

function examineRows(db: Db, keptSince: number, box: SecretBox | null): Finding[] {
  const dangling = [...danglingRows(db)].map(([what, count]) =>
    beyond(`${count} rows point nowhere (${what}). Restore a backup.`),
  );
  const seals = box ? findSealFaults(db.$client, box) : [];
  const failures = findFailureFaults(db, keptSince);
  const states = findLimitStateFaults(db, failures.ofLimits);
  return [
    ...dangling,
    ...seals,
    ...failures.findings,
    ...states.findings,
    ...findCounterFaults(db, states.levelOf),
    ...findKeyFaults(db),
    ...findOnCallFaults(db),
  ];
}

/** Repairs what can be repaired, in one transaction. @returns the repaired findings */
export function repair(db: Db, findings: readonly Finding[]): Finding[] {
  const repairable = findings.filter((finding) => finding.repair !== null);
  transaction(db, () => {
    for (const finding of repairable) finding.repair?.();
  });
  return repairable;
}
