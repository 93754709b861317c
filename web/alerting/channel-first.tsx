import { useMuster } from "../state/muster.ts";
import { RULES } from "./rules.texts.ts";

/** Shown while there is no channel: a link to create one, or who can do so. */
export function ChannelFirst({ children }: { children: string }) {
  const { session } = useMuster();
  if (!session.isAdmin) return <>{RULES.channelsOfAdministrators}</>;
  return <a href="/alerts/channels?new=1">{children}</a>;
}
