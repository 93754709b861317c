import type { IncidentRecord } from "../api/types.ts";

/** Whether its acknowledgement is active. */
function isAcknowledged({ acknowledged }: Pick<IncidentRecord, "acknowledged">): boolean {
  return acknowledged !== null && acknowledged.ended === 0;
}

/** The acknowledgement to show: while it is open, only an active one. */
export function shownAcknowledgement(incident: Pick<IncidentRecord, "acknowledged" | "ended">) {
  return incident.ended > 0 || isAcknowledged(incident) ? incident.acknowledged : null;
}

type Sorted = Pick<IncidentRecord, "acknowledged" | "muted" | "dismissed">;

/** Where each open incident is listed. @param before unix seconds; older acknowledgements count as forgotten */
export function openSections<T extends Sorted>(incidents: readonly T[], before: number) {
  const sectionOf = (incident: T) => {
    if (incident.muted !== null || incident.dismissed === 1) return "quiet";
    if (!isAcknowledged(incident)) return "open";
    return (incident.acknowledged?.date ?? 0) < before ? "forgotten" : "acknowledged";
  };
  const { open = [], forgotten = [], acknowledged = [], quiet = [] } = Object.groupBy(incidents, sectionOf);
  return { open, forgotten, acknowledged, quiet };
}
