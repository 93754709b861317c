import { MONIT_SERVICE, MONIT_SERVICE_TYPE } from "../../monit/event-types.ts";
import { hostsForLimits } from "../../monitoring/limits/limits.repository.ts";
import { holds, matchesHost, matchesServiceName } from "../../monitoring/places/place-filter.ts";
import type { Db } from "../../platform/storage/open.ts";
import { type Rule, type RuledService, servicesForRules } from "./rules.repository.ts";

/** Milliseconds after which no further hosts are read. All rules then count as matched. */
const BUDGET_MS = 3000;

/** The service of events of the agent itself, which the agent does not list. */
const AGENT: RuledService = { name: MONIT_SERVICE, type: MONIT_SERVICE_TYPE, groups: [] };

function isAboutService({ filter }: Rule, { name, type, groups }: RuledService): boolean {
  return (
    matchesServiceName(filter, name) &&
    holds(filter.servicetypes, (value) => value === type) &&
    holds(filter.servicegroups, (value) => groups.includes(value))
  );
}

/**
 * The rules that select no service of any present host, regardless of event types.
 * @param rules those to check
 * @param monotonic milliseconds of a clock that never jumps
 * @returns none if there is no host yet, or if the check would take too long
 */
export function unmatchedRules(db: Db, rules: readonly Rule[], monotonic: () => number): Rule[] {
  const until = monotonic() + BUDGET_MS;
  let unmatched = [...rules];
  const hosts = hostsForLimits(db);
  if (hosts.length === 0) return [];
  for (const host of hosts) {
    if (unmatched.length === 0 || monotonic() > until) return [];
    const ofHost = unmatched.filter((rule) => matchesHost(rule.filter, host));
    const serviceRules = ofHost.filter((rule) => !isAboutService(rule, AGENT));
    const services = serviceRules.length > 0 ? servicesForRules(db, host.hostId) : [];
    const isMatched = (rule: Rule) =>
      !serviceRules.includes(rule) || services.some((service) => isAboutService(rule, service));
    const matched = new Set(ofHost.filter(isMatched));
    unmatched = unmatched.filter((rule) => !matched.has(rule));
  }
  return unmatched;
}
