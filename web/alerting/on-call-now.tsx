import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { formatMinuteNear } from "../text/format.ts";
import { Loading, Unread } from "../ui/states.tsx";
import { ON_CALL_NOW } from "./on-call-now.texts.ts";
import type { OnCallNow, Records } from "./types.ts";

const REFRESH_SECONDS = 10;

/** Until when the person is on call, and who is next. */
function untilText({ until, nextfullname, nextuname }: OnCallNow, now: number): string {
  if (until === null) return "";
  const end = formatMinuteNear(until, now);
  return nextuname === ""
    ? ON_CALL_NOW.until(end)
    : ON_CALL_NOW.untilThen({ end, next: nextfullname || nextuname });
}

/** Who is on call now in each schedule, until when, and the next gap. Nothing without schedules. */
export function OnCallLine() {
  const { now } = useMuster();
  const current = useResource<Records<OnCallNow>>("/oncall/now", {}, { every: REFRESH_SECONDS });
  const records = current.data.value?.records;
  // The rest of the page waits for this, so that nothing is pushed down.
  if (!records && !current.error.value) return <Loading />;
  if (!records?.length) return <Unread from={current} what={ON_CALL_NOW.title} />;
  return (
    <ul class="on-call-now" aria-label={ON_CALL_NOW.title}>
      {records.map((record) => (
        <li key={record.id}>
          <a href="/on-call">{ON_CALL_NOW.title}</a>{" "}
          <strong class={record.uname === "" ? "on-call-gap" : undefined}>
            {ON_CALL_NOW.now(record.name, record.fullname || record.uname || ON_CALL_NOW.nobody)}
          </strong>{" "}
          {untilText(record, now.peek())}
          {record.gap && record.uname !== "" && (
            <span class="on-call-gap">
              {ON_CALL_NOW.gap(
                formatMinuteNear(record.gap.from, now.peek()),
                formatMinuteNear(record.gap.to, record.gap.from),
              )}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
