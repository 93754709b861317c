import type { ComponentChildren } from "preact";
import { STATISTIC } from "../../src/monit/statistic-types.ts";
import type { HostOfDetail } from "../api/types.ts";
import { HeartbeatBar } from "../glance/heartbeat-bar.tsx";
import { Sparkline } from "../glance/sparkline.tsx";
import { useGlance } from "../glance/use-glance.ts";
import { formatNumber, formatPercent, formatUptime } from "../text/format.ts";
import { HOST } from "./host.texts.ts";

const SYSTEM = 5;
const CPU: readonly number[] = [STATISTIC.cpuUser.code, STATISTIC.cpuSystem.code, STATISTIC.cpuWait.code];

interface Vitals {
  /** In percent; null if unknown. */
  cpu: number | null;
  memory: number | null;
  load: number | null;
  /** The fullest filesystem. */
  disk: { name: string; percent: number } | null;
}

/** The few values by which one sees how a host is. */
export function vitalsOf({ services }: Pick<HostOfDetail, "services">): Vitals {
  const system = services.find(({ typeid }) => typeid === SYSTEM)?.statistics ?? [];
  const cpu = system.filter(({ type }) => CPU.includes(type));
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
            cpu.reduce((sum, one) => sum + one.value, 0),
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
  /** In percent, for its colour. */
  level?: number;
  children?: ComponentChildren;
}

function Vital({ label, value, level = 0, children }: VitalProps) {
  const warned = level >= 90 ? " level-high" : level >= 75 ? " level-raised" : "";
  return (
    <li class={`vital${warned}`}>
      <span class="vital-label">{label}</span>
      <span class="vital-value level-value">{value}</span>
      {children}
    </li>
  );
}

/** CPU, memory, fullest disk and load with their last day, and whether the host was up. */
export function HostVitals({ host }: { host: HostOfDetail }) {
  const glances = useGlance([host.id]);
  const glance = glances.of.get(host.id);
  const { cpu, memory, load, disk } = vitalsOf(host);
  const percent = (value: number | null) => (value === null ? "–" : formatPercent(value, value < 10 ? 1 : 0));
  return (
    <ul class="vitals" aria-label={HOST.now}>
      <Vital label={HOST.cpu} value={percent(cpu)} level={cpu ?? 0}>
        <Sparkline values={glance?.cpu} />
      </Vital>
      <Vital label={HOST.memory} value={percent(memory)} level={memory ?? 0}>
        <Sparkline values={glance?.mem} />
      </Vital>
      {disk && (
        <Vital label={HOST.disk(disk.name)} value={percent(disk.percent)} level={disk.percent}>
          <Sparkline values={glance?.diskusage} />
        </Vital>
      )}
      <Vital label={HOST.load} value={load === null ? "–" : formatNumber(load, 2)}>
        <Sparkline values={glance?.loads} highest={null} />
      </Vital>
      <Vital label={HOST.uptime} value={glance && glance.uptime >= 0 ? formatUptime(glance.uptime) : "–"}>
        <HeartbeatBar beats={glance?.beats} from={glances.from} />
      </Vital>
    </ul>
  );
}
