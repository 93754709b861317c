import { HOUR } from "../../src/platform/clock.ts";
import type { HostDetail } from "../api/types.ts";
import { ServiceCharts } from "../charts/service-charts.tsx";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { Loaded } from "../ui/states.tsx";

/** Time shown before and after, seconds. */
const AROUND = HOUR;

interface EventChartProps {
  hostId: number;
  /** 0 if the host has no service of that name now. */
  serviceId: number;
  /** When it began, and when it ended, unix seconds. */
  from: number;
  to: number;
}

/** The values of the service of an event or incident around its time. */
export function EventChart(props: EventChartProps) {
  return props.serviceId > 0 ? <ChartOfService {...props} /> : null;
}

function ChartOfService({ hostId, serviceId, from, to }: EventChartProps) {
  const { now } = useMuster();
  const detail = useResource<HostDetail>("/status/hosts/get", { id: hostId });
  const around = { from: from - AROUND, to: Math.min(now.peek(), to + AROUND) };
  return (
    <Loaded from={detail}>
      {({ records: { host } }) => {
        const service = host.services.find(({ id }) => id === serviceId);
        return service && <ServiceCharts hostId={hostId} service={service} around={around} />;
      }}
    </Loaded>
  );
}
