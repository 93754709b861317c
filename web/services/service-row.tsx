import { MutedIcon } from "../alerting/muted.tsx";
import type { EventRecord, HostOfDetail, Service } from "../api/types.ts";
import { problemSince, problemText } from "../events/problem-list.tsx";
import { useMuster } from "../state/muster.ts";
import { formatAbsolute, formatNumber } from "../text/format.ts";
import { headline } from "../text/statistics.ts";
import { isReporting, serviceWords } from "../text/status-words.ts";
import { Clamped } from "../ui/clamped.tsx";
import { Led } from "../ui/led.tsx";
import { SERVICES } from "./services.texts.ts";

/** The greatest number of values on a narrow screen. */
const NARROW_VALUES = 3;

function Values({ service, most }: { service: Service; most?: number }) {
  return (
    <ul class="values">
      {headline(service)
        .slice(0, most)
        .map(({ id, label, value }) => (
          <li key={id}>
            <span class="muted">{label}</span> {value}
          </li>
        ))}
    </ul>
  );
}

interface StateProps {
  host: HostOfDetail;
  service: Service;
  problem: EventRecord | undefined;
}

/** The state of the service, with anything unusual: how long it has failed, and a schedule of its own. */
function State({ host, service, problem }: StateProps) {
  const { now } = useMuster();
  const { led, text } = serviceWords(service, isReporting(host), problem && problemText(problem, now.value));
  const since = problem && problemSince(problem);
  return (
    <>
      <span class="service-state">
        <Clamped>
          <Led led={led} text={text} />
        </Clamped>
      </span>
      {since !== undefined && led === 0 && (
        <span class="muted since" title={formatAbsolute(since)}>
          {SERVICES.failingFor(now.value - since)}
        </span>
      )}
      {!host.muted && <MutedIcon muted={service.muted} />}
      {service.every !== "" && <span class="tag">{SERVICES.every(service.every)}</span>}
    </>
  );
}

export interface ServiceRowProps extends StateProps {
  selected: boolean;
  /** Absent if services cannot be selected. */
  onSelect?: (on: boolean) => void;
}

/** A service in the list of its host. On narrow screens its state and values are below its name. */
export function ServiceRow({ host, service, problem, selected, onSelect }: ServiceRowProps) {
  const events = `/events?hostid=${host.id}&servicenameid=${service.nameid}`;
  return (
    <tr class="service-row">
      {onSelect && (
        <td class="tight select">
          <label class="select-area">
            <input
              type="checkbox"
              aria-label={SERVICES.select(service.name)}
              checked={selected}
              onChange={(event) => onSelect(event.currentTarget.checked)}
            />
          </label>
        </td>
      )}
      <th scope="row" class="name">
        <a href={`/hosts/${host.id}/services/${service.id}`}>{service.name}</a>
        <span class="narrow second">
          <State host={host} service={service} problem={problem} />
          <Values service={service} most={NARROW_VALUES} />
        </span>
      </th>
      <td class="state wide">
        <State host={host} service={service} problem={problem} />
      </td>
      <td class="grow wide">
        <Values service={service} />
      </td>
      <td class="number wide">
        {service.events > 0 && (
          <a href={events} aria-label={SERVICES.events(service.events, service.name)}>
            {formatNumber(service.events, 0)}
          </a>
        )}
      </td>
    </tr>
  );
}
