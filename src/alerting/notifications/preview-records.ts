/** What previews return of the messages that a simulation found. */
import { inNameOrder } from "../../platform/sort-key.ts";
import type { Rule } from "../rules/rules.repository.ts";
import type { Audience } from "./audience.ts";
import type { AlertKind } from "./decide.ts";
import { composeMessage, type NotifiedEvent } from "./message-text.ts";
import type { MatchedEvent, SimulatedMessage } from "./simulation.ts";

/** The most messages that are returned; older ones are left out. */
export const MAX_RECORDS = 1000;

type SimulatedEvent<E extends MatchedEvent> = SimulatedMessage<E>["events"][number];

function recordOf<E extends MatchedEvent>(
  rule: Rule,
  { date, kind, events, suppressed, audience }: SimulatedMessage<E>,
  resolve: Audience,
  notifiedOf: (event: SimulatedEvent<E>, at: number, kind: AlertKind) => NotifiedEvent,
) {
  const steps = audience.flatMap(({ step, at }) => {
    const ruleStep = rule.steps[step];
    return ruleStep ? [{ ruleStep, at }] : [];
  });
  const byService = inNameOrder(
    events.map((event) => notifiedOf(event, date, kind)),
    ({ service }) => service,
  );
  const notified = inNameOrder(byService, ({ hostname }) => hostname);
  const { title } = composeMessage({
    id: "",
    kind,
    rule: rule.name,
    events: notified,
    baseUrl: null,
    timeZone: "UTC",
    at: date,
  });
  return {
    date,
    kind,
    title,
    ids: notified.map(({ id }) => id),
    heldback: suppressed,
    channels: [...new Set(steps.flatMap(({ ruleStep }) => ruleStep.channels))],
    people: [...new Set(steps.flatMap(({ ruleStep, at }) => resolve.unamesOf([ruleStep], at)))],
  };
}

/** The newest messages, newest first. @param notifiedOf an event as a message at a time reports it */
export function recordsOf<E extends MatchedEvent>(
  rule: Rule,
  outcomes: readonly SimulatedMessage<E>[],
  audience: Audience,
  notifiedOf: (event: SimulatedEvent<E>, at: number, kind: AlertKind) => NotifiedEvent,
) {
  return outcomes
    .slice(-MAX_RECORDS)
    .reverse()
    .map((outcome) => recordOf(rule, outcome, audience, notifiedOf));
}
