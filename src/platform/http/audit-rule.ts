import type { Details } from "./audit-details.ts";
import type { AppContext } from "./context.ts";

/** How a successful operation is recorded in the audit log. */
export interface AuditRule<A, R> {
  /** Kind of the object: host, group, user, token ... */
  subject: string;
  /**
   * Id of the object. Called before the operation with a null `reply`. If that returns undefined, it is
   * called again with the reply, since a created object has its id only then.
   */
  id?: (args: A, reply: R | null, c: AppContext) => string | number | undefined;
  /** What the operation may change, taken before and after it. Secrets in it are masked. */
  state?: (args: A, c: AppContext) => Details;
  details?: (args: A, reply: R, c: AppContext) => Details;
  /** For a change in steps: it is recorded with the first step, even if later ones fail. */
  atOnce?: true;
}

/** The id for `AuditRule.id` of an operation on several objects: it is recorded if there is only one. */
export function onlyId({ id }: { id: readonly number[] }): number | undefined {
  return id.length === 1 ? id[0] : undefined;
}

/**
 * itself   the operation writes its own entries, failures included
 * none     the change is not worth an entry
 */
export type AuditDeclaration<A, R> = AuditRule<A, R> | "itself" | "none";
