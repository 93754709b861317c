import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { formatMinuteNear } from "../text/format.ts";
import { Loading } from "../ui/states.tsx";
import { ON_CALL } from "./on-call.texts.ts";
import type { OnCallNow, Records } from "./types.ts";

const REFRESH_SECONDS = 10;

/** Until when the person is on call, and who is next. */
function untilText({ until, nextfullname, nextuname }: OnCallNow, now: number): string {
  if (until === null) return "";
  const end = formatMinuteNear(until, now);
  return nextuname === "" ? ON_CALL.until(end) : ON_CALL.untilThen({ end, next: nextfullname || nextuname });
}

/** Who is on call now in each schedule, until when, and the next gap. Nothing without schedules. */
export function OnCallLine() {
  const { now } = useMuster();
  const current = useResource<Records<OnCallNow>>("/oncall/now", {}, { every: REFRESH_SECONDS });
  const records = current.data.value?.records;
  // The rest of the page waits for this, so that nothing is pushed down.
  if (!records && !current.error.value) return <Loading />;
  if (!records?.length) return null;
  return (
    <ul class="on-call-now" aria-label={ON_CALL.title}>
      {records.map((one) => (
        <li key={one.id}>
          <a href="/on-call">{ON_CALL.title}</a>{" "}
          <strong class={one.uname === "" ? "on-call-gap" : undefined}>
            {ON_CALL.now(one.name, one.fullname || one.uname || ON_CALL.nobody)}
          </strong>{" "}
          {untilText(one, now.peek())}
          {one.gap && one.uname !== "" && (
            <span class="on-call-gap">
              {" "}
              {ON_CALL.gap(
                formatMinuteNear(one.gap.from, now.peek()),
                formatMinuteNear(one.gap.to, one.gap.from),
              )}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
