import { narrowed } from "../../monitoring/places/visible-filters.ts";
import { isOfGroups } from "../../monitoring/scope/filter-scope.ts";
import { declareTaken, errors, found } from "../../platform/http/errors.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { NEW_RULE, ruleContentOf } from "./rule-content.ts";
import { isEmpty, namedSteps } from "./rule-steps.ts";
import {
  allRules,
  deleteRule,
  findRule,
  findRuleByName,
  insertRule,
  type Rule,
  type RuleContent,
  setPosition,
  updateRule,
} from "./rules.repository.ts";
import type { RuleArguments, RuleCreation, RuleReply, RuleUpdate } from "./rules.schemas.ts";

export const ruleExists = declareTaken("rule.exists", "rule");

/** Every event is compared with all of them, hence the bound. */
export const MAX_RULES = 500;

function replyOf(db: Db, rule: Rule): RuleReply {
  const { quietHours, flapCount, flapWindow, steps, ...same } = rule;
  const [first, second] = steps;
  return {
    ...same,
    quiet: quietHours,
    escalateafter: second?.after ?? 0,
    flapcount: flapCount,
    flapwindow: flapWindow,
    channels: first?.channels ?? [],
    escalationchannels: second?.channels ?? [],
    steps: namedSteps(db, steps),
  };
}

/**
 * Notification rules, as administrators see and change them. A manager of host groups has those about these
 * groups alone; others do not exist for them.
 */
export class Rules {
  constructor(
    private readonly db: Db,
    private readonly settings: SettingsReader,
  ) {}

  /** Those of a scope, in evaluation order. */
  list(scope: Scope) {
    const own = allRules(this.db).filter(({ filter }) => isOfGroups(filter, scope));
    const records = narrowed(this.db, own, scope).map((rule) => replyOf(this.db, rule));
    return { totalRecords: records.length, records };
  }

  /** @throws ApiError 404 */
  get(id: number, scope: Scope): RuleReply {
    return replyOf(this.db, this.#find(id, scope));
  }

  /** Creates a rule after all others. @returns its id @throws ApiError 400, 403, 409 */
  create(given: RuleCreation, scope: Scope): number {
    const { db } = this;
    return transaction(db, () => {
      const content = this.#complete(given, NEW_RULE, scope);
      this.#refuseTaken(given.name);
      const position = allRules(db).length + 1;
      if (position > MAX_RULES)
        throw errors.badRequest(`There are at most ${MAX_RULES} rules; delete one first`);
      return insertRule(db, content, position);
    });
  }

  /** Changes the given properties. @throws ApiError 400, 403, 404, 409 if the name is taken */
  update({ id, ...given }: RuleUpdate, scope: Scope): void {
    transaction(this.db, () => {
      const rule = this.#find(id, scope);
      const content = this.#complete(given, rule, scope);
      if (content.name !== rule.name) this.#refuseTaken(content.name);
      updateRule(this.db, id, content);
    });
  }

  /** @throws ApiError 404 */
  delete(id: number, scope: Scope): void {
    transaction(this.db, () => {
      this.#find(id, scope);
      deleteRule(this.db, id);
      this.#order(allRules(this.db));
    });
  }

  /** Moves a rule to a position, from 1; a position past the end means the end. @throws ApiError 404 */
  move(id: number, position: number): void {
    transaction(this.db, () => {
      const rule = this.#find(id, "all");
      const others = allRules(this.db).filter((other) => other.id !== id);
      this.#order(others.toSpliced(position - 1, 0, rule));
    });
  }

  /**
   * A rule for a preview: the stored one with changes, or a new one after all others. Nothing is stored.
   * @throws ApiError 400, 403, 404
   */
  draft(id: number | undefined, given: RuleArguments & { name?: string | undefined }, scope: Scope): Rule {
    const before = id === undefined ? null : this.#find(id, scope);
    const content = this.#contentOf(given, before ?? NEW_RULE, scope);
    return { ...content, id: before?.id ?? 0, position: before?.position ?? MAX_RULES + 1 };
  }

  #contentOf(
    given: RuleArguments & { name?: string | undefined },
    before: RuleContent,
    scope: Scope,
  ): RuleContent {
    const content = ruleContentOf(given, before, {
      ...{ db: this.db, scope, timezone: this.settings.get("timezone") },
    });
    if (!isOfGroups(content.filter, scope)) throw errors.notGranted();
    return content;
  }

  #complete(
    given: RuleArguments & { name?: string | undefined },
    before: RuleContent,
    scope: Scope,
  ): RuleContent {
    const content = this.#contentOf(given, before, scope);
    const [first] = content.steps;
    if (!first || isEmpty(first))
      throw errors.missingArgument(
        "channelid",
        "at least one channel to notify, or steps that name somebody",
      );
    return content;
  }

  #order(rules: readonly Rule[]): void {
    for (const [i, { id, position }] of rules.entries())
      if (position !== i + 1) setPosition(this.db, id, i + 1);
  }

  #refuseTaken(name: string): void {
    if (findRuleByName(this.db, name)) throw ruleExists(name);
  }

  #find(id: number, scope: Scope): Rule {
    const rule = findRule(this.db, id);
    const isOwn = rule !== undefined && isOfGroups(rule.filter, scope);
    return found(isOwn ? narrowed(this.db, [rule], scope)[0] : undefined, "rule", id);
  }
}
