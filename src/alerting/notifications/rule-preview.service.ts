import { ERROR } from "../../monit/event-types.ts";
import { hostsTagged } from "../../monitoring/tags/tags.repository.ts";
import { type Check, checkKey } from "../../monitoring/uptime/downtime.repository.ts";
import { type Clock, DAY } from "../../platform/clock.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import { isEnd } from "../channels/kinds/urgency.ts";
import { enabledMaintenance } from "../maintenance/maintenance.repository.ts";
import { type EventFilter, matches } from "../rules/event-filter.ts";
import { finalRulesBefore, type Rule } from "../rules/rules.repository.ts";
import { ActiveMutes } from "./active-mutes.ts";
import { Audience } from "./audience.ts";
import { Causes } from "./causes.ts";
import { HealthPreview } from "./health-preview.service.ts";
import { acknowledgementsOf } from "./past-acknowledgements.ts";
import {
  acknowledgementsSince,
  failureAt,
  hostsInGroups,
  newestEvents,
  newestTextOf,
  type PastEvent,
  startsOf,
  unmonitoredAt,
} from "./preview.repository.ts";
import { recordsOf } from "./preview-records.ts";
import { type MatchedEvent, Simulation, type SuppressionLookup } from "./simulation.ts";
import { StoredSubject } from "./subject.ts";

/** The most events that are read; older ones are left out. */
export const MAX_EVENTS = 20_000;
/** Up to this many hosts, reading the events host by host is faster than reading those of all hosts. */
const FEW_HOSTS = 1000;

interface MatchedPastEvent extends MatchedEvent {
  event: PastEvent;
  subject: StoredSubject;
}

type Acknowledgement = ReturnType<typeof acknowledgementsSince>[number];

/** Previews what a rule would have sent about past events. */
export class RulePreview {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
  ) {}

  /** What a rule would have sent. @param rule need not be stored @param days how far to look back */
  of(rule: Rule, days: number, scope: Scope) {
    const to = this.clock.now();
    const from = to - days * DAY;
    if (rule.filter.about === "muster") return new HealthPreview(this.db).of(rule, from, to);
    const newest = newestEvents(
      this.db,
      { from, to },
      { hostIds: this.#hostsOf(rule.filter), scope },
      MAX_EVENTS + 1,
    );
    const events = newest.slice(0, MAX_EVENTS).reverse();
    const { matched, taken } = this.#matchedBy(rule, events);
    const mutes = new ActiveMutes(enabledMaintenance(this.db));
    const muteOf = ({ subject }: MatchedPastEvent, at: number) => mutes.of(rule, subject, at);
    const { outcomes, until } = new Simulation(
      rule,
      muteOf,
      acknowledgementsOf<Acknowledgement, MatchedPastEvent>(acknowledgementsSince(this.db, from), checkKey),
      this.#causedSince(from, matched),
    ).run(matched, to);
    const audience = new Audience(this.db, from);
    return {
      records: recordsOf(rule, outcomes, audience, ({ event: { event, failedAt }, endedAt }, at, kind) => ({
        ...event,
        message: isEnd(kind) ? event.message : this.#textOf(event, at),
        failedAt,
        endedAt: endedAt ?? at,
        unmonitored: endedAt === null ? null : unmonitoredAt(this.db, event, endedAt),
      })).map(({ ids, ...record }) => ({ ...record, events: ids, findings: [] })),
      current: [],
      total: outcomes.length,
      matched: matched.length,
      taken,
      datefrom: newest.length > MAX_EVENTS ? (events[0]?.date ?? from) : from,
      dateto: until,
      truncated: newest.length > MAX_EVENTS || until < to,
    };
  }

  /** As messages quote it: the text of the newest error of its failure up to a time. */
  #textOf(event: PastEvent, to: number): string {
    const newest = event.state === ERROR ? newestTextOf(this.db, event, { from: event.date, to }) : undefined;
    return newest ?? event.message;
  }

  /** Looks up failures of hosts and services that a failed one depends on, if the rule matched them. */
  #causedSince(from: number, matched: readonly MatchedPastEvent[]): SuppressionLookup<MatchedPastEvent> {
    const causes = new Causes(this.db, from);
    const checks = new Set(matched.map(({ check }) => check));
    const isMatched = (failure: Check) => checks.has(checkKey(failure));
    return ({ event, date: failedAt }, at) =>
      causes.mayHave(event.hostId) ? causes.of({ ...event, failedAt }, isMatched, at) : null;
  }

  /** The hosts that the filter selects; undefined if there are many, or if it does not select by host. */
  #hostsOf({ hosts, hostgroups, tags }: EventFilter): number[] | undefined {
    const lists = [
      hosts,
      hostgroups && hostsInGroups(this.db, hostgroups),
      tags && hostsTagged(this.db, tags),
    ].filter((list) => list !== undefined);
    const [first, ...otherLists] = lists.map((list) => new Set(list));
    const selected = first && [...first].filter((id) => otherLists.every((list) => list.has(id)));
    return selected && selected.length <= FEW_HOSTS ? selected : undefined;
  }

  /** The events that the rule matches, and the number of those that earlier final rules would take. */
  #matchedBy(rule: Rule, events: readonly PastEvent[]): { matched: MatchedPastEvent[]; taken: number } {
    const earlierRules = finalRulesBefore(this.db, rule);
    const subjects = new Map<string, StoredSubject>();
    const matched: MatchedPastEvent[] = [];
    let taken = 0;
    for (const event of events) {
      const check = checkKey(event);
      const key = `${check} ${event.serviceType} ${event.state} ${event.severity}`;
      const subject = subjects.get(key) ?? new StoredSubject(this.db, event);
      subjects.set(key, subject);
      if (!matches(rule.filter, subject)) continue;
      if (earlierRules.some(({ filter }) => matches(filter, subject))) taken++;
      else {
        const { id, date, state, eventType } = event;
        const failure = state === ERROR ? failureAt(this.db, event, date) : { failedAt: date, endedAt: null };
        const starts = state === ERROR ? startsOf(this.db, event, date, rule.flapcount) : [];
        matched.push({ id, date, state, eventType, check, ...failure, starts, event, subject });
      }
    }
    return { matched, taken };
  }
}
