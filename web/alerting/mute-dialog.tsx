import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useMuster, useNotify } from "../state/muster.ts";
import { Field } from "../ui/fields.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { textOf } from "../ui/form-values.ts";
import { chosenUntil, UntilChoice } from "../ui/until-choice.tsx";
import type { MuteTarget } from "./mute-target.ts";
import { MUTES } from "./mutes.texts.ts";

interface MuteDialogProps {
  target: MuteTarget;
  onClose: (done: boolean) => void;
}

/** Mutes a host, service, group or rule for an hour, or until another time. */
function MuteDialog({ target, onClose }: MuteDialogProps) {
  const { api, now } = useMuster();
  const opened = useMemo(() => now.peek(), []);
  const save = async (values: FormData) => {
    const to = chosenUntil(values, now.peek(), opened);
    await api.send("/mutes/create", { filter: target.filter, to, note: textOf(values, "note") });
  };
  return (
    <FormDialog
      title={MUTES.title(target.name)}
      record={JSON.stringify(target.filter)}
      verb={MUTES.mute}
      act={save}
      onClose={onClose}
    >
      <p class="muted">{MUTES.hint}</p>
      <UntilChoice legend={MUTES.until} choices={["hour", "hours", "tomorrow", "custom"]} opened={opened} />
      <Field label={MUTES.note} name="note" maxLength={255} />
    </FormDialog>
  );
}

interface MuteButtonProps {
  target: MuteTarget;
  /** Groups or id of the host; without them, the button is for administrators. */
  groups?: readonly { id: number }[];
  hostId?: number;
  small?: boolean;
  onDone?: () => void;
}

/** Opens the dialog, for those who may mute. */
export function MuteButton({ target, groups, hostId, small = false, onDone }: MuteButtonProps) {
  const { session } = useMuster();
  const notify = useNotify();
  const open = useSignal(false);
  const isOperator =
    (groups && session.may("operate", groups)) || (hostId !== undefined && session.mayOn("operate", hostId));
  if (!session.isAdmin && !isOperator) return null;
  const onClose = (done: boolean) => {
    open.value = false;
    if (!done) return;
    notify(MUTES.done);
    onDone?.();
  };
  return (
    <>
      <button
        type="button"
        class={small ? "small" : undefined}
        aria-label={MUTES.muteOf(target.name)}
        aria-keyshortcuts="M"
        aria-haspopup="dialog"
        onClick={() => {
          open.value = true;
        }}
      >
        {MUTES.mute}
      </button>
      {open.value && <MuteDialog target={target} onClose={onClose} />}
    </>
  );
}
