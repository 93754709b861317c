/** Maps the elements of a service to statistics: a table per service type, a reader per kind of element. */
import { cdata, textOf, truncate } from "./elements.ts";
import { SERVICE_TYPE } from "./event-types.ts";
import type { AgentStatistic } from "./message.types.ts";
import { STATISTIC as S, type StatisticType } from "./statistic-types.ts";
import type { ValueReader } from "./value-reader.ts";
import type { XmlElement } from "./xml.ts";

/** Longest program output, checksum or other text that is kept, in UTF-16 code units. */
const MAX_TEXT = 8192;

/** Collects the statistics of one service. */
class Collected {
  readonly statistics: AgentStatistic[] = [];
  private readonly uses = new Map<string, number>();

  constructor(readonly reader: ValueReader) {}

  add(type: StatisticType, descriptor: string, value: number, text: string | null = null): void {
    this.statistics.push({ type: type.code, descriptor, value, text });
  }

  /** Makes a descriptor unique within its type by appending the request path or, failing that, a number. */
  unique(type: StatisticType, descriptor: string, request: string): string {
    const key = (candidate: string) => `${type.code} ${candidate}`;
    const first = key(descriptor);
    if (!this.uses.has(first)) {
      this.uses.set(first, 1);
      return descriptor;
    }
    const isTaken = (candidate: string) => this.uses.has(key(candidate));
    const numbered = (use: number) => `${descriptor} #${use}`.trimStart();
    let use = (this.uses.get(first) ?? 0) + 1;
    let name = request === "" ? descriptor : `${descriptor} ${request}`;
    if (isTaken(name)) {
      while (isTaken(numbered(use))) use++;
      name = numbered(use);
    }
    this.uses.set(key(name), 1);
    this.uses.set(first, use);
    return name;
  }
}

/** Reads child `name` of `parent` into `collected`. */
type Reader = (parent: XmlElement, name: string, collected: Collected) => void;

/** The statistics within an element. A child is a statistic (a reader) or contains some (a table). */
interface Elements {
  readonly [name: string]: Reader | Elements;
}

function number(type: StatisticType, descriptor = ""): Reader {
  return (parent, name, collected) => {
    const value = collected.reader.decimal(parent, name, type.unit);
    const isAbsent = value !== null && value < 0 && type.negative === "absent";
    if (value !== null && !isAbsent) collected.add(type, descriptor, value);
  };
}

/** Reads a textual statistic. Its descriptor is the element's `type` attribute, if there is one. */
function words(type: StatisticType): Reader {
  return (parent, name, collected) => {
    const child = collected.reader.only(parent, name);
    if (child === undefined) return;
    const descriptor = typeof child === "string" ? "" : collected.reader.text(child, "@type");
    collected.add(type, descriptor, 0, cdata(truncate(textOf(child), MAX_TEXT)));
  };
}

/** Reads mount flags as the number that agents up to about 5.20 send. */
function flagBits(parent: XmlElement, name: string, collected: Collected): void {
  if (parent.fsflags === undefined) words(S.flags)(parent, name, collected);
}

/** Reads a connection test. A service can have several. */
function response(type: StatisticType, describe: (part: (name: string) => string) => string): Reader {
  return (parent, name, collected) => {
    const { reader } = collected;
    for (const test of reader.elements(parent, name))
      reader.within(name, () => {
        const part = (child: string) => reader.text(test, child);
        const descriptor = collected.unique(type, describe(part), part("request"));
        number(type, descriptor)(test, "responsetime", collected);
        const certificate = reader.element(test, "certificate");
        if (certificate !== null) number(S.certificateDays, descriptor)(certificate, "valid", collected);
      });
  };
}

function describePort(part: (name: string) => string): string {
  return `${part("hostname")}:${part("portnumber")} [${part("protocol")}/${part("type")}]`;
}

const CONNECTIONS: Elements = {
  icmp: response(S.pingResponse, () => ""),
  port: response(S.portResponse, describePort),
  unix: response(S.unixSocketResponse, (part) => part("path")),
};

const PERMISSIONS: Elements = { mode: number(S.mode), uid: number(S.uid), gid: number(S.gid) };

const INODE: Elements = {
  ...PERMISSIONS,
  timestamps: {
    access: number(S.timestamp, "access"),
    change: number(S.timestamp, "change"),
    modify: number(S.timestamp, "modify"),
  },
  timestamp: number(S.timestamp), // the only one that agents up to about 5.20 send
};

const DISK: Elements = {
  read: {
    bytes: { count: number(S.diskReadBytes), total: number(S.diskReadBytesTotal) },
    bytesgeneric: { count: number(S.readBytes), total: number(S.readBytesTotal) },
    operations: { count: number(S.diskReadOperations), total: number(S.diskReadOperationsTotal) },
  },
  write: {
    bytes: { count: number(S.diskWriteBytes), total: number(S.diskWriteBytesTotal) },
    bytesgeneric: { count: number(S.writeBytes), total: number(S.writeBytesTotal) },
    operations: { count: number(S.diskWriteOperations), total: number(S.diskWriteOperationsTotal) },
  },
};

const FILESYSTEM: Elements = {
  block: { percent: number(S.spacePercent), usage: number(S.spaceMb), total: number(S.spaceTotal) },
  inode: { percent: number(S.inodePercent), usage: number(S.inodeCount), total: number(S.inodeTotal) },
  fstype: words(S.filesystemType),
  fsflags: words(S.flags),
  flags: flagBits,
  ...PERMISSIONS,
  ...DISK,
  servicetime: {
    read: number(S.serviceTimeRead),
    write: number(S.serviceTimeWrite),
    wait: number(S.serviceTimeWait),
    run: number(S.serviceTimeRun),
  },
};

const FILE: Elements = {
  ...INODE,
  hardlink: number(S.hardLinks),
  size: number(S.size),
  checksum: words(S.checksum),
};

const PROCESS: Elements = {
  pid: number(S.pid),
  ppid: number(S.parentPid),
  uid: number(S.uid),
  euid: number(S.effectiveUid),
  gid: number(S.gid),
  uptime: number(S.uptime),
  threads: number(S.threads),
  children: number(S.children),
  memory: {
    percent: number(S.processMemory),
    percenttotal: number(S.processMemoryTotal),
    kilobyte: number(S.processMemoryKb),
    kilobytetotal: number(S.processMemoryKbTotal),
  },
  cpu: { percent: number(S.processCpu), percenttotal: number(S.processCpuTotal) },
  filedescriptors: {
    open: number(S.filesOpen),
    opentotal: number(S.filesOpenTotal),
    limit: { soft: number(S.filesSoftLimit), hard: number(S.filesHardLimit) },
  },
  ...DISK,
  ...CONNECTIONS,
};

const SYSTEM: Elements = {
  uptime: number(S.uptime),
  boottime: number(S.timestamp, "boot"),
  filedescriptors: {
    allocated: number(S.filesAllocated),
    unused: number(S.filesUnused),
    maximum: number(S.filesMaximum),
  },
  system: {
    load: { avg01: number(S.load, "1min"), avg05: number(S.load, "5min"), avg15: number(S.load, "15min") },
    cpu: {
      user: number(S.cpuUser),
      system: number(S.cpuSystem),
      wait: number(S.cpuWait),
      nice: number(S.cpuNice),
      hardirq: number(S.cpuHardIrq),
      softirq: number(S.cpuSoftIrq),
      steal: number(S.cpuSteal),
      guest: number(S.cpuGuest),
      guestnice: number(S.cpuGuestNice),
    },
    memory: { percent: number(S.memoryPercent), kilobyte: number(S.memoryKb) },
    swap: { percent: number(S.swapPercent), kilobyte: number(S.swapKb) },
  },
};

const PROGRAM: Elements = {
  program: {
    started: number(S.timestamp, "started"),
    status: number(S.programStatus),
    output: words(S.programOutput),
  },
};

const NETWORK: Elements = {
  link: {
    state: number(S.linkState),
    speed: number(S.linkSpeed),
    duplex: number(S.linkDuplex),
    download: {
      packets: { now: number(S.downloadPackets), total: number(S.downloadPacketsTotal) },
      bytes: { now: number(S.downloadBytes), total: number(S.downloadBytesTotal) },
      errors: { now: number(S.downloadErrors), total: number(S.downloadErrorsTotal) },
    },
    upload: {
      packets: { now: number(S.uploadPackets), total: number(S.uploadPacketsTotal) },
      bytes: { now: number(S.uploadBytes), total: number(S.uploadBytesTotal) },
      errors: { now: number(S.uploadErrors), total: number(S.uploadErrorsTotal) },
    },
  },
};

const BY_SERVICE_TYPE: Readonly<Record<number, Elements>> = {
  [SERVICE_TYPE.filesystem]: FILESYSTEM,
  [SERVICE_TYPE.directory]: INODE,
  [SERVICE_TYPE.file]: FILE,
  [SERVICE_TYPE.process]: PROCESS,
  [SERVICE_TYPE.remoteHost]: CONNECTIONS,
  [SERVICE_TYPE.system]: SYSTEM,
  [SERVICE_TYPE.fifo]: INODE,
  [SERVICE_TYPE.program]: PROGRAM,
  [SERVICE_TYPE.network]: NETWORK,
};

/**
 * Reads the statistics of a `<service>` element, in the order of the tables; none for an unknown service type. A number
 * that the agent does not have ("nan", a negative percentage) is left out. Malformed text is noted by `reader`.
 */
export function readStatistics(
  service: XmlElement,
  serviceType: number,
  reader: ValueReader,
): AgentStatistic[] {
  const collected = new Collected(reader);
  read(service, BY_SERVICE_TYPE[serviceType] ?? {}, collected);
  return collected.statistics;
}

function read(parent: XmlElement, table: Elements, collected: Collected): void {
  for (const name in table) {
    if (parent[name] === undefined) continue;
    const entry = table[name];
    if (typeof entry === "function") {
      entry(parent, name, collected);
    } else if (entry !== undefined) {
      const child = collected.reader.element(parent, name);
      if (child !== null) collected.reader.within(name, () => read(child, entry, collected));
    }
  }
}
