import { useSignal } from "@preact/signals";
import type { EventList, HostDetail, HostOfDetail } from "../api/types.ts";
import { Charts } from "../charts/charts.tsx";
import { HOST_PANEL_TYPES, hostPanels } from "../charts/panels.ts";
import { EventTable } from "../events/event-table.tsx";
import { Services } from "../services/service-list.tsx";
import { useAnnounce, useMuster } from "../state/muster.ts";
import { useResource } from "../state/resource.ts";
import { counted, formatBytes, formatNumber } from "../text/format.ts";
import { Confirm } from "../ui/confirm.tsx";
import { Facts } from "../ui/facts.tsx";
import { Icon } from "../ui/icon.tsx";
import { Led } from "../ui/led.tsx";
import { Page, Section } from "../ui/page.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { UptimeStrip } from "../uptime/uptime-strip.tsx";
import { UnreadableValues } from "./unreadable.tsx";

const LIVE_SECONDS = 5;
const EVENTS_SHOWN = 15;

function HostFacts({ host }: { host: HostOfDetail }) {
  const { platform, agent } = host;
  return (
    <Facts
      facts={[
        ["Last message", <Time at={host.lastmodified} />],
        ["Platform", `${platform.name} ${platform.release}`.trim()],
        ["Machine", platform.machine],
        ["Processors", host.cpu.count > 0 ? formatNumber(host.cpu.count) : ""],
        ["Memory", host.memory.size > 0 ? formatBytes(host.memory.size * 1024) : ""],
        ["Swap", host.swap.size > 0 ? formatBytes(host.swap.size * 1024) : ""],
        ["Agent", agent.version && `Monit ${agent.version}`],
        ["Agent running for", agent.uptime],
        ["Reports every", `${agent.poll} s`],
        ["Control file", agent.controlfile],
        ["Agent id", agent.id],
        ["Platform version", platform.version],
      ]}
    />
  );
}

function DeleteHost({ host, onClose }: { host: HostOfDetail; onClose: (done: boolean) => void }) {
  const { api } = useMuster();
  return (
    <Confirm
      title={`Delete ${host.name}?`}
      verb="Delete host"
      danger
      act={() => api.post("/admin/hosts/delete", { id: host.id })}
      onClose={onClose}
    >
      <p>
        This deletes <strong>{host.name}</strong> with its {counted(host.services.length, "service")}, their
        recorded values, its events and their notes, its uptime and its places in groups. It cannot be undone.
      </p>
      <p>If its agent still reports, the host comes back as a new one.</p>
    </Confirm>
  );
}

function HostCharts({ id }: { id: number }) {
  return <Charts hostId={id} filter={{ type: HOST_PANEL_TYPES }} panelsOf={hostPanels} />;
}

function HostEvents({ id }: { id: number }) {
  const events = useResource<EventList>(
    "/reports/events/list",
    { hostid: id, results: EVENTS_SHOWN },
    { every: LIVE_SECONDS },
  );
  return (
    <Section title="Events" aside={<a href={`/events?hostid=${id}`}>All events of this host</a>}>
      <Loaded from={events}>
        {({ records }) =>
          records.length === 0 ? (
            <Empty>No event yet.</Empty>
          ) : (
            <EventTable caption="Latest events of this host" rows={records} ofHost />
          )
        }
      </Loaded>
    </Section>
  );
}

function HostControls({ id, admin, onDelete }: { id: string; admin: boolean; onDelete: () => void }) {
  return (
    <>
      <a class="button" href={`/uptime/${id}`}>
        <Icon name="uptime" />
        Uptime
      </a>
      {admin && (
        <>
          <a class="button" href={`/hosts/${id}/settings`}>
            <Icon name="settings" />
            Settings
          </a>
          <button type="button" onClick={onDelete}>
            <Icon name="trash" />
            Delete
          </button>
        </>
      )}
    </>
  );
}

export function HostScreen({ id }: { id: string }) {
  const { router, session } = useMuster();
  const announce = useAnnounce();
  const deleting = useSignal(false);
  const detail = useResource<HostDetail>("/status/hosts/get", { id }, { every: LIVE_SECONDS });
  const host = detail.data.value?.records.host;
  const admin = session.user.value?.admin ?? false;
  const onDelete = () => {
    deleting.value = true;
  };
  const onDeleteClosed = (name: string) => (done: boolean) => {
    deleting.value = false;
    if (!done) return;
    announce(`${name} deleted`);
    router.go("/hosts");
  };
  return (
    <Page
      title={host?.name ?? `Host ${id}`}
      breadcrumbs={[["Hosts", "/hosts"]]}
      aside={host && <HostControls id={id} admin={admin} onDelete={onDelete} />}
    >
      <Loaded from={detail}>
        {({ records: { host: shown } }) => (
          <>
            <p class="host-state">
              <Led led={shown.led} text={shown.status} />
            </p>
            {shown.conflict && (
              <p class="form-error" role="alert">
                {shown.conflict}
              </p>
            )}
            <UnreadableValues unreadable={shown.unreadable} />
            <HostFacts host={shown} />
            <Services host={shown} admin={admin} />
            <HostCharts id={shown.id} />
            <UptimeStrip hostId={shown.id} />
            <HostEvents id={shown.id} />
            {deleting.value && <DeleteHost host={shown} onClose={onDeleteClosed(shown.name)} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}
