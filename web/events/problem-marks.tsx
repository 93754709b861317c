import { MutedMark } from "../alerting/muted.tsx";
import type { EventRecord } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { formatMinuteNear } from "../text/format.ts";
import { Icon } from "../ui/icon.tsx";
import { PROBLEMS } from "./problems.texts.ts";

/** Who acknowledged a problem, until when and with which note. */
export function AcknowledgedMark({ acknowledged }: Pick<EventRecord, "acknowledged">) {
  const { now } = useMuster();
  if (!acknowledged) return null;
  const { uname, until, note } = acknowledged;
  return (
    <>
      <span class="tag tag-known">
        <Icon name="check" />
        {until === null
          ? PROBLEMS.acknowledgedBy(uname)
          : PROBLEMS.acknowledgedUntil(uname, formatMinuteNear(until, now.peek()))}
      </span>
      {note !== "" && <span class="known-note">{PROBLEMS.noteOf(note)}</span>}
    </>
  );
}

/** Marks an event about which people wrote something. */
export function NotedMark({ note }: Pick<EventRecord, "note">) {
  if (note !== 1) return null;
  return (
    <span class="noted" title={PROBLEMS.hasNotes}>
      <Icon name="note" />
      <span class="sr-only">{PROBLEMS.hasNotes}</span>
    </span>
  );
}

/** Who acknowledged a problem with which note, and whether it was dismissed. */
export function ProblemMarks({
  event,
}: {
  event: Pick<EventRecord, "acknowledged" | "dismissed" | "muted">;
}) {
  return (
    <>
      <AcknowledgedMark acknowledged={event.acknowledged} />
      <MutedMark muted={event.muted} />
      {event.dismissed === 1 && <span class="tag">{PROBLEMS.dismissed}</span>}
    </>
  );
}
