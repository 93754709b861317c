/** Parses the body of an agent's post into a typed message. Pure. */
import { eventNodes, readEvents } from "./agent-event.ts";
import { readServices } from "./agent-service.ts";
import { asArray, serviceName, textOf, truncate } from "./elements.ts";
import { inNewerLayout, isOlderLayout } from "./layout.ts";
import type {
  AgentCredentials,
  AgentHttpd,
  AgentMessage,
  AgentPlatform,
  AgentServer,
  AgentServiceGroup,
} from "./message.types.ts";
import {
  MAX_AGENT_ID,
  MAX_COUNT,
  MAX_CPUS,
  MAX_POLL,
  MAX_PORT,
  MAX_TEXT,
  MAX_UNIX_TIME,
} from "./message-bounds.ts";
import { RejectedMessage } from "./rejected-message.ts";
import { ValueReader } from "./value-reader.ts";
import { decodeDocument, parseDocument, type XmlElement } from "./xml.ts";

/** Longest path of a control file, in UTF-16 code units. */
const MAX_CONTROL_FILE = 1024;

/** Value of `AgentServer.uptime` if the agent does not report one. */
export const UNKNOWN_UPTIME = -1;

/**
 * Parses the (decompressed) body of an agent's post. A missing, malformed or out-of-range value is left out and listed
 * in `unreadable`.
 * @param atOnce throw TakesLong instead of starting slow work
 * @throws RejectedMessage for a document that is not XML, nested too deep, with a DOCTYPE, or without a usable id;
 *   TakesLong
 */
export function parseAgentMessage(bytes: Uint8Array, atOnce = false): AgentMessage {
  return messageOf(parseDocument(decodeDocument(bytes, atOnce), atOnce));
}

/** Reads the message in a parsed document. @throws RejectedMessage for one without a usable id */
export function messageOf(document: XmlElement): AgentMessage {
  const monit = inNewerLayout(document);
  const reader = new ValueReader();
  const isEventOnly = isOnlyEvents(monit);
  const message = {
    agentId: agentId(monit),
    incarnation: reader.integer(monit, "@incarnation", { max: MAX_UNIX_TIME }) ?? 0,
    version: reader.text(monit, "@version"),
    server: server(monit, reader),
    platform: platform(reader.element(monit, "platform") ?? {}, reader),
    hostGroups: hostGroups(monit, reader),
    // In the older layout, a message with an event lists no services.
    ...readServices(monit, reader, isEventOnly || isOlderLayout(document)),
    serviceGroups: serviceGroups(monit, reader),
    events: readEvents(monit, reader),
    isEventOnly,
  };
  return { ...message, unreadable: reader.unreadable };
}

/** Whether the document contains events, and no part that describes the host. */
function isOnlyEvents(monit: XmlElement): boolean {
  const isDescribed = monit.platform !== undefined || monit.services !== undefined;
  return !isDescribed && eventNodes(monit).length > 0;
}

/** The agent id. It is never cut, so that two long ids cannot become one host. */
function agentId(monit: XmlElement): string {
  const value = monit["@id"];
  const id = value === undefined || Array.isArray(value) ? "" : textOf(value);
  if (id.length >= 1 && id.length <= MAX_AGENT_ID) return id;
  throw new RejectedMessage(`Attribute id must have 1 to ${MAX_AGENT_ID} characters.`);
}

function server(monit: XmlElement, reader: ValueReader): AgentServer {
  const serverNode = reader.element(monit, "server");
  const node = serverNode ?? {};
  return reader.within("server", () => ({
    uptime:
      reader.integer(node, "uptime", { min: -MAX_UNIX_TIME, max: MAX_UNIX_TIME, unit: "seconds" }) ??
      UNKNOWN_UPTIME,
    poll: reader.integer(node, "poll", { min: 1, max: MAX_POLL, unit: "seconds" }) ?? 0,
    startDelay: reader.optionalInteger(node, "startdelay", { max: MAX_UNIX_TIME, unit: "seconds" }) ?? 0,
    hostname: reader.text(node, "localhostname"),
    controlFile: reader.text(node, "controlfile", MAX_CONTROL_FILE),
    httpd: serverNode === null ? undefined : httpd(reader.section(node, "httpd"), reader),
    credentials: serverNode === null ? undefined : credentials(reader.section(node, "credentials"), reader),
  }));
}

function httpd(node: XmlElement | null, reader: ValueReader): AgentHttpd | null | undefined {
  if (node === null) return undefined;
  if (node.port === undefined) return null;
  return reader.within("httpd", () => {
    const address = reader.text(node, "address");
    const port = reader.optionalInteger(node, "port", { min: 1, max: MAX_PORT });
    const ssl = node.ssl === undefined ? 0 : reader.optionalInteger(node, "ssl", { max: 1 });
    if (port === null || Array.isArray(node.address)) return undefined;
    return { address, port, ssl: ssl === null ? undefined : ssl === 1 };
  });
}

function credentials(node: XmlElement | null, reader: ValueReader): AgentCredentials | null | undefined {
  if (node === null) return undefined;
  if (node.username === undefined && node.password === undefined) return null;
  const [username, password] = [reader.text(node, "username"), reader.text(node, "password")];
  const isRead = !Array.isArray(node.username) && !Array.isArray(node.password);
  return isRead ? { username, password } : undefined;
}

function platform(node: XmlElement, reader: ValueReader): AgentPlatform {
  return reader.within("platform", () => ({
    name: reader.text(node, "name"),
    release: reader.text(node, "release"),
    version: reader.text(node, "version"),
    machine: reader.text(node, "machine"),
    cpuCount: reader.optionalInteger(node, "cpu", { max: MAX_CPUS }) ?? 0,
    memoryKb: reader.optionalInteger(node, "memory", { max: MAX_COUNT, unit: "kB" }) ?? 0,
    swapKb: reader.optionalInteger(node, "swap", { max: MAX_COUNT, unit: "kB" }) ?? 0,
  }));
}

/** The distinct non-empty texts of the children with this name. */
function names(node: XmlElement, name: string): string[] {
  const names = asArray(node, name).map((value) => truncate(textOf(value), MAX_TEXT));
  return [...new Set(names)].filter((value) => value !== "");
}

function hostGroups(monit: XmlElement, reader: ValueReader): string[] | null {
  const node = reader.section(monit, "hostgroups");
  return node && names(node, "name");
}

/** If several groups share a name, the first one is kept. */
function serviceGroups(monit: XmlElement, reader: ValueReader): AgentServiceGroup[] | null {
  const node = reader.section(monit, "servicegroups");
  if (node === null) return null;
  return reader.within("servicegroups", () => {
    const byName = new Map<string, AgentServiceGroup>();
    for (const child of reader.elements(node, "servicegroup")) {
      const name = reader.text(child, "@name");
      if (name === "") reader.note("name");
      else if (!byName.has(name))
        byName.set(name, { name, services: names(child, "service").map(serviceName) });
    }
    return [...byName.values()];
  });
}
