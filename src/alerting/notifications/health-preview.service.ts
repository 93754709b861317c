import { ERROR } from "../../monit/event-types.ts";
import type { Db } from "../../platform/storage/open.ts";
import { enabledMaintenance } from "../maintenance/maintenance.repository.ts";
import { finalRulesBefore, type Rule } from "../rules/rules.repository.ts";
import { ActiveMutes } from "./active-mutes.ts";
import { Audience } from "./audience.ts";
import { type HealthCheckKey, NO_HOST, notifiedFinding, SEVERITIES } from "./health-alerts.repository.ts";
import { matchesFinding } from "./health-alerts.service.ts";
import {
  findingAcknowledgementsSince,
  newestFindings,
  type PastFinding,
} from "./health-preview.repository.ts";
import { acknowledgementsOf } from "./past-acknowledgements.ts";
import { recordsOf } from "./preview-records.ts";
import { type MatchedEvent, Simulation } from "./simulation.ts";
import { StoredSubject } from "./subject.ts";

/** The most findings that are read; older ones are left out. */
const MAX_FINDINGS = 20_000;

interface MatchedFinding extends MatchedEvent {
  finding: PastFinding;
}

type Acknowledgement = ReturnType<typeof findingAcknowledgementsSince>[number];

const keyOf = ({ code, subject }: HealthCheckKey) => JSON.stringify([code, subject]);

/**
 * Previews what a rule about Muster itself would have sent. Failures that lasted when the period began count from
 * then on. A failure has its last severity throughout, because the time of a change is not stored.
 */
export class HealthPreview {
  constructor(private readonly db: Db) {}

  /**
   * What a rule would have sent.
   * @param rule need not be stored
   * @param from start of the period, unix seconds
   * @param to now, unix seconds
   */
  of(rule: Rule, from: number, to: number) {
    const newest = newestFindings(this.db, from, MAX_FINDINGS + 1);
    const findings = newest.slice(0, MAX_FINDINGS).reverse();
    const earlier = finalRulesBefore(this.db, rule);
    const isTaken = (finding: PastFinding) => earlier.some(({ filter }) => matchesFinding(filter, finding));
    const selected = findings.filter((finding) => matchesFinding(rule.filter, finding));
    const untaken = selected.filter((finding) => !isTaken(finding));
    const matched = this.#matched(untaken, rule, from);
    const mutes = new ActiveMutes(enabledMaintenance(this.db));
    const muteOf = ({ finding }: MatchedFinding, at: number) =>
      mutes.of(rule, new StoredSubject(this.db, { ...NO_HOST, severity: SEVERITIES[finding.severity] }), at);
    const acknowledgements = acknowledgementsOf<Acknowledgement, MatchedFinding>(
      findingAcknowledgementsSince(this.db, from),
      keyOf,
    );
    const { outcomes, until } = new Simulation(rule, muteOf, acknowledgements, () => null).run(matched, to);
    const audience = new Audience(this.db, from);
    const isTruncated = newest.length > MAX_FINDINGS;
    return {
      records: recordsOf(rule, outcomes, audience, ({ event, endedAt }, at) =>
        notifiedFinding({ ...event.finding, endedAt }, at),
      ).map(({ ids, ...record }) => ({ ...record, events: [], findings: ids })),
      current: this.#current(untaken, rule, audience, to),
      total: outcomes.length,
      matched: matched.length,
      taken: selected.length - untaken.length,
      datefrom: isTruncated ? (matched[0]?.date ?? from) : from,
      dateto: until,
      truncated: isTruncated || until < to,
    };
  }

  /** The findings that last, with those whom the first step of the rule notifies now. */
  #current(findings: readonly PastFinding[], { steps: [first] }: Rule, audience: Audience, now: number) {
    const channels = first?.channels ?? [];
    const people = first ? audience.unamesOf([first], now) : [];
    return findings
      .filter(({ endedAt }) => endedAt === null)
      .map(({ id, code, subject, severity, since, text }) => ({
        ...{ id, code, subject, severity, since, text },
        channels,
        people,
      }));
  }

  /** The failures among the findings, in order of time. */
  #matched(findings: readonly PastFinding[], { flapcount }: Rule, from: number): MatchedFinding[] {
    const startsOfCheck = new Map<string, number[]>();
    return findings
      .flatMap((finding) => (finding.openedAt === null ? [] : [{ finding, openedAt: finding.openedAt }]))
      .sort((a, b) => a.openedAt - b.openedAt)
      .map(({ finding, openedAt }) => {
        const { id, endedAt } = finding;
        const check = keyOf(finding);
        const date = Math.max(openedAt, from);
        const starts = [date, ...(startsOfCheck.get(check) ?? [])].slice(0, flapcount);
        startsOfCheck.set(check, starts);
        const failure = { failedAt: date, endedAt };
        return { id, date, state: ERROR, eventType: NO_HOST.eventType, check, ...failure, starts, finding };
      });
  }
}
