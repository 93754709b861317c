import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import type { FileFaults } from "../../platform/storage/older-file.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { fileDamage } from "../../platform/storage/quick-check.ts";
import { counted } from "../../platform/text.ts";
import { findCounterFaults } from "./counters.ts";
import { findDeletedHostFaults } from "./deleted-hosts.ts";
import { type DanglingRows, danglingRows, finishDeletion } from "./doctor.repository.ts";
import { findFailureFaults } from "./failures.ts";
import type { DoctorFinding } from "./finding.ts";
import { findLimitStateFaults } from "./limit-states.ts";
import { findKeyFaults } from "./name-keys.ts";
import { findOnCallFaults } from "./on-call.ts";
import { findPastValueFaults } from "./past-values.ts";
import { findSealFaults } from "./seals.ts";

const beyond = (sentence: string): DoctorFinding => ({ sentence, repair: null });

const damageFindings = (problems: readonly string[]) =>
  problems.map((text) => beyond(`The file is damaged: ${text}. Restore a backup (muster restore).`));

const danglingSentence = (relation: string, rows: number) =>
  `${counted(rows, "row refers", "rows refer")} to missing rows (${relation}).`;

/**
 * The repair does what the foreign key does on a deletion. If that forbids deletions, only a backup has the missing
 * row.
 */
function danglingFinding(db: Db, { relation, rows, references }: DanglingRows): DoctorFinding {
  const sentence = danglingSentence(relation, rows);
  const actions = new Set(references.map(({ onDelete }) => onDelete));
  if (actions.has(null)) return beyond(`${sentence} Restore a backup.`);
  const remedy = actions.has("cascade")
    ? `deletes ${rows === 1 ? "it" : "them"}`
    : `removes ${rows === 1 ? "this reference" : "these references"}`;
  return {
    sentence: `${sentence} muster doctor --repair ${remedy}.`,
    repair: () => {
      for (const reference of references) finishDeletion(db, reference);
    },
  };
}

/** The findings about a file of an earlier version, which has another schema. */
export function findingsOfOlderFile({ damage, dangling }: FileFaults): DoctorFinding[] {
  return [
    ...damageFindings(damage),
    ...dangling.map(({ relation, rows }) => beyond(danglingSentence(relation, rows))),
  ];
}

/**
 * Looks for faults in a database: in the file itself, in references between rows, and in all data derived
 * from other rows.
 * @param keptSince time since which retention has deleted no event, unix seconds
 * @param box opens secrets; without it, they are not checked
 */
export function examine(db: Db, keptSince: number, box: SecretBox | null = null): DoctorFinding[] {
  const broken = damageFindings(fileDamage(db));
  // The rows of a damaged file prove nothing.
  if (broken.length > 0) return broken;
  // One read transaction, so that the data is consistent even while a server writes.
  return db.$client.transaction(() => examineRows(db, keptSince, box)).deferred();
}

function examineRows(db: Db, keptSince: number, box: SecretBox | null): DoctorFinding[] {
  const seals = box ? findSealFaults(db.$client, box) : [];
  const failures = findFailureFaults(db, keptSince);
  const states = findLimitStateFaults(db, failures.ofLimits);
  return [
    ...danglingRows(db).map((dangling) => danglingFinding(db, dangling)),
    ...seals,
    ...findPastValueFaults(db),
    ...findDeletedHostFaults(db),
    ...failures.findings,
    ...states.findings,
    ...findCounterFaults(db, states.levelOf),
    ...findKeyFaults(db),
    ...findOnCallFaults(db),
  ];
}

/** Repairs what can be repaired, in one transaction. @returns the repaired findings */
export function repair(db: Db, findings: readonly DoctorFinding[]): DoctorFinding[] {
  const repairable = findings.filter((finding) => finding.repair !== null);
  transaction(db, () => {
    for (const finding of repairable) finding.repair?.();
  });
  return repairable;
}
