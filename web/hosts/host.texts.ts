/** All texts of the page of a host. */
import { counted, formatSpan } from "../text/format.ts";

export const HOST = {
  unnamed: (id: string) => `Host ${id}`,
  hosts: "Hosts",
  groups: "Groups",
  lastReport: "Last report",
  problems: "Problems",
  allProblems: "All problems of this host",
  now: "Now and the last 24 hours",
  cpu: "CPU",
  memory: "Memory",
  disk: (name: string) => `Disk: ${name}`,
  load: "Load",
  uptime: "Uptime",
  events: "Events",
  allEvents: "All events of this host",
  noEvents: "No event yet.",
  eventsCaption: "Latest events of this host",
  facts: "About this host and its agent",
  stale: (seconds: number) =>
    `This host has not reported for ${formatSpan(seconds)}. What you see is how it was then; how it is now is unknown.`,
  groupsLeftOut: (count: number) =>
    `${counted(count, "host group")} that the agent names ${count === 1 ? "was" : "were"} left out: agents have created as many groups as Muster keeps. Those that are empty and that nothing refers to are deleted.`,
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
    version: "Platform version",
  },
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteVerb: "Delete host",
  deleted: (name: string) => `${name} deleted`,
  deleteText: (services: number) =>
    `This deletes the host with its ${counted(services, "service")}, their recorded values, its events and their notes, its uptime and its places in groups. It cannot be undone.`,
  deleteReturns: "If its agent still reports, the host comes back as a new one.",
} as const;
