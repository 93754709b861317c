/**
 * One message of a Monit agent, typed. Everything here has been checked and capped by `parseAgentMessage`; every text
 * is well-formed Unicode without control characters other than tab, LF and CR. A text that is missing is "".
 */
export interface AgentMessage {
  /** The agent's own id, 1 to 255 characters, which identifies a host. Cloned machines may share one. */
  agentId: string;
  /** Unix seconds at which this run of the agent started or was reloaded; 0 when unknown. */
  incarnation: number;
  /** Version of Monit, for example "5.33.0". */
  version: string;
  server: AgentServer;
  platform: AgentPlatform;
  /** Host groups of the agent's configuration (Monit 5.34 and later, empty before); null if unreadable. */
  hostGroups: string[] | null;
  /** The checks in the agent's order; names are unique. The agent's own service `Monit` is not among them. */
  services: AgentService[];
  /**
   * Names of services in the message that could not be read and so are not in `services`. They have not
   * vanished. "any" if not even their names could be read.
   */
  unreadServices: string[] | "any";
  /** Null when unreadable. */
  serviceGroups: AgentServiceGroup[] | null;
  /** The events that caused this message, usually one; empty in a plain status message. */
  events: AgentEvent[];
  /**
   * Whether the message contains events and neither platform nor services. Programs other than agents send such
   * messages, which say nothing about the agent.
   */
  isEventOnly: boolean;
  /** What could not be read; null if everything was. */
  unreadable: Unreadable | null;
}

/** The parts of a message that could not be read, for administrators. The lists are bounded, the counts complete. */
export interface Unreadable {
  /** Number of values and elements, including those that are not listed. */
  count: number;
  services: UnreadableOfService[];
}

/** What could not be read of one service. */
export interface UnreadableOfService {
  /** Name of the service; "" for elements outside any service. */
  service: string;
  count: number;
  /** Paths of the first few elements, such as "block/percent". */
  elements: string[];
}

/** The agent process and its configuration. */
export interface AgentServer {
  /** Seconds since `incarnation`, negative if the agent's clock was set back; -1 also if unknown. */
  uptime: number;
  /** Seconds between two cycles, 1 to 86400; 0 when unknown. */
  poll: number;
  /** Seconds the agent waits after its start before the first cycle. */
  startDelay: number;
  /** Name of the host as the agent knows it. */
  hostname: string;
  /** Path of the control file on the agent's host. */
  controlFile: string;
  /** The agent's HTTP interface; null when it has none or only a unix socket, undefined when that cannot be read. */
  httpd: AgentHttpd | null | undefined;
  /** Credentials for that interface; null when the agent sends none, undefined when they cannot be read. */
  credentials: AgentCredentials | null | undefined;
}

/** Where the agent's HTTP interface listens. */
export interface AgentHttpd {
  /** Bind address as sent: empty, a wildcard or a loopback address are all possible. */
  address: string;
  /** TCP port, 1 to 65535. */
  port: number;
  /** Whether it speaks TLS; undefined when that cannot be read. */
  ssl: boolean | undefined;
}

/** A user of the agent's HTTP interface. */
export interface AgentCredentials {
  username: string;
  /** In plain text, as the agent sends it. */
  password: string;
}

/** The machine the agent runs on. */
export interface AgentPlatform {
  /** Operating system, for example "Linux". */
  name: string;
  release: string;
  version: string;
  /** Architecture, for example "x86_64". */
  machine: string;
  /** Number of processors. */
  cpuCount: number;
  /** Physical memory in kilobytes. */
  memoryKb: number;
  /** Swap space in kilobytes. */
  swapKb: number;
}

/** A named set of services on one host (`group` in the agent's control file). */
export interface AgentServiceGroup {
  name: string;
  /** Names of its services, unique, in the agent's order. */
  services: string[];
}

/** One check and its result. */
export interface AgentService {
  name: string;
  /** 0 filesystem, 1 directory, 2 file, 3 process, 4 remote host, 5 system, 6 fifo, 7 program, 8 network. */
  type: number;
  /** Unix seconds of the check, by the agent's clock; 0 before the first one and when unknown. */
  collectedSec: number;
  /** Microseconds within `collectedSec`. */
  collectedUsec: number;
  /** One bit per event class that failed or changed; null when unknown. */
  status: number | null;
  /** The same bits for those that merely changed: failing is `status & ~statusHint`. */
  statusHint: number;
  /** Bitmap: 0 off, 1 on, 2 initializing, 4 waiting; null when unknown. */
  monitor: number | null;
  /** 0 active, 1 passive, 2 manual. */
  monitorMode: number;
  /** What the agent does with the service when the agent starts: 0 start, 1 nostart, 2 laststate. */
  onReboot: number;
  /** Pending action, in the codes of `AgentEvent.action`; 0 none. */
  pendingAction: number;
  /** "" when checked each cycle, "2 cycles", or the cron text. */
  every: string;
  /** Empty for a service not checked yet; (type, descriptor) is unique. */
  statistics: AgentStatistic[];
}

/** One measured value. */
export interface AgentStatistic {
  /** Statistic type code: see `STATISTIC_NAMES` and `STATISTIC_UNITS`. */
  type: number;
  /** Distinguishes statistics of the same type within one service, otherwise "". */
  descriptor: string;
  /** In the unit of the type; -1 for a connection that failed; 0 where `text` holds the value. */
  value: number;
  /** The value of a textual statistic, null for a number. */
  text: string | null;
}

/** What happened to one service. */
export interface AgentEvent {
  /** Unix seconds, by the agent's clock; null when unknown. */
  collectedSec: number | null;
  /** Microseconds within `collectedSec`. */
  collectedUsec: number;
  /** Name of the service; `Monit` for the agent itself, which is not among the services. */
  service: string;
  /** Type of that service, as in `AgentService.type`; null when unknown. */
  serviceType: number | null;
  /** Event class: one bit of the event type bitmap. */
  eventType: number;
  /** 0 success, 1 error, 2 change, 3 changed not, 4 init. */
  state: number;
  /** 0 ignored, 1 alert, 2 restart, 3 stop, 4 exec, 5 unmonitor, 6 start, 7 monitor. */
  action: number;
  message: string;
}
