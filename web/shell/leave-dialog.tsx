import { useMuster } from "../state/muster.ts";
import { Dialog } from "../ui/dialog.tsx";

/** Asks before a page with unsaved changes is left. */
export function LeaveDialog() {
  const { router } = useMuster();
  if (router.pending.value === null) return null;
  return (
    <Dialog title="Leave without saving?" onClose={() => router.stay()}>
      <p>What you changed on this page is not saved.</p>
      <div class="form-buttons">
        <button type="button" class="danger" onClick={() => router.leave()}>
          Discard changes
        </button>
        <button type="button" onClick={() => router.stay()}>
          Stay on the page
        </button>
      </div>
    </Dialog>
  );
}
