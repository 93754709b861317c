import { useMuster } from "../state/muster.ts";
import { Dialog } from "../ui/dialog.tsx";
import { SHELL } from "./shell.texts.ts";

/** Asks before a page with unsaved changes is left. */
export function LeaveDialog() {
  const { router } = useMuster();
  if (router.pending.value === null) return null;
  return (
    <Dialog title={SHELL.leaveTitle} onClose={() => router.stay()}>
      <p>{SHELL.leaveHint}</p>
      <div class="form-buttons">
        <button type="button" class="danger" onClick={() => router.leave()}>
          {SHELL.leave}
        </button>
        <button type="button" onClick={() => router.stay()}>
          {SHELL.stay}
        </button>
      </div>
    </Dialog>
  );
}
