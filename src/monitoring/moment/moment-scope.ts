/** The moment that a database in memory shows, and of which hosts. */
import type { Db } from "../../platform/storage/open.ts";
import { idsIn } from "../../platform/storage/words.ts";
import { asParameter } from "./moment-rows.ts";

/** What is read of the moment. */
export interface MomentScope {
  /** Unix seconds. */
  at: number;
  /** Since when changes of settings are recorded, unix seconds. */
  recorded: number;
  /** Undefined: all hosts. */
  hostIds: readonly number[] | undefined;
}

/** A moment database while it is composed. */
export interface Composition extends MomentScope {
  /** The database in memory. */
  db: Db;
  /** The real one. */
  history: Db;
}

/** SQL: the condition for the hosts of the moment, whose ids are parameter 2; "" for all hosts. */
export function ofHosts(
  { hostIds }: MomentScope,
  column: string,
): { condition: string; parameters: string[] } {
  if (!hostIds) return { condition: "", parameters: [] };
  return { condition: ` and ${column} in ${idsIn("?2")}`, parameters: [asParameter(hostIds)] };
}
