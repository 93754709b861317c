/** The numbers of the demonstration: the same for the same host and time, without visible pattern. */
import { SERVICE_TYPE as TYPE } from "../monit/event-types.ts";
import type { AgentService, AgentStatistic } from "../monit/message.types.ts";
import { STATISTIC as S, type StatisticType } from "../monit/statistic-types.ts";
import { DAY, HOUR } from "../platform/clock.ts";
import { type DemoHost, isWithin, NONEXISTENT } from "./demo-hosts.ts";

/** Memory of every machine, kB. */
export const MEMORY_KB = 16_384_000;

/** A number between 0 and 1, always the same for the same arguments. */
function noise(seed: number, at: number): number {
  const x = Math.sin(seed * 127.1 + at * 0.0137) * 43_758.5453;
  return x - Math.floor(x);
}

/** How busy the hour is, 0 to 1: nights are quiet. @param at unix seconds */
function busyness(at: number): number {
  return 0.55 + 0.45 * Math.sin(((at % DAY) / DAY) * 2 * Math.PI - 2);
}

function round(value: number, digits = 1): number {
  const scale = 10 ** digits;
  return Math.round(value * scale) / scale;
}

function numbers(...values: [type: StatisticType, value: number, descriptor?: string][]): AgentStatistic[] {
  return values.map(([{ code }, value, descriptor = ""]) => ({ type: code, descriptor, value, text: null }));
}

function text({ code }: StatisticType, value: string): AgentStatistic {
  return { type: code, descriptor: "", value: 0, text: value };
}

/** The state of a machine on which its services depend. */
interface Moment {
  host: DemoHost;
  /** Unix seconds. */
  at: number;
  /** Seconds before the end of the history. */
  ago: number;
  /** How busy the machine is, 0 to 1. */
  wave: number;
  jitter: number;
  /** Percent. */
  cpu: number;
}

function systemStatistics({ host, at, wave, jitter, cpu }: Moment): AgentStatistic[] {
  const percent = Math.min(97, host.memory * (0.9 + 0.12 * busyness(at + 3 * HOUR)) + 2 * jitter);
  return numbers(
    [S.load, round(4 * wave * (0.5 + jitter), 2), "1min"],
    [S.load, round(4 * wave * (0.75 + 0.5 * jitter), 2), "5min"],
    [S.load, round(4 * wave * (0.9 + 0.2 * jitter), 2), "15min"],
    [S.cpuUser, round(cpu * 0.62)],
    [S.cpuSystem, round(cpu * 0.2)],
    [S.cpuWait, round(cpu * 0.08 * jitter)],
    [S.memoryPercent, round(percent)],
    [S.memoryKb, Math.round((percent / 100) * MEMORY_KB)],
    [S.swapPercent, 0],
    [S.swapKb, 0],
  );
}

function processStatistics({ host, at, ago, cpu }: Moment, number: number): AgentStatistic[] {
  const { processes, memory } = host;
  const used = round((cpu / processes.length) * noise(number + 9, at));
  const percent = round((memory / (processes.length + 1)) * (0.9 + 0.1 * noise(number + 5, at)));
  const kilobytes = Math.round((percent / 100) * MEMORY_KB);
  return numbers(
    [S.pid, 800 + number * 13],
    [S.parentPid, 1],
    [S.uptime, 100 * DAY - ago],
    [S.threads, 1],
    [S.children, 0],
    [S.processMemory, percent],
    [S.processMemoryTotal, percent],
    [S.processMemoryKb, kilobytes],
    [S.processMemoryKbTotal, kilobytes],
    [S.processCpu, used],
    [S.processCpuTotal, used],
  );
}

/** A filesystem fills slowly and was emptied a few times. @param percent usage at the end of the history */
function filesystemStatistics({ ago, jitter }: Moment, number: number, percent: number): AgentStatistic[] {
  const total = 40_960 * (number + 1);
  const growth = 0.35 * (number + 1);
  const used = round(Math.max(1, percent - ((ago / DAY) % 30) * growth + jitter * 0.1));
  return [
    text(S.filesystemType, "ext4"),
    text(S.flags, "rw,relatime"),
    ...numbers(
      [S.spacePercent, used],
      [S.spaceMb, round((total * used) / 100)],
      [S.spaceTotal, total],
      [S.inodePercent, 1],
      [S.inodeCount, 10_000],
      [S.inodeTotal, 1_000_000],
    ),
  ];
}

function networkStatistics({ wave, jitter }: Moment): AgentStatistic[] {
  const down = Math.round(2e6 * wave * (0.4 + jitter));
  const up = Math.round(6e5 * wave * (0.4 + jitter));
  return numbers(
    [S.linkState, 1],
    [S.linkSpeed, 1_000_000_000],
    [S.linkDuplex, 1],
    [S.downloadPackets, Math.round(down / 800)],
    [S.downloadBytes, down],
    [S.downloadErrors, 0],
    [S.uploadPackets, Math.round(up / 800)],
    [S.uploadBytes, up],
    [S.uploadErrors, 0],
  );
}

/**
 * The services of a host as its agent reports them at a time.
 * @param number of the host in the fleet @param at unix seconds @param ago seconds before the end of the history
 */
export function servicesOf(host: DemoHost, number: number, at: number, ago: number): AgentService[] {
  const wave = host.load * busyness(at);
  const jitter = noise(number + 1, at);
  const moment: Moment = { host, at, ago, wave, jitter, cpu: 100 * wave * (0.55 + 0.5 * jitter) };
  const service = (name: string, type: number, statistics: AgentStatistic[]): AgentService => {
    const failure = host.incidents?.find((incident) => incident.service === name && isWithin(incident, ago));
    const isGone = failure?.type === NONEXISTENT;
    return {
      name,
      type,
      collectedSec: at,
      collectedUsec: 0,
      status: failure?.type ?? 0,
      statusHint: 0,
      monitor: 1,
      monitorMode: 0,
      onReboot: 0,
      pendingAction: 0,
      every: "",
      statistics: isGone ? [] : statistics,
    };
  };
  const { name, processes, filesystems, remotes = [], programs = [] } = host;
  return [
    service(name, TYPE.system, systemStatistics(moment)),
    ...processes.map((process, i) => service(process, TYPE.process, processStatistics(moment, i))),
    ...filesystems.map(([filesystem, percent], i) =>
      service(filesystem, TYPE.filesystem, filesystemStatistics(moment, i, percent)),
    ),
    ...remotes.map((remote) =>
      service(
        remote,
        TYPE.remoteHost,
        numbers([S.portResponse, round(0.03 + 0.05 * wave * jitter, 4), `${remote}:443 [HTTP/TCP]`]),
      ),
    ),
    ...programs.map((program) =>
      service(program, TYPE.program, [
        ...numbers([S.programStatus, 0]),
        text(S.programOutput, "3 checked, all valid for more than 30 days"),
      ]),
    ),
    service("eth0", TYPE.network, networkStatistics(moment)),
  ];
}
