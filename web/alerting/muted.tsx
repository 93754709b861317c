import type { HostStatus } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/resource.ts";
import { formatMinute } from "../text/format.ts";
import { Icon } from "../ui/icon.tsx";
import { MUTES } from "./mutes.texts.ts";
import type { MuteList } from "./types.ts";

type Muted = NonNullable<HostStatus["muted"]>;

const REFRESH_SECONDS = 30;

/** Who muted it until when, or the maintenance. */
export function mutedText({ uname, note, until }: Muted): string {
  return uname === "" ? MUTES.maintenance(note, formatMinute(until)) : MUTES.by(uname, formatMinute(until));
}

/** A mark beside the name of what is muted. */
export function MutedMark({ muted }: { muted: Muted | null }) {
  if (!muted) return null;
  return (
    <span class="tag tag-muted" title={muted.uname === "" ? undefined : muted.note || undefined}>
      <Icon name="mute" />
      {mutedText(muted)}
    </span>
  );
}

/** An icon for rows of lists, with the rest for those who point at it or cannot see it. */
export function MutedIcon({ muted }: { muted: Muted | null }) {
  if (!muted) return null;
  return (
    <span class="muted-mark" title={mutedText(muted)}>
      <Icon name="mute" />
      <span class="sr-only">{mutedText(muted)}</span>
    </span>
  );
}

/** Says on the page of a host or service that it is muted. */
export function MutedBanner({ muted }: { muted: Muted | null }) {
  if (!muted) return null;
  return (
    <p class="muted-banner">
      <Icon name="mute" />
      <span>
        <strong>{mutedText(muted)}.</strong> {muted.uname === "" ? "" : muted.note} {MUTES.nobodyNotified}
      </span>
    </p>
  );
}

/** Says above lists that something is muted, so that silence is not taken for health. */
export function MutesBanner() {
  const { session } = useMuster();
  const mutes = useResource<MuteList>("/mutes/list", {}, { every: REFRESH_SECONDS });
  const active = mutes.data.value?.records.filter((mute) => mute.active).length ?? 0;
  if (active === 0) return null;
  return (
    <p class="muted-banner">
      <Icon name="mute" />
      <span>
        {MUTES.inEffect(active)} {session.user.value?.admin && <a href="/alerts/maintenance">{MUTES.show}</a>}
      </span>
    </p>
  );
}
