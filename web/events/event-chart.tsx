import type { EventDetail, HostDetail } from "../api/types.ts";
import { ServiceCharts } from "../charts/service-charts.tsx";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { Loading } from "../ui/states.tsx";

/** Shown before the event, and at least after it, seconds. */
const BEFORE = 3600;
const AFTER = 3600;

/** The values of the event's service around the time of the event. */
export function EventChart({ event }: { event: EventDetail }) {
  return event.serviceid > 0 ? <ChartOfService event={event} /> : null;
}

function ChartOfService({ event }: { event: EventDetail }) {
  const { now } = useMuster();
  const detail = useResource<HostDetail>("/status/hosts/get", { id: event.hostid });
  const host = detail.data.value?.records.host;
  const service = host?.services.find(({ id }) => id === event.serviceid);
  if (!host && !detail.error.value) return <Loading />;
  if (!host || !service) return null;
  const around = { from: event.date - BEFORE, to: Math.min(now.peek(), event.date + AFTER) };
  return <ServiceCharts hostId={host.id} service={service} around={around} />;
}
