/** An app in which something of everything was set up, and what is exported of it and imported. */
import { TestApp } from "../../support/app.ts";
import type { TestClient } from "../../support/client.ts";

export type Document = Record<string, unknown> & {
  hosts: Record<string, unknown>[];
  rules: Record<string, unknown>[];
  limits: Record<string, unknown>[];
  channels: Record<string, unknown>[];
};

export const SECRET = "webhook secret 4711";
export const NAMES = [
  "groups",
  "hosts",
  "limits",
  "users",
  "channels",
  "contacts",
  "oncall",
  "rules",
  "maintenance",
  "mailreports",
  "dependencies",
  "statuspages",
  "filters",
  "views",
  "settings",
];

export async function ask(admin: TestClient, path: string, fields: Record<string, unknown>): Promise<number> {
  const reply = await admin.post(`/api/1/admin/${path}`, fields as never);
  if (reply.status !== 200) throw new Error(`${path}: ${reply.text}`);
  return reply.json.id as number;
}

/** An app in which something of everything was set up. */
export async function furnished(): Promise<{ app: TestApp; admin: TestClient }> {
  const app = new TestApp();
  const admin = await app.admin();
  await app.report({ id: "a-web", hostname: "web", services: [{ name: "nginx" }], hostGroups: ["linux"] });
  await app.report({ id: "a-db", hostname: "db", services: [{ name: "postgres" }] });
  const edge = await ask(admin, "groups/create", { name: "edge" });
  await admin.post("/api/1/admin/groups/add", { id: edge, hostid: [1, 2] });
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
    { name: "hook", kind: "webhook", "setting.url": "https://hooks.example.org/x", "setting.secret": SECRET },
    { name: "push", kind: "ntfy", "setting.topic": "alerts" },
  ];
  const hookId = await ask(admin, "channels/create", hook);
  const pagerId = await ask(admin, "channels/create", pager);
  await ask(admin, "rules/create", {
    name: "edge broken",
    hostgroupid: edge,
    hostid: 1,
    tag: ["env=prod", "env=test"],
    state: [1],
    delay: 5,
    repeat: 60,
    quietfrom: "22:00",
    quietto: "06:00",
    quiettimezone: "Europe/Oslo",
    escalateafter: 30,
    flapcount: 5,
    flapwindow: 30,
    channelid: hookId,
    escalationchannelid: pagerId,
  });
  await ask(admin, "rules/create", { name: "all the rest", channelid: pagerId, final: 1 });
  await ask(admin, "maintenance/create", {
    name: "patching",
    hostgroupid: edge,
    tag: "role",
    days: [0],
    timeofday: "03:00",
    minutes: 90,
    timezone: "UTC",
  });
  const place = { hosts: [1], hostgroups: [edge], tags: ["env=prod"], servicenames: ["root*"] };
  const limits = [
    {
      ...{ name: "disk", statistics: [18], filter: { ...place, servicetypes: [0] } },
      ...{ warning: 80.5, critical: 90, minutes: 10, missing: "warn", clearvalue: 79.25, clearminutes: 5 },
      ...{ downtime: true, note: "logs", runbook: "https://r.example.org/" },
    },
    {
      ...{ name: "load", statistics: [0], descriptor: "15min", perprocessor: true, critical: 4 },
      ...{ filter: { hostnames: ["db*"] }, enabled: false },
    },
    { name: "slow", statistics: [18, 19], direction: "below", warning: 1e-7, critical: -2 },
  ];
  for (const limit of limits) {
    const reply = await admin.post("/api/1/limits/create", limit);
    if (reply.status !== 200) throw new Error(reply.text);
  }
  await ask(admin, "statuspages/create", { title: "Edge", groupid: edge, tag: "public", slug: "edge" });
  const mail = {
    name: "mail",
    kind: "email",
    "setting.host": "mail.example.org",
    "setting.from": "m@example.org",
  };
  const mailId = await ask(admin, "channels/create", { ...mail, "setting.to": "ops@example.org" });
  await ask(admin, "mailreports/create", {
    ...{ name: "Week", period: "weekly", hour: 6, target: "99.95", channelid: mailId },
    ...{ hostgroupid: edge, uname: "user", address: "boss@example.org", enabled: 0 },
  });
  await ask(admin, "mailreports/create", {
    name: "Day",
    period: "daily",
    channelid: mailId,
    everything: 1,
    address: "boss@example.org",
  });
  await ask(admin, "contacts/set", { uname: "user", channelid: mailId });
  await ask(admin, "dependencies/create", { hostid: 1, service: "web", causehostid: 2 });
  const rotations = JSON.stringify([
    {
      ...{ name: "Nights", users: ["user", "admin"], start: "2026-01-01", handover: "17:00" },
      ...{ unit: "day", every: 2, hours: { days: [1, 2], from: "17:00", to: "09:00" } },
    },
  ]);
  await admin.post("/api/1/oncall/create", { name: "Ops", rotations, timezone: "Europe/Berlin" });
  const span = { from: app.clock.now() + 60, to: app.clock.now() + 120 };
  await admin.post("/api/1/oncall/override/create", { scheduleid: 1, uname: "user", ...span });
  await ask(admin, "filters/create", {
    ...{ name: "failing", screen: "events" },
    query: `active=2&hostid=2&hostgroupid=${edge}&servicenameid=1&tag=env%3Dprod`,
  });
  await ask(admin, "filters/create", { name: "edge", screen: "hosts", query: `group=${edge}&led=0` });
  await ask(admin, "views/create", { name: "load", type: 0, descriptor: "1min", hostid: [2, 1] });
  await ask(admin, "views/create", { name: "disks", type: 18, hostgroupid: edge, order: "asc", results: 9 });
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
