import { MutedMark } from "../alerting/muted.tsx";
import type { EventRecord } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { formatMinuteNear } from "../text/format.ts";
import { Icon } from "../ui/icon.tsx";
import { PROBLEMS } from "./problems.texts.ts";

/** Who acknowledged a problem with which note, and whether it was dismissed. */
export function ProblemMarks({ event }: { event: EventRecord }) {
  const { now } = useMuster();
  const { acknowledged } = event;
  return (
    <>
      {acknowledged && (
        <span class="tag tag-known">
          <Icon name="check" />
          {acknowledged.until === null
            ? PROBLEMS.acknowledgedBy(acknowledged.uname)
            : PROBLEMS.acknowledgedUntil(
                acknowledged.uname,
                formatMinuteNear(acknowledged.until, now.peek()),
              )}
        </span>
      )}
      {acknowledged && acknowledged.note !== "" && (
        <span class="known-note">{PROBLEMS.noteOf(acknowledged.note)}</span>
      )}
      <MutedMark muted={event.muted} />
      {event.dismissed === 1 && <span class="tag">{PROBLEMS.dismissed}</span>}
    </>
  );
}
