/** Metric families of hosts and services, for `GET /metrics/fleet` and for OTLP. */
import { STATISTIC, type StatisticType, type StatisticUnit } from "../../monit/statistic-types.ts";
import { capitalised } from "../../platform/text.ts";

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

const identity = (value: number) => value;
const plain: BaseUnit = { unit: "1", read: identity };

/** Converts agents' units to base units, with the precision of agents: 12.3 percent becomes 0.123. */
const BASE_UNITS: Readonly<Record<Exclude<StatisticUnit, "text">, BaseUnit>> = {
  percent: { unit: "1", read: (value) => Math.round(value * 1e4) / 1e6 },
  kB: { unit: "By", read: (value) => value * 1024 },
  MB: { unit: "By", read: (value) => value * 1_048_576 },
  bytes: { unit: "By", read: identity },
  "bytes/s": { unit: "By/s", read: identity },
  "bit/s": { unit: "By/s", read: (value) => value / 8 },
  packets: { unit: "{packet}", read: identity },
  "packets/s": { unit: "{packet}/s", read: identity },
  errors: { unit: "{error}", read: identity },
  "errors/s": { unit: "{error}/s", read: identity },
  operations: { unit: "{operation}", read: identity },
  "operations/s": { unit: "{operation}/s", read: identity },
  count: plain,
  seconds: { unit: "s", read: identity },
  ms: { unit: "s", read: (value) => Math.round(value * 1e6) / 1e9 },
  "unix seconds": { unit: "s", read: identity },
  days: { unit: "s", read: (value) => value * 86_400 },
  id: plain,
  none: plain,
};

function kindOf(name: string): FamilyDefinition["kind"] {
  return name.endsWith("_total") ? "counter" : "gauge";
}

/** Help texts of metrics that the name of the statistic does not explain, by code. */
const EXPLAINED: ReadonlyMap<number, string> = new Map([
  [STATISTIC.load.code, "Load average over the time that the descriptor names."],
  [STATISTIC.processCpuTotal.code, "Share of CPU time of the process and its children."],
  [STATISTIC.processMemoryTotal.code, "Share of the memory of the process and its children."],
  [STATISTIC.processMemoryKbTotal.code, "Memory of the process and its children."],
  [STATISTIC.filesOpenTotal.code, "File descriptors of the process and its children."],
  [STATISTIC.certificateDays.code, "Time until the port's TLS certificate expires."],
  [STATISTIC.mode.code, "Permissions, as their octal digits: 755."],
  [STATISTIC.timestamp.code, "Unix time of what the descriptor names."],
  [STATISTIC.programStatus.code, "Exit status of the program."],
  [STATISTIC.linkState.code, "Whether the network link is up: 1 yes, 0 no."],
  [STATISTIC.linkDuplex.code, "Whether the network link is full duplex: 1 yes, 0 no."],
  [STATISTIC.uptime.code, "Time since the start of the process."],
]);

function familyOf({ code, unit, metric, negative, name }: StatisticType): StatisticFamily {
  if (unit === "text" || metric === undefined) throw new Error(`The statistic ${name} has no metric`);
  const help = EXPLAINED.get(code) ?? `${capitalised(name)}.`;
  const base = BASE_UNITS[unit];
  const read = (value: number) => (value < 0 && negative !== "value" ? null : base.read(value));
  return { name: `muster_${metric}`, help, kind: kindOf(metric), unit: base.unit, read };
}

/** Keyed by code of the statistic type. Text statistics have no family. */
export const STATISTIC_FAMILIES: ReadonlyMap<number, StatisticFamily> = new Map(
  Object.values(STATISTIC)
    .filter(({ unit }) => unit !== "text")
    .map((type) => [type.code, familyOf(type)]),
);

function family(name: string, help: string, unit = "1"): FamilyDefinition {
  return { name: `muster_${name}`, help, kind: kindOf(name), unit };
}

/** Samples about all hosts together. */
export const FLEET_FAMILIES = {
  events: family("events_total", "Events since Muster started, by state."),
  open: family("events_open", "Errors that are still open; not of ignored hosts."),
} as const;

/** One sample per host. */
export const HOST_FAMILIES = {
  up: family("host_up", "Whether the host reports: 0 when it is down or was stopped; not of ignored hosts."),
  led: family("host_led", "State of the host: 0 red, 1 orange, 2 green, 3 gray."),
  lastReport: family("host_last_report_timestamp_seconds", "Unix time of the host's last message.", "s"),
  info: family("host_info", "Agent and platform of the host."),
  group: family("host_group", "Host group of the host; without the label hostgroup, the host is in none."),
  tag: family("host_tag", "Tag of the host; the label value is empty for a tag without one."),
} as const;

/** One sample per service. */
export const SERVICE_FAMILIES = {
  failing: family("service_failing", "Whether the service fails."),
  monitored: family("service_monitored", "Whether the service is monitored."),
  led: family("service_led", "State of the service: 0 red, 1 orange, 2 green, 3 gray."),
  limit: family("service_limit", "Limit that the service exceeds: 1 warning, 2 critical."),
} as const;

/** All families, by name. */
export const FAMILIES: ReadonlyMap<string, FamilyDefinition> = new Map(
  [
    ...[FLEET_FAMILIES, HOST_FAMILIES, SERVICE_FAMILIES].flatMap((group) => Object.values(group)),
    ...STATISTIC_FAMILIES.values(),
  ].map((definition) => [definition.name, definition]),
);

/** Names of all families, sorted. */
export const FAMILY_NAMES: readonly string[] = [...FAMILIES.keys()].sort();
