/** What the agents of the demonstration post. */
import {
  ACTION_ALERT,
  CHANGE,
  ERROR,
  INSTANCE,
  MONIT_SERVICE,
  MONIT_SERVICE_TYPE,
  SUCCESS,
} from "../monit/event-types.ts";
import type { AgentEvent, AgentMessage } from "../monit/message.types.ts";
import { DAY } from "../platform/clock.ts";
import { MEMORY_KB, servicesOf } from "./demo-figures.ts";
import { type DemoHost, isUp, isWithin } from "./demo-hosts.ts";

/** Action of an event: see `AgentEvent.action`. */
const ACTION_START = 6;
/** Seconds before the end of the history at which every agent was started. */
const STARTED = 101 * DAY;

const PLATFORMS = [
  {
    name: "Linux",
    release: "6.12.48-amd64",
    version: "#1 SMP PREEMPT_DYNAMIC Debian 6.12.48-1",
    machine: "x86_64",
  },
  {
    name: "Linux",
    release: "6.1.0-40-amd64",
    version: "#1 SMP PREEMPT_DYNAMIC Debian 6.1.153-1",
    machine: "x86_64",
  },
  { name: "FreeBSD", release: "14.3-RELEASE", version: "FreeBSD 14.3-RELEASE GENERIC", machine: "amd64" },
] as const;

/** When and how often an agent reports. */
export interface Cycle {
  /** Unix seconds. */
  at: number;
  /** End of the history, unix seconds. A later time is the present of a running demonstration. */
  end: number;
  /** Seconds between two reports. */
  poll: number;
}

/** The id of the agent of a host. @param number of the host in the fleet */
export function agentIdOf(number: number): string {
  return `demo${number}`;
}

/** What the agent posts in a cycle: a message for each incident that begins or ends in it, and its status. */
export function messagesOf(host: DemoHost, number: number, { at, end, poll }: Cycle): AgentMessage[] {
  const ago = end - at;
  const services = servicesOf(host, number, at, ago);
  const { name, release, version, machine } = PLATFORMS[number % PLATFORMS.length] ?? PLATFORMS[0];
  const status: AgentMessage = {
    agentId: agentIdOf(number),
    incarnation: end - STARTED,
    version: "5.33.0",
    server: {
      uptime: STARTED - ago,
      poll,
      startDelay: 0,
      hostname: host.name,
      controlFile: "/etc/monit/monitrc",
      httpd: { address: `192.0.2.${10 + number}`, port: 2812, ssl: false },
      credentials: { username: "admin", password: "monit" },
    },
    platform: { name, release, version, machine, cpuCount: 4, memoryKb: MEMORY_KB, swapKb: 2_048_000 },
    hostGroups: [host.group],
    services,
    unreadServices: [],
    serviceGroups: [],
    events: [],
    isEventOnly: false,
    unreadable: null,
  };
  const before = ago + poll;
  const event = (
    service: string,
    details: Pick<AgentEvent, "eventType" | "state" | "action" | "message">,
  ) => {
    const serviceType = services.find((reported) => reported.name === service)?.type ?? MONIT_SERVICE_TYPE;
    return { ...status, events: [{ collectedSec: at, collectedUsec: 0, service, serviceType, ...details }] };
  };
  const hasReturned = isUp(host, ago) && !isUp(host, before);
  const changes = (host.incidents ?? []).flatMap((incident) => {
    const isOpen = isWithin(incident, ago);
    if (isOpen === isWithin(incident, before)) return [];
    const { type: eventType, failed, succeeded } = incident;
    return event(incident.service, {
      eventType,
      action: ACTION_ALERT,
      ...(isOpen ? { state: ERROR, message: failed } : { state: SUCCESS, message: succeeded }),
    });
  });
  const started = event(MONIT_SERVICE, {
    eventType: INSTANCE,
    state: CHANGE,
    action: ACTION_START,
    message: "Monit 5.33.0 started",
  });
  return [...(hasReturned ? [started] : []), ...changes, status];
}
