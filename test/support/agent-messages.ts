/** Builds messages as Monit sends them, with everything a test does not mention in a sensible state. */
import { START } from "./clock.ts";

export interface AgentXml {
  /** Agent id. */
  id?: string;
  version?: string;
  /** Now, by the agent's clock, unix seconds: default of all its dates. */
  at?: number;
  /** Start of the agent, unix seconds. */
  incarnation?: number;
  /** Seconds since then; by default those up to `at`. */
  uptime?: number;
  /** Seconds. */
  poll?: number;
  startDelay?: number;
  hostname?: string;
  controlFile?: string;
  /** Null: the agent has no HTTP interface. */
  httpd?: { address?: string; port?: number; ssl?: boolean } | null;
  credentials?: { username: string; password: string } | null;
  platform?: Partial<Record<"name" | "release" | "version" | "machine", string>> &
    Partial<Record<"cpu" | "memory" | "swap", number>>;
  hostGroups?: string[];
  services?: ServiceXml[];
  serviceGroups?: Record<string, string[]>;
  event?: EventXml | null;
}

export interface ServiceXml {
  name: string;
  /** 0 filesystem ... 8 network; a process by default. */
  type?: number;
  /** Bits that failed or changed, and those that only changed. */
  status?: number;
  statusHint?: number;
  /** 0 off, 1 on, 2 initializing, 4 waiting. */
  monitor?: number;
  monitorMode?: number;
  onReboot?: number;
  pendingAction?: number;
  collectedSec?: number;
  collectedUsec?: number;
  /** A number of cycles, or a cron text. */
  every?: number | string;
  /** The elements particular to its type, as XML: see `systemXml` and its neighbours. */
  body?: string;
}

export interface EventXml {
  service: string;
  serviceType?: number;
  /** Event class bit; 512 "does not exist" by default. */
  id?: number;
  /** 0 success, 1 error (default), 2 change. */
  state?: number;
  /** 1 alert by default. */
  action?: number;
  message?: string;
  collectedSec?: number;
  collectedUsec?: number;
}

/** What an agent posts when it starts or was reloaded, and when it stops. */
export const STARTED: EventXml = instance(6, "Monit 5.33.0 started");
export const RELOADED: EventXml = instance(6, "Monit reloaded");
export const STOPPED: EventXml = instance(3, "Monit 5.33.0 stopped");

function instance(action: number, message: string): EventXml {
  return { service: "Monit", serviceType: 5, id: 65_536, state: 2, action, message };
}

/** The document an agent posts. */
export function agentXml(message: AgentXml = {}): string {
  const at = message.at ?? START;
  const incarnation = message.incarnation ?? at - 3600;
  const { id = "agent-1", version = "5.33.0", event, hostGroups = [] } = message;
  return [
    '<?xml version="1.0" encoding="ISO-8859-1"?>',
    `<monit id="${escaped(id)}" incarnation="${incarnation}" version="${escaped(version)}">`,
    serverXml(message, message.uptime ?? at - incarnation),
    platformXml(message.platform ?? {}),
    hostGroups.length === 0
      ? ""
      : `<hostgroups>${hostGroups.map((name) => leaf("name", name)).join("")}</hostgroups>`,
    `<services>${(message.services ?? []).map((service) => serviceXml(service, at)).join("")}</services>`,
    `<servicegroups>${Object.entries(message.serviceGroups ?? {})
      .map(serviceGroupXml)
      .join("")}</servicegroups>`,
    event ? eventXml(event, at) : "",
    "</monit>",
  ].join("");
}

/** Elements of a system service (type 5). CPU and memory in percent. */
export function systemXml({ user = 2, system = 1, wait = 0, memory = 25, load = 0.5 } = {}): string {
  const cpu = `<user>${user}</user><system>${system}</system><nice>0.0</nice><wait>${wait}</wait>`;
  return (
    `<system><load><avg01>${load}</avg01><avg05>${load}</avg05><avg15>${load}</avg15></load><cpu>${cpu}</cpu>` +
    `<memory><percent>${memory}</percent><kilobyte>1024000</kilobyte></memory>` +
    "<swap><percent>0.0</percent><kilobyte>0</kilobyte></swap></system>"
  );
}

/** Elements of a process (type 3). CPU and memory in percent. */
export function processXml({ pid = 4711, uptime = 600, cpu = 1, memory = 0.5 } = {}): string {
  return (
    `<pid>${pid}</pid><ppid>1</ppid><uid>0</uid><euid>0</euid><gid>0</gid><uptime>${uptime}</uptime>` +
    "<threads>1</threads><children>0</children>" +
    `<memory><percent>${memory}</percent><percenttotal>${memory}</percenttotal>` +
    "<kilobyte>2048</kilobyte><kilobytetotal>2048</kilobytetotal></memory>" +
    `<cpu><percent>${cpu}</percent><percenttotal>${cpu}</percenttotal></cpu>`
  );
}

/** A port test of a process or remote host (type 4). Seconds; -1 for a failed one. */
export function portXml({
  hostname = "localhost",
  port = 80,
  request = "",
  protocol = "HTTP",
  seconds = 0.01,
} = {}): string {
  return (
    `<port>${leaf("hostname", hostname)}<portnumber>${port}</portnumber><request>${cdata(request)}</request>` +
    `<protocol>${protocol}</protocol><type>TCP</type><responsetime>${seconds}</responsetime></port>`
  );
}

/** Elements of a filesystem (type 0). Space in percent of 1000 MB. */
export function filesystemXml({ percent = 40 } = {}): string {
  const disk =
    "<bytes><count>0</count><total>0</total></bytes><operations><count>0</count><total>0</total></operations>";
  return (
    "<fstype>ext4</fstype><fsflags>rw,relatime</fsflags><mode>755</mode><uid>0</uid><gid>0</gid>" +
    `<block><percent>${percent}</percent><usage>${percent * 10}</usage><total>1000.0</total></block>` +
    "<inode><percent>1.0</percent><usage>10</usage><total>1000</total></inode>" +
    `<read>${disk}</read><write>${disk}</write><servicetime><read>0.000</read><write>0.000</write></servicetime>`
  );
}

/** Elements of a program (type 7). */
export function programXml({ status = 0, output = "fine", started = START } = {}): string {
  return `<program><started>${started}</started><status>${status}</status><output>${cdata(output)}</output></program>`;
}

function serverXml(message: AgentXml, uptime: number): string {
  const { poll = 30, startDelay = 0, hostname = "host-1", controlFile = "/etc/monit/monitrc" } = message;
  const { httpd = {}, credentials = { username: "admin", password: "monit" } } = message;
  return (
    `<server><uptime>${uptime}</uptime><poll>${poll}</poll><startdelay>${startDelay}</startdelay>` +
    leaf("localhostname", hostname) +
    leaf("controlfile", controlFile) +
    (httpd === null
      ? ""
      : `<httpd>${leaf("address", httpd.address ?? "0.0.0.0")}<port>${httpd.port ?? 2812}</port>` +
        `<ssl>${httpd.ssl ? 1 : 0}</ssl></httpd>`) +
    (credentials === null
      ? ""
      : `<credentials>${leaf("username", credentials.username)}${leaf("password", credentials.password)}</credentials>`) +
    "</server>"
  );
}

function platformXml(platform: NonNullable<AgentXml["platform"]>): string {
  const { name = "Linux", release = "6.1.0", version = "#1 SMP", machine = "x86_64" } = platform;
  const { cpu = 2, memory = 4_096_000, swap = 0 } = platform;
  const texts =
    leaf("name", name) + leaf("release", release) + leaf("version", version) + leaf("machine", machine);
  return `<platform>${texts}<cpu>${cpu}</cpu><memory>${memory}</memory><swap>${swap}</swap></platform>`;
}

function serviceXml(service: ServiceXml, at: number): string {
  const { name, type = 3, status = 0, statusHint = 0, monitor = 1, monitorMode = 0, onReboot = 0 } = service;
  const { pendingAction = 0, collectedSec = at, collectedUsec = 0, every, body = "" } = service;
  return (
    `<service name="${escaped(name)}"><type>${type}</type>` +
    `<collected_sec>${collectedSec}</collected_sec><collected_usec>${collectedUsec}</collected_usec>` +
    `<status>${status}</status><status_hint>${statusHint}</status_hint><monitor>${monitor}</monitor>` +
    `<monitormode>${monitorMode}</monitormode><onreboot>${onReboot}</onreboot>` +
    `<pendingaction>${pendingAction}</pendingaction>${everyXml(every)}${body}</service>`
  );
}

function everyXml(every: number | string | undefined): string {
  if (every === undefined) return "";
  if (typeof every === "string") return `<every><type>3</type>${leaf("cron", every)}</every>`;
  return `<every><type>2</type><counter>0</counter><number>${every}</number></every>`;
}

function serviceGroupXml([name, services]: [string, string[]]): string {
  return `<servicegroup name="${escaped(name)}">${services.map((service) => leaf("service", service)).join("")}</servicegroup>`;
}

/** The element of an event within a document. @param at its time, unless it says otherwise */
export function eventXml(event: EventXml, at: number): string {
  const { service, serviceType = 3, id = 512, state = 1, action = 1, message = "does not exist" } = event;
  const { collectedSec = at, collectedUsec = 0 } = event;
  return (
    `<event><collected_sec>${collectedSec}</collected_sec><collected_usec>${collectedUsec}</collected_usec>` +
    `${leaf("service", service)}<type>${serviceType}</type><id>${id}</id><state>${state}</state>` +
    `<action>${action}</action><message>${cdata(message)}</message></event>`
  );
}

function leaf(name: string, text: string): string {
  return `<${name}>${escaped(text)}</${name}>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** As Monit writes it, which cannot express a literal `]]>`. */
function cdata(text: string): string {
  return `<![CDATA[${text.replaceAll("]]>", "]]&gt;")}]]>`;
}
