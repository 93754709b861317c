import { useMuster } from "../state/muster.ts";
import { Empty } from "./states.tsx";
import { UI } from "./ui.texts.ts";

/** Says why a list of what hosts have is empty. @param none the text for users who see a host */
export function NothingOfHosts({ none }: { none: string }) {
  const { session } = useMuster();
  return <Empty>{session.groupsOf("view")?.length === 0 ? UI.noHostVisible : none}</Empty>;
}

/** Says why a user sees no hosts. @param none the text for a Muster without hosts */
export function NoHosts({ none }: { none: string }) {
  const { at, session } = useMuster();
  const isBound = session.groupsOf("view") !== null;
  return <NothingOfHosts none={at.value !== null ? UI.noHostThen : isBound ? UI.noHostInGroups : none} />;
}
