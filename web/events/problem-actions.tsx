import { useSignal } from "@preact/signals";
import type { EventRecord } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import { useWork } from "../ui/form.tsx";
import { AcknowledgeDialog } from "./acknowledge-dialog.tsx";
import { PROBLEMS } from "./problems.texts.ts";

interface ProblemActionsProps {
  event: EventRecord;
  /** Called after each change, to read the list anew. */
  onDone: () => void;
  /** As the main buttons of a page, not in a list. */
  large?: boolean;
}

/** Writes about a problem, each with the way back. */
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
  const withdraw = async () => {
    if (!(await work.run(() => write("/problems/unacknowledge")))) return;
    notify(PROBLEMS.withdrawn);
  };
  const restore = async () => {
    if (!(await work.run(() => write("/reports/events/undismiss")))) return;
    notify(PROBLEMS.restored);
  };
  return { work, dismiss, withdraw, restore };
}

/** What to do about an active problem, beside going to its service: take it, or take it off the list. */
export function ProblemActions(props: ProblemActionsProps) {
  const { event, onDone, large = false } = props;
  const { session } = useMuster();
  const notify = useNotify();
  const acknowledging = useSignal(false);
  const { work, dismiss, withdraw, restore } = useProblemWrites(props);
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
        <button {...button} aria-label={PROBLEMS.withdrawOf(...name)} onClick={() => void withdraw()}>
          {PROBLEMS.withdraw}
        </button>
      ) : (
        <button
          {...button}
          aria-label={PROBLEMS.acknowledgeOf(...name)}
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
      {acknowledging.value && <AcknowledgeDialog event={event} onClose={onClose} />}
    </>
  );
}
