import { useSignal } from "@preact/signals";
import type { EventRecord } from "../api/types.ts";
import { useAnnounce, useMuster, useNotify } from "../state/muster.ts";
import { useDialog } from "../ui/use-dialog.ts";
import { useWork } from "../ui/work.tsx";
import { AcknowledgeDialog } from "./acknowledge-dialog.tsx";
import { isOutage } from "./problem-list.tsx";
import { PROBLEMS } from "./problems.texts.ts";

/** The fields of the error event that actions on a problem need. */
export type Problem = Pick<
  EventRecord,
  "id" | "hostid" | "hostname" | "servicename" | "event" | "acknowledged" | "dismissed"
>;

interface ProblemActionsProps {
  event: Problem;
  /** Called after each change, to refresh the list. */
  onDone: () => void;
  /** Large buttons, for a page rather than a list. */
  large?: boolean;
}

const DISMISS = "/reports/events/dismiss";
const RESTORE = "/reports/events/undismiss";
const UNACKNOWLEDGE = "/problems/unacknowledge";

/** Writes changes of a problem, one at a time, and offers to undo some. */
function useProblemWrites({ event, onDone }: ProblemActionsProps) {
  const { api } = useMuster();
  const notify = useNotify();
  const announce = useAnnounce();
  const work = useWork();
  /** The path of the last change. */
  const tried = useSignal("");
  const write = async (path: string) => {
    await api.post(path, { id: event.id });
    onDone();
  };
  const run = async (path: string) => {
    tried.value = path;
    const isDone = await work.run(() => write(path));
    // The name of the button for screen readers stays the same.
    const error = work.error.peek();
    if (error) announce(PROBLEMS.failedBecause(error.message));
    return isDone;
  };
  const dismiss = async () => {
    if (!(await run(DISMISS))) return;
    notify(PROBLEMS.dismissDone, () => write(RESTORE));
  };
  const unacknowledge = async () => {
    if (!(await run(UNACKNOWLEDGE))) return;
    notify(PROBLEMS.unacknowledged);
  };
  const restore = async () => {
    if (!(await run(RESTORE))) return;
    notify(PROBLEMS.restored);
  };
  /** Text and title of the button of a change. After a failure, both say so. */
  const textOf = (path: string, text: string, hint?: string) => {
    const error = tried.value === path ? work.error.value : null;
    return { title: error?.message ?? hint, children: error ? PROBLEMS.failed : text };
  };
  return { isBusy: work.busy.value, textOf, dismiss, unacknowledge, restore };
}

/** Actions on an active problem besides the link to its service: acknowledge, and dismiss. */
export function ProblemActions(props: ProblemActionsProps) {
  const { event, onDone, large = false } = props;
  const { session } = useMuster();
  const { dialog, open, onClose } = useDialog(onDone, PROBLEMS.acknowledged);
  const { isBusy, textOf, dismiss, unacknowledge, restore } = useProblemWrites(props);
  const button = { type: "button", class: large ? undefined : "small", disabled: isBusy } as const;
  const name = [event.servicename, event.hostname] as const;
  if (!session.mayOn("respond", event.hostid)) return null;
  return (
    <>
      {event.acknowledged ? (
        <button
          {...button}
          aria-label={PROBLEMS.unacknowledgeOf(...name)}
          aria-keyshortcuts="A"
          onClick={() => void unacknowledge()}
          {...textOf(UNACKNOWLEDGE, PROBLEMS.unacknowledge)}
        />
      ) : (
        <button
          {...button}
          aria-label={PROBLEMS.acknowledgeOf(...name)}
          aria-keyshortcuts="A"
          aria-haspopup="dialog"
          onClick={open({})}
        >
          {PROBLEMS.acknowledge}
        </button>
      )}
      {event.dismissed === 1 ? (
        <button
          {...button}
          aria-label={PROBLEMS.restoreOf(...name)}
          onClick={() => void restore()}
          {...textOf(RESTORE, PROBLEMS.restore)}
        />
      ) : (
        <button
          {...button}
          aria-label={PROBLEMS.dismissOf(...name)}
          onClick={() => void dismiss()}
          {...textOf(DISMISS, PROBLEMS.dismiss, PROBLEMS.dismissHint)}
        />
      )}
      {dialog && (
        <AcknowledgeDialog
          title={
            isOutage(event)
              ? PROBLEMS.acknowledgeHost(event.hostname)
              : PROBLEMS.acknowledgeTitle(event.servicename, event.hostname)
          }
          path="/problems/acknowledge"
          id={event.id}
          onClose={onClose}
        />
      )}
    </>
  );
}
