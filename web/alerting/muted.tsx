import type { ComponentChildren } from "preact";
import type { HostStatus } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { formatMinuteNear } from "../text/format.ts";
import { Icon } from "../ui/icon.tsx";
import { Unread } from "../ui/states.tsx";
import { MUTES } from "./mutes.texts.ts";
import type { MuteList } from "./types.ts";

type Muted = NonNullable<HostStatus["muted"]>;

const REFRESH_SECONDS = 30;
/** Beyond this number, windows are only counted. */
const MAX_PLANNED = 3;

/** Who muted it until when, or the name of the maintenance; on walls only until when. */
function mutedText({ uname, note, until }: Muted, now: number): string {
  const end = formatMinuteNear(until, now);
  if (uname !== "") return MUTES.by(uname, end);
  return note === "" ? MUTES.unnamed(end) : MUTES.maintenance(note, end);
}

/** A mark beside the name of a muted host or service. */
export function MutedMark({ muted }: { muted: Muted | null }) {
  const { now } = useMuster();
  if (!muted) return null;
  const text = mutedText(muted, now.peek());
  return (
    <span class="tag tag-muted" title={muted.uname === "" ? undefined : muted.note || undefined}>
      <Icon name="mute" />
      {text}
    </span>
  );
}

/**
 * An icon for rows of lists. Its tooltip, which screen readers read too, has the details.
 * @param words whether "muted" stands beside the icon
 */
export function MutedIcon({ muted, words = false }: { muted: Muted | null; words?: boolean }) {
  const { now } = useMuster();
  if (!muted) return null;
  const text = mutedText(muted, now.peek());
  return (
    <span class="muted-mark" title={text}>
      <Icon name="mute" />
      {words && <span aria-hidden="true">{MUTES.muted}</span>}
      <span class="sr-only">{text}</span>
    </span>
  );
}

interface MutedBannerProps {
  muted: Muted | null;
  /** The control of a mute. */
  children?: ComponentChildren;
}

/** Says on the page of a host or service that it is muted. */
export function MutedBanner({ muted, children }: MutedBannerProps) {
  const { now } = useMuster();
  if (!muted) return null;
  const text = mutedText(muted, now.peek());
  return (
    <div class="muted-banner">
      <Icon name="mute" />
      <p>
        <strong>{MUTES.banner(text)}</strong>{" "}
        {muted.uname !== "" && muted.note !== "" && MUTES.noteOf(muted.note)} {MUTES.nobodyNotified}
      </p>
      {muted.uname !== "" && children}
    </div>
  );
}

function plannedText({ name, from, to, active }: MuteList["maintenance"][number], now: number): string {
  if (active) return MUTES.underMaintenance(name, formatMinuteNear(to, now));
  return MUTES.announced(name, formatMinuteNear(from, now), formatMinuteNear(to, from));
}

/**
 * Says above lists that something is muted, so that silence is not mistaken for health, and which maintenance is
 * planned for the next day.
 */
export function MutesBanner() {
  const { session, now } = useMuster();
  const mutes = useResource<MuteList>("/mutes/list", {}, { every: REFRESH_SECONDS });
  const { records = [], maintenance = [] } = mutes.data.value ?? {};
  const active = records.filter((mute) => mute.active).length;
  const planned = maintenance.slice(0, MAX_PLANNED);
  const notShown = maintenance.length - planned.length;
  if (active === 0 && planned.length === 0) return <Unread from={mutes} what={MUTES.all} />;
  return (
    <div class="muted-banner">
      <Icon name="mute" />
      <div>
        {active > 0 && <p>{MUTES.inEffect(active)}</p>}
        {planned.map((window) => (
          <p key={window.id}>{plannedText(window, now.value)}</p>
        ))}
        {notShown > 0 && <p>{MUTES.moreMaintenance(notShown)}</p>}
      </div>
      {session.may("manage") && (
        <a href="/alerts/maintenance">{active > 0 ? MUTES.show : MUTES.showMaintenance}</a>
      )}
    </div>
  );
}
