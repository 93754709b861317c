import type { GroupList } from "../api/types.ts";
import { useResource } from "../state/resource.ts";
import type { Channel, Records } from "./types.ts";
import type { Names } from "./words.ts";

/** What rules and maintenance refer to, and what it is called. */
export function useKnown() {
  const groups = useResource<GroupList>("/admin/groups/list");
  const channels = useResource<Records<Channel>>("/admin/channels/list");
  const known = groups.data.value;
  const all = channels.data.value?.records ?? [];
  const lookUp = (records: readonly { id: number; name: string }[], what: string) => {
    const names = new Map(records.map(({ id, name }) => [id, name]));
    return (id: number) => names.get(id) ?? `deleted ${what} ${id}`;
  };
  const names: Names = {
    host: lookUp(known?.hosts ?? [], "host"),
    group: lookUp(known?.groups ?? [], "group"),
    channel: lookUp(all, "channel"),
  };
  return {
    loaded: known !== null && channels.data.value !== null,
    problem: groups.problem.value ?? channels.problem.value,
    hosts: known?.hosts ?? [],
    groups: known?.groups ?? [],
    channels: all,
    names,
  };
}

export type Known = ReturnType<typeof useKnown>;
