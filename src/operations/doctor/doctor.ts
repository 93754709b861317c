import { damage } from "../../platform/storage/backup.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { findCounterFaults } from "./counters.ts";
import { danglingRows } from "./doctor.repository.ts";
import { findFailureFaults } from "./failures.ts";
import type { Finding } from "./finding.ts";
import { findKeyFaults } from "./name-keys.ts";

const beyond = (sentence: string): Finding => ({ sentence, repair: null });

/**
 * Looks for what is wrong with a database: the file itself, references between rows, and everything that is derived from
 * other rows.
 * @param keptSince how far back events are kept, unix seconds
 */
export function examine(db: Db, keptSince: number): Finding[] {
  const broken = damage(db.$client);
  // Nothing can be concluded from rows of a damaged file.
  if (broken.length > 0)
    return broken.map((text) => beyond(`The file is damaged: ${text}. Restore a backup (muster restore).`));
  // One transaction, so that a server which writes meanwhile is seen at one moment.
  return db.$client.transaction(() => examineRows(db, keptSince)).deferred();
}

function examineRows(db: Db, keptSince: number): Finding[] {
  const dangling = [...danglingRows(db)].map(([what, count]) =>
    beyond(`${count} rows point nowhere (${what}). Restore a backup (muster restore).`),
  );
  return [...dangling, ...findFailureFaults(db, keptSince), ...findCounterFaults(db), ...findKeyFaults(db)];
}

/** Puts right what can be, in one transaction. @returns what was repaired */
export function repair(db: Db, findings: readonly Finding[]): Finding[] {
  const repairable = findings.filter((finding) => finding.repair !== null);
  transaction(db, () => {
    for (const finding of repairable) finding.repair?.();
  });
  return repairable;
}
