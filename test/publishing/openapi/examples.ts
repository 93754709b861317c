/** A database with something of everything, and for every operation a call that succeeds on it. */

import * as v from "valibot";
import { insertUser } from "../../../src/accounts/users/users.repository.ts";
import { insertDelivery } from "../../../src/alerting/notifications/deliveries.repository.ts";
import { insertMessage, insertRehearsal } from "../../../src/alerting/rehearsals/rehearsals.repository.ts";
import { insertCode } from "../../../src/monitoring/enrolment/enrolment.repository.ts";
import { findHost } from "../../../src/monitoring/hosts/hosts.repository.ts";
import { packed } from "../../../src/monitoring/hosts/stored-rows.repository.ts";
import { saveSum } from "../../../src/monitoring/limits/limit-sums.repository.ts";
import { Months } from "../../../src/monitoring/limits/month-sum.ts";
import { insertFinding } from "../../../src/operations/health/findings.repository.ts";
import { METHODS, type Method, type Operation } from "../../../src/platform/http/operation.ts";
import { tokenHash } from "../../../src/platform/secrets/token-hash.ts";
import { deletedHostRows, deletedHosts, hosts } from "../../../src/platform/storage/schema.ts";
import {
  filesystemXml,
  portXml,
  processXml,
  programXml,
  STOPPED,
  systemXml,
} from "../../support/agent-messages.ts";
import {
  ADMIN_PASSWORD,
  type Snapshot,
  TestApp,
  type TestOptions,
  USER_PASSWORD,
} from "../../support/app.ts";
import { insertChannel } from "../../support/channels.ts";
import { type Fields, formOf, type Reply, type TestClient } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { isOnPostgres } from "../../support/database.ts";
import { escalating, notifying } from "../../support/rules.ts";
import { totpCode } from "../../support/totp.ts";

const BASE_URL = "https://muster.example";

export interface Populated {
  app: TestApp;
  admin: TestClient;
  user: TestClient;
  /** API tokens of the administrator. */
  tokens: Record<"read" | "full", string>;
  /** Where the agent of host 1 listens on loopback. */
  agentPort: number;
  /** Id of another session of the administrator. */
  otherSession: string;
  /** With which the administrator has begun a second factor. */
  totpSecret: string;
  /** A user who sees no host. */
  guest: TestClient;
  /** A user who manages group 1. */
  manager: TestClient;
  /** A user with a second factor. */
  careful: TestClient;
}

/** Every client is one of this proxy, which may say who it is. */
const BEHIND_PROXY = {
  trustedProxy: [{ address: "192.0.2.10", bits: 32, family: "ipv4" as const }],
  identity: { user: "Remote-User", groups: null },
  proxyLogin: { create: false, adminGroup: null },
};

/** Backups begin and do not end. */
const BACKING_UP: Pick<TestOptions, "backupMeans"> = {
  backupMeans: {
    make: () => new Promise(() => undefined),
    database: { kind: "file", path: "" },
    folder: "",
    migrations: "",
    identityFile: null,
    reach: "loopback",
  },
};
/** What the proxy says of the user who is one of its own. */
export const FROM_PROXY = { "Remote-User": "pat" };
const WALL_TOKEN = "mustwall_of-the-lobby";
const KEY_SECRET = "secret-of-the-key-racks";
const IMPORTED_EVENT = { id: 7, date: START - 86_400, service: "web", eventtype: 512, state: 1 };
const ENROLMENT_CODE = "enrol_of-the-key-racks";
/** A code that has no uses left. */
export const USED_CODE = "enrol_of-yesterday";
/** A code of a key that is for some host names only. */
export const NARROW_CODE = "enrol_of-the-key-annex";
/** What some operations need besides arguments. */
const HEADERS: Readonly<Record<string, Record<string, string>>> = {
  "/login/proxy": FROM_PROXY,
  "/enrol/exchange": { "X-Forwarded-Proto": "https" },
  "/wall/show": { Cookie: `zwall=${WALL_TOKEN}` },
};
export const CAREFUL_PASSWORD = "careful secret";

/** A user with a second factor, and one whom the proxy signs in; the administrator has begun a second factor. */
async function withSecondFactors(app: TestApp, admin: TestClient) {
  const begin = async (client: TestClient, password: string) =>
    String((await client.post("/api/1/admin/users/totp/begin", { password })).json.secret);
  app.muster.users.create({
    uname: "careful",
    password: CAREFUL_PASSWORD,
    fullname: "Careful",
    admin: false,
  });
  const careful = await app.signedIn("careful", CAREFUL_PASSWORD);
  const code = totpCode(await begin(careful, CAREFUL_PASSWORD), app.clock.now());
  await careful.post("/api/1/admin/users/totp/confirm", { code });
  insertUser(app.db, { uname: "pat", fullname: "Pat", passwordMd5: "", origin: "proxy" });
  return { careful, totpSecret: await begin(admin, ADMIN_PASSWORD) };
}

/** What a database was filled with, and what is known of it besides. */
type Filled = Omit<Populated, "app">;

const filled = new Map<number, Promise<{ snapshot: Snapshot; before: Filled }>>();

/**
 * Muster as it is after a restart on that database: filling one takes many times as long as starting on a copy.
 * @param agentPort where the agent of host 1 listens on loopback
 * @param options more about the app that is started on it
 */
export async function populated(agentPort: number, options: TestOptions = {}): Promise<Populated> {
  if (isOnPostgres()) return fill(agentPort);
  const make = async () => {
    const { app, ...before } = await fill(agentPort);
    return { snapshot: app.snapshot(), before };
  };
  const made = filled.get(agentPort) ?? make();
  filled.set(agentPort, made);
  const { snapshot, before } = await made;
  return startedOn(snapshot, before, options);
}

/** Muster as it is after a start on this database, with the sessions that there were. */
export async function startedOn(
  snapshot: Snapshot,
  before: Omit<Populated, "app">,
  options: TestOptions = {},
): Promise<Populated> {
  const app = new TestApp({ ...BEHIND_PROXY, ...BACKING_UP, ...options, snapshot });
  await app.report("no message");
  const [admin, user] = [again(app, before.admin), again(app, before.user)];
  const [guest, manager] = [again(app, before.guest), again(app, before.manager)];
  return { ...before, app, admin, user, guest, manager, careful: again(app, before.careful) };
}

/** A client of this app with the session that another client has. */
function again(app: TestApp, { cookie, csrfToken }: TestClient): TestClient {
  return Object.assign(app.client(), { cookie, csrfToken });
}

/**
 * Host 1 has services of several types, an open error (event 1) with a note, and is in group 1; host 2 was stopped, and
 * its agent's address is in doubt. Group 2 is empty. Token 1 belongs to the administrator.
 */
async function fill(agentPort: number): Promise<Populated> {
  const app = new TestApp({ ...BEHIND_PROXY, ...BACKING_UP });
  app.settings.set("backupplace", "/backup");
  const [admin, user] = [await app.admin(), await app.user()];
  const services = [
    { name: "host-1", type: 5, body: systemXml() },
    { name: "web", type: 3, status: 512, every: 2, body: processXml() + portXml() },
    { name: "rootfs", type: 0, body: filesystemXml() },
    { name: "script", type: 7, every: "* * * * *", body: programXml() },
  ];
  const report = { services, hostGroups: ["rack"], serviceGroups: { frontend: ["web"] } };
  await app.report(report);
  app.pass(30);
  const later = { ...report, incarnation: START - 3600, at: app.clock.now() };
  await app.report({ ...later, event: { service: "web" } });
  const other = { id: "agent-2", hostname: "host-2", at: app.clock.now(), services: [{ name: "db" }] };
  await app.report(other);
  await app.report({ ...other, event: STOPPED });
  const settings = { agentuser: "admin", agentpassword: "monit", skew: 3 };
  await admin.post("/api/1/admin/hosts/update", {
    ...settings,
    id: 1,
    hostname: "host-1",
    ipaddrout: "127.0.0.1",
    portout: agentPort,
    actionqueue: 1,
  });
  app.db.$client.run("update hosts set conflict = 'It says that it is elsewhere' where id = 2");
  const unreadable = { count: 1, services: [{ service: "web", count: 1, elements: ["pid"] }] };
  app.db.$client.run("update hosts set unreadable = ? where id = 1", [JSON.stringify(unreadable)]);
  await admin.post("/api/1/reports/events/note", { id: 1, message: "on it" });
  await admin.post("/api/1/admin/groups/create", { name: "empty" });
  await admin.post("/api/1/admin/keys/create", {
    name: "racks",
    secret: KEY_SECRET,
    hostgroups: [1],
    tags: ["env=prod"],
  });
  await admin.post("/api/1/admin/keys/create", { name: "annex", hostpattern: "annex-*" });
  // It gets actions, and its agent may still report with the first credential.
  app.db.$client.run("update hosts set key_id = 2, next_key_id = 0 where id = 1");
  app.db.$client.run(
    `insert into queued_actions (host_id, service, action, state, until, uname, created_at, fetched_at, ended_at, code, audit_id)
     values (1, 'web', 'start', 'ran', ${START}, 'admin', ${START}, ${START}, ${START}, 0, 1),
       (1, 'web', 'stop', 'waiting', ${START + 900}, 'admin', ${START}, null, null, null, 1)`,
  );
  const code = { keyId: 1, uses: 5, ends: START + 86_400, created: START };
  insertCode(app.db, { ...code, codeHash: tokenHash(ENROLMENT_CODE) });
  insertCode(app.db, { ...code, codeHash: tokenHash(USED_CODE), used: 5 });
  insertCode(app.db, { ...code, keyId: 2, codeHash: tokenHash(NARROW_CODE) });
  await admin.post("/api/1/admin/expected/create", {
    hostname: "web-1",
    hostgroups: [1],
    tags: ["env=prod"],
  });
  await admin.post("/api/1/admin/expected/create", { hostname: "web-2" });
  await admin.post("/api/1/admin/tags/add", { tags: ["env=prod", "web"], hosts: [1] });
  const many = Array.from({ length: 50 }, (_, i) => `n=${i}`);
  await admin.post("/api/1/admin/tags/add", { tags: many, hosts: [2] });
  const failing = {
    screen: "events",
    active: 1,
    hostid: 1,
    hostgroupid: 1,
    servicenameid: 1,
    tag: ["env=prod"],
  };
  await admin.post("/api/1/filters/create", { name: "red", filter: { screen: "hosts", led: 0, group: 1 } });
  await admin.post("/api/1/filters/create", { name: "taken", filter: failing });
  const load = { statistics: [0], descriptor: "1min", hosts: [1, 2], services: [1] };
  await admin.post("/api/1/views/create", { name: "disks", statistics: [18], hostgroup: 1 });
  await admin.post("/api/1/views/create", { name: "taken", ...load });
  const hash = new Bun.CryptoHasher("sha256").update(WALL_TOKEN).digest("hex");
  app.db.$client.run(
    "insert into view_tokens (view_id, name, token_hash, created_at) values (1, 'lobby', ?, 0)",
    [hash],
  );
  await admin.post("/api/1/admin/statuspages/create", { title: "Rack", hostgroup: 1, slug: "shelf" });
  await admin.post("/api/1/admin/statuspages/create", {
    title: "Other racks",
    hostgroup: 1,
    slug: "annex",
    tags: ["web"],
  });
  const place = { hosts: [1], hostgroups: [1], hostnames: ["h*"], servicenames: ["r*"], servicetypes: [0] };
  const disk = { name: "disk", statistics: [18], filter: place };
  await admin.post("/api/1/limits/create", { ...disk, warning: 80, critical: 90 });
  await admin.post("/api/1/admin/dependencies/create", {
    dependent: { host: 1 },
    cause: { host: 2, service: "db" },
  });
  await admin.post("/api/1/limits/create", { name: "memory", statistics: [4], critical: 95 });
  await withMonth(app, admin);
  await withRules(app, admin, agentPort);
  withDeliveries(app);
  await withReports(admin);
  await admin.post("/api/1/publicnotes/create", { hostid: 1, text: "New disk at noon." });
  withDeletedHosts(app);
  withFindings(app);
  await admin.post("/api/1/session/put", { colour: "blue" });
  await user.post("/api/1/session/put", { colour: "red" });
  const token = async (scope: string) =>
    String((await admin.post("/api/1/tokens/create", { name: "script", scope })).json.token);
  const tokens = { read: await token("read"), full: await token("full") };
  await app.admin();
  const sessions: { id: string; current: boolean }[] = (await admin.get("/api/1/session/list")).json.records;
  const otherSession = sessions.find(({ current }) => !current)?.id ?? "";
  const { careful, totpSecret } = await withSecondFactors(app, admin);
  await withOnCall(admin);
  await withRehearsals(app, admin);
  return {
    app,
    admin,
    user,
    guest: await withGuest(app),
    manager: await withManager(app),
    careful,
    tokens,
    agentPort,
    otherSession,
    totpSecret,
  };
}

const ROTATION = {
  name: "All day",
  users: ["admin", "careful"],
  start: "2026-01-01",
  handover: "09:00",
  unit: "week",
  every: 1,
  hours: { days: [1, 2, 3, 4, 5], from: "09:00", to: "17:00" },
};

/** Three schedules: one has an override, and one is named by a rule. */
async function withOnCall(admin: TestClient): Promise<void> {
  await admin.post("/api/1/oncall/create", { name: "Office", rotations: [ROTATION] });
  await admin.post("/api/1/oncall/create", { name: "Database", rotations: [] });
  await admin.post("/api/1/oncall/create", { name: "Named by a rule", rotations: [] });
  const steps = [
    { after: 0, channels: [1], users: ["admin"], schedules: [] },
    { after: 30, schedules: [3] },
  ];
  await admin.post("/api/1/admin/rules/create", { name: "Steps", steps, filter: { hosts: [1] } });
  const override = { schedule: 1, user: "admin", from: START + 3600, to: START + 7200 };
  await admin.post("/api/1/oncall/override/create", override);
}

/** A user who was granted nothing and sees no host. */
function withGuest(app: TestApp): Promise<TestClient> {
  app.muster.users.create({ uname: "guest", password: "guest secret", fullname: "Guest", admin: false });
  app.db.$client.run("update users set restricted = true where uname = 'guest'");
  return app.signedIn("guest", "guest secret");
}

/** A user who manages group 1, and sees nothing else. */
function withManager(app: TestApp): Promise<TestClient> {
  const uname = "manager";
  app.muster.users.create({ uname, password: "manager secret", fullname: "Manager", admin: false });
  app.muster.grants.set({ uname, view: [], operate: [], manage: [1], restricted: true });
  return app.signedIn(uname, "manager secret");
}

/** Channel 1, which nothing can be sent through, and 2, which nothing uses; rules and maintenance of all hosts and of one. */
async function withRules(app: TestApp, admin: TestClient, agentPort: number): Promise<void> {
  const settings = app.box.seal(JSON.stringify({ url: "http://192.0.2.1/hook" }));
  insertChannel(app.db, { name: "chat", kind: "webhook", settings, createdAt: app.clock.now() });
  await admin.post("/api/1/admin/channels/create", {
    name: "phone",
    kind: "ntfy",
    settings: { url: `http://127.0.0.1:${agentPort}`, topic: "alerts", token: "tk_secret" },
  });
  const quiet = { from: "22:00", to: "06:30" };
  await admin.post("/api/1/admin/rules/create", { name: "all", ...notifying(1), quiet });
  const filter = {
    hosts: [1],
    hostgroups: [1],
    servicenames: ["web"],
    servicegroups: ["frontend"],
    servicetypes: [3],
    eventtypes: 512,
    states: [1],
  };
  await admin.post("/api/1/admin/rules/create", { name: "last", filter, ...notifying(1) });
  const once = { kind: "once", from: START + 3600, to: START + 7200 };
  await admin.post("/api/1/admin/maintenance/create", { name: "move", filter: {}, schedule: once });
  const weekly = { kind: "weekly", days: [2], from: "03:00", minutes: 60, timezone: "Europe/Oslo" };
  const patching = { name: "patching", filter: { hosts: [2] }, schedule: weekly };
  await admin.post("/api/1/admin/maintenance/create", patching);
  for (const end of [{ minutes: 60 }, { lease: {} }])
    await admin.post("/api/1/mutes/create", { filter: { servicenames: ["nothing"] }, ...end });
}

/** Of event 1 one rule told through channel 1: delivery 1 failed, 2 arrived. The other one held it back. */
function withDeliveries({ db, clock }: TestApp): void {
  const row = { ruleId: 1, channelId: 1, ruleName: "all", channelName: "chat", createdAt: clock.now() };
  const ended = { ...row, attempts: 1, finishedAt: clock.now() };
  insertDelivery(db, { ...ended, kind: "problem", status: "failed", answer: "404 no such hook" }, [1]);
  insertDelivery(db, { ...ended, kind: "reminder", status: "sent", answer: "200 ok" }, [1]);
  db.$client.run(`insert into alerts (rule_id, event_id, host_id, name_id, event_type, created_at, outcome)
    select 2, id, host_id, name_id, event_type, ${clock.now()}, 'quiet hours' from events where id = 1`);
}

/** Finding 1 about Muster itself lasts, as the channel still fails; 2 is over. */
function withFindings({ db, clock }: TestApp): void {
  const since = clock.now();
  const row = { severity: "warning", text: "It fails.", advice: "Mend it.", since, openedAt: since } as const;
  db.$client.run("update channels set failures = 1 where name = 'chat'");
  insertFinding(db, { ...row, code: "channel.failing", subject: "chat" });
  insertFinding(db, { ...row, code: "forecasts.behind", endedAt: since });
}

/** Deleted hosts: 901, and 902, whose agent is that of host 1 now. Neither had more than its own row. */
function withDeletedHosts({ db, clock }: TestApp): void {
  const [deletedBy, deletedAt, until] = ["admin", clock.now(), clock.now() + 30 * 86_400];
  for (const [hostId, agentId] of [
    [901, "agent-901"],
    [902, "agent-1"],
  ] as const) {
    const hostname = `gone-${hostId}`;
    const row = {
      ...findHost(db, 1, "all"),
      id: hostId,
      agentId,
      hostname,
      hostnameKey: hostname,
      events: 0,
    };
    const payload = packed(db, hosts, [row]);
    db.insert(deletedHosts)
      .values({ hostId, agentId, hostname, deletedBy, deletedAt, until, state: "deleted" })
      .run();
    db.insert(deletedHostRows).values({ hostId, source: "hosts", payload }).run();
  }
}

/** Channel 3 for mail, report 1 to an address through it, and report 2 to a user without one. */
async function withReports(admin: TestClient): Promise<void> {
  const mail = {
    name: "mail",
    kind: "email",
    settings: { host: "localhost", from: "m@example.org", to: "ops@example.org" },
  };
  await admin.post("/api/1/admin/channels/create", mail);
  const week = {
    name: "week",
    channel: 3,
    users: ["user"],
    hostgroups: [1],
    addresses: ["boss@example.org"],
  };
  await admin.post("/api/1/admin/mailreports/create", week);
  const month = { name: "month", channel: 3, users: ["user"], everything: true, period: "monthly" };
  await admin.post("/api/1/admin/mailreports/create", month);
}

/** Limit 3, on the traffic of a month, with a sum of host 1. */
async function withMonth({ db, clock }: TestApp, admin: TestClient): Promise<void> {
  const traffic = { name: "traffic", statistics: [153, 163], period: "month", warning: 1e12, critical: 2e12 };
  await admin.post("/api/1/limits/create", traffic);
  const [from, at] = [clock.now() - 3 * 86_400, clock.now()];
  const sum = { limitId: 3, hostId: 1, nameId: 1, countedFrom: from, sum: 1e11, counters: [] };
  saveSum(db, { ...sum, monthFrom: new Months("UTC").holding(at).from, at });
}

/** Weekly rehearsals 1, of rule 1, and 2; rehearsals 1, of rule 1, which has ended, and 2, of rule 3, which is ongoing. */
async function withRehearsals({ db, clock, settings }: TestApp, admin: TestClient): Promise<void> {
  settings.set("baseurl", BASE_URL);
  const weekly = { rule: 1, day: 1, time: "07:30" };
  await admin.post("/api/1/admin/weeklyrehearsals/create", { name: "Weekly", ...weekly, escalate: true });
  await admin.post("/api/1/admin/weeklyrehearsals/create", {
    name: "Nights",
    schedule: 1,
    ...weekly,
    rule: null,
  });
  const [startedAt, endedAt] = [clock.now() - 600, clock.now()];
  const ended = { ruleId: 1, weeklyId: 1, startedAt, failedAt: startedAt, endedAt, wait: 30 };
  const rehearsalId = insertRehearsal(db, ended);
  insertRehearsal(db, { ruleId: 3, startedAt: endedAt, failedAt: endedAt, dueAt: endedAt, wait: 30 });
  const delivery = { channelId: 1, ruleName: "all", channelName: "chat", createdAt: startedAt };
  const sent = { kind: "rehearsal", status: "sent", attempts: 1, finishedAt: startedAt + 2 } as const;
  const deliveryId = insertDelivery(db, { ...delivery, ...sent, person: "admin" }, []);
  insertMessage(db, { deliveryId, rehearsalId, userId: 1, step: 0, acknowledgedAt: endedAt });
}

/** What arguments of these names are in a call that succeeds. */
const USUAL: Fields = { id: 1, hostid: 1, uname: "user" };

/** The arguments that each operation cannot do without. */
function usualArguments(operations: readonly Operation[]): Record<string, Fields> {
  const usual = operations.map(({ path, request }) => {
    const entries = Object.entries(request.entries as Record<string, v.GenericSchema>);
    const required = entries.filter(([, entry]) => !v.safeParse(entry, undefined).success);
    return [path, Object.fromEntries(required.map(([name]) => [name, USUAL[name]]))] as const;
  });
  return Object.fromEntries(usual);
}

/** They are the same in every app. */
let usual: Record<string, Fields> | undefined;

/** Arguments of a call that succeeds, by path. @throws for arguments of an operation that is not there */
export function examples(populace: Populated): Readonly<Record<string, Fields>> {
  usual ??= usualArguments(populace.app.operations);
  const special = specialArguments(populace);
  for (const path of Object.keys(special))
    if (!(path in usual)) throw new Error(`There is no operation ${path}`);
  return { ...usual, ...special };
}

/** Of operations that take more than the usual arguments. */
function specialArguments({ app, agentPort, otherSession, totpSecret }: Populated): Record<string, Fields> {
  const credentials = { agentuser: "admin", agentpassword: "monit" };
  const span = { range: 12, datefrom: START - 60, dateto: START + 60 };
  return {
    "/login": { z_username: "admin", z_password: ADMIN_PASSWORD },
    "/session/put": { size: "large" },
    "/session/get": { key: ["colour", "CSRFToken"] },
    "/session/delete": { key: "colour" },
    "/session/revoke": { id: otherSession },
    "/tokens/create": { name: "backup", scope: "full", expires: START + 86_400 },
    "/status/hosts/list": { hostid: [1, 2] },
    "/status/hosts/glance": { id: [1, 2] },
    "/status/tags/list": { pattern: "env" },
    "/status/search": { text: "a" },
    "/reports/events/list": { maxid: 1000 },
    "/problems/acknowledge": { id: 1, note: "on it" },
    "/admin/health/acknowledge": { id: 1, note: "on it" },
    "/mutes/history": { hostid: 1, datefrom: START - 60, dateto: START + 60 },
    "/mutes/create": { filter: { hosts: [1] }, minutes: 60, note: "new disk" },
    "/mutes/renew": { id: 3, minutes: 30 },
    "/mutes/release": { id: 4 },
    "/mutes/delete": { id: 3 },
    "/limits/sums": { id: 3 },
    "/publicnotes/list": { hostid: 1 },
    "/publicnotes/create": { eventid: 1, text: "It restarts." },
    "/publicnotes/withdraw": { id: 1 },
    "/reports/events/note": { id: 1, message: "done" },
    "/reports/uptime/list": span,
    "/reports/uptime/get": { id: 1, ...span },
    "/reports/uptime/budget": { hostgroupid: 1, ...span },
    "/reports/uptime/bars": { id: 1, cells: 24, ...span },
    "/reports/forecasts/list": { days: 30 },
    "/reports/mail/get": { id: 1, before: START + 604_800 },
    "/admin/mailreports/create": {
      name: "day",
      period: "daily",
      hour: 6,
      target: 99.95,
      channel: 3,
      hostgroups: [1, 2],
      users: ["admin", "user"],
      addresses: ["boss@example.org"],
    },
    "/admin/mailreports/update": { id: 1, enabled: false },
    "/admin/rehearsals/start": { rule: 1, escalate: true, wait: 60 },
    "/admin/weeklyrehearsals/create": {
      name: "Sundays",
      rule: 2,
      wait: 15,
      day: 0,
      time: "09:00",
      timezone: "Europe/Berlin",
    },
    "/admin/weeklyrehearsals/update": { id: 1, day: 2, enabled: false },
    "/admin/contacts/set": { uname: "user", channels: [1] },
    "/admin/dependencies/list": { hostid: 1 },
    "/admin/dependencies/create": { dependent: { host: 1, service: "web" }, cause: { host: 2 } },
    "/oncall/calendar": { scheduleid: 1, from: START, to: START + 14 * 86_400 },
    "/oncall/create": { name: "Nights", rotations: [ROTATION], timezone: "Europe/Berlin" },
    "/oncall/update": { id: 1, name: "Days", rotations: [] },
    "/oncall/override/create": { schedule: 1, user: "user", from: START, to: START + 3600 },
    "/limits/preview": { limit: { name: "new", statistics: [18], warning: 20 }, days: 31 },
    "/limits/create": {
      name: "new",
      statistics: [1, 2, 3],
      warning: 80.5,
      filter: { hostgroups: [1] },
      minutes: 10,
    },
    "/limits/update": { id: 1, critical: null, runbook: "https://runbooks.example.org/disk" },
    "/reports/history/get": { hostid: 1, datefrom: START - 60 },
    "/admin/grants/set": { uname: "user", view: 2, operate: 1, restricted: true },
    "/reports/history/top": { type: 0 },
    "/reports/history/compare": { hostid: 1, type: 0, datefrom: START - 60 },
    "/admin/users/create": { uname: "new", password: "long enough", fullname: "A New User", admin: true },
    "/admin/users/update": {
      uname: "user",
      password: USER_PASSWORD,
      oldpassword: USER_PASSWORD,
      fullname: "The User",
    },
    "/admin/users/image": { uname: "user", remove: 1 },
    "/admin/users/totp/begin": { password: ADMIN_PASSWORD },
    "/admin/users/totp/confirm": { code: totpCode(totpSecret, app.clock.now()) },
    "/admin/users/totp/disable": { uname: "careful" },
    "/admin/hosts/update": { id: 1, hostname: "renamed", ...credentials },
    "/admin/hosts/delete": { inactive: 0 },
    "/admin/hosts/test": { ipaddr: "127.0.0.1", port: agentPort, ssl: 0, ...credentials },
    "/admin/hosts/action": { id: 1, action: "restart", service: ["web", "rootfs"] },
    "/admin/hosts/action/cancel": { id: 1, action: 2 },
    "/admin/hosts/action/queue": { id: 1, action: "restart", service: ["web", "rootfs"] },
    "/admin/groups/create": { name: "new" },
    "/admin/groups/update": { id: 1, name: "shelf" },
    "/admin/groups/target": { id: 1, target: 99.95 },
    "/admin/groups/add": { id: 2, hostid: [1, 2] },
    "/admin/groups/remove": { id: 1, hostid: 1 },
    "/admin/hosts/bulk/update": { filter: { hostgroupid: [1] }, addtags: ["seen"], skew: 5, addgroups: [2] },
    "/admin/hosts/bulk/delete": { hosts: [1, 2], count: 2 },
    "/admin/hosts/deleted/restore": { hosts: [901] },
    "/admin/hosts/deleted/delete": { hosts: [902] },
    "/admin/tags/add": { tags: ["env=prod", "critical"], hosts: [1] },
    "/admin/tags/remove": { tags: ["env=prod"], hosts: [1] },
    "/admin/transfer/import": { file: JSON.stringify({ muster: 1, groups: [{ name: "moved" }] }) },
    "/filters/create": { name: "open", filter: { screen: "events", active: 2 } },
    "/filters/update": { id: 1, name: "failing" },
    "/views/create": { name: "load", statistics: [0], descriptor: "1min", hosts: [1, 2] },
    "/views/update": { id: 1, name: "space" },
    "/views/tokens/create": { id: 1, name: "lobby" },
    "/wall/open": { token: WALL_TOKEN },
    "/admin/statuspages/create": { title: "Racks", hostgroup: 1, slug: "racks" },
    "/admin/statuspages/update": { id: 1, title: "All racks", services: false },
    "/admin/channels/get": { id: 2 },
    "/admin/channels/create": {
      name: "new",
      kind: "webhook",
      settings: { url: "https://hooks.example.org/" },
    },
    "/admin/channels/update": { id: 2, enabled: false, settings: { topic: "other" } },
    "/admin/channels/delete": { id: 2 },
    "/admin/channels/test": { id: 2 },
    "/admin/deliveries/list": { status: ["failed", "sent"], eventid: 1 },
    "/admin/rules/preview": { id: 1, rule: { name: "all", ...escalating([1], 30, 1), flapcount: 2 } },
    "/admin/rules/create": { name: "new", ...notifying(1), quiet: { from: "22:00", to: "06:30" } },
    "/admin/rules/update": { id: 1, delay: 5, ...escalating([1], 30, 1) },
    "/admin/rules/move": { id: 1, position: 2 },
    "/admin/rules/delete": { id: 2 },
    "/admin/maintenance/create": {
      name: "new",
      filter: { hostgroups: [1] },
      schedule: { kind: "once", from: START, to: START + 3600 },
    },
    "/admin/maintenance/update": {
      id: 2,
      schedule: { kind: "weekly", days: [0, 6], from: "02:30", minutes: 90, timezone: "Europe/Oslo" },
    },
    "/admin/settings/update": { sessionidle: 60 },
    "/admin/keys/create": { name: "new", hostgroups: [1], tags: ["edge"], hostpattern: "h*" },
    "/admin/keys/update": { id: 1, ends: START + 86_400 },
    "/admin/keys/delete": { id: 2 },
    "/admin/expected/create": { hostname: "web-3", hostgroups: [1], tags: ["edge"], skew: 5 },
    "/admin/expected/update": { id: 1, description: "Front" },
    "/admin/expected/delete": { id: 2 },
    "/admin/expected/preview": { list: "[rack]\nweb-[1:4]\nhost-1\n\nx y=1 z", tags: ["edge"] },
    "/admin/expected/import": { list: "hostname,groups\nweb-4,annex", creategroups: true },
    "/admin/keys/end": { id: 1, overlap: 3600 },
    "/admin/keys/secret": { id: 1 },
    "/admin/keys/helper": { id: 1 },
    "/admin/keys/replace": { id: 1, overlap: 3600 },
    "/admin/keys/codes/list": { id: 1 },
    "/admin/keys/codes/create": { id: 1, uses: 20, lifetime: 3600 },
    "/admin/keys/codes/delete": { id: 1 },
    "/enrol/exchange": { code: ENROLMENT_CODE },
    "/enrol/arrival": { name: "racks", secret: KEY_SECRET, agentid: "agent-1" },
    "/admin/keys/move": { id: 1, hosts: [1, 2] },
    "/admin/pastevents/missing": { agentid: "agent-1", events: [IMPORTED_EVENT] },
    "/admin/pastevents/store": {
      agentid: "agent-1",
      events: [{ ...IMPORTED_EVENT, servicetype: 3, action: 1, message: "was not there", notes: [] }],
    },
  };
}

/** Every operation with each of its methods. */
export function calls(operations: readonly Operation[]): [operation: Operation, method: Method][] {
  return operations.flatMap((operation) =>
    METHODS[operation.kind].map((method): [Operation, Method] => [operation, method]),
  );
}

export function send(
  client: TestClient,
  method: Method,
  path: string,
  args: Fields,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const url = `/api/1${path}`;
  const allHeaders = { ...HEADERS[path], ...headers };
  if (method === "GET") return client.get(url, args, allHeaders);
  // What a form brings along as a file.
  if (typeof args.file !== "string") return client.post(url, args, allHeaders);
  const { file, ...fields } = args;
  const form = new FormData();
  for (const [name, value] of formOf(fields)) form.append(name, value);
  form.set("file", new Blob([file as string]));
  return client.upload(url, form, allHeaders);
}
