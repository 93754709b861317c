import type { EventList, HostDetail, Service, Statistic } from "../api/types.ts";
import { EventTable } from "../events/event-table.tsx";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/resource.ts";
import { MONITOR_MODES, monitorStateName, ON_REBOOT } from "../text/names.ts";
import { formatStatistic, statisticLabel } from "../text/statistics.ts";
import { Facts } from "../ui/facts.tsx";
import { Led } from "../ui/led.tsx";
import { Page, Section } from "../ui/page.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { UptimeStrip } from "../uptime/uptime-strip.tsx";
import { ServiceActions } from "./service-actions.tsx";
import { ServiceCharts } from "./service-charts.tsx";

const LIVE_SECONDS = 5;
const EVENTS_SHOWN = 15;

const STATISTIC_COLUMNS: readonly Column<Statistic>[] = [
  { key: "label", label: "What", header: true, cell: statisticLabel },
  {
    key: "value",
    label: "Latest value",
    class: "grow",
    cell: (statistic) =>
      statistic.text?.includes("\n") ? (
        <pre class="output">{statistic.text}</pre>
      ) : (
        formatStatistic(statistic)
      ),
  },
];

function LatestValues({ service: { statistics } }: { service: Service }) {
  return (
    <Section title="Values">
      {statistics.length === 0 ? (
        <Empty>The agent reports no values of this service, or has not checked it yet.</Empty>
      ) : (
        <Table
          caption="Latest values"
          columns={STATISTIC_COLUMNS}
          rows={statistics}
          rowKey={(statistic) => statistic.id}
        />
      )}
    </Section>
  );
}

function ServiceEvents({ hostId, service }: { hostId: number; service: Service }) {
  const filter = { hostid: hostId, servicenameid: service.nameid };
  const events = useResource<EventList>(
    "/reports/events/list",
    { ...filter, results: EVENTS_SHOWN },
    { every: LIVE_SECONDS },
  );
  const all = `/events?hostid=${hostId}&servicenameid=${service.nameid}`;
  return (
    <Section title="Events" aside={<a href={all}>All events of this service</a>}>
      <Loaded from={events}>
        {({ records }) =>
          records.length === 0 ? (
            <Empty>No event yet.</Empty>
          ) : (
            <EventTable caption="Latest events of this service" rows={records} ofHost />
          )
        }
      </Loaded>
    </Section>
  );
}

export function ServiceScreen({ hostId, serviceId }: { hostId: string; serviceId: string }) {
  const { session } = useMuster();
  const detail = useResource<HostDetail>("/status/hosts/get", { id: hostId }, { every: LIVE_SECONDS });
  const host = detail.data.value?.records.host;
  const service = host?.services.find(({ id }) => String(id) === serviceId);
  return (
    <Page
      title={host && service ? `${service.name} on ${host.name}` : "Service"}
      heading={service?.name}
      breadcrumbs={[
        ["Hosts", "/hosts"],
        [host?.name ?? "Host", `/hosts/${hostId}`],
      ]}
    >
      <Loaded from={detail}>
        {({ records }) =>
          service ? (
            <>
              <p class="host-state">
                <Led led={service.led} text={service.status} />
              </p>
              <Facts
                facts={[
                  ["Type", service.type],
                  ["Monitoring", monitorStateName(service.monitorstate)],
                  ["Mode", MONITOR_MODES[service.monitormode]],
                  ["On reboot", ON_REBOOT[service.onreboot]],
                  ["Schedule", service.every || "each cycle"],
                ]}
              />
              {session.user.value?.admin && (
                <ServiceActions
                  host={records.host}
                  services={[service.name]}
                  onSent={() => void detail.refresh()}
                />
              )}
              <LatestValues service={service} />
              <ServiceCharts hostId={records.host.id} service={service} />
              <UptimeStrip hostId={records.host.id} service={service.name} />
              <ServiceEvents hostId={records.host.id} service={service} />
            </>
          ) : (
            <Empty>{records.host.name} has no such service any more.</Empty>
          )
        }
      </Loaded>
    </Page>
  );
}
