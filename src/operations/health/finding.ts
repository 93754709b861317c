import type { FINDING_SEVERITIES } from "../../platform/storage/schema/health.ts";
import type { HealthFacts } from "./facts.ts";

export type Severity = (typeof FINDING_SEVERITIES)[number];

/** What is wrong with Muster itself, as one evaluation finds it. */
export interface Finding {
  /** Names the check. Stable, for programs. */
  code: string;
  /** Which channel, node or certificate it is about; "" for Muster as a whole. */
  subject: string;
  severity: Severity;
  /** What is wrong, in one sentence. */
  text: string;
  /** What to do about it. */
  advice: string;
}

/** What a check finds: about Muster as a whole unless it names a subject. */
export type Found = Omit<Finding, "subject"> & Partial<Pick<Finding, "subject">>;

/** @returns null if nothing is wrong */
export type HealthCheck = (facts: HealthFacts) => Found | readonly Found[] | null;
