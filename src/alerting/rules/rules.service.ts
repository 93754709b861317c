import { isVisibleById } from "../../monitoring/places/visible-filters.ts";
import { isOfGroups } from "../../monitoring/scope/filter-scope.ts";
import type { Clock } from "../../platform/clock.ts";
import { declareTaken, errors } from "../../platform/http/errors.ts";
import type { Scope } from "../../platform/http/scope.ts";
import { Collection, type PutOutcome } from "../../platform/resources/collection.ts";
import type { References } from "../../platform/resources/references.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import {
  closeAlertsOfRule,
  recountSteps,
  wakeAlertsOfRule,
  wakeRehearsalOfRule,
} from "./alert-wakes.repository.ts";
import { RuleReads } from "./rules.queries.ts";
import { emptyRule, type Rule, rulePositions, ruleRows } from "./rules.repository.ts";
import type { RuleContent, RuleStep, rule } from "./rules.schemas.ts";

export const ruleExists = declareTaken("rule.exists", "rule");

/** Every event is compared with all of them, hence the bound. */
const MAX_RULES = 500;
/** Alerts, and messages, that one step of a deletion takes from a rule. */
const EMPTIED = 500;

/** @throws ApiError 400 if the step names nobody */
function refuseNobody({ channels, users, schedules }: RuleStep, i: number): void {
  if (channels.length + users.length + schedules.length === 0)
    throw errors.badArgument(`steps[${i}]`, "a step that names a channel, a user or a schedule");
}

/** @throws ApiError 400 if the steps are out of order, or one after the first names nobody */
function refuseDisorder(steps: readonly RuleStep[]): void {
  for (const [i, step] of steps.entries()) {
    const before = steps[i - 1];
    if (!before && step.after !== 0) throw errors.badArgument("steps[0].after", "0");
    if (before && step.after <= before.after)
      throw errors.badArgument(`steps[${i}].after`, "more than that of the previous step");
    if (before) refuseNobody(step, i);
  }
}

/** @throws ApiError 400 if a rule about Muster itself has conditions that only hosts meet */
function refuseOfHosts(filter: RuleContent["filter"]): void {
  const { about, severities: _severities, ...ofHosts } = filter;
  const [name] = Object.keys(ofHosts);
  if (about !== undefined && name !== undefined)
    throw errors.badArgument(`filter.${name}`, "absent in a rule about Muster itself");
}

/** Whether someone who manages these hosts may change a rule with this filter, and rehearse it. */
export function isManagedRule(db: Db, filter: RuleContent["filter"], scope: Scope): boolean {
  return isOfGroups(filter, scope) && isVisibleById(db, filter, scope);
}

interface RuleParts {
  db: Db;
  references: References;
  settings: SettingsReader;
  clock: Clock;
}

/**
 * Notification rules. Administrators see and change all of them, a manager of host groups only those about these
 * groups.
 */
export class Rules extends Collection<typeof rule, Rule> {
  readonly #db: Db;
  readonly #settings: SettingsReader;
  readonly #clock: Clock;

  constructor({ db, references, settings, clock }: RuleParts) {
    super({
      reads: new RuleReads(db),
      references,
      taken: ruleExists,
      maxObjects: MAX_RULES,
      recorded: { kind: "rules", clock },
    });
    this.#db = db;
    this.#settings = settings;
    this.#clock = clock;
  }

  /** A new rule is evaluated after all others. */
  protected columnsOf({ quiet, ...content }: RuleContent, before: Rule | null): Omit<Rule, "id"> {
    refuseDisorder(content.steps);
    refuseOfHosts(content.filter);
    return {
      ...content,
      quiet: quiet && { timezone: this.#settings.get("timezone"), ...quiet },
      position: before?.position ?? ruleRows.count(this.#db) + 1,
      disabledAt: content.enabled ? null : (before?.disabledAt ?? this.#clock.now()),
    };
  }

  protected override mayChange({ filter }: RuleContent, scope: Scope): boolean {
    return isManagedRule(this.#db, filter, scope);
  }

  protected override isKnown(): boolean {
    return false;
  }

  /** A preview does not need recipients, but a stored rule does. */
  protected override inserted(columns: Omit<Rule, "id">, content: RuleContent): number {
    content.steps.forEach(refuseNobody);
    return super.inserted(columns, content);
  }

  /**
   * The new times apply to the open alerts of the rule, which are decided again. If the rule is or was disabled, they
   * are closed.
   */
  protected override updated(row: Rule, columns: Omit<Rule, "id">, content: RuleContent): void {
    content.steps.forEach(refuseNobody);
    super.updated(row, columns, content);
    recountSteps(this.#db, row.id, row.steps, columns.steps);
    if (row.enabled && columns.enabled) wakeAlertsOfRule(this.#db, row.id);
    else closeAlertsOfRule(this.#db, row.id, this.#clock.now());
    wakeRehearsalOfRule(this.#db, row.id, this.#clock.now());
  }

  /**
   * Deletes some alerts of the rule, and separates some messages from it, which are kept. The rule is disabled until
   * all are gone, so that events give it no further alerts.
   */
  protected override emptied({ id, enabled }: Rule): boolean {
    const isEmpty = emptyRule(this.#db, id, EMPTIED);
    if (!isEmpty && enabled) ruleRows.update(this.#db, id, { enabled: false, disabledAt: this.#clock.now() });
    return isEmpty;
  }

  protected override deleted(row: Rule): void {
    super.deleted(row);
    this.#order(rulePositions(this.#db));
  }

  /** Stores a rule, at its place in the file. */
  override put(content: RuleContent, place: number): PutOutcome {
    const outcome = super.put(content, place);
    const stored = ruleRows.findByKey(this.#db, content.name);
    if (stored) this.move(stored.id, place);
    return outcome;
  }

  /** The place of a rule in the order, from 1; undefined if there is no such rule. */
  position(id: number): number | undefined {
    return ruleRows.find(this.#db, id)?.position;
  }

  /** Moves a rule to a position, from 1; a position past the end means the end. @throws ApiError 404 */
  move(id: number, position: number): void {
    this.changing(() => {
      const rows = rulePositions(this.#db);
      const moved = rows.find((row) => row.id === id);
      if (!moved) throw errors.notFound("rule", id);
      this.#order(rows.filter((row) => row !== moved).toSpliced(position - 1, 0, moved));
    });
  }

  #order(rows: readonly Pick<Rule, "id" | "position">[]): void {
    for (const [i, { id, position }] of rows.entries())
      if (position !== i + 1) ruleRows.update(this.#db, id, { position: i + 1 });
  }
}
