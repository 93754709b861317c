/** Codes and names of events: those of the specification, and later ones that agents send too. */

/** Event types that code refers to by name. `EVENT_TYPE_NAMES` has all. */
export const RESOURCE = 2;
export const HEARTBEAT = 1_048_576;
export const INSTANCE = 65_536;
export const DATA = 2048;
const ACTION = 131_072;

/** Codes of the types of services. `SERVICE_TYPE_NAMES` has their names. */
export const SERVICE_TYPE = {
  filesystem: 0,
  directory: 1,
  file: 2,
  process: 3,
  remoteHost: 4,
  system: 5, // the host as a whole
  fifo: 6,
  program: 7,
  network: 8,
} as const;

/** Service under which an agent reports on itself, and under which Muster reports that a host is down. */
export const MONIT_SERVICE = "Monit";
export const MONIT_SERVICE_TYPE = SERVICE_TYPE.system;

/** The states of stored events. */
export const SUCCESS = 0;
export const ERROR = 1;
export const CHANGE = 2;

/** Actions of agents that code refers to by name. `ACTION_NAMES` has all. */
export const ACTION_ALERT = 1;
export const ACTION_STOP = 3;

/** Each event type is a bit. */
export const EVENT_TYPE_NAMES: readonly (readonly [bit: number, name: string])[] = [
  [1, "Checksum"],
  [RESOURCE, "Resource"],
  [4, "Timeout"],
  [8, "Timestamp"],
  [16, "Size"],
  [32, "Connection"],
  [64, "Permission"],
  [128, "UID"],
  [256, "GID"],
  [512, "Nonexist"],
  [1024, "Invalid"],
  [DATA, "Data"],
  [4096, "Exec"],
  [8192, "Fsflags"],
  [16_384, "ICMP"],
  [32_768, "Content"],
  [INSTANCE, "Instance"],
  [ACTION, "Action"],
  [262_144, "PID"],
  [524_288, "PPID"],
  [HEARTBEAT, "Heartbeat"],
  [2_097_152, "Status"],
  [4_194_304, "Uptime"],
  // Beyond the specification: network interfaces, and "exists" tests.
  [8_388_608, "Link"],
  [16_777_216, "Speed"],
  [33_554_432, "Saturation"],
  [67_108_864, "Download bytes"],
  [134_217_728, "Upload bytes"],
  [268_435_456, "Download packets"],
  [536_870_912, "Upload packets"],
  [1_073_741_824, "Exist"],
];

/** The event types of checks: all that have a name, except those about the agent itself. */
export const CHECKED_TYPES = EVENT_TYPE_NAMES.map(([bit]) => bit)
  .filter((bit) => bit !== HEARTBEAT && bit !== INSTANCE && bit !== ACTION)
  .reduce((bits, bit) => bits | bit, 0);

/** The single event types of a bitmask. */
export function eventTypesIn(bits: number): number[] {
  return EVENT_TYPE_NAMES.map(([bit]) => bit).filter((bit) => (bits & bit) !== 0);
}

/** Names of all event types in a bitmask. */
export function eventTypeNames(bits: number): string[] {
  return EVENT_TYPE_NAMES.filter(([bit]) => (bits & bit) !== 0).map(([, name]) => name);
}

/** By code. */
export const ACTION_NAMES = [
  "Ignored",
  "Alert",
  "Restart",
  "Stop",
  "Exec",
  "Unmonitor",
  "Start",
  "Monitor",
] as const;

/** The name of what an agent did; "Action 9" for a later code. */
export function actionName(code: number): string {
  return ACTION_NAMES[code] ?? `Action ${code}`;
}

/** By code. */
export const SERVICE_TYPE_NAMES = [
  "Filesystem",
  "Directory",
  "File",
  "Process",
  "Remote Host",
  "System",
  "Fifo",
  "Program",
  "Network",
] as const;

/** The name of a service type; "Type 9" for a later code. */
export function serviceTypeName(code: number): string {
  return SERVICE_TYPE_NAMES[code] ?? `Type ${code}`;
}
