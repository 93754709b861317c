/** The types of statistics: codes, names and units, shared by all modules. */
export interface StatisticType {
  /** 0 to 34: of the specification. 35 to 99: other codes of agents. From 100: Muster's own. */
  code: number;
  /** Display name. */
  name: string;
  unit: StatisticUnit;
}

/** Unit of a value. "text": the value is in `text`. "none": a load, a code or the digits of a file mode. */
export type StatisticUnit =
  | "percent"
  | "kB"
  | "MB"
  | "bytes"
  | "bytes/s"
  | "bit/s"
  | "packets"
  | "packets/s"
  | "errors"
  | "errors/s"
  | "operations"
  | "operations/s"
  | "count"
  | "seconds"
  | "ms"
  | "unix seconds"
  | "days"
  | "id"
  | "text"
  | "none";

function type(code: number, name: string, unit: StatisticUnit): StatisticType {
  return { code, name, unit };
}

/** Every statistic type. Codes are stored in databases, so a code is never reused. */
export const STATISTIC = {
  load: type(0, "load average", "none"),
  cpuUser: type(1, "CPU usage user", "percent"),
  cpuSystem: type(2, "CPU usage system", "percent"),
  cpuWait: type(3, "CPU usage wait", "percent"),
  memoryPercent: type(4, "memory usage", "percent"),
  memoryKb: type(5, "memory usage", "kB"),
  swapPercent: type(6, "swap usage", "percent"),
  swapKb: type(7, "swap usage", "kB"),
  processCpu: type(8, "process CPU usage", "percent"),
  processCpuTotal: type(9, "process CPU usage total", "percent"),
  processMemory: type(10, "process memory usage", "percent"),
  processMemoryTotal: type(11, "process memory usage total", "percent"),
  processMemoryKb: type(12, "process memory usage", "kB"),
  processMemoryKbTotal: type(13, "process memory usage total", "kB"),
  children: type(14, "children", "count"),
  portResponse: type(15, "port response time", "seconds"),
  unixSocketResponse: type(16, "unix socket response time", "seconds"),
  pingResponse: type(17, "ping response time", "seconds"),
  spacePercent: type(18, "space usage", "percent"),
  spaceMb: type(19, "space usage", "MB"),
  spaceTotal: type(20, "space total", "MB"),
  inodePercent: type(21, "inode usage", "percent"),
  inodeCount: type(22, "inode usage", "count"),
  inodeTotal: type(23, "inode total", "count"),
  programStatus: type(24, "program status", "none"),
  flags: type(25, "flags", "text"),
  mode: type(26, "mode", "none"), // its octal digits: 755
  uid: type(27, "UID", "id"),
  gid: type(28, "GID", "id"),
  size: type(29, "size", "bytes"),
  pid: type(30, "PID", "id"),
  parentPid: type(31, "parent PID", "id"),
  checksum: type(32, "checksum", "text"),
  timestamp: type(33, "timestamp", "unix seconds"),
  uptime: type(34, "uptime", "seconds"),
  programOutput: type(35, "program output", "text"),
  threads: type(52, "threads", "count"),
  filesystemType: type(53, "filesystem type", "text"),
  certificateDays: type(75, "TLS certificate valid days", "days"),

  cpuNice: type(100, "CPU usage nice", "percent"),
  cpuHardIrq: type(101, "CPU usage hardware interrupts", "percent"),
  cpuSoftIrq: type(102, "CPU usage software interrupts", "percent"),
  cpuSteal: type(103, "CPU usage steal", "percent"),
  cpuGuest: type(104, "CPU usage guest", "percent"),
  cpuGuestNice: type(105, "CPU usage guest nice", "percent"),
  effectiveUid: type(106, "effective UID", "id"),
  hardLinks: type(107, "hard links", "count"),

  filesOpen: type(110, "file descriptors open", "count"),
  filesOpenTotal: type(111, "file descriptors open total", "count"),
  filesSoftLimit: type(112, "file descriptors soft limit", "count"),
  filesHardLimit: type(113, "file descriptors hard limit", "count"),
  filesAllocated: type(114, "file descriptors allocated", "count"),
  filesUnused: type(115, "file descriptors unused", "count"),
  filesMaximum: type(116, "file descriptors maximum", "count"),

  diskReadBytes: type(120, "disk read rate", "bytes/s"),
  diskReadBytesTotal: type(121, "disk read total", "bytes"),
  diskReadOperations: type(122, "disk read operations", "operations/s"),
  diskReadOperationsTotal: type(123, "disk read operations total", "operations"),
  diskWriteBytes: type(124, "disk write rate", "bytes/s"),
  diskWriteBytesTotal: type(125, "disk write total", "bytes"),
  diskWriteOperations: type(126, "disk write operations", "operations/s"),
  diskWriteOperationsTotal: type(127, "disk write operations total", "operations"),
  readBytes: type(128, "read rate, cached and physical", "bytes/s"),
  readBytesTotal: type(129, "read total, cached and physical", "bytes"),
  writeBytes: type(130, "write rate, cached and physical", "bytes/s"),
  writeBytesTotal: type(131, "write total, cached and physical", "bytes"),
  serviceTimeRead: type(132, "service time per read", "ms"),
  serviceTimeWrite: type(133, "service time per write", "ms"),
  serviceTimeWait: type(134, "service time per operation, queued", "ms"),
  serviceTimeRun: type(135, "service time per operation, active", "ms"),

  linkState: type(140, "link state", "none"), // 1 up, 0 down, -1 unknown
  linkSpeed: type(141, "link speed", "bit/s"), // -1 unknown
  linkDuplex: type(142, "link duplex", "none"), // 1 full, 0 half, -1 unknown
  downloadPackets: type(150, "download packets", "packets/s"),
  downloadPacketsTotal: type(151, "download packets total", "packets"),
  downloadBytes: type(152, "download rate", "bytes/s"),
  downloadBytesTotal: type(153, "download total", "bytes"),
  downloadErrors: type(154, "download errors", "errors/s"),
  downloadErrorsTotal: type(155, "download errors total", "errors"),
  uploadPackets: type(160, "upload packets", "packets/s"),
  uploadPacketsTotal: type(161, "upload packets total", "packets"),
  uploadBytes: type(162, "upload rate", "bytes/s"),
  uploadBytesTotal: type(163, "upload total", "bytes"),
  uploadErrors: type(164, "upload errors", "errors/s"),
  uploadErrorsTotal: type(165, "upload errors total", "errors"),
} as const satisfies Record<string, StatisticType>;

/** Types that Muster predicts once a day. No service reports them, but limits can be put on them. */
export const PREDICTED = {
  spaceFullDays: type(170, "days until the space is full", "days"),
  inodesFullDays: type(171, "days until the inodes are full", "days"),
  memoryFullDays: type(172, "days until the memory is full", "days"),
} as const satisfies Record<string, StatisticType>;

const ALL: readonly StatisticType[] = [...Object.values(STATISTIC), ...Object.values(PREDICTED)];

/** Display name of each statistic code. */
export const STATISTIC_NAMES: Readonly<Record<number, string>> = Object.fromEntries(
  ALL.map(({ code, name }) => [code, name]),
);

/** Unit of each statistic code. */
export const STATISTIC_UNITS: Readonly<Record<number, StatisticUnit>> = Object.fromEntries(
  ALL.map(({ code, unit }) => [code, unit]),
);
