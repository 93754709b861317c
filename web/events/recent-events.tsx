import type { EventList } from "../api/types.ts";
import { useResource } from "../state/polled-resource.ts";
import { Section } from "../ui/page.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { EventTable } from "./event-table.tsx";

const LIVE_SECONDS = 5;
const EVENTS_SHOWN = 15;

interface RecentEventsProps {
  hostId: number;
  /** The name of the service whose events these are; absent: all of the host. */
  serviceNameId?: number;
  texts: { events: string; allEvents: string; noEvents: string; eventsCaption: string };
}

/** The latest events of a host or of one of its services. */
export function RecentEvents({ hostId, serviceNameId, texts }: RecentEventsProps) {
  const ofService = serviceNameId !== undefined;
  const events = useResource<EventList>(
    "/reports/events/list",
    { hostid: hostId, servicenameid: serviceNameId, results: EVENTS_SHOWN },
    { every: LIVE_SECONDS },
  );
  const listAddress = `/events?hostid=${hostId}${ofService ? `&servicenameid=${serviceNameId}` : ""}`;
  return (
    <Section title={texts.events} aside={<a href={listAddress}>{texts.allEvents}</a>}>
      <Loaded from={events}>
        {({ records }) =>
          records.length === 0 ? (
            <Empty>{texts.noEvents}</Empty>
          ) : (
            <EventTable caption={texts.eventsCaption} rows={records} ofHost ofService={ofService} />
          )
        }
      </Loaded>
    </Section>
  );
}
