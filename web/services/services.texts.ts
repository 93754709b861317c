/** All texts of the services of a host. */
import { counted, formatSpan } from "../text/format.ts";

export const SERVICES = {
  title: "Services",
  caption: "Services by type",
  none: "The agent reports no services.",
  selectAll: "Select all services",
  select: (name: string) => `Select ${name}`,
  selectHint: "Select services to act on",
  selected: (count: number) => `${counted(count, "service")} selected`,
  columns: { service: "Service", state: "State", values: "Latest values", events: "Events" },
  failingFor: (seconds: number) => `for ${formatSpan(seconds)}`,
  actions: "Actions on the selected services",
  actionNames: {
    start: "Start",
    stop: "Stop",
    restart: "Restart",
    monitor: "Monitor",
    unmonitor: "Unmonitor",
  },
  asked: {
    start: (host: string) => `The agent of ${host} will be asked to start:`,
    stop: (host: string) => `The agent of ${host} will be asked to stop:`,
    restart: (host: string) => `The agent of ${host} will be asked to restart:`,
    monitor: (host: string) => `The agent of ${host} will be asked to monitor:`,
    unmonitor: (host: string) => `The agent of ${host} will be asked to unmonitor:`,
  },
  askOne: (action: string, service: string, host: string) => `${action} ${service} on ${host}?`,
  askMany: (action: string, count: number, host: string) =>
    `${action} ${counted(count, "service")} on ${host}?`,
  sent: (action: string, services: string) => `${action} was sent to the agent for ${services}.`,
  waiting: (interval: string) => `Waiting for the next report (every ${interval}).`,
  silent: (interval: string) =>
    `No report since, although one is due every ${interval}. The outcome is unknown.`,
  notYet: "The agent has reported since, but not about this yet; it may still be working.",
  unchanged: (states: string) => `The agent has reported since, with no change: ${states}.`,
  stateOf: (service: string, status: string, monitoring: string) =>
    `${service} is ${status}, monitoring ${monitoring}`,
  reported: (service: string) => `${service}:`,
  announced: (service: string, message: string) => `${service}: ${message}`,
  noText: "(no text)",
  every: (schedule: string) => `every ${schedule}`,
  events: (count: number, name: string) => `${counted(count, "event")} of ${name}`,
} as const;
