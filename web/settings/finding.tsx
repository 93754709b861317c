import type { MusterHealth } from "../api/types.ts";
import { AcknowledgeDialog } from "../events/acknowledge-dialog.tsx";
import { AcknowledgedMark } from "../events/problem-marks.tsx";
import { PROBLEMS } from "../events/problems.texts.ts";
import { useMuster, useNotify } from "../state/muster.ts";
import { HEALTH_LEDS } from "../text/names.ts";
import { Led } from "../ui/led.tsx";
import { Time } from "../ui/time.tsx";
import { useDialog } from "../ui/use-dialog.ts";
import { useWork, WorkError } from "../ui/work.tsx";
import { HEALTH } from "./health.texts.ts";

type Finding = MusterHealth["findings"][number];

interface FindingProps {
  finding: Finding;
  /** Called after each change, to read the findings again. */
  onDone: () => void;
}

/** Acknowledges a finding, or takes that back. */
function FindingAction({ finding, id, onDone }: FindingProps & { id: number }) {
  const { api } = useMuster();
  const notify = useNotify();
  const work = useWork();
  const { dialog, open, onClose } = useDialog(onDone, PROBLEMS.acknowledged);
  const unacknowledge = async () => {
    if (!(await work.run(() => api.post("/admin/health/unacknowledge", { id })))) return;
    notify(PROBLEMS.unacknowledged);
    onDone();
  };
  return (
    <>
      <WorkError work={work} />
      {finding.acknowledged ? (
        <button
          type="button"
          class="small"
          disabled={work.busy.value}
          aria-label={HEALTH.unacknowledgeOf(finding.text)}
          onClick={() => void unacknowledge()}
        >
          {PROBLEMS.unacknowledge}
        </button>
      ) : (
        <button
          type="button"
          class="small"
          aria-label={HEALTH.acknowledgeOf(finding.text)}
          onClick={open({})}
        >
          {PROBLEMS.acknowledge}
        </button>
      )}
      {dialog && (
        <AcknowledgeDialog
          title={HEALTH.acknowledgeTitle}
          path="/admin/health/acknowledge"
          id={id}
          onClose={onClose}
        />
      )}
    </>
  );
}

/** What is wrong with Muster itself, what to do about it, and who is on it. */
export function FindingItem({ finding, onDone }: FindingProps) {
  const { id, severity, text, advice, since, acknowledged } = finding;
  return (
    <li class="finding">
      <Led led={HEALTH_LEDS[severity]} text={HEALTH.severities[severity]} words="sr-only" />
      <div class="finding-body">
        <p class="finding-text">{text}</p>
        <p>{advice}</p>
        <p class="hint">
          {HEALTH.since[severity]} <Time at={since} />
        </p>
        {acknowledged && (
          <p class="finding-marks">
            <AcknowledgedMark acknowledged={acknowledged} />
          </p>
        )}
      </div>
      {id !== null && <FindingAction finding={finding} id={id} onDone={onDone} />}
    </li>
  );
}
