import { useSignal } from "@preact/signals";
import type { EventRecord } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import { useWork } from "../ui/form.tsx";
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

/** Writes a change of a problem, and offers to undo it. */
function useProblemWrites({ event, onDone }: ProblemActionsProps) {
  const { api } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const write = async (path: string) => {
    await api.post(path, { id: event.id });
    onDone();
  };
  const dismiss = async () => {
    if (!(await work.run(() => write("/reports/events/dismiss")))) return;
    notify(PROBLEMS.dismissDone, () => write("/reports/events/undismiss"));
  };
  const unacknowledge = async () => {
    if (!(await work.run(() => write("/problems/unacknowledge")))) return;
    notify(PROBLEMS.unacknowledged);
  };
  const restore = async () => {
    if (!(await work.run(() => write("/reports/events/undismiss")))) return;
    notify(PROBLEMS.restored);
  };
  return { work, dismiss, unacknowledge, restore };
}

/** Actions on an active problem besides the link to its service: acknowledge, and dismiss. */
export function ProblemActions(props: ProblemActionsProps) {
  const { event, onDone, large = false } = props;
  const { session } = useMuster();
  const notify = useNotify();
  const acknowledging = useSignal(false);
  const { work, dismiss, unacknowledge, restore } = useProblemWrites(props);
  const button = { type: "button", class: large ? undefined : "small", disabled: work.busy.value } as const;
  const name = [event.servicename, event.hostname] as const;
  const onClose = (done: boolean) => {
    acknowledging.value = false;
    if (!done) return;
    notify(PROBLEMS.acknowledged);
    onDone();
  };
  if (!session.mayOn("respond", event.hostid)) return null;
  return (
    <>
      {event.acknowledged ? (
        <button
          {...button}
          aria-label={PROBLEMS.unacknowledgeOf(...name)}
          aria-keyshortcuts="A"
          onClick={() => void unacknowledge()}
        >
          {PROBLEMS.unacknowledge}
        </button>
      ) : (
        <button
          {...button}
          aria-label={PROBLEMS.acknowledgeOf(...name)}
          aria-keyshortcuts="A"
          onClick={() => {
            acknowledging.value = true;
          }}
        >
          {PROBLEMS.acknowledge}
        </button>
      )}
      {event.dismissed === 1 ? (
        <button {...button} aria-label={PROBLEMS.restoreOf(...name)} onClick={() => void restore()}>
          {PROBLEMS.restore}
        </button>
      ) : (
        <button
          {...button}
          title={work.error.value?.message ?? PROBLEMS.dismissHint}
          aria-label={PROBLEMS.dismissOf(...name)}
          onClick={() => void dismiss()}
        >
          {work.error.value ? PROBLEMS.failed : PROBLEMS.dismiss}
        </button>
      )}
      {acknowledging.value && (
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
