/** Agents that behave as badly as real ones do: outages, late and repeated events, restarts, wrong clocks, clones. */

import type {
  AgentDetails,
  Report,
  ReportedEvent,
  ReportedService,
} from "../monitoring/uptime/uptime-model.ts";
import {
  agentXml,
  type EventXml,
  eventXml,
  processXml,
  programXml,
  type ServiceXml,
  systemXml,
} from "../support/agent-messages.ts";
import { written } from "../support/fixtures.ts";
import type { Random } from "../support/random.ts";

export const AGENT_KINDS = [
  "steady",
  "flapping",
  "failing",
  "cloned",
  "late",
  "no event queue",
  "clock set back",
  "silent",
  "old version",
] as const;
export type AgentKind = (typeof AGENT_KINDS)[number];

/** What an agent posts: the document, and its contents as the agent means them. */
export interface Message {
  agentId: string;
  xml: string;
  report: Report;
  /** The event it carries, which is sent again until the server accepts it. */
  event: QueuedEvent | null;
}

export interface QueuedEvent {
  xml: EventXml;
  stamp: string;
}

/** How often, on average, an agent of a kind does something in a cycle. */
interface Habits {
  fails: number;
  recovers: number;
  changes: number;
  restarts: number;
  /** Stops with a goodbye. */
  stops: number;
  /** Falls silent for a while without a goodbye. */
  vanishes: number;
  unmonitors: number;
  /** Share of events that are sent late. Agents without an event queue never send them. */
  late: number;
}

const CALM: Habits = {
  fails: 0.002,
  recovers: 0.3,
  changes: 0.002,
  restarts: 0.0005,
  stops: 0.0003,
  vanishes: 0.0003,
  unmonitors: 0.0005,
  late: 0,
};
const HABITS: Readonly<Record<AgentKind, Habits>> = {
  steady: CALM,
  flapping: { ...CALM, fails: 0.35, recovers: 0.6 },
  failing: { ...CALM, fails: 0.02, recovers: 0.05, changes: 0.01 },
  cloned: { ...CALM, fails: 0.03, stops: 0.01 },
  late: { ...CALM, fails: 0.05, changes: 0.02, late: 0.6 },
  "no event queue": { ...CALM, fails: 0.06, recovers: 0.1, changes: 0.02, late: 0.5, restarts: 0.005 },
  "clock set back": { ...CALM, fails: 0.03, restarts: 0.01, stops: 0.015 },
  silent: { ...CALM, vanishes: 0.02, stops: 0.01, restarts: 0.01, fails: 0.01 },
  "old version": { ...CALM, fails: 0.02 },
};
const CLASSES = [2, 32, 512] as const;
const SHIFTS = [0, 0, -45, 61, -90, 3600, -3600] as const;
const OLD_VERSIONS = ["5.0.3", "5.2.5", "5.6", "5.14", "5.17.1", "5.25.1", "6.1.0"].map(
  (version) => `monit-${version}/status.xml`,
);

interface Service {
  name: string;
  type: number;
  monitor: number;
  listed: boolean;
  failing: number;
  collectedSec: number;
  /** Before this time it reports no numbers of the service. */
  numberlessUntil: number;
}

/** Codes of the statistic types that the limits of the simulation watch. */
const LOAD = 0;
const CPU_USER = 1;
const CPU_SYSTEM = 2;
const PROCESS_CPU = 8;

/** Addresses at which agents claim to be reachable, and whether each is reachable from their own machine only. */
const ADDRESSES = [
  ["192.0.2.77", false],
  ["0.0.0.0", true],
  ["127.0.0.1", true],
  ["2001:db8::7", false],
  ["localhost", true],
  ["169.254.3.4", true],
  ["fe80::1", true],
] as const;

/** What an agent says about itself. It may change with every start. */
function detailsOf(incarnation: number): AgentDetails {
  const n = incarnation % ADDRESSES.length;
  const [address, isHere] = ADDRESSES[n] ?? ADDRESSES[0];
  return {
    version: n % 2 === 0 ? "5.33.0" : "5.34.2",
    startDelay: n,
    platform: {
      name: "Linux",
      release: `6.${n}.0`,
      version: "#1 SMP",
      machine: n % 3 === 0 ? "aarch64" : "x86_64",
      cpu: 1 + n,
      memory: 4_096_000 + n,
      swap: 1024 * n,
    },
    httpd: { address, isHere, port: 2812 + n, ssl: n % 2 === 1 },
    serviceGroups: n % 2 === 0 ? { apps: ["web", "db"] } : { apps: ["db"], machines: ["disk"] },
  };
}

function hostGroupOf(incarnation: number): string {
  return incarnation % 3 === 0 ? "Oslo" : "Bergen";
}

/** A program that some agents check. It prints one number per line. */
const SCRIPT = "script";
const PRINTED = ["queue", "oldest", "errors"];
/** Probabilities that a message carries changed output. The second is more frequent than Muster reports. */
const OUTPUT_CHANGES = [0.05, 0.9];

/** One agent. Times are unix seconds on the true clock, unless they are called the agent's. */
export class SimulatedAgent {
  readonly #habits: Habits;
  readonly #services: Service[];
  readonly #queue: QueuedEvent[] = [];
  readonly #old: string | null;
  #shift = 0;
  /** On the agent's clock. */
  #incarnation: number;
  #goneUntil = 0;
  #isStopped = false;
  #usec = 0;
  /** CPU of the system and of the process "web" in percent, and the load. */
  #cpu = 0;
  #load = 0;
  #webCpu = 0;
  /** Output of its program, if it has one. */
  readonly #printed: number[] | null;
  readonly #printsOther: number;
  /** Time of its next action. */
  nextAt: number;

  constructor(
    /** The agent's id; clones share one. */
    readonly id: string,
    readonly kind: AgentKind,
    private readonly random: Random,
    start: number,
    private readonly poll: number,
  ) {
    this.#habits = HABITS[kind];
    this.nextAt = start + random.below(poll);
    this.#incarnation = start - random.between(10, 100_000);
    this.#old = kind === "old version" ? Buffer.from(written(random.pick(OLD_VERSIONS))).toString() : null;
    this.#printed = kind === "failing" || kind === "late" ? PRINTED.map(() => 0) : null;
    this.#printsOther = random.pick(OUTPUT_CHANGES);
    const names = this.#old ? serviceNamesOf(this.#old) : ["web", "db", "disk"];
    this.#services = names.map((name) => ({
      name,
      type: 3,
      monitor: 1,
      listed: true,
      failing: 0,
      collectedSec: 0,
      numberlessUntil: 0,
    }));
    if (kind === "late" && random.chance(0.5)) this.#shift = random.pick(SHIFTS);
  }

  /** What it posts at `at`, one message after another. @param isOnline whether it can reach Muster */
  act(at: number, isOnline: boolean): Message[] {
    const { random } = this;
    this.nextAt = at + this.poll + (random.chance(0.1) ? random.between(-2, 3) : 0);
    if (at < this.#goneUntil) {
      this.nextAt = this.#goneUntil;
      return [];
    }
    const messages: Message[] = [];
    if (this.#isStopped || this.#happens("restarts")) this.#start(at);
    // The clock is set while the agent runs.
    if (this.kind === "clock set back" && random.chance(0.01)) this.#shift = random.pick(SHIFTS);
    const now = at + this.#shift;
    if (this.#happens("vanishes")) {
      this.#goneUntil = at + random.between(300, 20_000);
      this.nextAt = this.#goneUntil;
      return [];
    }
    if (this.#happens("stops")) return this.#stop(at, isOnline);
    for (const event of this.#check(now)) {
      const isLate = random.chance(this.#habits.late) || !isOnline;
      if (isLate) this.#postpone(event);
      else messages.push(this.#message(now, event));
    }
    if (!isOnline) return [];
    for (let i = random.below(4); i > 0 && this.#queue.length > 0; i--) {
      const [late] = this.#queue.splice(random.below(this.#queue.length), 1);
      if (late) messages.push(this.#message(now, late));
    }
    messages.push(this.#message(now, null));
    return messages;
  }

  /** Handles the answer to a message: an event that was not accepted is sent again. */
  answered({ event }: Message, isTaken: boolean): void {
    if (event && !isTaken) this.#postpone(event);
  }

  /** Queues an event for later. Without an event queue it is lost for good. */
  #postpone(event: QueuedEvent): void {
    if (this.kind !== "no event queue") this.#queue.push(event);
  }

  #happens(habit: keyof Habits): boolean {
    return this.random.chance(this.#habits[habit]);
  }

  #start(at: number): void {
    if (this.kind === "clock set back") this.#shift = this.random.pick(SHIFTS);
    this.#isStopped = false;
    this.#incarnation = Math.max(this.#incarnation + 1, at + this.#shift);
    for (const service of this.#services) {
      if (this.random.chance(0.5)) service.failing = 0;
      if (this.random.chance(0.2)) service.monitor = 1;
    }
  }

  #stop(at: number, isOnline: boolean): Message[] {
    const event = this.#event(
      { service: "Monit", serviceType: 5, id: 65_536, state: 2, action: 3 },
      at + this.#shift,
    );
    this.#isStopped = true;
    this.#goneUntil = at + this.random.between(20, 8000);
    this.nextAt = this.#goneUntil;
    if (isOnline && this.random.chance(0.8)) return [this.#message(at + this.#shift, event)];
    this.#postpone(event);
    return [];
  }

  /** Checks its services and reports what has changed. */
  #check(now: number): QueuedEvent[] {
    const { random } = this;
    for (const service of this.#services) if (random.chance(0.95)) service.collectedSec = now;
    const service = random.pick(this.#services);
    const event = (state: number, id: number) =>
      this.#event({ service: service.name, serviceType: service.type, id, state }, now - random.below(3));
    if (service.failing !== 0) {
      if (!this.#happens("recovers")) return [];
      const id = service.failing & -service.failing;
      service.failing &= ~id;
      // Often the agent never reports it.
      return random.chance(0.75) ? [event(random.pick([0, 0, 3]), id)] : [];
    }
    if (this.#happens("fails")) {
      const id = random.pick(CLASSES);
      service.failing |= id;
      return random.chance(0.9) ? [event(1, id)] : [];
    }
    if (this.#happens("changes")) return [event(2, 1)];
    if (!this.#happens("unmonitors")) return [];
    if (random.chance(0.5)) service.monitor = service.monitor === 1 ? random.pick([0, 2, 4]) : 1;
    else service.listed = !service.listed;
    return [];
  }

  #event(event: EventXml, collectedSec: number): QueuedEvent {
    const { service, id = 512, state = 1 } = event;
    const collectedUsec = ++this.#usec;
    const xml = { action: 1, message: `${service} ${state}`, ...event, collectedSec, collectedUsec };
    return { xml, stamp: [service, id, state, collectedSec, collectedUsec].join(" ") };
  }

  #message(now: number, event: QueuedEvent | null): Message {
    this.#measure(now);
    const listed = this.#services
      .filter((service) => service.listed)
      .map((service) => this.#reported(service, now));
    const script = this.#script(now);
    if (script) listed.push(script);
    const uptime = now - this.#incarnation;
    const events: ReportedEvent[] = event ? [reportedEvent(event.xml)] : [];
    const cpuUser = this.#old ? undefined : listed.find(({ name }) => name === "disk")?.values?.[CPU_USER];
    const usage = cpuUser === undefined ? {} : { cpu: cpuUser, mem: this.#memory };
    const server = { uptime, poll: this.poll, ...usage };
    const incarnation = this.#incarnation;
    const more = this.#old
      ? { hostGroups: hostGroupsOf(this.#old) }
      : { hostGroups: [hostGroupOf(incarnation)], details: detailsOf(incarnation) };
    const report = { incarnation, server, services: listed, events, ...more };
    const xml = this.#old ? this.#oldXml(report, now, event) : this.#xml(report, now, event);
    return { agentId: this.id, xml, report, event };
  }

  get #memory(): number {
    return Math.round(this.#load * 100);
  }

  /** Numbers stay the same for some cycles, so that limits are exceeded for a while. */
  #measure(now: number): void {
    const { random } = this;
    if (random.chance(0.3)) this.#cpu = random.below(1000) / 10;
    if (random.chance(0.3)) this.#load = random.below(100) / 100;
    if (random.chance(0.3)) this.#webCpu = random.below(100) / 10;
    const service = random.pick(this.#services);
    if (random.chance(0.01)) service.numberlessUntil = now + random.between(100, 8000);
  }

  #valuesOf({ name, numberlessUntil }: Service, now: number): Record<number, number> | undefined {
    if (now < numberlessUntil || this.#old) return undefined;
    if (name === "web") return { [PROCESS_CPU]: this.#webCpu };
    return name === "disk" ? { [LOAD]: this.#load, [CPU_USER]: this.#cpu, [CPU_SYSTEM]: 0 } : undefined;
  }

  #script(now: number): ReportedService | null {
    const printed = this.#printed;
    if (printed === null) return null;
    const { random } = this;
    if (random.chance(this.#printsOther)) printed[random.below(printed.length)] = random.below(20);
    const output = printed.map((n, i) => `${PRINTED[i]}: ${n}`).join("\n");
    return { name: SCRIPT, monitor: 1, status: 0, statusHint: 0, collectedSec: now, output };
  }

  #reported(service: Service, now: number): ReportedService {
    const { name, monitor, failing, collectedSec } = service;
    const values = this.#valuesOf(service, now);
    // A failing service can look healthy for a moment. A mere change sets its bit in both words.
    const status = this.random.chance(0.05) ? 0 : failing;
    const statusHint = status !== 0 && this.random.chance(0.02) ? status : 0;
    return { name, monitor, status, statusHint, collectedSec, ...(values && { values }) };
  }

  #xml({ incarnation, server, services }: Report, at: number, event: QueuedEvent | null): string {
    const bodies: Record<string, string> = {
      web: processXml({ cpu: this.#webCpu, uptime: server.uptime }),
      disk: systemXml({ user: this.#cpu, system: 0, load: this.#load, memory: this.#memory }),
    };
    const types: Record<string, number> = { disk: 5, [SCRIPT]: 7 };
    return agentXml({
      ...detailsOf(incarnation),
      hostGroups: [hostGroupOf(incarnation)],
      id: this.id,
      hostname: this.id,
      at,
      incarnation,
      uptime: server.uptime,
      poll: server.poll,
      services: services.map(
        ({ name, monitor, status, statusHint, collectedSec, values, output }): ServiceXml => ({
          name,
          statusHint,
          collectedSec,
          monitor: monitor ?? 1,
          status: status ?? 0,
          type: types[name] ?? 3,
          body: output === undefined ? (values && bodies[name]) || "" : programXml({ output, started: at }),
        }),
      ),
      event: event?.xml ?? null,
    });
  }

  /** A captured message of another version, unchanged except for the values that vary. */
  #oldXml({ incarnation, server, services }: Report, at: number, event: QueuedEvent | null): string {
    let xml = (this.#old ?? "")
      .replace(/(<id>|<monit id=")\w+/, `$1${this.id}`)
      .replace(/(<incarnation>|incarnation=")\d+/, `$1${incarnation}`)
      .replace(/<uptime>-?\d+/, `<uptime>${server.uptime}`)
      .replace(/<poll>\d+/, `<poll>${server.poll}`)
      .replace(/<localhostname>[^<]*/, `<localhostname>${this.id}`);
    const byName = new Map(services.map((service) => [service.name, service]));
    xml = xml.replace(SERVICE, (text) => {
      const service = byName.get(nameOf(text));
      if (!service) return "";
      return text
        .replace(/<collected_sec>\d+/, `<collected_sec>${service.collectedSec}`)
        .replace(/<status>\d+/, `<status>${service.status}`)
        .replace(/<status_hint>\d+/, `<status_hint>${service.statusHint}`)
        .replace(/<monitor>\d+/, `<monitor>${service.monitor}`);
    });
    return event ? xml.replace("</monit>", `${eventXml(event.xml, at)}</monit>`) : xml;
  }
}

/** Of both layouts; members of groups have no attributes. */
const SERVICE = /<service (?:(?!<\/service>)[\s\S])*<\/service>/g;

function nameOf(service: string): string {
  const name = /^<service[^>]*name="([^"]*)"/.exec(service) ?? /<name>([^<]*)/.exec(service);
  return (name?.[1] ?? "").replaceAll("&amp;", "&");
}

function serviceNamesOf(xml: string): string[] {
  return [...xml.matchAll(SERVICE)].map(([text]) => nameOf(text));
}

function hostGroupsOf(xml: string): string[] {
  const [groups = ""] = /<hostgroups>[\s\S]*?<\/hostgroups>/.exec(xml) ?? [];
  return [...groups.matchAll(/<name>(?:<!\[CDATA\[)?(.*?)(?:\]\]>)?<\/name>/g)].map(([, name = ""]) => name);
}

function reportedEvent({ service, id = 512, state = 1, action = 1, ...stamp }: EventXml): ReportedEvent {
  const { collectedSec = null, collectedUsec = 0 } = stamp;
  return { service, eventType: id, state, action, collectedSec, collectedUsec };
}
