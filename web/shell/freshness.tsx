import { useMuster } from "../state/muster.ts";
import { formatRelative } from "../text/format.ts";
import { Icon } from "../ui/icon.tsx";
import { SHELL } from "./shell.texts.ts";

/** Age of the data on the page, if that is about the present. */
export function Updated() {
  const { api, at: moment, present } = useMuster();
  const { at, lost, clockOffset } = api.connection.value;
  if (at === null || moment.value !== null) return null;
  const age = formatRelative(
    Math.floor(at / 1000) + clockOffset,
    Math.max(present.value, Math.floor(at / 1000) + clockOffset),
  );
  return (
    <p class={lost ? "updated updated-lost" : "updated"}>
      {age === "now" ? SHELL.updatedNow : SHELL.updated(age)}
    </p>
  );
}

/** Warns that the service cannot be reached and that the data on the page is old. */
export function StaleBanner() {
  const { api, present } = useMuster();
  const { at, lost, clockOffset } = api.connection.value;
  if (!lost) return null;
  return (
    <div class="banner" role="alert">
      <Icon name="offline" />
      <p>
        <strong>{SHELL.lost}</strong>{" "}
        {at === null
          ? SHELL.nothingRead
          : SHELL.stale(formatRelative(Math.floor(at / 1000) + clockOffset, present.value))}
      </p>
    </div>
  );
}
