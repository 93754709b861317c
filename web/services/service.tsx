import { EndMute } from "../alerting/end-mute.tsx";
import { MuteButton } from "../alerting/mute-dialog.tsx";
import { serviceTarget } from "../alerting/mute-target.ts";
import { MutedBanner } from "../alerting/muted.tsx";
import type { EventList, HostDetail, HostOfDetail, Service } from "../api/types.ts";
import { ServiceCharts } from "../charts/service-charts.tsx";
import { ProblemActions } from "../events/problem-actions.tsx";
import { ProblemList } from "../events/problem-list.tsx";
import { RecentEvents } from "../events/recent-events.tsx";
import { ForecastLines } from "../forecasts/forecast-lines.tsx";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { match } from "../state/router.ts";
import { isReporting, serviceWords } from "../text/status-words.ts";
import { MONITOR_MODES, monitorStateName, ON_REBOOT } from "../text/type-names.ts";
import { Facts } from "../ui/facts.tsx";
import { Led } from "../ui/led.tsx";
import { Page } from "../ui/page.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { UptimeStrip } from "../uptime/uptime-strip.tsx";
import { SERVICE } from "./service.texts.ts";
import { ServiceActions } from "./service-actions.tsx";
import { AllValues, ProgramOutput, TopValues } from "./service-values.tsx";

const LIVE_SECONDS = 5;

function ServiceFacts({ service }: { service: Service }) {
  const { fact } = SERVICE;
  return (
    <details class="folded">
      <summary>{SERVICE.about}</summary>
      <Facts
        facts={[
          [fact.type, service.type],
          [fact.monitoring, monitorStateName(service.monitorstate)],
          [fact.mode, MONITOR_MODES[service.monitormode]],
          [fact.reboot, ON_REBOOT[service.onreboot]],
          [fact.schedule, service.every || SERVICE.eachCycle],
        ]}
      />
    </details>
  );
}

interface BodyProps {
  host: HostOfDetail;
  service: Service;
  /** Called when an action was sent, or a mute began or ended. */
  onSent: () => Promise<void>;
}

/** The active problems of the service with their actions, or its state. */
function State({ host, service, onSent }: BodyProps) {
  const problems = useResource<EventList>(
    "/reports/events/list",
    { hostid: host.id, servicenameid: service.nameid, active: 1 },
    { every: LIVE_SECONDS, still: true },
  );
  const reporting = isReporting(host);
  const { led, text } = serviceWords(service, reporting);
  return (
    <>
      <div class="host-state">
        <p class="state-line">
          <Led led={led} text={text} />
          <span class="muted">
            {SERVICE.lastReport} <Time at={host.lastmodified} />
          </span>
        </p>
        <MutedBanner muted={service.muted}>
          <EndMute target={serviceTarget(host, service.name)} muted={service.muted} onDone={onSent} />
        </MutedBanner>
        {!reporting && <p class="notice">{SERVICE.stale}</p>}
      </div>
      <Loaded from={problems}>
        {({ records }) =>
          records.length > 0 && (
            <ProblemList
              events={records}
              without="service"
              actions={(event) => <ProblemActions event={event} onDone={() => void problems.refresh()} />}
            />
          )
        }
      </Loaded>
    </>
  );
}

function ServiceBody({ host, service, onSent }: BodyProps) {
  const { session } = useMuster();
  return (
    <div class={isReporting(host) ? undefined : "silent"}>
      <State host={host} service={service} onSent={onSent} />
      {session.may("operate", host.groups) && (
        <ServiceActions host={host} services={[service.name]} alone onSent={onSent}>
          <MuteButton target={serviceTarget(host, service.name)} groups={host.groups} onDone={onSent} />
        </ServiceActions>
      )}
      <ProgramOutput service={service} />
      <TopValues host={host} service={service} />
      <ForecastLines hostId={host.id} serviceId={service.id} />
      <ServiceCharts hostId={host.id} service={service} />
      <UptimeStrip hostId={host.id} service={service.name} />
      <RecentEvents hostId={host.id} serviceNameId={service.nameid} texts={SERVICE} />
      <AllValues service={service} />
      <ServiceFacts service={service} />
    </div>
  );
}

/** One service: its problems, actions, charts and events, and finally its facts. */
function ServiceScreen({ hostId, serviceId }: { hostId: string; serviceId: string }) {
  const detail = useResource<HostDetail>("/status/hosts/get", { id: hostId }, { every: LIVE_SECONDS });
  const host = detail.data.value?.records.host;
  const service = host?.services.find(({ id }) => String(id) === serviceId);
  return (
    <Page
      title={host && service ? SERVICE.title(service.name, host.name) : SERVICE.unnamed}
      heading={service?.name}
      breadcrumbs={[
        [SERVICE.hosts, "/hosts"],
        [host?.name ?? SERVICE.host, `/hosts/${hostId}`],
      ]}
    >
      <Loaded from={detail}>
        {({ records }) =>
          service ? (
            <ServiceBody host={records.host} service={service} onSent={() => detail.refresh()} />
          ) : (
            <Empty>{SERVICE.gone(records.host.name)}</Empty>
          )
        }
      </Loaded>
    </Page>
  );
}

/** The service that the address names. */
export function ServiceOfAddress() {
  const { router } = useMuster();
  const { id = "", service = "" } = match("/hosts/:id/services/:service", router.address.value.path) ?? {};
  return <ServiceScreen key={`${id}/${service}`} hostId={id} serviceId={service} />;
}
