/** Many agents' messages, ready to send: a typical host has 10 services and about 60 numbers, which drift. */
import { gzipSync } from "node:zlib";
import {
  agentXml,
  filesystemXml,
  portXml,
  processXml,
  type ServiceXml,
  systemXml,
} from "../../support/agent-messages.ts";

const PROCESSES = 5;
const FILESYSTEMS = 2;
const PORTS = 2;

/** A decimal that is another one for each agent and each message. */
function drifting(agent: number, cycle: number, around: number): number {
  return Math.round((around + ((agent * 7 + cycle * 13) % 40) / 10) * 10) / 10;
}

function servicesOf(agent: number, cycle: number): ServiceXml[] {
  const number = (around: number) => drifting(agent, cycle, around);
  const times = <T>(count: number, make: (i: number) => T) =>
    Array.from({ length: count }, (_, i) => make(i));
  return [
    {
      name: `host-${agent}`,
      type: 5,
      body: systemXml({ user: number(2), memory: number(30), load: number(0) }),
    },
    ...times(PROCESSES, (i) => ({
      name: `process-${i}`,
      type: 3,
      body: processXml({ pid: 100 + i, uptime: 600 + cycle * 30, cpu: number(i), memory: number(i) }),
    })),
    ...times(FILESYSTEMS, (i) => ({ name: `filesystem-${i}`, type: 0, body: filesystemXml() })),
    ...times(PORTS, (i) => ({ name: `port-${i}`, type: 4, body: portXml() })),
  ];
}

/**
 * The gzipped message of an agent in one of its cycles.
 * @param at unix seconds by the agent's clock
 */
export function agentBody(agent: number, cycle: number, at: number): Buffer {
  const message = agentXml({
    id: `bench-agent-${agent}`,
    hostname: `host-${agent}`,
    at,
    incarnation: at - 86_400,
    poll: 30,
    services: servicesOf(agent, cycle),
  });
  return gzipSync(message);
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
