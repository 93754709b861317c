import { useMemo } from "preact/hooks";
import type { Maintenance, Records } from "../alerting/types.ts";
import type { EventList, HostStatusList } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/resource.ts";
import { applies, type Marks, maintenanceSpans, NO_MARKS } from "./marks.ts";
import type { TimeSpan } from "./range.ts";

/** More events than this are not marked: the chart would be all marks. */
const MAX_EVENTS = 200;

interface GroupMembers {
  records: { id: number; hosts: number[] }[];
}

const NOTHING = { records: [] };
const NO_TAGS: readonly string[] = [];

/** The events and the maintenance of a host, or of one of its services, in a time span. */
export function useMarks(hostId: number, service: { nameid: number; name: string } | null, span: TimeSpan) {
  const { session } = useMuster();
  const events = useResource<EventList>(
    "/reports/events/list",
    {
      hostid: hostId,
      servicenameid: service?.nameid ?? null,
      datefrom: span.from,
      dateto: span.to,
      results: MAX_EVENTS,
    },
    { keepPrevious: true, cached: false },
  );
  // Managers of host groups read what is planned within their groups.
  const planned = useResource<Records<Maintenance>>(
    "/admin/maintenance/list",
    {},
    { skip: !session.may("manage") },
  );
  const groups = useResource<GroupMembers>("/status/hostgroups/list");
  const host = useResource<HostStatusList>("/status/hosts/list", { hostid: hostId });
  const tags = host.data.value?.records[0]?.tags ?? NO_TAGS;
  const list = events.data.value;
  const windows = planned.data.value;
  const members = groups.data.value ?? NOTHING;
  const marks = useMemo((): Marks => {
    if (!list) return NO_MARKS;
    const groupIds = members.records.filter(({ hosts }) => hosts.includes(hostId)).map(({ id }) => id);
    const place = { hostId, groupIds, tags, service: service?.name ?? null };
    return {
      events: list.records.map(({ date, eventtype }) => ({ at: date, state: eventtype })),
      maintenance: (windows?.records ?? [])
        .filter((window) => applies(window, place))
        .flatMap(({ schedule }) => maintenanceSpans(schedule, span)),
    };
  }, [list, windows, members, tags, hostId, service?.name, span.from, span.to]);
  return { marks, total: list?.totalRecords ?? 0 };
}
