import type { HostStatus } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { Unread } from "../ui/states.tsx";
import { keepFocus } from "../ui/use-dialog.ts";
import { useWork, WorkError } from "../ui/work.tsx";
import { mayEnd } from "./mute-list.tsx";
import type { MuteTarget } from "./mute-target.ts";
import { MUTES } from "./mutes.texts.ts";
import type { Mute, MuteList } from "./types.ts";

const LIVE_SECONDS = 5;

/** Whether a mute covers just what the dialog for the target would mute. */
function isOf({ filter }: Mute, target: MuteTarget["filter"]): boolean {
  const conditionsOf = (filter: MuteTarget["filter"]) => JSON.stringify(Object.entries(filter).sort());
  return conditionsOf(filter) === conditionsOf(target);
}

interface EndMuteProps {
  target: MuteTarget;
  /** The mute that is shown: of several, the one that ends last. */
  muted: HostStatus["muted"];
  /** Called when the mutes have ended, to read what is shown again. */
  onDone: () => Promise<void>;
}

/**
 * A button that ends the mutes of a host or service on its own page, for users who may end them: the list of mutes is
 * only for those who manage hosts. Mutes of a group or a rule cover more, so only that list ends them. There is no
 * button while the mute that is shown is one of those, since ending the host's own would change nothing yet.
 */
export function EndMute({ target: { name, filter }, muted, onDone }: EndMuteProps) {
  const { api, session } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const mutes = useResource<MuteList>(
    "/mutes/list",
    {},
    { every: LIVE_SECONDS, skip: !session.may("operate") },
  );
  const ofTarget = (mutes.data.value?.records ?? []).filter((mute) => mute.active && isOf(mute, filter));
  if (!ofTarget.some(({ to }) => to === muted?.until))
    return ofTarget.length === 0 ? <Unread from={mutes} what={MUTES.list} /> : null;
  if (!session.may("operate") || !ofTarget.every((mute) => mayEnd(mute, session))) return null;
  const end = () =>
    work.run(async () => {
      for (const { id } of ofTarget) await api.post("/mutes/delete", { id });
      notify(MUTES.ended);
      await onDone();
      keepFocus();
    });
  return (
    <>
      <WorkError work={work} />
      <button
        type="button"
        class="small"
        aria-label={MUTES.endNowOf(name)}
        disabled={work.busy.value}
        onClick={() => void end()}
      >
        {MUTES.endNow}
      </button>
    </>
  );
}
