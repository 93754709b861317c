import { useSignal } from "@preact/signals";
import type { EventRecord, HostOfDetail, Service } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { isReporting } from "../text/status-words.ts";
import { withChoice } from "../ui/choices.tsx";
import { Section } from "../ui/page.tsx";
import { Empty } from "../ui/states.tsx";
import { ServiceActions } from "./service-actions.tsx";
import { ServiceRow } from "./service-row.tsx";
import { SERVICES } from "./services.texts.ts";

/** Columns of the table, without the one to select rows. */
const COLUMNS = 4;

/** The services grouped by type. Within a type, failing ones come first. */
export function byType(services: readonly Service[]): { type: string; services: Service[] }[] {
  const groups = Map.groupBy(services, (service) => service.typeid);
  // The system itself first, then the most used types.
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
  /** Active problems of the host. */
  problems: readonly EventRecord[];
  /** Names of the selected services. */
  selected: ReadonlySet<string>;
  /** Absent if services cannot be selected. */
  onSelect?: (names: ReadonlySet<string>) => void;
}

function TableHead({ host, selected, onSelect }: ServiceTableProps) {
  const names = host.services.map(({ name }) => name);
  const count = names.filter((name) => selected.has(name)).length;
  const { columns } = SERVICES;
  return (
    <thead>
      <tr>
        {onSelect && (
          <th scope="col" class="tight select">
            <label class="select-area">
              <input
                type="checkbox"
                aria-label={SERVICES.selectAll}
                checked={count === names.length}
                indeterminate={count > 0 && count < names.length}
                onChange={(event) => onSelect(new Set(event.currentTarget.checked ? names : []))}
              />
            </label>
          </th>
        )}
        <th scope="col" class="col-service">
          {columns.service}
        </th>
        <th scope="col" class="wide col-problem">
          {columns.state}
        </th>
        <th scope="col" class="wide">
          {columns.values}
        </th>
        <th scope="col" class="number wide col-count">
          {columns.events}
        </th>
      </tr>
    </thead>
  );
}

function ServiceTable(props: ServiceTableProps) {
  const { host, problems, selected, onSelect } = props;
  const problemOf = new Map(problems.map((event) => [event.servicenameid, event]));
  return (
    <div class="table-frame table-frame-fixed">
      <table class="table table-fixed services">
        <caption class="sr-only">{SERVICES.caption}</caption>
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
                problem={problemOf.get(service.nameid)}
                selected={selected.has(service.name)}
                {...(onSelect && { onSelect: (on) => onSelect(withChoice(selected, service.name, on)) })}
              />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

interface ServicesProps {
  host: HostOfDetail;
  problems: readonly EventRecord[];
}

/** The services of a host by type. Administrators select some and act on them. */
export function Services({ host, problems }: ServicesProps) {
  const { session } = useMuster();
  const acts = isReporting(host) && session.may("operate", host.groups);
  const selected = useSignal<ReadonlySet<string>>(new Set());
  const select = (names: ReadonlySet<string>) => {
    selected.value = names;
  };
  if (host.services.length === 0) {
    return (
      <Section title={SERVICES.title}>
        <Empty>{SERVICES.none}</Empty>
      </Section>
    );
  }
  const names = host.services.map(({ name }) => name).filter((name) => selected.value.has(name));
  return (
    <Section title={SERVICES.title}>
      {acts && (
        <ServiceActions host={host} services={names} onSent={() => select(new Set())}>
          <span class="muted">
            {names.length === 0 ? SERVICES.selectHint : SERVICES.selected(names.length)}
          </span>
        </ServiceActions>
      )}
      <ServiceTable
        host={host}
        problems={problems}
        selected={selected.value}
        {...(acts && { onSelect: select })}
      />
    </Section>
  );
}
