import type { ForecastOfHost, ForecastOfService } from "../api/types.ts";
import { useResource } from "../state/polled-resource.ts";
import { Unread } from "../ui/states.tsx";
import { FORECASTS, fullIn } from "./forecasts.texts.ts";

/** A forecast changes little within this time. */
const REFRESH_SECONDS = 600;

interface ForecastLinesProps {
  hostId: number;
  /** Limits the forecasts to this service, whose name is then left out. */
  serviceId?: number;
}

function Line({ forecast, hostId, named }: { forecast: ForecastOfService; hostId: number; named: boolean }) {
  const { days, daysfrom, daysto, growth, serviceid, servicename, type } = forecast;
  if (days === null || daysfrom === null || growth === null) return null;
  return (
    <li title={FORECASTS.explanation}>
      {named && <a href={`/hosts/${hostId}/services/${serviceid}`}>{servicename}</a>}{" "}
      <span class="muted">{FORECASTS.prefix(type)}</span> {fullIn({ days, daysfrom, daysto, growth })}
    </li>
  );
}

/** When disks, inodes and memory of a host or service will be full, soonest first; nothing without forecasts. */
export function ForecastLines({ hostId, serviceId }: ForecastLinesProps) {
  const forecasts = useResource<ForecastOfHost>(
    "/reports/forecasts/get",
    { hostid: hostId, ...(serviceId !== undefined && { serviceid: serviceId }) },
    { every: REFRESH_SECONDS },
  );
  const filling = (forecasts.data.value?.records ?? [])
    .filter(({ state }) => state === "filling")
    .toSorted((a, b) => (a.days ?? 0) - (b.days ?? 0));
  if (filling.length === 0) return <Unread from={forecasts} what={FORECASTS.all} />;
  return (
    <ul class="forecasts" aria-label={FORECASTS.label}>
      {filling.map((forecast) => (
        <Line
          key={`${forecast.serviceid} ${forecast.type}`}
          forecast={forecast}
          hostId={hostId}
          named={serviceId === undefined}
        />
      ))}
    </ul>
  );
}
