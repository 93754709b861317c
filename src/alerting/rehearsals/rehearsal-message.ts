/** The text of the messages of rehearsals. Pure functions. */
import type { AlertMessage } from "../channels/kinds/channel-kind.ts";
import { line } from "../notifications/message-text.ts";
import type { Rehearsal } from "./rehearsals.repository.ts";
import type { Rehearsed } from "./rehearsed.ts";

const MAX_NAME = 100;
/** Begins every message, so that nobody takes it for a problem. */
export const NOTHING_IS_WRONG = "Rehearsal, nothing is wrong";

/** What is rehearsed, as in: rule "Web". */
export function subjectText({ rule, name }: Pick<Rehearsed, "rule" | "name">): string {
  return `${rule ? "rule" : "schedule"} "${line(name, MAX_NAME)}"`;
}

/** Composes the message to the recipients of a step. @param step its place in the rule, from 0 */
export function composeRehearsal(
  rehearsed: Rehearsed,
  { id, muted, startedAt: date }: Pick<Rehearsal, "id" | "muted" | "startedAt">,
  step: number,
): Pick<AlertMessage, "title" | "text" | "url" | "events"> {
  const subject = subjectText(rehearsed);
  // The delay of the rule counts as over when a rehearsal starts.
  const waited = Math.max(0, (rehearsed.steps[step]?.after ?? 0) - rehearsed.delay);
  const lines = [
    `${NOTHING_IS_WRONG}.`,
    `This message tests whether a problem would reach you through the ${subject}.`,
    "Acknowledge it with the link, even if someone else already has.",
    ...(waited > 0 ? [`Step ${step + 1}: nobody had acknowledged it after ${waited} min.`] : []),
    ...(muted === "" ? [] : [`A real problem would have notified nobody when this began: ${muted}.`]),
  ];
  return {
    title: `${NOTHING_IS_WRONG}: ${subject}`,
    text: lines.join("\n"),
    url: null,
    events: [
      {
        id: 0,
        hostId: 0,
        hostname: "Muster",
        service: "Rehearsal",
        type: "Rehearsal",
        state: "success",
        message: NOTHING_IS_WRONG,
        date,
        key: `muster-rehearsal-${id}-${date}`,
      },
    ],
  };
}
