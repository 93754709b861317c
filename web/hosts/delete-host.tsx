import type { HostOfDetail } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { Confirm } from "../ui/confirm.tsx";
import { HOST } from "./host.texts.ts";

/** Asks before it deletes a host, and says what is lost. */
export function DeleteHost({ host, onClose }: { host: HostOfDetail; onClose: (done: boolean) => void }) {
  const { api } = useMuster();
  return (
    <Confirm
      title={HOST.deleteTitle(host.name)}
      verb={HOST.deleteVerb}
      danger
      act={() => api.post("/admin/hosts/delete", { id: host.id })}
      onClose={onClose}
    >
      <p>{HOST.deleteText(host.services.length)}</p>
      <p>{HOST.deleteReturns}</p>
    </Confirm>
  );
}
