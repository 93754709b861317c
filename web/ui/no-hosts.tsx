import { useMuster } from "../state/muster.ts";
import { Empty } from "./states.tsx";
import { UI } from "./ui.texts.ts";

/** Says why a user sees no hosts. @param none the text for a Muster without hosts */
export function NoHosts({ none }: { none: string }) {
  const { at, session } = useMuster();
  const groups = session.groupsOf("view");
  const reason = groups?.length === 0 ? UI.noHostVisible : groups ? UI.noHostInGroups : none;
  return <Empty>{at.value === null ? reason : UI.noHostThen}</Empty>;
}
