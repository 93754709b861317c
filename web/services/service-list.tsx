import { useSignal } from "@preact/signals";
import type { HostOfDetail, Service } from "../api/types.ts";
import { counted, formatNumber } from "../text/format.ts";
import { monitorStateName } from "../text/names.ts";
import { headline } from "../text/statistics.ts";
import { Led } from "../ui/led.tsx";
import { Section } from "../ui/page.tsx";
import { Empty } from "../ui/states.tsx";
import { ServiceActions } from "./service-actions.tsx";

interface RowProps {
  host: HostOfDetail;
  service: Service;
  selected: boolean;
  /** Absent: nothing can be selected. */
  onSelect?: (on: boolean) => void;
}

function Values({ service }: { service: Service }) {
  return (
    <ul class="values">
      {headline(service).map(({ id, label, value }) => (
        <li key={id}>
          <span class="muted">{label}</span> {value}
        </li>
      ))}
    </ul>
  );
}

function ServiceRow({ host, service, selected, onSelect }: RowProps) {
  return (
    <tr>
      {onSelect && (
        <td class="tight">
          <input
            type="checkbox"
            aria-label={`Select ${service.name}`}
            checked={selected}
            onChange={(event) => onSelect(event.currentTarget.checked)}
          />
        </td>
      )}
      <th scope="row" class="name">
        <a href={`/hosts/${host.id}/services/${service.id}`}>{service.name}</a>
      </th>
      <td class="state">
        <Led led={service.led} text={service.status} />
      </td>
      <td class="wide">{monitorStateName(service.monitorstate)}</td>
      <td class="grow wide">
        <Values service={service} />
      </td>
      <td class="brief medium">{service.every || "each cycle"}</td>
      <td class="number wide">
        <a href={`/events?hostid=${host.id}&servicenameid=${service.nameid}`}>
          {formatNumber(service.events, 0)}
        </a>
      </td>
    </tr>
  );
}

/** Services of each type, failing ones first within it. */
export function byType(services: readonly Service[]): { type: string; services: Service[] }[] {
  const groups = Map.groupBy(services, (service) => service.typeid);
  // The host's own measurements first, the rest by how often one looks for them.
  const order = [5, 3, 0, 4, 7, 2, 1, 6, 8];
  const place = (typeid: number) => (order.includes(typeid) ? order.indexOf(typeid) : order.length);
  return [...groups.entries()]
    .sort(([a], [b]) => place(a) - place(b))
    .map(([, members]) => ({
      type: members[0]?.type ?? "",
      services: members.toSorted((a, b) => a.led - b.led || a.name.localeCompare(b.name)),
    }));
}

/** A host's services by type. Administrators select some and act on them. */
export function Services({ host, admin }: { host: HostOfDetail; admin: boolean }) {
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const names = host.services.map((service) => service.name).filter((name) => chosen.value.has(name));
  const select = (name: string, on: boolean) => {
    const next = new Set(chosen.peek());
    if (on) next.add(name);
    else next.delete(name);
    chosen.value = next;
  };
  if (host.services.length === 0) {
    return (
      <Section title="Services">
        <Empty>The agent reports no services.</Empty>
      </Section>
    );
  }
  const columns = admin ? 7 : 6;
  return (
    <Section title="Services">
      {admin && (
        <ServiceActions
          host={host}
          services={names}
          onSent={() => {
            chosen.value = new Set();
          }}
        >
          <span class="muted">
            {names.length === 0
              ? "Select services to act on"
              : `${counted(names.length, "service")} selected`}
          </span>
        </ServiceActions>
      )}
      <div class="table-frame">
        <table class="table">
          <caption class="unseen">Services by type</caption>
          <thead>
            <tr>
              {admin && (
                <th scope="col" class="tight">
                  <input
                    type="checkbox"
                    aria-label="Select all services"
                    checked={names.length === host.services.length}
                    indeterminate={names.length > 0 && names.length < host.services.length}
                    onChange={(event) => {
                      const all = event.currentTarget.checked
                        ? host.services.map((service) => service.name)
                        : [];
                      chosen.value = new Set(all);
                    }}
                  />
                </th>
              )}
              <th scope="col">Service</th>
              <th scope="col">Status</th>
              <th scope="col" class="wide">
                Monitoring
              </th>
              <th scope="col" class="wide">
                Latest values
              </th>
              <th scope="col" class="medium">
                Schedule
              </th>
              <th scope="col" class="number wide">
                Events
              </th>
            </tr>
          </thead>
          {byType(host.services).map(({ type, services }) => (
            <tbody key={type}>
              <tr class="type-row">
                <th scope="rowgroup" colSpan={columns}>
                  {type}
                </th>
              </tr>
              {services.map((service) => (
                <ServiceRow
                  key={service.id}
                  host={host}
                  service={service}
                  selected={chosen.value.has(service.name)}
                  {...(admin ? { onSelect: (on: boolean) => select(service.name, on) } : {})}
                />
              ))}
            </tbody>
          ))}
        </table>
      </div>
    </Section>
  );
}
