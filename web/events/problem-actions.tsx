import type { EventRecord } from "../api/types.ts";
import { useAnnounce, useMuster } from "../state/muster.ts";
import { useWork } from "../ui/form.tsx";
import { PROBLEMS } from "./problems.texts.ts";

interface ProblemActionsProps {
  event: EventRecord;
  onDone: () => void;
  /** As the main buttons of a page, not in a list. */
  large?: boolean;
}

/** What to do about an active problem, beside going to its service. */
export function ProblemActions({ event, onDone, large = false }: ProblemActionsProps) {
  const { api } = useMuster();
  const announce = useAnnounce();
  const work = useWork();
  const dismiss = async () => {
    if (!(await work.run(() => api.post("/reports/events/dismiss", { id: event.id })))) return;
    announce(PROBLEMS.dismissDone);
    onDone();
  };
  if (event.dismissed === 1) return null;
  return (
    <button
      type="button"
      class={large ? undefined : "small"}
      disabled={work.busy.value}
      title={work.error.value?.message ?? PROBLEMS.dismissHint}
      aria-label={PROBLEMS.dismissOf(event.servicename, event.hostname)}
      onClick={() => void dismiss()}
    >
      {work.error.value ? PROBLEMS.failed : PROBLEMS.dismiss}
    </button>
  );
}
