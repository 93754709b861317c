import type { EventRecord, IncidentRecord } from "../api/types.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import { useDialog } from "../ui/use-dialog.ts";
import { useWork, WorkError } from "../ui/work.tsx";
import { AcknowledgeDialog } from "./acknowledge-dialog.tsx";
import { isOutage } from "./problem-list.tsx";
import { PROBLEMS } from "./problems.texts.ts";

/** The fields of the error event that actions on a problem and its marks need. */
export type Problem = Pick<
  EventRecord,
  "id" | "hostid" | "hostname" | "servicename" | "event" | "acknowledged" | "dismissed" | "muted"
>;

/** The last error of an incident as a problem, for actions on it. */
export function problemOf(incident: IncidentRecord): Problem {
  const { eventid, message, acknowledged } = incident;
  return {
    ...incident,
    id: eventid,
    event: message,
    acknowledged: acknowledged?.ended === 0 ? acknowledged : null,
  };
}

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
  const work = useWork();
  const write = async (path: string) => {
    await api.post(path, { id: event.id });
    onDone();
  };
  const run = (path: string) => work.run(() => write(path));
  const dismiss = async () => {
    if (!(await run(DISMISS))) return;
    notify(PROBLEMS.dismissDone, { undo: () => write(RESTORE) });
  };
  const unacknowledge = async () => {
    if (!(await run(UNACKNOWLEDGE))) return;
    notify(PROBLEMS.unacknowledged);
  };
  const restore = async () => {
    if (!(await run(RESTORE))) return;
    notify(PROBLEMS.restored);
  };
  return { work, dismiss, unacknowledge, restore };
}

/** Actions on an active problem besides the link to its service: acknowledge, and dismiss. */
export function ProblemActions(props: ProblemActionsProps) {
  const { event, onDone, large = false } = props;
  const { session } = useMuster();
  const { dialog, open, onClose } = useDialog(onDone, PROBLEMS.acknowledged);
  const { work, dismiss, unacknowledge, restore } = useProblemWrites(props);
  const button = { type: "button", class: large ? undefined : "small", disabled: work.busy.value } as const;
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
        >
          {PROBLEMS.unacknowledge}
        </button>
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
        <button {...button} aria-label={PROBLEMS.restoreOf(...name)} onClick={() => void restore()}>
          {PROBLEMS.restore}
        </button>
      ) : (
        <button
          {...button}
          aria-label={PROBLEMS.dismissOf(...name)}
          title={PROBLEMS.dismissHint}
          onClick={() => void dismiss()}
        >
          {PROBLEMS.dismiss}
        </button>
      )}
      <WorkError work={work} />
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
