import { useSignal } from "@preact/signals";
import type { HostOfDetail, Service } from "../api/types.ts";
import { counted, formatNumber } from "../text/format.ts";
import { monitorStateName } from "../text/names.ts";
import { headline } from "../text/statistics.ts";
import { Led } from "../ui/led.tsx";
import { Section } from "../ui/page.tsx";
import { Empty } from "../ui/states.tsx";
import { ServiceActions } from "./service-actions.tsx";

/** Columns of the table, without the one to select rows. */
const COLUMNS = 6;

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

/** The services grouped by type. Within a type, failing ones come first. */
export function byType(services: readonly Service[]): { type: string; services: Service[] }[] {
  const groups = Map.groupBy(services, (service) => service.typeid);
  // The system itself first, then the types by how often people look for them.
  const order = [5, 3, 0, 4, 7, 2, 1, 6, 8];
  const place = (typeid: number) => (order.includes(typeid) ? order.indexOf(typeid) : order.length);
  return [...groups.entries()]
    .sort(([a], [b]) => place(a) - place(b))
    .map(([, members]) => ({
      type: members[0]?.type ?? "",
      services: members.toSorted((a, b) => a.led - b.led || a.name.localeCompare(b.name)),
    }));
}

interface ServiceTableProps {
  host: HostOfDetail;
  /** Names of the selected services. */
  selected: ReadonlySet<string>;
  /** Absent: nothing can be selected. */
  onSelect?: (names: ReadonlySet<string>) => void;
}

function TableHead({ host, selected, onSelect }: ServiceTableProps) {
  const all = host.services.map(({ name }) => name);
  const count = all.filter((name) => selected.has(name)).length;
  return (
    <thead>
      <tr>
        {onSelect && (
          <th scope="col" class="tight">
            <input
              type="checkbox"
              aria-label="Select all services"
              checked={count === all.length}
              indeterminate={count > 0 && count < all.length}
              onChange={(event) => onSelect(new Set(event.currentTarget.checked ? all : []))}
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
  );
}

function ServiceTable(props: ServiceTableProps) {
  const { host, selected, onSelect } = props;
  const toggle = (name: string) => (on: boolean) => {
    const next = new Set(selected);
    if (on) next.add(name);
    else next.delete(name);
    onSelect?.(next);
  };
  return (
    <div class="table-frame">
      <table class="table">
        <caption class="sr-only">Services by type</caption>
        <TableHead {...props} />
        {byType(host.services).map(({ type, services }) => (
          <tbody key={type}>
            <tr class="type-row">
              <th scope="rowgroup" colSpan={onSelect ? COLUMNS + 1 : COLUMNS}>
                {type}
              </th>
            </tr>
            {services.map((service) => (
              <ServiceRow
                key={service.id}
                host={host}
                service={service}
                selected={selected.has(service.name)}
                {...(onSelect && { onSelect: toggle(service.name) })}
              />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

/** The services of a host by type. Administrators select some and act on them. */
export function Services({ host, admin }: { host: HostOfDetail; admin: boolean }) {
  const selected = useSignal<ReadonlySet<string>>(new Set());
  const select = (names: ReadonlySet<string>) => {
    selected.value = names;
  };
  if (host.services.length === 0) {
    return (
      <Section title="Services">
        <Empty>The agent reports no services.</Empty>
      </Section>
    );
  }
  const names = host.services.map(({ name }) => name).filter((name) => selected.value.has(name));
  return (
    <Section title="Services">
      {admin && (
        <ServiceActions host={host} services={names} onSent={() => select(new Set())}>
          <span class="muted">
            {names.length === 0
              ? "Select services to act on"
              : `${counted(names.length, "service")} selected`}
          </span>
        </ServiceActions>
      )}
      <ServiceTable host={host} selected={selected.value} {...(admin && { onSelect: select })} />
    </Section>
  );
}
