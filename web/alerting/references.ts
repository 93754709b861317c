import type { GroupList } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { UI } from "../ui/ui.texts.ts";
import type { Names } from "./descriptions.ts";
import type { Channel, OnCallSchedule, Records } from "./types.ts";

/** The hosts, groups, channels and schedules that rules and maintenance windows refer to by id, with their names. */
export function useReferences() {
  const { session } = useMuster();
  const groupList = useResource<GroupList>("/admin/groups/list");
  const channelList = useResource<Records<Channel>>("/admin/channels/list");
  const scheduleList = useResource<Records<OnCallSchedule>>("/oncall/list");
  const hosts = groupList.data.value?.hosts ?? [];
  const groups = groupList.data.value?.groups ?? [];
  const channels = channelList.data.value?.records ?? [];
  const schedules = scheduleList.data.value?.records ?? [];
  // A manager of host groups gets only those of the others that they may see.
  const isBound = session.groupsOf("manage") !== null;
  const lookUp = (records: readonly { id: number; name: string }[], noun: string) => {
    const names = new Map(records.map(({ id, name }) => [id, name]));
    const namesakes = Map.groupBy(names.values(), (name) => name);
    return (id: number) => {
      const name = names.get(id);
      if (name === undefined) return `${isBound ? "" : "deleted "}${noun} ${id}`;
      return namesakes.get(name)?.length === 1 ? name : UI.namesake(name, id);
    };
  };
  const names: Names = {
    host: lookUp(hosts, "host"),
    group: lookUp([...(session.groups.value?.records ?? []), ...groups], "group"),
    channel: lookUp(channels, "channel"),
    schedule: lookUp(schedules, "schedule"),
  };
  const lists = [groupList, channelList, scheduleList];
  return {
    loaded: lists.every(({ data }) => data.value !== null),
    error: lists.find(({ error }) => error.value)?.error.value ?? null,
    /** Reads again what could not be read. */
    retry: () => {
      for (const list of lists) if (list.error.peek()) void list.refresh();
    },
    hosts,
    groups,
    channels,
    schedules,
    names,
  };
}

export type References = ReturnType<typeof useReferences>;
