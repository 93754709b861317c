/** All texts of the page of a host. */
import { counted } from "../text/format.ts";

export const HOST = {
  setLimit: "Set limit",
  setLimitOn: (number: string) => `Set limit: ${number}`,
  unnamed: (id: string) => `Host ${id}`,
  hosts: "Hosts",
  lastReport: "Last report",
  problems: "Problems",
  allProblems: "All problems of this host",
  now: "Latest values and the 24 hours before",
  cpu: "CPU",
  memory: "Memory",
  disk: (name: string) => `Disk: ${name}`,
  load: "Load",
  uptime: "Uptime, 24 h",
  events: "Events",
  allEvents: "All events of this host",
  noEvents: "No events yet.",
  eventsCaption: "Latest events of this host",
  facts: "About this host and its agent",
  stale: (lastReport: string) =>
    `This host has not reported since ${lastReport}. This page shows its last known state.`,
  groupsLeftOut: (count: number) =>
    `${counted(count, "host group")} named by the agent ${count === 1 ? "was" : "were"} ignored: agents have already created as many groups as Muster allows. Empty groups that nothing refers to are deleted automatically.`,
  controls: { uptime: "Uptime", settings: "Settings", delete: "Delete" },
  monit: (version: string) => `Monit ${version}`,
  fact: {
    platform: "Platform",
    machine: "Machine",
    processors: "Processors",
    memory: "Memory",
    swap: "Swap",
    agent: "Agent",
    agentUptime: "Agent running for",
    poll: "Reports every",
    controlFile: "Control file",
    agentId: "Agent id",
    key: "Agent key",
    version: "Platform version",
  },
  deleteVerb: "Delete host",
  deleted: (name: string) => `${name} deleted`,
  deleteText: (services: number) =>
    `This deletes the host and its ${counted(services, "service")}, with their values, events, notes, uptime and group memberships. It can be undone for 30 days.`,
  deleteReturns: "If its agent still reports, it becomes a new host.",
} as const;
