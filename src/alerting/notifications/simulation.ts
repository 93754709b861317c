/**
 * Simulates a rule over past events, with the same decisions as the dispatcher, and without a database.
 * Dismissed events and ignored hosts are not taken into account, because the time of those changes is not
 * stored. Acknowledgements are.
 */
import { ERROR } from "../../monit/event-types.ts";
import { isEnd } from "../channels/kinds/urgency.ts";
import {
  type AlertFacts,
  type AlertKind,
  type Decision,
  decide,
  firstEvaluationAt,
  flappingEndsAt,
  holdOf,
  isRecent,
  isResumed,
  RECOVERED_BEFORE_MESSAGE,
  type RuleTimes,
  type Step,
  type Suppression,
} from "./decide.ts";
import { type AlertToSend, evaluate } from "./grouping.ts";
import { newFacts } from "./opening-alerts.ts";

/** An event that the rule matches. */
export interface MatchedEvent {
  id: number;
  /** Unix seconds. */
  date: number;
  state: number;
  eventType: number;
  /** Identifies its check. */
  check: string;
  /** For an error: when the failure that it belongs to began, unix seconds. */
  failedAt: number;
  /** For an error: when the failure that it belongs to ended, unix seconds; null while it lasts. */
  endedAt: number | null;
  /** For an error: when the last failures of its check began, newest first, including this one. */
  starts: readonly number[];
}

/** A message, or the reason why there was none. */
export interface SimulatedMessage<E extends MatchedEvent> {
  /** Unix seconds. */
  date: number;
  kind: AlertKind;
  /** Events, each with the end of its failure as known at that time; null while it lasts. */
  events: { event: E; endedAt: number | null }[];
  /** Why nobody is notified; "" for a message. */
  suppressed: string;
  /** The steps that get it, as they were when first notified; empty without a message. */
  audience: readonly NotifiedStep[];
}

/** A step of the rule, and when it was notified: who is on call changes over time. */
export interface NotifiedStep {
  step: Step;
  /** Unix seconds. */
  at: number;
}

/** The result of a simulation. */
export interface Simulated<E extends MatchedEvent> {
  /** In order of time. */
  outcomes: SimulatedMessage<E>[];
  /** How far the simulation got, unix seconds: short of the end if it reached MAX_DECISIONS. */
  until: number;
}

/** The most decisions of one simulation: about a quarter of a second of CPU time. */
const MAX_DECISIONS = 100_000;

class Alert<E extends MatchedEvent> {
  facts: AlertFacts;
  dueAt: number | null = null;
  /** The steps that were notified so far. */
  notified: NotifiedStep[] = [];
  /** When each step was last notified, unix seconds. */
  readonly lastAt = new Map<Step, number>();

  constructor(
    readonly event: E,
    public endedAt: number | null,
    public starts: readonly number[],
  ) {
    this.facts = newFacts(event.state, event.eventType, event.date);
  }

  /** The facts as known at a time. */
  factsAt(now: number): AlertFacts {
    return { ...this.facts, endedAt: this.notifiedAsOf(now).endedAt, starts: this.starts };
  }

  get eventType(): number {
    return this.event.eventType;
  }

  notifiedAsOf(now: number): { event: E; endedAt: number | null } {
    const isOver = this.endedAt !== null && this.endedAt <= now;
    return { event: this.event, endedAt: isOver ? this.endedAt : null };
  }
}

/** When each alert is due. */
class Agenda<E extends MatchedEvent> {
  readonly #due = new Map<number, Set<Alert<E>>>();

  move(alert: Alert<E>, dueAt: number | null): void {
    if (alert.dueAt !== null) this.#due.get(alert.dueAt)?.delete(alert);
    alert.dueAt = dueAt;
    if (dueAt === null) return;
    const alertIds = this.#due.get(dueAt) ?? new Set();
    this.#due.set(dueAt, alertIds.add(alert));
  }

  isDue(now: number): boolean {
    return (this.#due.get(now)?.size ?? 0) > 0;
  }

  between(from: number, to: number): Alert<E>[] {
    const dueAlerts: Alert<E>[] = [];
    for (let at = from; at <= to; at++) dueAlerts.push(...(this.#due.get(at) ?? []));
    return dueAlerts;
  }

  forget(now: number): void {
    this.#due.delete(now);
  }
}

/** Looks up what suppresses messages about an event at a time, unix seconds; null if nothing does. */
export type SuppressionLookup<E> = (event: E, at: number) => Suppression | null;

/** Acknowledgements of failures. */
export interface Acknowledgements<E> {
  of: SuppressionLookup<E>;
  /** When the next one of an event's failure begins, at `at` or later; null if none does. */
  beginsAfter: (event: E, at: number) => number | null;
}

/**
 * Applies a rule to past events.
 * @param mute why notifications about an event are muted
 * @param acknowledgements acknowledgements of failures
 * @param caused why a failure is suppressed: a host or service that it depends on fails
 */
export class Simulation<E extends MatchedEvent> {
  readonly #agenda = new Agenda<E>();
  /** Open alerts for failures, keyed by check. */
  readonly #open = new Map<string, Alert<E>>();
  /** Alerts that have yet to report the end of their failure, although the check has failed again. Keyed by check. */
  readonly #ended = new Map<string, Alert<E>>();
  readonly #outcomes: SimulatedMessage<E>[] = [];
  #decisions = 0;

  constructor(
    private readonly rule: RuleTimes,
    private readonly mute: SuppressionLookup<E>,
    private readonly acknowledgements: Acknowledgements<E>,
    private readonly caused: SuppressionLookup<E>,
  ) {}

  /** Simulates the rule. @param events in order of time @param until end of the simulated period, unix seconds */
  run(events: readonly E[], until: number): Simulated<E> {
    let next = 0;
    let now = events[0]?.date ?? until;
    for (; now <= until && this.#decisions < MAX_DECISIONS; now++) {
      for (let event = events[next]; event && event.date <= now; event = events[++next]) this.#match(event);
      if (this.#agenda.isDue(now)) this.#dispatch(now);
      this.#agenda.forget(now);
    }
    return { outcomes: this.#outcomes, until: now - 1 };
  }

  #match(event: E): void {
    const isFailure = event.state === ERROR;
    const last = isFailure ? this.#open.get(event.check) : undefined;
    const isAnew = last !== undefined && isOfEarlier(event, last, this.rule);
    if (isAnew) this.#end(last, event.date);
    const open = isAnew ? undefined : last;
    if (open) {
      open.endedAt = event.endedAt;
      open.starts = event.starts;
      const isEvaluatedNow = this.rule.flapcount > 0;
      this.#schedule(
        open,
        isEvaluatedNow ? Math.min(open.dueAt ?? event.date, event.date) : open.dueAt,
        event.date,
      );
      return;
    }
    const alert = new Alert(event, isFailure ? event.endedAt : null, event.starts);
    if (isFailure) this.#open.set(event.check, alert);
    this.#schedule(alert, firstEvaluationAt(alert.facts, this.rule), event.date);
  }

  /** The check failed again. An alert that was sent has yet to report the end of its failure. */
  #end(alert: Alert<E>, now: number): void {
    if (alert.facts.notifiedAt === null) {
      this.#close(alert, alert.facts.outcome || RECOVERED_BEFORE_MESSAGE, now);
      return;
    }
    alert.starts = [];
    this.#open.delete(alert.event.check);
    this.#ended.set(alert.event.check, alert);
    this.#agenda.move(alert, now);
  }

  /**
   * Moves the alert to `dueAt`, or to the end of its failure or the beginning of an acknowledgement if that is sooner,
   * but never before `earliest`.
   */
  #schedule(alert: Alert<E>, dueAt: number | null, earliest: number): void {
    const { endedAt } = alert;
    const isNews = endedAt !== null && endedAt >= earliest;
    const acknowledgedAt =
      alert.event.state === ERROR ? this.acknowledgements.beginsAfter(alert.event, earliest) : null;
    const times = [dueAt, isNews ? endedAt : null, acknowledgedAt].filter((at) => at !== null);
    this.#agenda.move(alert, times.length === 0 ? null : Math.max(Math.min(...times), earliest));
  }

  #dispatch(now: number): void {
    const { groups, held, unsent } = evaluate(
      this.#agenda.between(now, now),
      (seconds) => this.#agenda.between(now + 1, now + seconds),
      (alert) => this.#decide(alert, now),
      now,
    );
    for (const { alert, until } of held) this.#agenda.move(alert, until);
    for (const { alert, decision } of unsent) {
      if (decision.action === "close") this.#close(alert, decision.outcome, now);
      else {
        const { outcome, wasAcknowledged } = decision;
        alert.facts = { ...alert.facts, outcome, wasAcknowledged };
        this.#schedule(alert, decision.dueAt, now + 1);
      }
    }
    for (const { kind, members } of groups) this.#send(kind, members, now);
  }

  #decide(alert: Alert<E>, now: number): Decision {
    this.#decisions++;
    const { event } = alert;
    const caused = alert.facts.notifiedAt === null ? this.caused(event, now) : null;
    const handled = this.acknowledgements.of(event, now);
    if (handled !== null) alert.facts = { ...alert.facts, wasAcknowledged: true };
    const earlier = this.#ended.get(event.check);
    const earlierDueAt = earlier && earlier !== alert ? (earlier.dueAt ?? now) : null;
    const facts = { ...alert.factsAt(now), handled, caused, earlierDueAt };
    return decide(facts, this.rule, () => this.mute(alert.event, now), now);
  }

  #send(kind: AlertKind, group: readonly AlertToSend<Alert<E>>[], now: number): void {
    this.#addOutcomes(kind, group, now);
    for (const { alert, sending } of group) {
      if (sending.after === null) this.#forget(alert);
      else {
        alert.facts = { ...sending.after, endedAt: null };
        this.#schedule(alert, sending.dueAt, now + 1);
      }
    }
  }

  /** Steps whose events are the same share one message. */
  #addOutcomes(kind: AlertKind, group: readonly AlertToSend<Alert<E>>[], now: number): void {
    const members = group.flatMap(({ alert, sending }) =>
      this.#audienceOf(alert, kind, sending.steps, now).map((recipient) => ({ alert, recipient })),
    );
    for (const { alert, recipient } of members) alert.lastAt.set(recipient.step, now);
    const byStep = [...Map.groupBy(members, ({ recipient }) => recipient.step).values()];
    const keyOf = (alerts: typeof members) => alerts.map(({ alert }) => alert.event.id).join();
    for (const alike of Map.groupBy(byStep, keyOf).values()) {
      const alerts = new Set((alike[0] ?? []).map(({ alert }) => alert));
      const events = [...alerts].map((alert) => alert.notifiedAsOf(now));
      const audience = alike.flat().map(({ recipient }) => recipient);
      this.#outcomes.push({ date: now, kind, events, suppressed: "", audience });
    }
  }

  #close(alert: Alert<E>, outcome: string, now: number): void {
    const kind = alert.event.state === ERROR ? "problem" : "change";
    const events = [alert.notifiedAsOf(now)];
    if (outcome !== "" && alert.facts.notifiedAt === null)
      this.#outcomes.push({ date: now, kind, events, suppressed: outcome, audience: [] });
    this.#forget(alert);
  }

  #forget(alert: Alert<E>): void {
    this.#agenda.move(alert, null);
    for (const alerts of [this.#open, this.#ended])
      if (alerts.get(alert.event.check) === alert) alerts.delete(alert.event.check);
  }

  /**
   * The recipients of a message, which are remembered. Reminders, ends and failures that outlast flapping go to those
   * who were notified before.
   */
  #audienceOf(
    alert: Alert<E>,
    kind: AlertKind,
    steps: readonly Step[],
    now: number,
  ): readonly NotifiedStep[] {
    const outlasts = kind === "problem" && alert.notified.length > 0;
    if (isEnd(kind) || outlasts) return alert.notified;
    if (kind === "reminder") {
      const isForAll = isResumed(alert.factsAt(now));
      const wasNotified = (step: Step) => isRecent(alert.lastAt.get(step) ?? 0, this.rule, now);
      return alert.notified.filter(({ step }) => isForAll || !wasNotified(step));
    }
    const audience = steps.map((step) => ({ step, at: now }));
    alert.notified = [...alert.notified, ...audience];
    return audience;
  }
}

/** As for stored alerts: whether an alert is about a failure that ended before the failure of an event began. */
function isOfEarlier<E extends MatchedEvent>(
  { failedAt, eventType }: E,
  alert: Alert<E>,
  rule: RuleTimes,
): boolean {
  const { event, endedAt, facts, starts } = alert;
  if (failedAt <= (facts.followedFrom ?? event.date)) return false;
  if (facts.flappingAt !== null && failedAt < flappingEndsAt({ starts, createdAt: event.date }, rule))
    return false;
  return facts.notifiedAt === null || failedAt - (endedAt ?? failedAt) >= holdOf(eventType);
}
