/** The machines of the demonstration: their services, their load, and what went wrong on them. */
import { RESOURCE } from "../monit/event-types.ts";
import { DAY, HOUR, MINUTE } from "../platform/clock.ts";

/** A time in the past, in seconds before the end of the history. Without an end it lasts. */
export interface DemoPast {
  from: number;
  to?: number | undefined;
}

/** A past or present failure of a service. */
interface Incident extends DemoPast {
  service: string;
  /** Event type. */
  type: number;
  failed: string;
  succeeded: string;
}

export interface DemoHost {
  name: string;
  group: string;
  /** Load of a busy hour, 0 to 1. */
  load: number;
  /** Memory usage, percent. */
  memory: number;
  processes: readonly string[];
  /** Usage at the end of the history, percent. */
  filesystems: readonly (readonly [name: string, percent: number])[];
  /** Remote hosts it checks. */
  remotes?: readonly string[];
  programs?: readonly string[];
  incidents?: readonly Incident[];
  /** When it did not report. */
  outages?: readonly DemoPast[];
}

/** Whether the time is within one of these spans. @param ago seconds before the end of the history */
export function isWithin({ from, to = Number.NEGATIVE_INFINITY }: DemoPast, ago: number): boolean {
  return ago <= from && ago > to;
}

/** Whether the host reports at this time. @param ago seconds before the end of the history */
export function isUp({ outages = [] }: DemoHost, ago: number): boolean {
  return !outages.some((outage) => isWithin(outage, ago));
}

function inWholeSeconds<T extends DemoPast>(past: T): T {
  const { from, to } = past;
  return { ...past, from: Math.round(from), to: to && Math.round(to) };
}

/**
 * The host with times in whole seconds, like those of messages. As a binary fraction, 5.1 days are slightly less than a
 * whole number of seconds.
 */
export function withWholeSeconds({ incidents = [], outages = [], ...host }: DemoHost): DemoHost {
  return { ...host, incidents: incidents.map(inWholeSeconds), outages: outages.map(inWholeSeconds) };
}

/** Event types: see monit/event-types.ts. */
const CONNECTION = 32;
const STATUS = 2_097_152;
/** A process is gone, so there are no numbers of it. */
export const NONEXISTENT = 512;

function gone(service: string, from: number, to?: number): Incident {
  return {
    service,
    type: NONEXISTENT,
    from,
    to,
    failed: "process is not running",
    succeeded: "process is running with pid 4711",
  };
}

function full(service: string, percent: number, from: number, to?: number): Incident {
  return {
    service,
    type: RESOURCE,
    from,
    to,
    failed: `space usage ${percent.toFixed(1)}% matches resource limit [space usage > 90.0%]`,
    succeeded: "space usage check succeeded",
  };
}

function unreachable(from: number, to?: number): Incident {
  const service = "api.example.org";
  return {
    service,
    type: CONNECTION,
    from,
    to,
    failed: `failed protocol test [HTTP] at [${service}]:443 [TCP/IP TLS] -- Connection timed out`,
    succeeded: `connection succeeded to [${service}]:443 [TCP/IP TLS]`,
  };
}

function failedProgram(service: string, output: string, from: number, to?: number): Incident {
  return {
    service,
    type: STATUS,
    from,
    to,
    failed: `'${service}' failed with exit status (1) -- ${output}`,
    succeeded: "status succeeded (0) -- 3 checked, all valid for more than 30 days",
  };
}

const ROOT = ["rootfs", 34] as const;

/** Twelve machines with a history of their own. */
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
      unreachable(1500),
    ],
    outages: [{ from: 33 * HOUR, to: 30 * HOUR }],
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
    incidents: [full("pgdata", 91.2, 7 * HOUR)],
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
    incidents: [gone("rspamd", 3 * HOUR, 2.9 * HOUR), gone("rspamd", 40 * MINUTE)],
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
    outages: [{ from: 1300 }],
  },
];

/** What machines of one kind have in common. */
type Role = Pick<DemoHost, "load" | "memory" | "processes" | "filesystems"> & Partial<DemoHost>;

const WEB: Role = {
  load: 0.5,
  memory: 47,
  processes: ["nginx", "php-fpm", "sshd"],
  filesystems: [ROOT, ["var", 55]],
};
const APPLICATION: Role = {
  load: 0.4,
  memory: 62,
  processes: ["java", "sshd"],
  filesystems: [ROOT, ["logs", 48]],
  remotes: ["api.example.org"],
};
const DATABASE: Role = {
  load: 0.55,
  memory: 76,
  processes: ["postgresql", "sshd"],
  filesystems: [ROOT, ["pgdata", 58]],
};
const QUEUE: Role = {
  load: 0.3,
  memory: 44,
  processes: ["rabbitmq", "sshd"],
  filesystems: [ROOT, ["queue", 23]],
};
const STORAGE: Role = {
  load: 0.2,
  memory: 39,
  processes: ["minio", "sshd"],
  filesystems: [ROOT, ["data", 69]],
  programs: ["scrub"],
};
const GATE: Role = {
  load: 0.1,
  memory: 17,
  processes: ["wireguard", "unbound", "sshd"],
  filesystems: [ROOT],
  remotes: ["192.0.2.1"],
};

/** What went wrong in three months on one of the machines below, with days before the end of the history. */
const TROUBLE: Readonly<Record<string, Pick<DemoHost, "incidents" | "outages">>> = {
  "web-4": { incidents: [gone("php-fpm", 12.3 * DAY, 12.29 * DAY), gone("nginx", 51.6 * DAY, 51.55 * DAY)] },
  "web-6": {
    outages: [{ from: 24.2 * DAY, to: 24.02 * DAY }],
    incidents: [full("var", 93.4, 66 * DAY, 64 * DAY)],
  },
  "app-1": { incidents: [unreachable(38.4 * DAY, 38.31 * DAY)] },
  "app-2": { incidents: [unreachable(38.4 * DAY, 38.32 * DAY)] },
  "app-3": { incidents: [gone("java", 5.1 * DAY, 5.06 * DAY), gone("java", 19.7 * DAY, 19.68 * DAY)] },
  "app-5": {
    incidents: [gone("java", 0.6 * DAY, 0.59 * DAY)],
    outages: [{ from: 71.5 * DAY, to: 71.2 * DAY }],
  },
  "app-8": { outages: [{ from: 8.8 * DAY, to: 8.72 * DAY }] },
  "sql-2": { incidents: [full("pgdata", 92.8, 44.5 * DAY, 42.1 * DAY)] },
  "sql-3": { outages: [{ from: 33.3 * DAY, to: 33.27 * DAY }] },
  "queue-1": { incidents: [gone("rabbitmq", 28.2 * DAY, 28.15 * DAY)] },
  "store-2": { incidents: [failedProgram("scrub", "1 block could not be repaired", 15.4 * DAY, 14.9 * DAY)] },
  "vpn-1": { outages: [{ from: 58.6 * DAY, to: 58.4 * DAY }] },
  "vpn-2": {
    incidents: [gone("wireguard", 3.3 * DAY, 3.28 * DAY)],
    outages: [{ from: 80.1 * DAY, to: 79.9 * DAY }],
  },
};

const PLACES = ["Oslo", "Tromsø", "Bergen"] as const;

/** Machines of one kind, spread over the places. */
function several(name: string, role: Role, first: number, last: number): DemoHost[] {
  return Array.from({ length: last - first + 1 }, (_, i) => {
    const key = `${name}-${first + i}`;
    const group = PLACES[i % PLACES.length] ?? PLACES[0];
    return {
      ...role,
      name: `${key}.example.org`,
      group,
      load: role.load * (0.8 + 0.1 * (i % 5)),
      ...TROUBLE[key],
    };
  });
}

/** The whole fleet: forty machines. */
export const DEMO_FLEET: readonly DemoHost[] = [
  ...DEMO_HOSTS,
  ...several("web", WEB, 3, 8),
  ...several("app", APPLICATION, 1, 9),
  ...several("sql", DATABASE, 1, 5),
  ...several("queue", QUEUE, 1, 2),
  ...several("store", STORAGE, 1, 4),
  ...several("vpn", GATE, 1, 2),
];
