import type { ComponentChildren } from "preact";
import { CPU_PARTS } from "../../src/monit/cpu-usage.ts";
import { SERVICE_TYPE } from "../../src/monit/event-types.ts";
import { STATISTIC } from "../../src/monit/statistic-types.ts";
import type { HostOfDetail } from "../api/types.ts";
import { HeartbeatBar } from "../glance/heartbeat-bar.tsx";
import { levelClass, Sparkline } from "../glance/sparkline.tsx";
import { UnreadGlance } from "../glance/unread-glance.tsx";
import { useGlance } from "../glance/use-glance.ts";
import { useMuster } from "../state/muster.ts";
import { formatNumber, formatUptime, formatUsage } from "../text/format.ts";
import { limitAddress } from "../ui/limit-address.ts";
import { UI } from "../ui/ui.texts.ts";
import { HOST } from "./host.texts.ts";

interface Vitals {
  /** In percent; null if unknown. */
  cpu: number | null;
  memory: number | null;
  load: number | null;
  /** The fullest filesystem. */
  disk: { name: string; percent: number } | null;
}

/** The few values that show how a host is doing. */
export function vitalsOf({ services }: Pick<HostOfDetail, "services">): Vitals {
  const system = services.find(({ typeid }) => typeid === SERVICE_TYPE.system)?.statistics ?? [];
  const cpu = system.filter(({ type }) => CPU_PARTS.includes(type));
  const value = (code: number) => system.find(({ type }) => type === code)?.value ?? null;
  const disks = services.flatMap(({ name, statistics }) =>
    statistics
      .filter(({ type }) => type === STATISTIC.spacePercent.code)
      .map((statistic) => ({ name, percent: statistic.value })),
  );
  return {
    cpu:
      cpu.length > 0
        ? Math.min(
            100,
            cpu.reduce((sum, statistic) => sum + statistic.value, 0),
          )
        : null,
    memory: value(STATISTIC.memoryPercent.code),
    load: value(STATISTIC.load.code),
    disk: disks.toSorted((a, b) => b.percent - a.percent)[0] ?? null,
  };
}

interface VitalProps {
  label: string;
  value: string;
  /** Level of the limit that it exceeds; 0 if none. */
  exceeded?: number | undefined;
  /** Address of the page that sets a limit on it; absent for users who may not. */
  limit?: string | undefined;
  children?: ComponentChildren;
}

function Vital({ label, value, exceeded, limit, children }: VitalProps) {
  return (
    <li class={levelClass(exceeded, "vital")}>
      <span class="vital-label">
        {label}
        {limit && (
          <a class="vital-limit" href={limit} aria-label={HOST.setLimitOn(label)}>
            {HOST.setLimit}
          </a>
        )}
      </span>
      <span class="vital-value level-value">{value}</span>
      {children}
    </li>
  );
}

/** Addresses of pages that set a limit on a metric of the host; empty for users who may not. */
function useLimitLinks({ id, groups }: HostOfDetail) {
  const { session } = useMuster();
  return (number: string, service?: string) =>
    session.may("manage", groups) ? limitAddress(number, id, service) : undefined;
}

/** CPU, memory, fullest disk and load over the last day, and whether the host was up. */
export function HostVitals({ host }: { host: HostOfDetail }) {
  const glances = useGlance([host.id]);
  const glance = glances.of.get(host.id);
  const { cpu, memory, load, disk } = vitalsOf(host);
  const exceeded = glance?.exceeded;
  const limitOn = useLimitLinks(host);
  const percent = (value: number | null) => (value === null ? UI.noValue : formatUsage(value));
  return (
    <>
      <UnreadGlance glances={glances} />
      <ul class="vitals" aria-label={HOST.now}>
        <Vital label={HOST.cpu} value={percent(cpu)} exceeded={exceeded?.cpu} limit={limitOn("cpu")}>
          <Sparkline values={glance?.cpu} />
        </Vital>
        <Vital label={HOST.memory} value={percent(memory)} exceeded={exceeded?.mem} limit={limitOn("memory")}>
          <Sparkline values={glance?.mem} />
        </Vital>
        {disk && (
          <Vital
            label={HOST.disk(disk.name)}
            value={percent(disk.percent)}
            exceeded={exceeded?.disk}
            limit={limitOn("disk", disk.name)}
          >
            <Sparkline values={glance?.diskusage} />
          </Vital>
        )}
        <Vital
          label={HOST.load}
          value={load === null ? UI.noValue : formatNumber(load, 2)}
          exceeded={exceeded?.load}
          limit={limitOn("load")}
        >
          <Sparkline values={glance?.loads} highest={null} />
        </Vital>
        <Vital
          label={HOST.uptime}
          value={glance && glance.uptime >= 0 ? formatUptime(glance.uptime) : UI.noValue}
        >
          <HeartbeatBar beats={glance?.beats} from={glances.from} />
        </Vital>
      </ul>
    </>
  );
}
