/** A day of a few hosts in which everything happens whose past is shown, and what the API said at moments of it. */
import {
  type AgentXml,
  filesystemXml,
  type ServiceXml,
  STOPPED,
  systemXml,
} from "../../support/agent-messages.ts";
import type { TestApp } from "../../support/app.ts";
import type { Fields, Reply, TestClient } from "../../support/client.ts";
import { limitWith } from "../../support/limits.ts";

const POLL = 30;
const WEB = 1;
const DATABASE = 2;
const BACKUP = 3;

/** An agent that reports a few services. */
export class DayAgent {
  services: ServiceXml[] = [];
  silent = false;
  readonly incarnation: number;
  #disk = 40;

  constructor(
    private readonly app: TestApp,
    readonly number: number,
  ) {
    this.incarnation = app.clock.now() - 3600;
    this.services = [
      { name: "web", type: 3 },
      { name: "cron", type: 3 },
    ];
  }

  get name(): string {
    return `host-${this.number}`;
  }

  set disk(percent: number) {
    this.#disk = percent;
  }

  async report(event: AgentXml["event"] = null): Promise<void> {
    if (this.silent) return;
    const { app, number, incarnation } = this;
    const at = app.clock.now();
    const usage = { user: (number * 7 + at / POLL) % 50, memory: 20 + ((at / POLL) % 30) };
    const response = await app.report({
      id: `agent-${number}`,
      hostname: this.name,
      at,
      incarnation,
      poll: POLL,
      serviceGroups: this.services.some(({ name }) => name === "cron")
        ? { jobs: ["cron"], all: ["web", "cron"] }
        : {},
      services: [
        { name: this.name, type: 5, body: systemXml(usage) },
        { name: "rootfs", type: 0, body: filesystemXml({ percent: this.#disk }) },
        ...this.services,
      ],
      event: event && { collectedSec: at, ...event },
    });
    if (response.status !== 200) throw new Error(`a report is answered ${response.status}`);
  }

  /** Reports that a service fails, or that it works again. */
  async turn(service: string, status: number): Promise<void> {
    const before = this.services.find(({ name }) => name === service)?.status ?? 0;
    this.services = this.services.map((row) => (row.name === service ? { ...row, status } : row));
    const bits = status === 0 ? before : status;
    await this.report({
      service,
      serviceType: 3,
      id: bits,
      state: status === 0 ? 0 : 1,
      message: `${service} ${bits}`,
    });
  }
}

/** A call of the API, and what it answered at a moment. */
export interface Answer {
  at: number;
  path: string;
  fields: Fields;
  reply: unknown;
}

/** What screens ask. */
export function questions(app: TestApp): [path: string, fields: Fields][] {
  const hosts = app.rows<{ id: number }>("select id from hosts order by id").map(({ id }) => id);
  const events = app
    .rows<{ id: number }>("select id from events order by id desc limit 12")
    .map(({ id }) => id);
  const errors = app
    .rows<{ id: number }>("select id from events where state = 1 order by id desc limit 6")
    .map(({ id }) => id);
  const ofHosts = (path: string, fields: Fields = {}): [string, Fields][] =>
    hosts.map((id) => [path, { id, ...fields }]);
  return [
    ["/status/hosts/list", {}],
    ["/status/hosts/list", { sort: "led", dir: "desc" }],
    ["/status/hosts/list", { sort: "cpu", dir: "desc", results: 2 }],
    ["/status/hosts/list", { led: [0, 1] }],
    ["/status/hosts/list", { hostgroupid: [1] }],
    ["/status/hosts/summary", {}],
    ["/status/servicegroups/list", {}],
    ["/status/hostgroups/list", {}],
    ["/status/tags/list", {}],
    ["/reports/events/list", {}],
    ["/reports/events/list", { results: 3, startindex: 2, dir: "asc" }],
    ["/reports/events/list", { active: 1 }],
    ["/reports/events/list", { active: 2, sort: "hostname" }],
    ["/reports/events/list", { active: 1, text: "web" }],
    ["/reports/events/list", { hostgroupid: [1], state: [1] }],
    ["/reports/events/list", { hostid: [1] }],
    ["/reports/events/summary", {}],
    ["/incidents/list", { state: "open" }],
    ["/incidents/list", { state: "ended" }],
    ["/incidents/list", { state: "ended", hostgroupid: [1] }],
    ["/reports/history/top", { type: [7], order: "desc" }],
    ["/reports/uptime/list", { range: 0, cells: 24 }],
    ["/reports/uptime/list", { range: 5 }],
    ["/reports/uptime/budget", { range: 100, cells: 24 }],
    ...app
      .rows<{ id: number }>("select id from host_groups")
      .map(({ id }): [string, Fields] => ["/reports/uptime/budget", { range: 5, hostgroupid: id }]),
    ["/limits/list", {}],
    ["/mutes/list", {}],
    ["/oncall/now", {}],
    ...ofHosts("/status/hosts/get"),
    ...ofHosts("/reports/uptime/get", { range: 0 }),
    ...ofHosts("/reports/uptime/bars", { range: 0, cells: 24 }),
    ...hosts.map((hostid): [string, Fields] => ["/reports/history/get", { hostid, range: 0, points: 60 }]),
    ["/reports/history/compare", { hostid: hosts, type: [7], points: 30 }],
    ...events.map((id): [string, Fields] => ["/reports/events/get", { id }]),
    ...events.map((id): [string, Fields] => ["/reports/events/alerts", { id }]),
    ...errors.map((id): [string, Fields] => ["/incidents/get", { id }]),
  ];
}

/** Seconds for which the present keeps the hourly means of a glance. The past does not. */
const MEANS_KEPT = 300;

/** Keeps what the API answers now. @param glanceAfter when it last kept a glance, unix seconds */
export async function answersNow(app: TestApp, client: TestClient, glanceAfter = 0): Promise<Answer[]> {
  const answers: Answer[] = [];
  const id = app.rows<{ id: number }>("select id from hosts").map((row) => row.id);
  const glance: [string, Fields][] =
    app.clock.now() >= glanceAfter + MEANS_KEPT ? [["/status/hosts/glance", { id }]] : [];
  for (const [path, fields] of [...glance, ...questions(app)]) {
    const { status, json, text } = await client.get(`/api/1${path}`, fields);
    if (status !== 200) throw new Error(`${path} is answered ${status}: ${text}`);
    answers.push({ at: app.clock.now(), path, fields, reply: json });
  }
  return answers;
}

/** Asks again about the moment of an answer. */
export function askAgain(client: TestClient, { at, path, fields }: Answer): Promise<Reply> {
  return client.get(`/api/1${path}`, { ...fields, at });
}

/** Lets the day pass. @param keepMoment called at each moment that is kept */
export async function liveThroughDay(
  app: TestApp,
  admin: TestClient,
  keepMoment: () => Promise<void>,
): Promise<DayAgent[]> {
  // What happens later is dated later.
  const onMoment = async () => {
    await keepMoment();
    app.pass(1);
  };
  const post = async (path: string, fields: Fields) => {
    const reply = await admin.post(`/api/1${path}`, fields);
    if (reply.status !== 200) throw new Error(`${path} is answered ${reply.status}: ${reply.text}`);
    return reply.json;
  };
  const agents = [1, 2, 3].map((number) => new DayAgent(app, number));
  const [web, database, backup] = agents as [DayAgent, DayAgent, DayAgent];
  /** Lets everyone report for some cycles. */
  const cycles = async (count: number) => {
    for (let i = 0; i < count; i++) {
      app.pass(POLL);
      for (const agent of agents) await agent.report();
    }
  };
  const settingsOf = (id: number) => ({
    id,
    hostname: app.rows<{ hostname: string }>(`select hostname from hosts where id = ${id}`)[0]?.hostname,
    agentuser: "admin",
    agentpassword: "monit",
  });
  const activeId = (host: number) =>
    app.rows<{ id: number }>(`select id from events where active and host_id = ${host} order by id desc`)[0]
      ?.id ?? 0;

  for (const agent of agents) await agent.report();
  await cycles(4);
  await onMoment();

  await post("/admin/groups/create", { name: "racks" });
  await post("/admin/groups/add", { id: 1, hostid: [WEB, DATABASE] });
  await post("/admin/groups/target", { id: 1, target: 99 });
  await post("/admin/tags/add", { hosts: [WEB], tags: ["env=prod"] });
  app.muster.statisticLimits.create(limitWith({ name: "disk", critical: 95, minutes: 1 }));
  await cycles(2);
  await onMoment();

  await web.turn("web", 512);
  await cycles(1);
  await onMoment();

  await post("/problems/acknowledge", { id: activeId(WEB), note: "on it" });
  app.pass(10);
  await onMoment();

  database.silent = true;
  await cycles(6);
  await onMoment();

  backup.disk = 97;
  await cycles(4);
  await post("/mutes/create", { filter: { hosts: [BACKUP] }, minutes: 20, note: "disk swap" });
  await onMoment();

  await web.turn("web", 0);
  backup.services = backup.services.filter(({ name }) => name !== "cron");
  await cycles(2);
  await onMoment();

  database.silent = false;
  backup.disk = 50;
  await cycles(3);
  await post("/admin/hosts/update", { ...settingsOf(DATABASE), hostname: "db-renamed", keepname: 1 });
  await post("/admin/groups/remove", { id: 1, hostid: [DATABASE] });
  await post("/admin/groups/add", { id: 1, hostid: [BACKUP] });
  await post("/admin/groups/target", { id: 1, target: 99.5 });
  app.pass(5);
  await onMoment();

  await web.turn("cron", 2);
  await web.turn("web", 512);
  await cycles(1);
  await post("/reports/events/dismiss", { id: activeId(WEB) });
  backup.services = [...backup.services, { name: "cron", type: 3, monitor: 0 }];
  await cycles(1);
  await onMoment();

  await database.report({ ...STOPPED });
  database.silent = true;
  await cycles(5);
  await onMoment();

  await post("/admin/hosts/update", { ...settingsOf(BACKUP), status: 2 });
  await cycles(2);
  await onMoment();

  await web.turn("cron", 0);
  await post("/admin/hosts/update", { ...settingsOf(BACKUP), status: 0 });
  await cycles(40);
  await onMoment();
  return agents;
}
