import type { Details } from "./audit-details.ts";
import type { AppContext } from "./context.ts";

/** How an operation is recorded, once it succeeded. */
export interface AuditRule<A, R> {
  /** Kind of what it is done to: host, group, user, token, settings ... */
  subject: string;
  /**
   * Which. Asked before the work, when `reply` is null, and, if there was no answer, after it: what is made only then has
   * an id.
   */
  id?: (args: A, reply: R | null, c: AppContext) => string | number | undefined;
  /** What it may change, to tell what it did: taken before and after. Secrets may be in it; they are not stored. */
  state?: (args: A, c: AppContext) => Details;
  details?: (args: A, reply: R, c: AppContext) => Details;
}

/**
 * itself   it records itself, failures included
 * none     it changes nothing that anyone else would ever ask about
 */
export type AuditDeclaration<A, R> = AuditRule<A, R> | "itself" | "none";
