/** The numbers by which hosts can be seen. */
import { STATISTIC as S, STATISTIC_UNITS, type StatisticUnit } from "../../src/monit/statistic-types.ts";
import { capitalize } from "../text/format.ts";

export interface FleetNumber {
  /** In the address. */
  key: string;
  text: string;
  /** Codes of the types that are added up. */
  types: readonly number[];
  descriptor?: string;
}

const COMMON: readonly FleetNumber[] = [
  { key: "cpu", text: "CPU usage", types: [S.cpuUser.code, S.cpuSystem.code, S.cpuWait.code] },
  { key: "memory", text: "Memory usage", types: [S.memoryPercent.code] },
  { key: "swap", text: "Swap usage", types: [S.swapPercent.code] },
  { key: "load", text: "Load average (1 min)", types: [S.load.code], descriptor: "1min" },
  { key: "disk", text: "Disk space used", types: [S.spacePercent.code] },
  { key: "inodes", text: "Inodes used", types: [S.inodePercent.code] },
  { key: "process-cpu", text: "Process CPU usage", types: [S.processCpuTotal.code] },
  { key: "process-memory", text: "Process memory", types: [S.processMemoryKbTotal.code] },
  { key: "port", text: "Port response time", types: [S.portResponse.code] },
  { key: "ping", text: "Ping response time", types: [S.pingResponse.code] },
];

/** Units of values that no host has more of than another. */
const UNRANKED: readonly StatisticUnit[] = ["text", "id"];

const OTHERS: readonly FleetNumber[] = Object.values(S)
  .filter(({ code, unit }) => !UNRANKED.includes(unit) && !COMMON.some(({ types }) => types.includes(code)))
  .map(({ code, name, unit }) => ({
    key: `type-${code}`,
    text: unit === "none" ? capitalize(name) : `${capitalize(name)} (${unit})`,
    types: [code],
  }));

export const NUMBERS: readonly FleetNumber[] = [...COMMON, ...OTHERS];

/** The number of this key; the CPU usage if there is none. */
export function numberOf(key: string | null): FleetNumber {
  return NUMBERS.find((one) => one.key === key) ?? (NUMBERS[0] as FleetNumber);
}

/** Whether all hosts have 0 to 100 of it. */
export function isPercent({ types }: FleetNumber): boolean {
  return types.every((type) => STATISTIC_UNITS[type] === "percent");
}

/** What the address compares: hosts and services. */
export interface Compared {
  hosts: readonly number[];
  services: readonly number[];
}

/** Most that one chart compares. */
export const MAX_COMPARED = 12;

/** Reads "h1.h2.s7". What is no such id is left out. */
export function comparedOf(text: string | null): Compared {
  const ids = (kind: string) =>
    (text ?? "")
      .split(".")
      .filter((one) => one.startsWith(kind))
      .map((one) => Number(one.slice(1)))
      .filter((id) => Number.isInteger(id) && id > 0);
  const hosts = [...new Set(ids("h"))].slice(0, MAX_COMPARED);
  return { hosts, services: [...new Set(ids("s"))].slice(0, MAX_COMPARED - hosts.length) };
}

export function comparedText({ hosts, services }: Compared): string {
  return [...hosts.map((id) => `h${id}`), ...services.map((id) => `s${id}`)].join(".");
}
