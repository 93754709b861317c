/** Which notes the public sees now. Pure. */
import { DAY } from "../../platform/clock.ts";
import type { PublicNote } from "./public-notes.repository.ts";

/** Seconds for which a note stays after the end of its incident, so that people learn how it ended. */
export const STAYS = DAY;

/** Whether a note is shown with its host now: it is the last one, and its incident has not been over for long. */
export function isShown(
  {
    endedAt,
    eventId,
    isIncident,
    incidentEnd,
  }: Pick<PublicNote, "endedAt" | "eventId" | "isIncident" | "incidentEnd">,
  now: number,
): boolean {
  if (endedAt !== null) return false;
  return eventId === null || (isIncident > 0 && (incidentEnd === null || now - incidentEnd < STAYS));
}
