/**
 * The types of statistics, one row each. Reading, storage, limits, charts and exports all follow from the row.
 * `statistics.ts` says which elements they are read from.
 */

/**
 * What a negative number means, by unit:
 * value    a number like any other
 * unknown  the agent has no value now, as after a failed test; it is stored, charts show a gap, metrics leave it out
 * absent   the agent never has this value, so it is not stored
 */
type Negative = "value" | "unknown" | "absent";

interface Unit {
  negative: Negative;
  /** Whether its values are quantities, which make a useful chart. */
  charted: boolean;
}

const QUANTITY: Unit = { negative: "unknown", charted: true };
const SIGNED: Unit = { negative: "value", charted: true };
const LABEL: Unit = { negative: "value", charted: false };

/** The units of values. "text": the value is in `text`. "none": a load, a code or the digits of a file mode. */
export const UNITS = {
  percent: { negative: "absent", charted: true },
  kB: QUANTITY,
  MB: QUANTITY,
  bytes: QUANTITY,
  "bytes/s": QUANTITY,
  "bit/s": QUANTITY,
  packets: QUANTITY,
  "packets/s": QUANTITY,
  errors: QUANTITY,
  "errors/s": QUANTITY,
  operations: QUANTITY,
  "operations/s": QUANTITY,
  count: QUANTITY,
  seconds: QUANTITY,
  ms: QUANTITY,
  "unix seconds": LABEL,
  days: SIGNED, // of a certificate that has expired
  id: LABEL,
  text: LABEL,
  none: SIGNED,
} as const satisfies Record<string, Unit>;
export type StatisticUnit = keyof typeof UNITS;

/** Charts of a host. A statistic without one is charted on the page of its service. */
export type HostChart = "cpu" | "memory" | "load" | "space" | "network";

interface StatisticDetails {
  /**
   * Name of the metric, without its prefix: it ends with the base unit, or `_total` if the value only grows. Texts have
   * none.
   */
  metric?: string;
  /** The chart of a host that shows it. */
  panel?: HostChart;
  /** Its name within that chart. */
  part?: string;
}

export interface StatisticType extends StatisticDetails, Unit {
  /** 0 to 34: of the specification. 35 to 99: other codes of agents. From 100: Muster's own. */
  code: number;
  /** Display name. */
  name: string;
  unit: StatisticUnit;
}

/** @param details further fields, and those that differ from other types of the same unit */
function type(
  code: number,
  name: string,
  unit: StatisticUnit,
  details: StatisticDetails & Partial<Unit> = {},
): StatisticType {
  return { code, name, unit, ...UNITS[unit], ...details };
}

/** Every statistic type. Codes are stored in databases, so a code is never reused. */
export const STATISTIC = {
  load: type(0, "load average", "none", { metric: "load_average", panel: "load" }),
  cpuUser: type(1, "CPU usage user", "percent", { metric: "cpu_user_ratio", panel: "cpu", part: "user" }),
  cpuSystem: type(2, "CPU usage system", "percent", {
    metric: "cpu_system_ratio",
    panel: "cpu",
    part: "system",
  }),
  cpuWait: type(3, "CPU usage wait", "percent", { metric: "cpu_wait_ratio", panel: "cpu", part: "wait" }),
  memoryPercent: type(4, "memory usage", "percent", {
    metric: "memory_usage_ratio",
    panel: "memory",
    part: "memory",
  }),
  memoryKb: type(5, "memory usage", "kB", { metric: "memory_usage_bytes" }),
  swapPercent: type(6, "swap usage", "percent", {
    metric: "swap_usage_ratio",
    panel: "memory",
    part: "swap",
  }),
  swapKb: type(7, "swap usage", "kB", { metric: "swap_usage_bytes" }),
  processCpu: type(8, "process CPU usage", "percent", { metric: "process_cpu_ratio" }),
  processCpuTotal: type(9, "process CPU usage total", "percent", { metric: "process_tree_cpu_ratio" }),
  processMemory: type(10, "process memory usage", "percent", { metric: "process_memory_ratio" }),
  processMemoryTotal: type(11, "process memory usage total", "percent", {
    metric: "process_tree_memory_ratio",
  }),
  processMemoryKb: type(12, "process memory usage", "kB", { metric: "process_memory_bytes" }),
  processMemoryKbTotal: type(13, "process memory usage total", "kB", { metric: "process_tree_memory_bytes" }),
  children: type(14, "children", "count", { metric: "process_children" }),
  portResponse: type(15, "port response time", "seconds", { metric: "port_response_seconds" }),
  unixSocketResponse: type(16, "unix socket response time", "seconds", {
    metric: "unix_socket_response_seconds",
  }),
  pingResponse: type(17, "ping response time", "seconds", { metric: "ping_response_seconds" }),
  spacePercent: type(18, "space usage", "percent", { metric: "filesystem_usage_ratio", panel: "space" }),
  spaceMb: type(19, "space usage", "MB", { metric: "filesystem_usage_bytes" }),
  spaceTotal: type(20, "space total", "MB", { metric: "filesystem_size_bytes" }),
  inodePercent: type(21, "inode usage", "percent", { metric: "filesystem_inodes_usage_ratio" }),
  inodeCount: type(22, "inode usage", "count", { metric: "filesystem_inodes_used" }),
  inodeTotal: type(23, "inode total", "count", { metric: "filesystem_inodes" }),
  programStatus: type(24, "program status", "none", { metric: "program_exit_status" }),
  flags: type(25, "flags", "text"),
  mode: type(26, "mode", "none", { metric: "file_mode", charted: false }), // its octal digits: 755
  uid: type(27, "UID", "id", { metric: "owner_uid" }),
  gid: type(28, "GID", "id", { metric: "owner_gid" }),
  size: type(29, "size", "bytes", { metric: "file_size_bytes" }),
  pid: type(30, "PID", "id", { metric: "process_pid" }),
  parentPid: type(31, "parent PID", "id", { metric: "process_parent_pid" }),
  checksum: type(32, "checksum", "text"),
  timestamp: type(33, "timestamp", "unix seconds", { metric: "timestamp_seconds" }),
  uptime: type(34, "uptime", "seconds", { metric: "process_uptime_seconds" }),
  programOutput: type(35, "program output", "text"),
  threads: type(52, "threads", "count", { metric: "process_threads" }),
  filesystemType: type(53, "filesystem type", "text"),
  certificateDays: type(75, "TLS certificate valid days", "days", { metric: "certificate_validity_seconds" }),

  cpuNice: type(100, "CPU usage nice", "percent", { metric: "cpu_nice_ratio", panel: "cpu", part: "nice" }),
  cpuHardIrq: type(101, "CPU usage hardware interrupts", "percent", {
    metric: "cpu_hardware_interrupts_ratio",
    panel: "cpu",
    part: "hardware interrupts",
  }),
  cpuSoftIrq: type(102, "CPU usage software interrupts", "percent", {
    metric: "cpu_software_interrupts_ratio",
    panel: "cpu",
    part: "software interrupts",
  }),
  cpuSteal: type(103, "CPU usage steal", "percent", {
    metric: "cpu_steal_ratio",
    panel: "cpu",
    part: "steal",
  }),
  cpuGuest: type(104, "CPU usage guest", "percent", {
    metric: "cpu_guest_ratio",
    panel: "cpu",
    part: "guest",
  }),
  cpuGuestNice: type(105, "CPU usage guest nice", "percent", {
    metric: "cpu_guest_nice_ratio",
    panel: "cpu",
    part: "guest nice",
  }),
  effectiveUid: type(106, "effective UID", "id", { metric: "process_effective_uid" }),
  hardLinks: type(107, "hard links", "count", { metric: "file_hard_links" }),

  filesOpen: type(110, "file descriptors open", "count", { metric: "process_files_open" }),
  filesOpenTotal: type(111, "file descriptors open total", "count", { metric: "process_tree_files_open" }),
  filesSoftLimit: type(112, "file descriptors soft limit", "count", { metric: "process_files_soft_limit" }),
  filesHardLimit: type(113, "file descriptors hard limit", "count", { metric: "process_files_hard_limit" }),
  filesAllocated: type(114, "file descriptors allocated", "count", { metric: "files_allocated" }),
  filesUnused: type(115, "file descriptors unused", "count", { metric: "files_unused" }),
  filesMaximum: type(116, "file descriptors maximum", "count", { metric: "files_maximum" }),

  diskReadBytes: type(120, "disk read rate", "bytes/s", { metric: "disk_read_bytes_per_second" }),
  diskReadBytesTotal: type(121, "disk read total", "bytes", { metric: "disk_read_bytes_total" }),
  diskReadOperations: type(122, "disk read operations", "operations/s", { metric: "disk_reads_per_second" }),
  diskReadOperationsTotal: type(123, "disk read operations total", "operations", {
    metric: "disk_reads_total",
  }),
  diskWriteBytes: type(124, "disk write rate", "bytes/s", { metric: "disk_write_bytes_per_second" }),
  diskWriteBytesTotal: type(125, "disk write total", "bytes", { metric: "disk_write_bytes_total" }),
  diskWriteOperations: type(126, "disk write operations", "operations/s", {
    metric: "disk_writes_per_second",
  }),
  diskWriteOperationsTotal: type(127, "disk write operations total", "operations", {
    metric: "disk_writes_total",
  }),
  readBytes: type(128, "read rate, cached and physical", "bytes/s", { metric: "read_bytes_per_second" }),
  readBytesTotal: type(129, "read total, cached and physical", "bytes", { metric: "read_bytes_total" }),
  writeBytes: type(130, "write rate, cached and physical", "bytes/s", { metric: "write_bytes_per_second" }),
  writeBytesTotal: type(131, "write total, cached and physical", "bytes", { metric: "write_bytes_total" }),
  serviceTimeRead: type(132, "service time per read", "ms", { metric: "filesystem_read_time_seconds" }),
  serviceTimeWrite: type(133, "service time per write", "ms", { metric: "filesystem_write_time_seconds" }),
  serviceTimeWait: type(134, "service time per operation, queued", "ms", {
    metric: "filesystem_wait_time_seconds",
  }),
  serviceTimeRun: type(135, "service time per operation, active", "ms", {
    metric: "filesystem_run_time_seconds",
  }),

  linkState: type(140, "link state", "none", { negative: "unknown", metric: "link_up" }), // 1 up, 0 down, -1 unknown
  linkSpeed: type(141, "link speed", "bit/s", { metric: "link_speed_bytes_per_second" }), // -1 unknown
  linkDuplex: type(142, "link duplex", "none", { negative: "unknown", metric: "link_full_duplex" }), // 1 full, 0 half, -1 unknown
  downloadPackets: type(150, "download packets", "packets/s", { metric: "link_download_packets_per_second" }),
  downloadPacketsTotal: type(151, "download packets total", "packets", {
    metric: "link_download_packets_total",
  }),
  downloadBytes: type(152, "download rate", "bytes/s", {
    metric: "link_download_bytes_per_second",
    panel: "network",
    part: "down",
  }),
  downloadBytesTotal: type(153, "download total", "bytes", { metric: "link_download_bytes_total" }),
  downloadErrors: type(154, "download errors", "errors/s", { metric: "link_download_errors_per_second" }),
  downloadErrorsTotal: type(155, "download errors total", "errors", { metric: "link_download_errors_total" }),
  uploadPackets: type(160, "upload packets", "packets/s", { metric: "link_upload_packets_per_second" }),
  uploadPacketsTotal: type(161, "upload packets total", "packets", { metric: "link_upload_packets_total" }),
  uploadBytes: type(162, "upload rate", "bytes/s", {
    metric: "link_upload_bytes_per_second",
    panel: "network",
    part: "up",
  }),
  uploadBytesTotal: type(163, "upload total", "bytes", { metric: "link_upload_bytes_total" }),
  uploadErrors: type(164, "upload errors", "errors/s", { metric: "link_upload_errors_per_second" }),
  uploadErrorsTotal: type(165, "upload errors total", "errors", { metric: "link_upload_errors_total" }),
} as const satisfies Record<string, StatisticType>;

/** Types that Muster predicts once a day. No service reports them, but limits can be put on them. */
export const PREDICTED = {
  spaceFullDays: type(170, "days until the space is full", "days"),
  inodesFullDays: type(171, "days until the inodes are full", "days"),
  memoryFullDays: type(172, "days until the memory is full", "days"),
} as const satisfies Record<string, StatisticType>;

const ALL: readonly StatisticType[] = [...Object.values(STATISTIC), ...Object.values(PREDICTED)];

/** Each statistic type by its code. */
export const STATISTIC_TYPES: ReadonlyMap<number, StatisticType> = new Map(
  ALL.map((type) => [type.code, type]),
);

/** Display name of each statistic code. */
export const STATISTIC_NAMES: Readonly<Record<number, string>> = Object.fromEntries(
  ALL.map(({ code, name }) => [code, name]),
);

/** Unit of each statistic code. */
export const STATISTIC_UNITS: Readonly<Record<number, StatisticUnit>> = Object.fromEntries(
  ALL.map(({ code, unit }) => [code, unit]),
);

/** Types whose values only grow, until they begin at 0 again. */
export const COUNTERS: ReadonlySet<number> = new Set(
  ALL.filter(({ metric }) => metric?.endsWith("_total")).map(({ code }) => code),
);

/** What values of some types mean. */
export const VALUE_WORDS: Readonly<Record<number, Readonly<Record<number, string>>>> = {
  [STATISTIC.linkState.code]: { 1: "up", 0: "down", [-1]: "unknown" },
  [STATISTIC.linkDuplex.code]: { 1: "full", 0: "half", [-1]: "unknown" },
};
