import { useResource } from "../state/resource.ts";
import { formatMinute } from "../text/format.ts";
import { ON_CALL } from "./on-call.texts.ts";
import type { OnCallNow, Records } from "./types.ts";

const REFRESH_SECONDS = 10;

/** Who is on call now in each schedule, until when, and the next gap. Nothing without schedules. */
export function OnCallLine() {
  const now = useResource<Records<OnCallNow>>("/oncall/now", {}, { every: REFRESH_SECONDS });
  const records = now.data.value?.records ?? [];
  if (records.length === 0) return null;
  return (
    <ul class="on-call-now" aria-label={ON_CALL.title}>
      {records.map((one) => (
        <li key={one.id}>
          <a href="/on-call">{ON_CALL.title}</a>{" "}
          <strong class={one.uname === "" ? "on-call-gap" : undefined}>
            {ON_CALL.now(one.name, one.fullname || one.uname || ON_CALL.nobody)}
          </strong>
          {one.until !== null && ` ${ON_CALL.until(formatMinute(one.until))}`}
          {one.nextuname !== "" && `, ${ON_CALL.followedBy(one.nextfullname || one.nextuname)}`}
          {one.gap && one.uname !== "" && (
            <span class="on-call-gap">
              {" "}
              {ON_CALL.gap(formatMinute(one.gap.from), formatMinute(one.gap.to))}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
