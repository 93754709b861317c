/** The wire with Monit, inwards: bytes of a post to one typed message. Pure. */
import {
  asArray,
  cdata,
  cut,
  element,
  elementOrEmpty,
  elements,
  integer,
  nonEmptyText,
  optionalElement,
  optionalText,
  text,
  textOf,
} from "./elements.ts";
import type {
  AgentCredentials,
  AgentEvent,
  AgentHttpd,
  AgentMessage,
  AgentPlatform,
  AgentServer,
  AgentService,
  AgentServiceGroup,
} from "./message.types.ts";
import { MessageRefused } from "./message-refused.ts";
import { readStatistics } from "./statistics.ts";
import { decodeDocument, parseDocument, type XmlElement } from "./xml.ts";

export { MessageRefused } from "./message-refused.ts";

// Longest texts, in UTF-16 units. What is longer is cut, except for the agent id, which is refused.
const MAX_AGENT_ID = 255;
const MAX_NAME = 255;
const MAX_PLATFORM_TEXT = 255;
const MAX_ADDRESS = 255;
const MAX_CREDENTIAL = 255;
const MAX_CONTROL_FILE = 1024;
const MAX_SCHEDULE = 255;
const MAX_EVENT_MESSAGE = 8192;

/** The last second of the year 9999. */
export const MAX_UNIX_TIME = 253_402_300_799;
export const MAX_USEC = 999_999;
/** A day, seconds. */
const MAX_POLL = 86_400;
const MAX_BITMAP = 0xffff_ffff;
/** Types, modes, states and actions: known ones are below 10, and newer agents may know more. */
const MAX_CODE = 99;
const MAX_PORT = 65_535;
const MAX_CPUS = 1_000_000;
const MAX_COUNT = Number.MAX_SAFE_INTEGER;

/**
 * Turns the (decompressed) bytes of an agent's post into a message.
 * @param atOnce whether nothing may take long
 * @throws MessageRefused; TakesLong
 */
export function parseAgentMessage(bytes: Uint8Array, atOnce = false): AgentMessage {
  const monit = parseDocument(decodeDocument(bytes, atOnce), atOnce);
  const event = optionalElement(monit, "event");
  return {
    agentId: agentId(monit),
    incarnation: integer(monit, "@incarnation", 0, MAX_UNIX_TIME),
    version: nonEmptyText(monit, "@version", MAX_PLATFORM_TEXT),
    server: server(element(monit, "server")),
    platform: platform(element(monit, "platform")),
    hostGroups: names(optionalElement(monit, "hostgroups"), "name"),
    services: services(elementOrEmpty(monit, "services")),
    serviceGroups: serviceGroups(optionalElement(monit, "servicegroups")),
    event: event === null ? null : agentEvent(event),
  };
}

/** Never cut: two long ids must not become one host. */
function agentId(monit: XmlElement): string {
  const id = optionalText(monit, "@id", MAX_AGENT_ID + 1) ?? "";
  if (id.length >= 1 && id.length <= MAX_AGENT_ID) return id;
  throw new MessageRefused(`Attribute id must have 1 to ${MAX_AGENT_ID} characters.`);
}

function server(node: XmlElement): AgentServer {
  return {
    uptime: integer(node, "uptime", 0, MAX_UNIX_TIME),
    poll: integer(node, "poll", 1, MAX_POLL),
    startDelay: integer(node, "startdelay", 0, MAX_UNIX_TIME),
    hostname: nonEmptyText(node, "localhostname", MAX_NAME),
    controlFile: text(node, "controlfile", MAX_CONTROL_FILE),
    httpd: httpd(optionalElement(node, "httpd")),
    credentials: credentials(optionalElement(node, "credentials")),
  };
}

function httpd(node: XmlElement | null): AgentHttpd | null {
  if (node === null || node.port === undefined) return null;
  return {
    address: text(node, "address", MAX_ADDRESS),
    port: integer(node, "port", 1, MAX_PORT),
    ssl: integer(node, "ssl", 0, 1) === 1,
  };
}

function credentials(node: XmlElement | null): AgentCredentials | null {
  if (node === null) return null;
  return {
    username: text(node, "username", MAX_CREDENTIAL),
    password: text(node, "password", MAX_CREDENTIAL),
  };
}

function platform(node: XmlElement): AgentPlatform {
  return {
    name: text(node, "name", MAX_PLATFORM_TEXT),
    release: text(node, "release", MAX_PLATFORM_TEXT),
    version: text(node, "version", MAX_PLATFORM_TEXT),
    machine: text(node, "machine", MAX_PLATFORM_TEXT),
    cpuCount: integer(node, "cpu", 0, MAX_CPUS),
    memoryKb: integer(node, "memory", 0, MAX_COUNT),
    swapKb: integer(node, "swap", 0, MAX_COUNT),
  };
}

/** The non-empty texts of the children of that name, each once. */
function names(node: XmlElement | null, name: string): string[] {
  if (node === null) return [];
  const found = asArray(node, name).map((value) => cut(textOf(value), MAX_NAME));
  return [...new Set(found)].filter((value) => value !== "");
}

/** Of services with the same name the first is kept. */
function services(node: XmlElement | null): AgentService[] {
  const byName = new Map<string, AgentService>();
  for (const child of node === null ? [] : elements(node, "service")) {
    const parsed = service(child);
    if (!byName.has(parsed.name)) byName.set(parsed.name, parsed);
  }
  return [...byName.values()];
}

function service(node: XmlElement): AgentService {
  const type = integer(node, "type", 0, MAX_CODE);
  return {
    name: nonEmptyText(node, "@name", MAX_NAME),
    type,
    collectedSec: integer(node, "collected_sec", 0, MAX_UNIX_TIME),
    collectedUsec: integer(node, "collected_usec", 0, MAX_USEC),
    status: integer(node, "status", 0, MAX_BITMAP),
    statusHint: integer(node, "status_hint", 0, MAX_BITMAP),
    monitor: integer(node, "monitor", 0, MAX_CODE),
    monitorMode: integer(node, "monitormode", 0, MAX_CODE),
    onReboot: integer(node, "onreboot", 0, MAX_CODE),
    pendingAction: integer(node, "pendingaction", 0, MAX_CODE),
    every: every(optionalElement(node, "every")),
    statistics: readStatistics(node, type),
  };
}

/** Schedule "not in this cron", as Monit 5.33 numbers it. */
const NOT_IN_CRON = 4;

function every(node: XmlElement | null): string {
  if (node === null) return "";
  const cron = optionalText(node, "cron", MAX_SCHEDULE);
  if (cron === null) return `${integer(node, "number", 0, MAX_COUNT)} cycles`;
  return integer(node, "type", 0, MAX_CODE) === NOT_IN_CRON ? `not ${cron}` : cron;
}

/** Of groups with the same name the first is kept. */
function serviceGroups(node: XmlElement | null): AgentServiceGroup[] {
  const byName = new Map<string, AgentServiceGroup>();
  for (const child of node === null ? [] : elements(node, "servicegroup")) {
    const name = nonEmptyText(child, "@name", MAX_NAME);
    if (!byName.has(name)) byName.set(name, { name, services: names(child, "service") });
  }
  return [...byName.values()];
}

function agentEvent(node: XmlElement): AgentEvent {
  return {
    collectedSec: integer(node, "collected_sec", 0, MAX_UNIX_TIME),
    collectedUsec: integer(node, "collected_usec", 0, MAX_USEC),
    service: nonEmptyText(node, "service", MAX_NAME),
    serviceType: integer(node, "type", 0, MAX_CODE),
    eventType: integer(node, "id", 0, MAX_BITMAP),
    state: integer(node, "state", 0, MAX_CODE),
    action: integer(node, "action", 0, MAX_CODE),
    message: cdata(text(node, "message", MAX_EVENT_MESSAGE)),
  };
}
