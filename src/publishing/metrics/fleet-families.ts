/** Metric families of hosts and services, for `GET /metrics/fleet` and for OTLP. */
import { STATISTIC, type StatisticType, type StatisticUnit } from "../../monit/statistic-types.ts";

export interface FamilyDefinition {
  name: string;
  /** One sentence. */
  help: string;
  /** A value that only grows until it is reset is a counter. */
  kind: "counter" | "gauge";
  /** In UCUM notation. */
  unit: string;
}

/** The metric family of a statistic type. */
export interface StatisticFamily extends FamilyDefinition {
  /** Converts a value to base units; null if the agent's number means "unknown". */
  read: (value: number) => number | null;
}

interface BaseUnit {
  unit: string;
  read: (value: number) => number;
}

const same = (value: number) => value;
const plain: BaseUnit = { unit: "1", read: same };

/** Converts agents' units to base units, with the precision of agents: 12.3 percent becomes 0.123. */
const BASE_UNITS: Readonly<Record<Exclude<StatisticUnit, "text">, BaseUnit>> = {
  percent: { unit: "1", read: (value) => Math.round(value * 1e4) / 1e6 },
  kB: { unit: "By", read: (value) => value * 1024 },
  MB: { unit: "By", read: (value) => value * 1_048_576 },
  bytes: { unit: "By", read: same },
  "bytes/s": { unit: "By/s", read: same },
  "bit/s": { unit: "By/s", read: (value) => value / 8 },
  packets: { unit: "{packet}", read: same },
  "packets/s": { unit: "{packet}/s", read: same },
  errors: { unit: "{error}", read: same },
  "errors/s": { unit: "{error}/s", read: same },
  operations: { unit: "{operation}", read: same },
  "operations/s": { unit: "{operation}/s", read: same },
  count: plain,
  seconds: { unit: "s", read: same },
  ms: { unit: "s", read: (value) => Math.round(value * 1e6) / 1e9 },
  "unix seconds": { unit: "s", read: same },
  days: { unit: "s", read: (value) => value * 86_400 },
  id: plain,
  none: plain,
};

function kindOf(name: string): FamilyDefinition["kind"] {
  return name.endsWith("_total") ? "counter" : "gauge";
}

function of(type: StatisticType, name: string, help: string): [code: number, family: StatisticFamily] {
  if (type.unit === "text") throw new Error(`${type.name} is no number`);
  return [type.code, { name: `muster_${name}`, help, kind: kindOf(name), ...BASE_UNITS[type.unit] }];
}

/** The same for a statistic that is negative if unknown. */
function known(type: StatisticType, name: string, help: string): [code: number, family: StatisticFamily] {
  const [code, family] = of(type, name, help);
  return [code, { ...family, read: (value) => (value < 0 ? null : family.read(value)) }];
}

const S = STATISTIC;

/** Keyed by code of the statistic type. Text statistics have no family. */
export const STATISTIC_FAMILIES: ReadonlyMap<number, StatisticFamily> = new Map([
  of(S.load, "load_average", "Load average over the time that the descriptor names."),
  of(S.cpuUser, "cpu_user_ratio", "Share of CPU time in user processes."),
  of(S.cpuSystem, "cpu_system_ratio", "Share of CPU time in the kernel."),
  of(S.cpuWait, "cpu_wait_ratio", "Share of CPU time spent waiting for input and output."),
  of(S.cpuNice, "cpu_nice_ratio", "Share of CPU time in user processes of low priority."),
  of(S.cpuHardIrq, "cpu_hardware_interrupts_ratio", "Share of CPU time in hardware interrupts."),
  of(S.cpuSoftIrq, "cpu_software_interrupts_ratio", "Share of CPU time in software interrupts."),
  of(S.cpuSteal, "cpu_steal_ratio", "Share of CPU time that other virtual machines took."),
  of(S.cpuGuest, "cpu_guest_ratio", "Share of CPU time in virtual machines."),
  of(S.cpuGuestNice, "cpu_guest_nice_ratio", "Share of CPU time in virtual machines of low priority."),
  of(S.memoryPercent, "memory_usage_ratio", "Share of the memory that is in use."),
  of(S.memoryKb, "memory_usage_bytes", "Memory in use."),
  of(S.swapPercent, "swap_usage_ratio", "Share of the swap space that is in use."),
  of(S.swapKb, "swap_usage_bytes", "Swap space in use."),
  of(S.filesAllocated, "files_allocated", "File descriptors that the system has allocated."),
  of(S.filesUnused, "files_unused", "File descriptors that are allocated and not in use."),
  of(S.filesMaximum, "files_maximum", "File descriptors that the system can have."),

  of(S.processCpu, "process_cpu_ratio", "Share of CPU time that the process takes."),
  of(S.processCpuTotal, "process_tree_cpu_ratio", "Share of CPU time of the process and its children."),
  of(S.processMemory, "process_memory_ratio", "Share of the memory that the process takes."),
  of(
    S.processMemoryTotal,
    "process_tree_memory_ratio",
    "Share of the memory of the process and its children.",
  ),
  of(S.processMemoryKb, "process_memory_bytes", "Memory of the process."),
  of(S.processMemoryKbTotal, "process_tree_memory_bytes", "Memory of the process and its children."),
  of(S.children, "process_children", "Children of the process."),
  of(S.threads, "process_threads", "Threads of the process."),
  of(S.pid, "process_pid", "Id of the process."),
  of(S.parentPid, "process_parent_pid", "Id of the process's parent."),
  of(S.effectiveUid, "process_effective_uid", "Effective user id of the process."),
  of(S.uptime, "process_uptime_seconds", "Time since the start of the process."),
  known(S.filesOpen, "process_files_open", "File descriptors that the process has open."),
  known(S.filesOpenTotal, "process_tree_files_open", "File descriptors of the process and its children."),
  known(S.filesSoftLimit, "process_files_soft_limit", "File descriptors that the process may have, soft."),
  known(S.filesHardLimit, "process_files_hard_limit", "File descriptors that the process may have, hard."),

  known(S.portResponse, "port_response_seconds", "Response time of a port."),
  known(S.unixSocketResponse, "unix_socket_response_seconds", "Response time of a unix socket."),
  known(S.pingResponse, "ping_response_seconds", "Response time to a ping."),
  of(S.certificateDays, "certificate_validity_seconds", "Time until the port's TLS certificate expires."),

  of(S.spacePercent, "filesystem_usage_ratio", "Share of the space that is in use."),
  of(S.spaceMb, "filesystem_usage_bytes", "Space in use."),
  of(S.spaceTotal, "filesystem_size_bytes", "Space there is."),
  of(S.inodePercent, "filesystem_inodes_usage_ratio", "Share of the inodes that are in use."),
  of(S.inodeCount, "filesystem_inodes_used", "Inodes in use."),
  of(S.inodeTotal, "filesystem_inodes", "Inodes there are."),
  of(S.serviceTimeRead, "filesystem_read_time_seconds", "Time that a read operation takes."),
  of(S.serviceTimeWrite, "filesystem_write_time_seconds", "Time that a write operation takes."),
  of(S.serviceTimeWait, "filesystem_wait_time_seconds", "Time that an operation is queued."),
  of(S.serviceTimeRun, "filesystem_run_time_seconds", "Time that an operation is active."),

  of(S.size, "file_size_bytes", "Size of the file."),
  of(S.hardLinks, "file_hard_links", "Hard links to the file."),
  of(S.mode, "file_mode", "Permissions, as their octal digits: 755."),
  of(S.uid, "owner_uid", "User id of the owner."),
  of(S.gid, "owner_gid", "Group id of the owner."),
  of(S.timestamp, "timestamp_seconds", "Unix time of what the descriptor names."),
  of(S.programStatus, "program_exit_status", "Exit status of the program."),

  of(S.diskReadBytes, "disk_read_bytes_per_second", "Rate of reading from the disk."),
  of(S.diskReadBytesTotal, "disk_read_bytes_total", "Read from the disk."),
  of(S.diskReadOperations, "disk_reads_per_second", "Rate of read operations of the disk."),
  of(S.diskReadOperationsTotal, "disk_reads_total", "Read operations of the disk."),
  of(S.diskWriteBytes, "disk_write_bytes_per_second", "Rate of writing to the disk."),
  of(S.diskWriteBytesTotal, "disk_write_bytes_total", "Written to the disk."),
  of(S.diskWriteOperations, "disk_writes_per_second", "Rate of write operations of the disk."),
  of(S.diskWriteOperationsTotal, "disk_writes_total", "Write operations of the disk."),
  of(S.readBytes, "read_bytes_per_second", "Rate of reading, cached and physical."),
  of(S.readBytesTotal, "read_bytes_total", "Read, cached and physical."),
  of(S.writeBytes, "write_bytes_per_second", "Rate of writing, cached and physical."),
  of(S.writeBytesTotal, "write_bytes_total", "Written, cached and physical."),

  known(S.linkState, "link_up", "Whether the network link is up: 1 yes, 0 no."),
  known(S.linkSpeed, "link_speed_bytes_per_second", "Speed of the network link."),
  known(S.linkDuplex, "link_full_duplex", "Whether the network link is full duplex: 1 yes, 0 no."),
  of(S.downloadPackets, "link_download_packets_per_second", "Rate of packets received."),
  of(S.downloadPacketsTotal, "link_download_packets_total", "Packets received."),
  of(S.downloadBytes, "link_download_bytes_per_second", "Rate of receiving."),
  of(S.downloadBytesTotal, "link_download_bytes_total", "Received."),
  of(S.downloadErrors, "link_download_errors_per_second", "Rate of errors in receiving."),
  of(S.downloadErrorsTotal, "link_download_errors_total", "Errors in receiving."),
  of(S.uploadPackets, "link_upload_packets_per_second", "Rate of packets sent."),
  of(S.uploadPacketsTotal, "link_upload_packets_total", "Packets sent."),
  of(S.uploadBytes, "link_upload_bytes_per_second", "Rate of sending."),
  of(S.uploadBytesTotal, "link_upload_bytes_total", "Sent."),
  of(S.uploadErrors, "link_upload_errors_per_second", "Rate of errors in sending."),
  of(S.uploadErrorsTotal, "link_upload_errors_total", "Errors in sending."),
]);

function own(name: string, help: string, unit = "1"): FamilyDefinition {
  return { name: `muster_${name}`, help, kind: kindOf(name), unit };
}

/** Samples about all hosts together. */
export const FLEET_FAMILIES = {
  events: own("events_total", "Events since Muster started, by state."),
  open: own("events_open", "Errors that are still open."),
} as const;

/** One sample per host. */
export const HOST_FAMILIES = {
  up: own("host_up", "Whether the host reports: 0 when it is down or was stopped."),
  led: own("host_led", "State of the host: 0 red, 1 orange, 2 green, 3 gray."),
  lastReport: own("host_last_report_timestamp_seconds", "Unix time of the host's last message.", "s"),
  info: own("host_info", "Agent and platform of the host."),
  group: own("host_group", "That the host is in the host group; without a hostgroup: that it is in none."),
  tag: own("host_tag", "That the host has the tag; value is empty for a tag without one."),
} as const;

/** One sample per service. */
export const SERVICE_FAMILIES = {
  failing: own("service_failing", "Whether the service fails."),
  monitored: own("service_monitored", "Whether the service is monitored."),
  led: own("service_led", "State of the service: 0 red, 1 orange, 2 green, 3 gray."),
  limit: own("service_limit", "That the service passes the limit: 1 warning, 2 critical."),
} as const;

/** Names of all families, sorted. */
export const FAMILY_NAMES: readonly string[] = [
  ...[FLEET_FAMILIES, HOST_FAMILIES, SERVICE_FAMILIES].flatMap((group) => Object.values(group)),
  ...STATISTIC_FAMILIES.values(),
]
  .map(({ name }) => name)
  .sort();
