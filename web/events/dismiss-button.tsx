import type { EventRecord } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useWork } from "../ui/form.tsx";

/** Removes one active error from the list of problems. If it occurs again, it returns as a new event. */
export function DismissButton({ event, onDone }: { event: EventRecord; onDone: () => void }) {
  const { api } = useMuster();
  const work = useWork();
  const dismiss = async () => {
    if (await work.run(() => api.post("/reports/events/dismiss", { id: event.id }))) onDone();
  };
  return (
    <button
      type="button"
      class="small"
      disabled={work.busy.value}
      title={work.error.value?.message}
      aria-label={`Dismiss: ${event.hostname}, ${event.servicename}`}
      onClick={() => void dismiss()}
    >
      {work.error.value ? "Failed, retry" : "Dismiss"}
    </button>
  );
}
