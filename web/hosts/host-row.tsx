import { MutedIcon } from "../alerting/muted.tsx";
import type { EventRecord, GlanceRecord, HostStatus } from "../api/types.ts";
import { problemSince } from "../events/problem-list.tsx";
import { PROBLEMS } from "../events/problems.texts.ts";
import { HeartbeatBar } from "../glance/heartbeat-bar.tsx";
import { levelClass, Sparkline } from "../glance/sparkline.tsx";
import { useMuster } from "../state/muster.ts";
import { formatNumber, formatUptime, formatUsage } from "../text/format.ts";
import { hostLed, hostLedText, hostWords, isReporting } from "../text/status-words.ts";
import { Icon } from "../ui/icon.tsx";
import { Led } from "../ui/led.tsx";
import { Time } from "../ui/time.tsx";
import { UI } from "../ui/ui.texts.ts";
import { HOSTS } from "./hosts.texts.ts";

/** The most tags of a host in a list, for lack of space. */
const TAGS_SHOWN = 6;

interface ValueProps {
  /** In percent; negative if unknown. */
  value: number;
  course: readonly (number | null)[] | undefined;
  title?: string;
  /** Level of the limit that it exceeds; 0 if none. */
  exceeded: number;
}

const NOTHING_EXCEEDED = { cpu: 0, mem: 0, disk: 0, load: 0 };

/** A percentage with its values over the last day. It is coloured while it exceeds a limit. */
function Value({ value, course, title, exceeded }: ValueProps) {
  return (
    <span class={levelClass(exceeded)} title={title}>
      <Sparkline values={course} />
      <span class="level-value">
        {value < 0 ? <span class="muted">{UI.noValue}</span> : formatUsage(value)}
      </span>
    </span>
  );
}

/** The load average with its values over the last day. Whether it is high depends on the number of processors. */
function Load({ glance }: { glance: GlanceRecord | undefined }) {
  return (
    <span class={levelClass(glance?.exceeded.load)}>
      <Sparkline values={glance?.loads} highest={null} />
      <span class="level-value">
        {glance && glance.load >= 0 ? formatNumber(glance.load, 2) : <span class="muted">{UI.noValue}</span>}
      </span>
    </span>
  );
}

/** Shows that all problems of a host are acknowledged, and who acknowledged the first. */
function KnownIcon({ problems }: { problems: readonly EventRecord[] }) {
  const [first] = problems;
  if (!first?.acknowledged || problems.some(({ acknowledged }) => !acknowledged)) return null;
  const text = PROBLEMS.acknowledgedBy(first.acknowledged.uname);
  return (
    <span class="known-mark" title={text}>
      <Icon name="check" />
      <span class="sr-only">{text}</span>
    </span>
  );
}

/** Why the host is not OK: its newest problem, or its state. */
function Reason({ host, problems }: { host: HostStatus; problems: readonly EventRecord[] }) {
  const { now } = useMuster();
  const [first] = problems;
  if (!first || !isReporting(host)) return <>{hostWords(host, now.value)}</>;
  const span = HOSTS.failingFor(now.value - problemSince(first));
  return (
    <>
      <a class="reason-service" href={`/hosts/${host.id}/services/${first.serviceid}`}>
        {first.servicename}
      </a>{" "}
      <span class="reason-text">{first.event}</span> <span class="muted">{span}</span>
      {problems.length > 1 && <span class="muted"> {HOSTS.more(problems.length - 1)}</span>}
    </>
  );
}

/** The tags that fit beside the name. */
function RowTags({ tags }: { tags: readonly string[] }) {
  return (
    <span class="row-tags" title={tags.join(", ")}>
      {tags.slice(0, TAGS_SHOWN).map((tag) => (
        <span key={tag} class="tag">
          {tag}
        </span>
      ))}
    </span>
  );
}

/** What the columns show, in one line below the name on narrow screens. */
function NarrowValues({ host, glance }: { host: HostStatus; glance: GlanceRecord | undefined }) {
  const { columns } = HOSTS;
  const exceeded = glance?.exceeded ?? NOTHING_EXCEEDED;
  const values = [
    [columns.cpu, host.cpu, exceeded.cpu],
    [HOSTS.memoryShort, host.mem, exceeded.mem],
    [columns.disk, glance?.disk ?? -1, exceeded.disk],
  ] as const;
  return (
    <span class="narrow row-values">
      {values.map(([label, value, level]) => (
        <span key={label} class={levelClass(level, "")}>
          <span class="muted">{label}</span>{" "}
          <span class="level-value">{value < 0 ? UI.noValue : formatUsage(value)}</span>
        </span>
      ))}
      <Time at={host.lastmodified} />
    </span>
  );
}

export interface HostRowProps {
  host: HostStatus;
  glance: GlanceRecord | undefined;
  /** Start of the 24 hours of the glance. */
  from: number;
  problems: readonly EventRecord[];
  index: number | undefined;
}

/** A host in a list: its state with the reason, its load, its last day. */
export function HostRow({ host, glance, from, problems, index }: HostRowProps) {
  const silent = !isReporting(host);
  const exceeded = glance?.exceeded ?? NOTHING_EXCEEDED;
  return (
    <tr data-row class={silent ? "host-row silent" : "host-row"} aria-rowindex={index}>
      <td class="col-led">
        <Led led={hostLed(host)} text={hostLedText(host)} words="sr-only" />
      </td>
      <th scope="row" class="col-host">
        <span class="host-line">
          <a class="host-name" href={`/hosts/${host.id}`} title={host.hostname}>
            {host.hostname}
          </a>
          {host.tags.length > 0 && <RowTags tags={host.tags} />}
        </span>
        <span class="second reason">
          <MutedIcon muted={host.muted} />
          <KnownIcon problems={problems} />
          <Reason host={host} problems={problems} />
        </span>
        <NarrowValues host={host} glance={glance} />
      </th>
      <td class="col-value wide">
        <Value value={host.cpu} course={glance?.cpu} exceeded={exceeded.cpu} />
      </td>
      <td class="col-value wide">
        <Value value={host.mem} course={glance?.mem} exceeded={exceeded.mem} />
      </td>
      <td class="col-value wide">
        <Value
          value={glance?.disk ?? -1}
          course={glance?.diskusage}
          exceeded={exceeded.disk}
          title={glance?.diskname ? HOSTS.fullest(glance.diskname) : HOSTS.noValue}
        />
      </td>
      <td class="col-load number roomy">
        <Load glance={glance} />
      </td>
      <td class="col-beats wide">
        <span
          class="beats-cell"
          title={glance && glance.uptime >= 0 ? formatUptime(glance.uptime) : undefined}
        >
          <HeartbeatBar beats={glance?.beats} from={from} />
        </span>
      </td>
      <td class="col-seen number wide">
        <Time at={host.lastmodified} />
      </td>
    </tr>
  );
}
