import { wholePercent } from "../../src/monitoring/uptime/uptime-text.ts";
import { counted, formatNumber } from "../text/format.ts";

const percent = (target: number) => `${formatNumber(target, 3)} %`;
/** Fewer seconds would be 0 minutes with one decimal. */
const TENTH = 3;
const minutes = (seconds: number) => `${formatNumber(seconds / 60, Math.abs(seconds) < TENTH ? 2 : 1)} min`;

/** All texts of the uptime report. */
export const UPTIME = {
  title: "Uptime",
  titleOf: (name: string) => `Uptime of ${name}`,
  unknownHost: (id: string) => `Uptime of host ${id}`,
  captionOfHosts: "Uptime of hosts",
  captionOfServices: "Uptime of services",
  columns: {
    host: "Host",
    service: "Service",
    uptime: "Uptime",
    bar: "Timeline",
    downtime: "Downtime",
    allowed: "Allowed",
    left: "Left",
    events: "Events stored",
  },
  notMonitored: "not monitored",
  range: "Range",
  calendar: "Calendar",
  noPeriod: "–",
  group: "Group",
  none: "–",
  average: "average uptime",
  averageDowntime: (text: string) => `average downtime ${text}`,
  uptimeOf: (hosts: number) => `uptime of ${counted(hosts, "host")}`,
  totalDowntime: (text: string) => `downtime ${text}`,
  span: (from: string, to: string, timeZone: string) => `${from} to ${to} (${timeZone})`,
  running: "still running",
  minutes,
  used: (seconds: number, budget: number) =>
    budget > 0
      ? `${minutes(seconds)} (${formatNumber(wholePercent((100 * seconds) / budget), 0)} %)`
      : minutes(seconds),
  left: (seconds: number) => (seconds < 0 ? `over by ${minutes(-seconds)}` : minutes(seconds)),
  facts: { target: "Target", allowed: "Error budget", used: "Used", left: "Left" },
  met: (target: number) => `${percent(target)}, met`,
  onTrack: (target: number) => `${percent(target)}, within budget so far`,
  missed: (target: number) => `${percent(target)}, missed`,
  targetOf: (group: string) => `Target of ${group}`,
  targetField: "Uptime target, %",
  targetHint: "At most 3 decimals, as in 99.95. Empty for no target.",
  setTarget: "Set target",
  save: "Save",
  how: "Uptime is the time up of all hosts, divided by their time up and down. Not counted: time before a host's first report, while it was not monitored, stopped or ignored, while Muster was off, and time whose failures are no longer kept.",
  howBudget: "The error budget is the downtime that the target allows within the counted time of all hosts.",
  howRunning:
    "While the period is running, the budget is that of the whole period, assuming that all hosts monitored now stay monitored.",
  taggedWith: (tags: string) => `Hosts tagged ${tags}.`,
  madeAt: (at: string) => `Created ${at}.`,
  noServices: "This host has no services.",
  noHosts: "No hosts have reported yet.",
  noneMatches: "No host matches.",
  csv: "CSV",
  tags: "Tags",
  tagsHint: "env=prod, role",
  week: "Uptime, last 7 days",
  report: "Uptime report",
  now: "now",
  notCounted: "no data",
  down: (time: string) => `${time} down`,
  cell: (at: string, what: string) => `${at}: ${what}`,
  upAndDown: (uptime: string, downtime: string) => `${uptime} up, ${downtime} down`,
  nothingCounted: "No data yet.",
  print: "Print",
} as const;
