import { MutedMark } from "../alerting/muted.tsx";
import type { EventRecord } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { formatMinuteNear } from "../text/format.ts";
import { Icon } from "../ui/icon.tsx";
import { PROBLEMS } from "./problems.texts.ts";

/** Who knows of a problem, and whether it was taken off the list. */
export function ProblemMarks({ event }: { event: EventRecord }) {
  const { now } = useMuster();
  const { acknowledged } = event;
  return (
    <>
      {acknowledged && (
        <span class="tag tag-known" title={acknowledged.note || undefined}>
          <Icon name="check" />
          {acknowledged.until === null
            ? PROBLEMS.acknowledgedBy(acknowledged.uname)
            : PROBLEMS.acknowledgedUntil(
                acknowledged.uname,
                formatMinuteNear(acknowledged.until, now.peek()),
              )}
        </span>
      )}
      <MutedMark muted={event.muted} />
      {event.dismissed === 1 && <span class="tag">{PROBLEMS.dismissed}</span>}
    </>
  );
}
