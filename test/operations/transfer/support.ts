/** An app with one of everything, and its export and import. */

import { type Snapshot, TestApp } from "../../support/app.ts";
import type { TestClient } from "../../support/client.ts";
import { isOnPostgres } from "../../support/database.ts";
import { escalating, notifying } from "../../support/rules.ts";

export type Document = Record<string, unknown> & {
  hosts: Record<string, unknown>[];
  rules: Record<string, unknown>[];
  limits: Record<string, unknown>[];
  channels: Record<string, unknown>[];
};

/** An override that has not ended: exports and imports are read with the time of the machine. Unix seconds. */
export const IN_2100 = 4_102_444_800;

export const SECRET = "webhook secret 4711";
export const NAMES = [
  "groups",
  "hosts",
  "keys",
  "expected",
  "limits",
  "users",
  "settings",
  "channels",
  "contacts",
  "oncall",
  "rules",
  "maintenance",
  "mailreports",
  "weeklyrehearsals",
  "dependencies",
  "statuspages",
  "filters",
  "views",
];

export async function ask(admin: TestClient, path: string, fields: Record<string, unknown>): Promise<number> {
  const reply = await admin.post(`/api/1/admin/${path}`, fields as never);
  if (reply.status !== 200) throw new Error(`${path}: ${reply.text}`);
  return reply.json.id as number;
}

/** What `furnish` leaves. To copy it costs a sixth of doing it again. */
let furnishings: Snapshot | null = null;

/** A new app with one of everything. */
export async function furnished(): Promise<{ app: TestApp; admin: TestClient }> {
  if (isOnPostgres()) return furnish();
  furnishings ??= (await furnish()).app.snapshot();
  const app = new TestApp({ snapshot: furnishings });
  return { app, admin: await app.admin() };
}

async function furnish(): Promise<{ app: TestApp; admin: TestClient }> {
  const app = new TestApp();
  const admin = await app.admin();
  await app.report({ id: "a-web", hostname: "web", services: [{ name: "nginx" }], hostGroups: ["linux"] });
  await app.report({ id: "a-db", hostname: "db", services: [{ name: "postgres" }] });
  const edge = await ask(admin, "groups/create", { name: "edge" });
  await admin.post("/api/1/admin/groups/add", { id: edge, hostid: [1, 2] });
  await admin.post("/api/1/admin/groups/target", { id: edge, target: 99.95 });
  await ask(admin, "hosts/update", {
    id: 1,
    hostname: "web-1",
    keepname: 1,
    description: "in the cellar",
    agentuser: "root",
    agentpassword: "agent secret",
    skew: 5,
    tag: ["env=prod", "role=web"],
  });
  await ask(admin, "hosts/update", { id: 2, hostname: "db", agentuser: "", agentpassword: "", status: 2 });
  const [hook, pager] = [
    { name: "hook", kind: "webhook", settings: { url: "https://hooks.example.org/x", secret: SECRET } },
    { name: "push", kind: "ntfy", settings: { topic: "alerts" } },
  ];
  const hookId = await ask(admin, "channels/create", hook);
  const pagerId = await ask(admin, "channels/create", pager);
  await ask(admin, "rules/create", {
    name: "edge broken",
    filter: { hostgroups: [edge], hosts: [1], tags: ["env=prod", "env=test"], states: [1] },
    delay: 5,
    repeat: 60,
    quiet: { from: "22:00", to: "06:00", timezone: "Europe/Oslo" },
    flapcount: 5,
    flapwindow: 30,
    ...escalating([hookId], 30, pagerId),
  });
  await ask(admin, "rules/create", { name: "all the rest", ...notifying(pagerId), final: true });
  await ask(admin, "maintenance/create", {
    name: "patching",
    filter: { hostgroups: [edge], tags: ["role"] },
    schedule: { kind: "weekly", days: [0], from: "03:00", minutes: 90, timezone: "UTC" },
  });
  const place = { hosts: [1], hostgroups: [edge], tags: ["env=prod"], servicenames: ["root*"] };
  const limits = [
    {
      name: "disk",
      statistics: [18],
      filter: { ...place, servicetypes: [0] },
      warning: 80.5,
      critical: 90,
      minutes: 10,
      missing: "warn",
      clearvalue: 79.25,
      clearminutes: 5,
      downtime: true,
      note: "logs",
      runbook: "https://r.example.org/",
    },
    {
      name: "load",
      statistics: [0],
      descriptor: "15min",
      perprocessor: true,
      critical: 4,
      filter: { hostnames: ["db*"] },
      enabled: false,
    },
    { name: "slow", statistics: [18, 19], direction: "below", warning: 1e-7, critical: -2 },
  ];
  const post = async (path: string, fields: object) => {
    const reply = await admin.post(`/api/1/${path}`, { ...fields });
    if (reply.status !== 200) throw new Error(reply.text);
  };
  for (const limit of limits) await post("limits/create", limit);
  const page = { title: "Edge", hostgroup: edge, tags: ["public"], slug: "edge" };
  await ask(admin, "statuspages/create", page);
  const mail = {
    name: "mail",
    kind: "email",
    settings: { host: "mail.example.org", from: "m@example.org", to: "ops@example.org" },
  };
  const mailId = await ask(admin, "channels/create", mail);
  await ask(admin, "mailreports/create", {
    name: "Week",
    period: "weekly",
    hour: 6,
    target: 99.95,
    channel: mailId,
    hostgroups: [edge],
    users: ["user"],
    addresses: ["boss@example.org"],
    enabled: false,
  });
  await ask(admin, "mailreports/create", {
    name: "Day",
    period: "daily",
    channel: mailId,
    everything: true,
    addresses: ["boss@example.org"],
  });
  await ask(admin, "contacts/set", { uname: "user", channels: [mailId] });
  await ask(admin, "dependencies/create", { dependent: { host: 1, service: "web" }, cause: { host: 2 } });
  const rotations = [
    {
      name: "Nights",
      users: ["user", "admin"],
      start: "2026-01-01",
      handover: "17:00",
      unit: "day",
      every: 2,
      hours: { days: [1, 2], from: "17:00", to: "09:00" },
    },
  ];
  await admin.post("/api/1/oncall/create", { name: "Ops", rotations, timezone: "Europe/Berlin" });
  const weekly = { wait: 45, day: 3, time: "10:15", timezone: "Asia/Tokyo" };
  await ask(admin, "weeklyrehearsals/create", {
    name: "Edge",
    rule: 1,
    escalate: true,
    enabled: false,
    ...weekly,
  });
  await ask(admin, "weeklyrehearsals/create", { name: "Ops", schedule: 1, ...weekly });
  const span = { from: IN_2100, to: IN_2100 + 120 };
  await admin.post("/api/1/oncall/override/create", { schedule: 1, user: "user", ...span });
  const failing = {
    screen: "events",
    active: 2,
    hostid: 2,
    hostgroupid: edge,
    servicenameid: 1,
    tag: ["env=prod"],
  };
  const kept = { secret: "a-secret-that-is-kept", ends: 2_000_000_000 };
  await post("admin/keys/create", {
    name: "edge",
    hostgroups: [edge],
    tags: ["n=1"],
    hostpattern: "e*",
    ...kept,
  });
  const settings = { tags: ["n=1"], description: "Edge", skew: 9 };
  await post("admin/expected/create", { hostname: "e-1", hostgroups: [edge], ...settings });
  await post("filters/create", { name: "failing", filter: failing });
  await post("filters/create", { name: "edge", filter: { screen: "hosts", group: edge, led: 0 } });
  await post("views/create", { name: "load", statistics: [0], descriptor: "1min", hosts: [2, 1] });
  await post("views/create", { name: "disks", statistics: [18], hostgroup: edge, order: "asc", results: 9 });
  await ask(admin, "settings/update", { sessionidle: 77 });
  return { app, admin };
}

export async function exported(admin: TestClient, secrets = false): Promise<Document> {
  return (await admin.get("/api/1/admin/transfer/export", { secrets: secrets ? 1 : 0 })).json as Document;
}

export function importInto(admin: TestClient, document: unknown) {
  const form = new FormData();
  form.set("file", new Blob([typeof document === "string" ? document : JSON.stringify(document)]));
  return admin.upload("/api/1/admin/transfer/import", form);
}

export const without = (document: Document) => ({ ...document, exported: 0 });
