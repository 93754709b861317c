import type { Clock } from "../../platform/clock.ts";
import { declareTaken, errors } from "../../platform/http/errors.ts";
import { FULL_REACH, type Reach, type Scope } from "../../platform/http/scope.ts";
import { inSteps } from "../../platform/http/steps.ts";
import type { Turn } from "../../platform/http/turn.ts";
import { Collection, type PutOutcome } from "../../platform/resources/collection.ts";
import type { References } from "../../platform/resources/references.ts";
import type { ContentOf, UpdateOf } from "../../platform/resources/resource.ts";
import { sortKey } from "../../platform/sort-key.ts";
import { type Db, onRollback } from "../../platform/storage/open.ts";
import { findGroupByName, insertGroup } from "../groups/groups.repository.ts";
import { isJoinManaged } from "../scope/filter-scope.ts";
import type { Arrivals } from "./arrivals.ts";
import { type ExpectedQueries, ExpectedReads } from "./expected.queries.ts";
import {
  countWaiting,
  type ExpectedRow,
  expectedNamed,
  expectedRows,
  forgetArrived,
  insertExpected,
  isNameOfHost,
} from "./expected.repository.ts";
import {
  type ExpectedImport,
  type ExpectedList,
  type expectedHost,
  importArguments,
  MAX_EXPECTED,
} from "./expected.schemas.ts";
import type { PlannedHost } from "./import-plan.ts";

export const expectedExists = declareTaken("expected.exists", "expected host");

/** Hosts per transaction of an import. It takes a few milliseconds, and agents are served in between. */
const STEP = 250;

type Content = ContentOf<typeof expectedHost>;

/** The groups to which the expectations of a caller are restricted; none for a caller who manages everything. */
const groupsOf = (act: Scope) => (act === "all" ? [] : [...act.groups]);

interface ExpectedParts {
  db: Db;
  references: References;
  clock: Clock;
  arrivals: Arrivals;
  queries: Pick<ExpectedQueries, "expectedPlan">;
}

/**
 * Expected hosts. Administrators manage all of them. A manager of host groups manages those that join only groups of
 * theirs, and does not see the others.
 */
export class ExpectedHosts extends Collection<typeof expectedHost, ExpectedRow> {
  readonly #parts: ExpectedParts;

  constructor(parts: ExpectedParts) {
    const { db, references } = parts;
    super({ reads: new ExpectedReads(db), references, taken: expectedExists, maxObjects: MAX_EXPECTED });
    this.#parts = parts;
  }

  protected columnsOf(content: Content, before: ExpectedRow | null): Omit<ExpectedRow, "id"> {
    if (before && before.hostId !== null)
      throw errors.badRequest("It has reported already: change the host itself");
    const kept = before ?? { within: [], created: this.#parts.clock.now(), hostId: null, arrived: null };
    const { within, created, hostId, arrived } = kept;
    return { ...content, hostnameKey: sortKey(content.hostname), within, created, hostId, arrived };
  }

  protected override mayChange({ hostgroups }: Content, scope: Scope): boolean {
    return isJoinManaged({ hostgroups }, scope);
  }

  protected override isKnown({ hostgroups }: Content, view: Scope): boolean {
    return isJoinManaged({ hostgroups }, view);
  }

  /** New hosts are judged by what is stored, after the change as well as after its rollback. */
  protected override changing<T>(change: () => T): T {
    const { db, arrivals } = this.#parts;
    return super.changing(() => {
      onRollback(db, () => arrivals.forget());
      const result = change();
      arrivals.forget();
      return result;
    });
  }

  override create(content: Content, reach: Reach = FULL_REACH): number {
    return this.changing(() => {
      forgetArrived(this.#parts.db, content.hostname);
      return this.#within(super.create(content, reach), reach);
    });
  }

  override update(sent: UpdateOf<typeof expectedHost>, reach: Reach = FULL_REACH): void {
    this.changing(() => {
      super.update(sent, reach);
      // A caller who manages everything may correct what someone else expects, but must not extend it to other people's
      // hosts.
      if (reach.act !== "all") this.#within(sent.id, reach);
    });
  }

  /** A host that has come since the export needs no expectation. */
  override put(content: Content, place: number): PutOutcome {
    const { db } = this.#parts;
    const row = expectedNamed(db, content.hostname);
    const hasCome = row ? row.hostId !== null : isNameOfHost(db, content.hostname, []);
    return hasCome ? "updated" : super.put(content, place);
  }

  /**
   * Leaves out expectations that are restricted to groups: a caller who manages everything would import them
   * unrestricted.
   */
  override contents(): Content[] {
    const waiting = this.reads.all().filter(({ hostId, within }) => hostId === null && within.length === 0);
    return waiting.map((row) => this.reads.contentOf(row));
  }

  /** @throws ApiError 400 if groups that all hosts of a list are to join do not exist for the caller */
  check(args: ExpectedList, { act }: Reach): void {
    this.references.refuseUnknown(importArguments, args, null, act);
  }

  /**
   * Adds the hosts of a list that are not expected yet, in steps between which agents are served. Nothing is added if a
   * part of the list is wrong. After an interruption the same import adds the rest.
   * @param turn the caller for whom the list is read
   * @throws ApiError 400, 403
   */
  async import(turn: Turn, { creategroups, ...args }: ExpectedImport, reach: Reach) {
    const { db, queries } = this.#parts;
    if (creategroups && reach.act !== "all") throw errors.notGranted();
    this.check(args, reach);
    const { preview, added, newgroups } = (await queries.expectedPlan(turn, args, reach, creategroups)).value;
    const { counts, records } = preview;
    const [wrong] = records.filter(({ outcome }) => outcome === "wrong");
    if (wrong) throw errors.badRequest(`Line ${wrong.line} of the list (${wrong.hostname}): ${wrong.reason}`);
    if (countWaiting(db) + added.length > MAX_EXPECTED)
      throw errors.badRequest(`There are at most ${MAX_EXPECTED} expected hosts; delete some first`);
    const groups = this.#createGroups(newgroups);
    const insertions = await inSteps(added, STEP, (part) => this.#add(part, groups, reach));
    const inserted = insertions.reduce((sum, n) => sum + n, 0);
    const listed = records.length - counts.wrong;
    const { unknowngroups, ignoredcolumns } = preview;
    return {
      added: inserted,
      skipped: listed - inserted,
      createdgroups: newgroups,
      unknowngroups,
      ignoredcolumns,
    };
  }

  #createGroups(names: readonly string[]): Map<string, number> {
    const { db, clock } = this.#parts;
    const now = clock.now();
    return this.changing(
      () => new Map(names.map((name) => [name, findGroupByName(db, name)?.id ?? insertGroup(db, name, now)])),
    );
  }

  /** @returns how many were not expected before */
  #add(hosts: readonly PlannedHost[], groups: ReadonlyMap<string, number>, { act }: Reach): number {
    const { db } = this.#parts;
    return this.changing(() => {
      const isNew = hosts.map(({ line: _, newgroups, ...host }) => {
        forgetArrived(db, host.hostname);
        const created = newgroups.flatMap((name) => groups.get(name) ?? []);
        const content = { ...host, hostgroups: [...host.hostgroups, ...created] };
        return insertExpected(db, { ...this.columnsOf(content, null), within: groupsOf(act) });
      });
      return isNew.filter(Boolean).length;
    });
  }

  #within(id: number, { act }: Reach): number {
    expectedRows.update(this.#parts.db, id, { within: groupsOf(act) });
    return id;
  }
}
