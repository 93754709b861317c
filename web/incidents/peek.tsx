import { useLayoutEffect, useRef } from "preact/hooks";
import type { IncidentDetail, IncidentRecord } from "../api/types.ts";
import { problemOf } from "../events/problem-actions.tsx";
import { failedName } from "../events/problem-list.tsx";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { formatMinute } from "../text/format.ts";
import { leavePicture } from "../ui/leaving.ts";
import { Loaded } from "../ui/states.tsx";
import { keepFocus } from "../ui/use-dialog.ts";
import { IncidentBody } from "./incident-body.tsx";
import { INCIDENTS } from "./incidents.texts.ts";

const LIVE_SECONDS = 5;

/** Opens or closes an incident beside the list. */
export function PeekButton({ incident }: { incident: IncidentRecord }) {
  const { id, servicename, hostname, since } = incident;
  const { router } = useMuster();
  const isOpen = router.address.value.query.get("peek") === String(id);
  return (
    <button
      type="button"
      class="small peek-button"
      aria-label={INCIDENTS.peekAt(servicename, hostname, formatMinute(since))}
      aria-keyshortcuts="P"
      aria-pressed={isOpen}
      onClick={() => router.setQuery({ peek: isOpen ? null : String(id) })}
    >
      {INCIDENTS.peek}
    </button>
  );
}

/** An incident beside the list. Its button, and P in the list, closes it. */
export function Peek({ id }: { id: string }) {
  const { router } = useMuster();
  const detail = useResource<IncidentDetail>("/incidents/get", { id }, { every: LIVE_SECONDS, still: true });
  const close = () => {
    // The focus goes to the button that opened it or, if that is no longer in the list, to the heading of the page.
    document.querySelector<HTMLElement>(".peek-button[aria-pressed=true]")?.focus();
    router.setQuery({ peek: null });
    keepFocus();
  };
  const ref = useRef<HTMLElement>(null);
  useLayoutEffect(
    () => () => {
      // Another incident or another page would take its place at once, so it leaves only if it was closed.
      const { path, query } = router.address.value;
      if (ref.current && path === "/incidents" && !query.has("peek")) leavePicture(ref.current);
    },
    [],
  );
  return (
    <aside ref={ref} class="peek" aria-label={INCIDENTS.peekLabel}>
      <button type="button" class="small" onClick={close}>
        {INCIDENTS.closePeek}
      </button>
      <Loaded from={detail}>
        {(incident) => (
          <>
            <h2>
              <a href={`/incidents/${incident.id}`}>{failedName(problemOf(incident))}</a>
            </h2>
            <IncidentBody incident={incident} onDone={() => detail.refresh()} />
          </>
        )}
      </Loaded>
    </aside>
  );
}
