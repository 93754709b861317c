/**
 * What a rule would have told of events that happened: the same decisions as the dispatcher's, over time that is past.
 * Without a database. That a person dismissed an event, or ignored its host, is not looked at: nobody knows since when.
 */
import { ERROR } from "../../monit/event-types.ts";
import { ESCALATION_STEP, FIRST_STEP } from "../rules/rules.repository.ts";
import {
  type AlertFacts,
  type AlertKind,
  type Decision,
  decide,
  firstLookAt,
  type Mute,
  type RuleTimes,
  type Step,
} from "./decide.ts";
import { groupPending, type Pending } from "./grouping.ts";
import { newFacts } from "./matched-alerts.service.ts";

/** An event that the rule takes. */
export interface TakenEvent {
  id: number;
  /** Unix seconds. */
  date: number;
  state: number;
  eventType: number;
  /** Which check it is of. */
  check: string;
  /** When the failure was over that was going on then, unix seconds; null while it lasts. For errors. */
  endedAt: number | null;
  /** When the last failures of its check began, the newest first, this one included. For errors. */
  starts: readonly number[];
}

/** One message, or that there was none. */
export interface SimulatedMessage<E extends TakenEvent> {
  /** Unix seconds. */
  date: number;
  kind: AlertKind;
  /** Each with the end of its failure as it is known then, null while it lasts. */
  events: { event: E; endedAt: number | null }[];
  /** Why nobody is told; "" for a message. */
  suppressed: string;
  /** To whom it goes; none without a message. */
  steps: readonly Step[];
}

export interface Simulated<E extends TakenEvent> {
  /** In order. */
  outcomes: SimulatedMessage<E>[];
  /** Until when there was patience to look, unix seconds. */
  until: number;
}

/** Decisions that one simulation makes at most: a quarter of a second of work. */
const MAX_DECISIONS = 100_000;

class Alert<E extends TakenEvent> {
  facts: AlertFacts;
  dueAt: number | null = null;

  constructor(
    readonly event: E,
    public endedAt: number | null,
    public starts: readonly number[],
  ) {
    this.facts = newFacts(event.state, event.eventType, event.date);
  }

  /** As it is known at a time. */
  factsAt(now: number): AlertFacts {
    return { ...this.facts, endedAt: this.notifiedAsOf(now).endedAt, starts: this.starts };
  }

  notifiedAsOf(now: number): { event: E; endedAt: number | null } {
    const isOver = this.endedAt !== null && this.endedAt <= now;
    return { event: this.event, endedAt: isOver ? this.endedAt : null };
  }
}

interface Notified<E extends TakenEvent> extends Pending {
  alert: Alert<E>;
}

/** Which alerts are to be looked at when. */
class Agenda<E extends TakenEvent> {
  readonly #due = new Map<number, Set<Alert<E>>>();

  move(alert: Alert<E>, dueAt: number | null): void {
    if (alert.dueAt !== null) this.#due.get(alert.dueAt)?.delete(alert);
    alert.dueAt = dueAt;
    if (dueAt === null) return;
    const same = this.#due.get(dueAt) ?? new Set();
    this.#due.set(dueAt, same.add(alert));
  }

  isDue(now: number): boolean {
    return (this.#due.get(now)?.size ?? 0) > 0;
  }

  between(from: number, to: number): Alert<E>[] {
    const found: Alert<E>[] = [];
    for (let at = from; at <= to; at++) found.push(...(this.#due.get(at) ?? []));
    return found;
  }

  forget(now: number): void {
    this.#due.delete(now);
  }
}

/** @param silence why the rule says nothing of an event at a time, unix seconds */
export class Simulation<E extends TakenEvent> {
  readonly #agenda = new Agenda<E>();
  /** Failures that are not closed, by check. */
  readonly #open = new Map<string, Alert<E>>();
  readonly #outcomes: SimulatedMessage<E>[] = [];
  #decisions = 0;

  constructor(
    private readonly rule: RuleTimes,
    private readonly mute: (event: E, at: number) => Mute | null,
  ) {}

  /** @param events in the order of their dates @param until the end, unix seconds */
  run(events: readonly E[], until: number): Simulated<E> {
    let next = 0;
    let now = events[0]?.date ?? until;
    for (; now <= until && this.#decisions < MAX_DECISIONS; now++) {
      for (let event = events[next]; event && event.date <= now; event = events[++next]) this.#take(event);
      if (this.#agenda.isDue(now)) this.#dispatch(now);
      this.#agenda.forget(now);
    }
    return { outcomes: this.#outcomes, until: now - 1 };
  }

  #take(event: E): void {
    const isFailure = event.state === ERROR;
    const known = isFailure ? this.#open.get(event.check) : undefined;
    if (known) {
      known.endedAt = event.endedAt;
      known.starts = event.starts;
      const isLookedAt = this.rule.flapCount > 0;
      this.#schedule(
        known,
        isLookedAt ? Math.min(known.dueAt ?? event.date, event.date) : known.dueAt,
        event.date,
      );
      return;
    }
    const alert = new Alert(event, isFailure ? event.endedAt : null, event.starts);
    if (isFailure) this.#open.set(event.check, alert);
    this.#schedule(alert, firstLookAt(alert.facts, this.rule), event.date);
  }

  /** The end of its failure is a reason to look, whatever else is. Not in the past. */
  #schedule(alert: Alert<E>, dueAt: number | null, earliest: number): void {
    const { endedAt } = alert;
    const isNews = endedAt !== null && endedAt >= earliest;
    const at = isNews ? Math.min(dueAt ?? endedAt, endedAt) : dueAt;
    this.#agenda.move(alert, at === null ? null : Math.max(at, earliest));
  }

  #dispatch(now: number): void {
    const due: Notified<E>[] = [];
    for (const alert of this.#agenda.between(now, now)) {
      const decision = this.#decide(alert, now);
      if (decision.action === "close") this.#close(alert, decision.outcome, now);
      else if (decision.action === "wait") {
        alert.facts = { ...alert.facts, outcome: decision.outcome };
        this.#schedule(alert, decision.dueAt, now + 1);
      } else due.push({ alert, eventType: alert.event.eventType, sending: decision });
    }
    // What is told now changes what is due: the others are asked before.
    const { ready, held } = groupPending(due, (seconds) => this.#waiting(now, seconds), now);
    for (const { pending, until } of held) this.#agenda.move(pending.alert, until);
    for (const { kind, members } of ready) this.#tell(kind, members, now);
  }

  #decide(alert: Alert<E>, now: number): Decision {
    this.#decisions++;
    return decide(alert.factsAt(now), this.rule, () => this.mute(alert.event, now), now);
  }

  /** What could be told already of alerts that are due soon. */
  #waiting(now: number, seconds: number): Notified<E>[] {
    return this.#agenda.between(now + 1, now + seconds).flatMap((alert) => {
      const decision = this.#decide(alert, now);
      return decision.action === "send" ? { alert, eventType: alert.event.eventType, sending: decision } : [];
    });
  }

  #tell(kind: AlertKind, group: readonly Notified<E>[], now: number): void {
    this.#addOutcomes(kind, group, now);
    for (const { alert, sending } of group) {
      if (sending.after === null) this.#forget(alert);
      else {
        alert.facts = { ...sending.after, endedAt: null };
        this.#schedule(alert, sending.dueAt, now + 1);
      }
    }
  }

  /** What the channels of both steps are told is one message, unless it is of other events. */
  #addOutcomes(kind: AlertKind, group: readonly Notified<E>[], now: number): void {
    const eventsOf = (step: Step) =>
      group.filter(({ sending }) => sending.steps.includes(step)).map(({ alert }) => alert.notifiedAsOf(now));
    const [first, escalation] = [eventsOf(FIRST_STEP), eventsOf(ESCALATION_STEP)];
    const tell = (events: SimulatedMessage<E>["events"], steps: Step[]) => {
      if (events.length > 0) this.#outcomes.push({ date: now, kind, events, suppressed: "", steps });
    };
    // Unless it is the escalation itself, the channels of the first step are told of all that the others are.
    if (first.length === escalation.length) tell(first, [FIRST_STEP, ESCALATION_STEP]);
    else {
      tell(first, [FIRST_STEP]);
      tell(escalation, [ESCALATION_STEP]);
    }
  }

  #close(alert: Alert<E>, outcome: string, now: number): void {
    const kind = alert.event.state === ERROR ? "problem" : "change";
    const events = [alert.notifiedAsOf(now)];
    if (outcome !== "" && alert.facts.notifiedAt === null)
      this.#outcomes.push({ date: now, kind, events, suppressed: outcome, steps: [] });
    this.#forget(alert);
  }

  #forget(alert: Alert<E>): void {
    this.#agenda.move(alert, null);
    if (this.#open.get(alert.event.check) === alert) this.#open.delete(alert.event.check);
  }
}
