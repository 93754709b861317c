import type { HostOfDetail } from "../api/types.ts";
import { ConfirmDelete } from "../ui/confirm.tsx";
import { HOST } from "./host.texts.ts";

/** Asks for confirmation before deleting a host, and says what will be lost. */
export function DeleteHost({ host, onClose }: { host: HostOfDetail; onClose: (done: boolean) => void }) {
  return (
    <ConfirmDelete operation="/admin/hosts/delete" record={host} texts={HOST} onClose={onClose}>
      <p>{HOST.deleteText(host.services.length)}</p>
      <p>{HOST.deleteReturns}</p>
    </ConfirmDelete>
  );
}
