import { useSignal } from "@preact/signals";
import { EndMute } from "../alerting/end-mute.tsx";
import { MuteButton } from "../alerting/mute-dialog.tsx";
import { hostTarget } from "../alerting/mute-target.ts";
import { MutedBanner } from "../alerting/muted.tsx";
import type { EventList, HostDetail, HostOfDetail } from "../api/types.ts";
import { Charts } from "../charts/charts.tsx";
import { HOST_PANEL_TYPES, hostPanels } from "../charts/panels.ts";
import { ProblemActions } from "../events/problem-actions.tsx";
import { ProblemList } from "../events/problem-list.tsx";
import { RecentEvents } from "../events/recent-events.tsx";
import { ForecastLines } from "../forecasts/forecast-lines.tsx";
import { Services } from "../services/service-list.tsx";
import { useMuster, useNotify } from "../state/muster.ts";
import { type Resource, useResource } from "../state/polled-resource.ts";
import { match } from "../state/router.ts";
import { PublicNotes } from "../status-pages/public-notes.tsx";
import { formatMinuteNear } from "../text/format.ts";
import { hostLed, hostWords, isReporting } from "../text/status-words.ts";
import { Icon } from "../ui/icon.tsx";
import { Led } from "../ui/led.tsx";
import { Page, Section } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { TagLinks } from "../ui/tag-field.tsx";
import { Time } from "../ui/time.tsx";
import { UptimeStrip } from "../uptime/uptime-strip.tsx";
import { DeleteHost } from "./delete-host.tsx";
import { HOST } from "./host.texts.ts";
import { HostFacts } from "./host-facts.tsx";
import { HostVitals } from "./host-vitals.tsx";
import { UnreadableValues } from "./unreadable.tsx";

const LIVE_SECONDS = 5;
const PROBLEMS_SHOWN = 50;
const GREEN = 2;

interface HostOnPage {
  host: HostOfDetail;
  /** Called when it was muted, or its mute has ended. */
  onMuted: () => Promise<void>;
}

/** The state of the host in words, since when, its groups and its description. */
function HostState({ host, onMuted }: HostOnPage) {
  const { now } = useMuster();
  const services = host.services.length;
  const servicesok = host.services.filter(({ led }) => led === GREEN).length;
  return (
    <div class="host-state">
      <p class="state-line">
        <Led
          led={hostLed({ ...host, services })}
          text={hostWords({ ...host, services, servicesok }, now.value)}
        />
        <span class="muted">
          {HOST.lastReport} <Time at={host.lastmodified} />
        </span>
        {host.groups.map(({ id, name }) => (
          <a key={id} class="tag tag-link" href={`/hosts?group=${id}`}>
            {name}
          </a>
        ))}
        <TagLinks tags={host.tags} />
      </p>
      <MutedBanner muted={host.muted}>
        <EndMute target={hostTarget(host)} muted={host.muted} onDone={onMuted} />
      </MutedBanner>
      {host.description && <p class="description as-written">{host.description}</p>}
      {!isReporting(host) && host.heartbeat === 0 && (
        <p class="notice">{HOST.stale(formatMinuteNear(host.lastmodified, now.value))}</p>
      )}
      {host.conflict && (
        <p class="form-error" role="alert">
          {host.conflict}
        </p>
      )}
    </div>
  );
}

function HostProblems({ host, from }: { host: HostOfDetail; from: Resource<EventList> }) {
  return (
    <Loaded from={from}>
      {({ records }) =>
        records.length > 0 && (
          <Section
            title={HOST.problems}
            aside={<a href={`/events?hostid=${host.id}&active=1`}>{HOST.allProblems}</a>}
          >
            <ProblemList
              events={records}
              without="host"
              actions={(event) => <ProblemActions event={event} onDone={() => void from.refresh()} />}
            />
          </Section>
        )
      }
    </Loaded>
  );
}

interface HostControlsProps {
  host: Pick<HostOfDetail, "id" | "name" | "groups">;
  onMuted: () => void;
  onDelete: () => void;
}

function HostControls({ host, onMuted, onDelete }: HostControlsProps) {
  const { session } = useMuster();
  const { id, groups } = host;
  return (
    <>
      <MuteButton target={hostTarget(host)} groups={groups} onDone={onMuted} />
      <a class="button" href={`/uptime/${id}`}>
        <Icon name="uptime" />
        {HOST.controls.uptime}
      </a>
      {session.may("manage", groups) && (
        <a class="button" href={`/hosts/${id}/settings`}>
          <Icon name="settings" />
          {HOST.controls.settings}
        </a>
      )}
      {session.isAdmin && (
        <button type="button" onClick={onDelete}>
          <Icon name="trash" />
          {HOST.controls.delete}
        </button>
      )}
    </>
  );
}

function HostBody({ host, onMuted }: HostOnPage) {
  const problems = useResource<EventList>(
    "/reports/events/list",
    { hostid: host.id, active: 1, results: PROBLEMS_SHOWN },
    { every: LIVE_SECONDS, still: true },
  );
  return (
    <div class={isReporting(host) ? undefined : "silent"}>
      <HostState host={host} onMuted={onMuted} />
      <UnreadableValues unreadable={host.unreadable} />
      {host.groupsleftout > 0 && <p class="notice">{HOST.groupsLeftOut(host.groupsleftout)}</p>}
      <HostProblems host={host} from={problems} />
      <HostVitals host={host} />
      <ForecastLines hostId={host.id} />
      <Services host={host} problems={problems.data.value?.records ?? []} />
      <Charts hostId={host.id} filter={{ type: HOST_PANEL_TYPES }} panelsOf={hostPanels} />
      <UptimeStrip hostId={host.id} />
      <RecentEvents hostId={host.id} texts={HOST} />
      <HostFacts host={host} />
      <PublicNotes about={{ hostid: host.id }} hostId={host.id} isOpen />
    </div>
  );
}

/** One host: its problems, values, services, charts and events, and finally its facts. */
function HostScreen({ id }: { id: string }) {
  const { api, router } = useMuster();
  const notify = useNotify();
  const deleting = useSignal(false);
  const detail = useResource<HostDetail>("/status/hosts/get", { id }, { every: LIVE_SECONDS });
  const host = detail.data.value?.records.host;
  const onMuted = () => detail.refresh();
  const onDelete = () => {
    deleting.value = true;
  };
  const onDeleteClosed = (name: string) => (done: boolean) => {
    deleting.value = false;
    if (!done) return;
    const undo = async () => {
      await api.send("/admin/hosts/deleted/restore", { hosts: [Number(id)] });
      router.go(`/hosts/${id}`);
    };
    notify(HOST.deleted(name), { undo });
    router.go("/hosts");
  };
  return (
    <Page
      title={host?.name ?? HOST.unnamed(id)}
      breadcrumbs={[[HOST.hosts, "/hosts"]]}
      aside={
        <div class={host ? undefined : "awaited"}>
          <HostControls
            host={host ?? { id: Number(id), name: "", groups: [] }}
            onMuted={onMuted}
            onDelete={onDelete}
          />
        </div>
      }
    >
      <Loaded from={detail}>
        {({ records: { host: shown } }) => (
          <>
            <HostBody host={shown} onMuted={onMuted} />
            {deleting.value && <DeleteHost host={shown} onClose={onDeleteClosed(shown.name)} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** The host in the address. */
export function HostOfAddress() {
  const { router } = useMuster();
  const { id = "" } = match("/hosts/:id", router.address.value.path) ?? {};
  return <HostScreen key={id} id={id} />;
}
