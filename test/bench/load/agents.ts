/** Messages of many agents, ready to send. A host has 7 to 14 services and 45 to 90 numbers, some of which drift. */
import { gzipSync } from "node:zlib";
import {
  agentXml,
  filesystemXml,
  portXml,
  processXml,
  programXml,
  type ServiceXml,
  systemXml,
} from "../../support/agent-messages.ts";

/** Hosts differ in their number of services. */
const processesOf = (agent: number) => 1 + (agent % 4);
const portsOf = (agent: number) => 3 + (agent % 5);

/** A decimal that differs between agents and messages. */
function drifting(agent: number, cycle: number, around: number): number {
  return Math.round((around + ((agent * 7 + cycle * 13) % 40) / 10) * 10) / 10;
}

function servicesOf(agent: number, cycle: number, at: number): ServiceXml[] {
  const number = (around: number) => drifting(agent, cycle, around);
  const times = <T>(count: number, make: (i: number) => T) =>
    Array.from({ length: count }, (_, i) => make(i));
  return [
    {
      name: `host-${agent}`,
      type: 5,
      body: systemXml({ user: number(2), memory: number(30), load: number(0) }),
    },
    ...times(processesOf(agent), (i) => ({
      name: `process-${i}`,
      type: 3,
      body: processXml({ pid: 100 + i, uptime: 600 + cycle * 30, cpu: number(i), memory: number(i) }),
    })),
    { name: "filesystem", type: 0, body: filesystemXml({ percent: number(40) }) },
    {
      name: "program",
      type: 7,
      body: programXml({ started: at - 10, output: `volume ${agent % 9} is fine` }),
    },
    ...times(portsOf(agent), (i) => ({
      name: `port-${i}`,
      type: 4,
      body: portXml({ seconds: Math.round(number(i) * 10) / 1000 }),
    })),
  ].map((service) => ({ ...service, collectedUsec: (agent * 7919 + cycle * 104_729) % 1_000_000 }));
}

/** Differences from an ordinary message. */
export interface AgentVariation {
  /** Start of the agent, unix seconds; by default a day before. */
  incarnation?: number;
  /** Seconds. */
  poll?: number;
  /** Whether `FAILING_SERVICE` fails. */
  failing?: boolean;
}

/** The service that may fail. */
export const FAILING_SERVICE = "process-0";

/**
 * The message of an agent in one of its cycles.
 * @param at unix seconds by the agent's clock
 */
export function agentText(
  agent: number,
  cycle: number,
  at: number,
  { incarnation = at - 86_400, poll = 30, failing = false }: AgentVariation = {},
): string {
  const services = servicesOf(agent, cycle, at);
  return agentXml({
    id: `bench-agent-${agent}`,
    hostname: `host-${agent}`,
    at,
    incarnation,
    poll,
    services: services.map((service) =>
      failing && service.name === FAILING_SERVICE ? { ...service, status: 512, body: "" } : service,
    ),
  });
}

/** The same message, gzipped. */
export function agentBody(agent: number, cycle: number, at: number): Buffer {
  return gzipSync(agentText(agent, cycle, at));
}

/** The whole request as an agent sends it. */
export function agentRequest(body: Buffer, password: string, keepAlive: boolean): Buffer {
  const credentials = Buffer.from(`monit:${password}`).toString("base64");
  const head = [
    "POST /collector HTTP/1.1",
    "Host: 127.0.0.1",
    "Content-Type: text/xml",
    "Content-Encoding: gzip",
    "User-Agent: Monit/5.33.0",
    `Authorization: Basic ${credentials}`,
    `Content-Length: ${body.byteLength}`,
    ...(keepAlive ? [] : ["Connection: close"]),
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]);
}
