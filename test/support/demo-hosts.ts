/** The machines of the demo fleet: their services, their load, and their failures. */
import {
  type AgentXml,
  filesystemXml,
  portXml,
  processXml,
  programXml,
  type ServiceXml,
  STARTED,
  systemXml,
} from "./agent-messages.ts";

const HOUR = 3600;
const DAY = 86_400;

/** A past or present failure. Times are seconds before the end of the history. */
interface Incident {
  service: string;
  /** Event class bit. */
  type: number;
  from: number;
  /** Absent: it is ongoing. */
  to?: number;
  failed: string;
  succeeded: string;
}

export interface DemoHost {
  name: string;
  group?: string;
  /** Of a busy hour, 0 to 1. */
  load: number;
  memory: number;
  processes: readonly string[];
  filesystems: readonly (readonly [name: string, percent: number])[];
  /** Remote hosts it checks. */
  remotes?: readonly string[];
  programs?: readonly string[];
  incidents?: readonly Incident[];
  /** Whether it reports, so many seconds before the end. */
  isUp?: (ago: number) => boolean;
}

const PLATFORMS = [
  { name: "Linux", release: "6.12.48-amd64", version: "#1 SMP PREEMPT_DYNAMIC Debian 6.12.48-1" },
  { name: "Linux", release: "6.1.0-40-amd64", version: "#1 SMP PREEMPT_DYNAMIC Debian 6.1.153-1" },
  { name: "FreeBSD", release: "14.3-RELEASE", version: "FreeBSD 14.3-RELEASE GENERIC", machine: "amd64" },
];

const ROOT = ["rootfs", 34] as const;

/** The first one has the longest history. */
export const DEMO_HOSTS: readonly DemoHost[] = [
  {
    name: "web-1.example.org",
    group: "Oslo",
    load: 0.6,
    memory: 58,
    processes: ["nginx", "php-fpm", "sshd", "cron"],
    filesystems: [ROOT, ["var", 61], ["srv", 78]],
    remotes: ["api.example.org"],
    programs: ["certificates"],
    incidents: [
      gone("php-fpm", 2 * DAY + 5 * HOUR, 2 * DAY + 4.6 * HOUR),
      gone("php-fpm", 9 * HOUR, 8.8 * HOUR),
      {
        service: "api.example.org",
        type: 32,
        from: 1500,
        failed: "failed protocol test [HTTP] at [api.example.org]:443 [TCP/IP TLS] -- Connection timed out",
        succeeded: "connection succeeded to [api.example.org]:443 [TCP/IP TLS]",
      },
    ],
    isUp: (ago) => ago < 30 * HOUR || ago > 33 * HOUR,
  },
  {
    name: "web-2.example.org",
    group: "Oslo",
    load: 0.5,
    memory: 49,
    processes: ["nginx", "php-fpm", "sshd"],
    filesystems: [ROOT, ["var", 57]],
  },
  {
    name: "db-1.example.org",
    group: "Oslo",
    load: 0.75,
    memory: 81,
    processes: ["postgresql", "sshd"],
    filesystems: [ROOT, ["pgdata", 91]],
    incidents: [
      {
        service: "pgdata",
        type: 2,
        from: 7 * HOUR,
        failed: "space usage 91.2% matches resource limit [space usage > 90.0%]",
        succeeded: "space usage check succeeded",
      },
    ],
  },
  {
    name: "db-2.example.org",
    group: "Tromsø",
    load: 0.35,
    memory: 72,
    processes: ["postgresql", "sshd"],
    filesystems: [ROOT, ["pgdata", 64]],
  },
  {
    name: "mail.example.org",
    group: "Oslo",
    load: 0.2,
    memory: 37,
    processes: ["postfix", "dovecot", "rspamd", "sshd"],
    filesystems: [ROOT, ["mail", 44]],
    incidents: [gone("rspamd", 3 * HOUR, 2.9 * HOUR), gone("rspamd", 40 * 60)],
  },
  {
    name: "backup.example.org",
    group: "Tromsø",
    load: 0.15,
    memory: 22,
    processes: ["sshd"],
    filesystems: [ROOT, ["backup", 83]],
    programs: ["last-backup"],
  },
  {
    name: "gateway.example.org",
    group: "Oslo",
    load: 0.1,
    memory: 18,
    processes: ["unbound", "dhcpd", "sshd"],
    filesystems: [ROOT],
    remotes: ["192.0.2.1"],
  },
  {
    name: "build.example.org",
    group: "Tromsø",
    load: 0.95,
    memory: 66,
    processes: ["runner", "docker", "sshd"],
    filesystems: [ROOT, ["work", 71]],
  },
  {
    name: "cache.example.org",
    group: "Oslo",
    load: 0.3,
    memory: 88,
    processes: ["redis", "sshd"],
    filesystems: [ROOT],
  },
  {
    name: "git.example.org",
    group: "Tromsø",
    load: 0.25,
    memory: 41,
    processes: ["gitea", "postgresql", "sshd"],
    filesystems: [ROOT, ["repositories", 52]],
  },
  {
    name: "monitor.example.org",
    group: "Oslo",
    load: 0.12,
    memory: 29,
    processes: ["grafana", "sshd"],
    filesystems: [ROOT],
  },
  {
    name: "old-nas.example.org",
    group: "Tromsø",
    load: 0.08,
    memory: 33,
    processes: ["smbd", "sshd"],
    filesystems: [ROOT, ["tank", 87]],
    // Silent for so long that the heartbeat notices within the history.
    isUp: (ago) => ago > 1300,
  },
];

function gone(service: string, from: number, to?: number): Incident {
  const incident = { service, type: 512, from, failed: "process is not running" };
  return { ...incident, ...(to === undefined ? {} : { to }), succeeded: "process is running with pid 4711" };
}

/** Between 0 and 1, the same for the same arguments, without visible pattern. */
function noise(seed: number, at: number): number {
  const x = Math.sin(seed * 127.1 + at * 0.0137) * 43_758.5453;
  return x - Math.floor(x);
}

/** How busy the hour is, 0 to 1: nights are quiet. */
function busyness(at: number): number {
  return 0.55 + 0.45 * Math.sin(((at % DAY) / DAY) * 2 * Math.PI - 2);
}

/** Of a machine with 16 GB. */
function programsXml(figures: { pid: number; uptime: number; cpu: number; memory: number }): string {
  const kilobytes = Math.round(163_840 * figures.memory);
  return processXml(figures).replaceAll(/(<kilobyte(?:total)?>)\d+/g, `$1${kilobytes}`);
}

/** A filesystem of `total` MB. */
function diskXml(percent: number, total: number): string {
  return filesystemXml({ percent })
    .replace(/<usage>[^<]*/, `<usage>${round((total * percent) / 100)}`)
    .replace("<total>1000.0<", `<total>${total}<`);
}

/** As `systemXml`, with the slower averages of the load. */
function busyXml(figures: Parameters<typeof systemXml>[0], load5: number, load15: number): string {
  return systemXml(figures)
    .replace(/<avg05>[^<]*/, `<avg05>${load5}`)
    .replace(/<avg15>[^<]*/, `<avg15>${load15}`);
}

function networkXml(down: number, up: number): string {
  const side = (bytes: number) =>
    `<packets><now>${Math.round(bytes / 800)}</now><total>1</total></packets>` +
    `<bytes><now>${Math.round(bytes)}</now><total>1</total></bytes><errors><now>0</now><total>0</total></errors>`;
  return (
    "<link><state>1</state><speed>1000000000</speed><duplex>1</duplex>" +
    `<download>${side(down)}</download><upload>${side(up)}</upload></link>`
  );
}

/** The element of a process, host, filesystem or program; a failing one has no body. */
function servicesOf(host: DemoHost, number: number, at: number, ago: number): ServiceXml[] {
  const { name, load, memory, processes, filesystems, remotes = [], programs = [] } = host;
  const wave = load * busyness(at);
  const jitter = noise(number + 1, at);
  const cpu = 100 * wave * (0.55 + 0.5 * jitter);
  const system: ServiceXml = {
    name,
    type: 5,
    body: busyXml(
      {
        user: round(cpu * 0.62),
        system: round(cpu * 0.2),
        wait: round(cpu * 0.08 * jitter),
        memory: round(Math.min(97, memory * (0.9 + 0.12 * busyness(at + 3 * HOUR)) + 2 * jitter)),
        load: round(4 * wave * (0.5 + jitter), 2),
      },
      round(4 * wave * (0.75 + 0.5 * jitter), 2),
      round(4 * wave * (0.9 + 0.2 * jitter), 2),
    ),
  };
  const services = [
    system,
    ...processes.map((process, i) => ({
      name: process,
      body: programsXml({
        pid: 800 + i * 13,
        uptime: 40 * DAY - ago,
        cpu: round((cpu / processes.length) * noise(i + 9, at)),
        memory: round((memory / (processes.length + 1)) * (0.9 + 0.1 * noise(i + 5, at))),
      }),
    })),
    ...filesystems.map(([filesystem, percent], i) => ({
      name: filesystem,
      type: 0,
      body: diskXml(
        round(Math.max(1, percent - (ago / DAY) * 0.35 * (i + 1) + jitter * 0.1)),
        40_960 * (i + 1),
      ),
    })),
    ...remotes.map((remote) => ({
      name: remote,
      type: 4,
      body: portXml({
        hostname: remote,
        port: 443,
        protocol: "HTTP",
        seconds: round(0.03 + 0.05 * wave * jitter, 4),
      }),
    })),
    ...programs.map((program) => ({
      name: program,
      type: 7,
      body: programXml({ output: "3 checked, all valid for more than 30 days", started: at }),
    })),
    { name: "eth0", type: 8, body: networkXml(2e6 * wave * (0.4 + jitter), 6e5 * wave * (0.4 + jitter)) },
  ];
  return services.map((service) => {
    const failure = host.incidents?.find(
      (incident) => incident.service === service.name && isOpen(incident, ago),
    );
    if (!failure) return service;
    return { ...service, status: failure.type, ...(failure.type === 512 ? { body: "" } : {}) };
  });
}

const isOpen = ({ from, to = Number.NEGATIVE_INFINITY }: Incident, ago: number) => ago <= from && ago > to;

function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits));
}

/** What the agent posts at this time: its status, and an event for each incident that begins or ends in this cycle. */
export function messageOf(host: DemoHost, number: number, at: number, now: number, poll: number): AgentXml[] {
  const ago = now - at;
  const status: AgentXml = {
    id: `demo${number}`,
    hostname: host.name,
    at,
    incarnation: now - 41 * DAY,
    poll,
    httpd: { address: `192.0.2.${10 + number}` },
    platform: { ...PLATFORMS[number % PLATFORMS.length], cpu: 4, memory: 16_384_000, swap: 2_048_000 },
    services: servicesOf(host, number, at, ago),
    ...(host.group ? { hostGroups: [host.group] } : {}),
  };
  const since = ago + poll;
  const events = (host.incidents ?? []).flatMap((incident) => {
    const serviceType = status.services?.find(({ name }) => name === incident.service)?.type ?? 3;
    const event = { service: incident.service, serviceType, id: incident.type };
    if (isOpen(incident, ago) && !isOpen(incident, since))
      return [{ ...event, state: 1, message: incident.failed }];
    if (!isOpen(incident, ago) && isOpen(incident, since))
      return [{ ...event, state: 0, message: incident.succeeded }];
    return [];
  });
  const restarted = host.isUp?.(ago) && !host.isUp(since) ? [STARTED] : [];
  return [...[...restarted, ...events].map((event) => ({ ...status, event })), status];
}
