/** New hosts that were expected. Everything here but `forget` runs inside the transaction of a flush. */
import type { Db } from "../../platform/storage/open.ts";
import { type Credential, joinAndTag } from "../agent-keys/host-binding.ts";
import {
  type ExpectedRow,
  expectedNamed,
  isAnyExpected,
  isNameOfHost,
  markArrived,
} from "./expected.repository.ts";

/**
 * Whether an expectation applies to hosts with this credential. What a manager expects must not bring other people's
 * hosts into the manager's groups, so it applies only to hosts that report with a key that the manager manages.
 */
function isAbout({ within }: ExpectedRow, key: Credential): boolean {
  if (within.length === 0) return true;
  return key !== undefined && key.hostgroups.length > 0 && key.hostgroups.every((id) => within.includes(id));
}

/** Finds the expectation that a new host meets, and applies its settings. */
export class Arrivals {
  /** Whether any host is expected; null if that is not known. Without one, a new host costs no look-up. */
  #isAny: boolean | null = null;

  constructor(private readonly db: Db) {}

  /** Forgets whether any hosts are expected, because that may have changed. */
  forget(): void {
    this.#isAny = null;
  }

  /**
   * The expectation that a new host meets, before its row is stored. Null if there is none, or if a host has the name.
   * @param hostname the name that its agent reports
   */
  expectationOf(hostname: string, key: Credential): ExpectedRow | null {
    this.#isAny ??= isAnyExpected(this.db);
    if (!this.#isAny) return null;
    const row = expectedNamed(this.db, hostname);
    if (!row || row.hostId !== null || !isAbout(row, key)) return null;
    return isNameOfHost(this.db, hostname, row.within) ? null : row;
  }

  /**
   * Applies the groups and tags of an expectation to a host that was stored with its other settings, and marks it as
   * arrived.
   */
  settle(row: ExpectedRow, hostId: number, at: number): void {
    joinAndTag(this.db, hostId, row, at);
    markArrived(this.db, row.id, hostId, at);
  }
}
