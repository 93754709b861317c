/** Each operation that its declaration records, and the entry that its example leaves. */

import { START } from "../../support/clock.ts";

/** The kind, id and name in an entry, and its details. */
type Recorded = readonly [subject: string, id: string, name: string, details?: object];

const USER = ["user", "user", "A User"] as const;
const ADMIN: Recorded = ["user", "admin", "Administrator"];
const LATER = START + 3600;

export const RECORDED: Readonly<Record<string, Recorded>> = {
  "/session/invalidate": ["session", "", ""],
  "/tokens/create": ["token", "3", "backup", { scope: "full", expires: START + 86_400 }],
  "/tokens/delete": ["token", "1", "script"],
  "/reports/events/dismiss": ["event", "1", "", { id: [1] }],
  "/reports/events/undismiss": ["event", "1", "", { id: [1] }],
  "/reports/events/note": ["event", "1", "", { note: 2 }],
  "/problems/acknowledge": ["event", "1", "", { id: [1] }],
  "/problems/unacknowledge": ["event", "1", "", { id: [1] }],
  "/publicnotes/create": ["publicnote", "2", "", { host: 1, text: "It restarts." }],
  "/publicnotes/withdraw": ["publicnote", "1", "", { host: 1, text: "New disk at noon." }],
  "/admin/health/acknowledge": ["finding", "1", "", { id: [1] }],
  "/admin/health/unacknowledge": ["finding", "1", "", { id: [1] }],
  "/admin/backups/start": ["backup", "", ""],
  "/admin/users/create": ["user", "new", "A New User", { admin: true }],
  "/admin/users/update": [...USER, { fullname: ["A User", "The User"] }],
  "/admin/users/delete": USER,
  "/admin/users/image": [...USER, { picture: "removed" }],
  "/admin/users/totp/begin": ADMIN,
  "/admin/users/totp/confirm": ADMIN,
  "/admin/users/totp/disable": ["user", "careful", "Careful"],
  "/admin/grants/set": [...USER, { restricted: [false, true], grants: ["", "1 operate, 2 view"] }],
  "/admin/contacts/set": [...USER, { channels: ["", "chat"] }],
  "/mutes/create": [
    "mute",
    "5",
    "",
    { filter: { hosts: [1] }, hosts: ["host-1"], from: START + 30, to: LATER + 30, note: "new disk" },
  ],
  "/mutes/renew": ["mute", "3", "", { to: START + 1830 }],
  "/mutes/release": ["mute", "4", ""],
  "/mutes/delete": [
    "mute",
    "3",
    "",
    {
      filter: [{ servicenames: ["nothing"] }, null],
      from: [START + 30, null],
      to: [LATER + 30, null],
      note: ["", null],
    },
  ],
  "/oncall/override/create": [
    "oncall",
    "1",
    "Office",
    { schedule: "Office", user: "user", from: START, to: LATER },
  ],
  "/oncall/override/delete": [
    "override",
    "1",
    "",
    { schedule: ["Office", null], user: ["admin", null], from: [LATER, null], to: [LATER + 3600, null] },
  ],
  "/admin/hosts/update": ["host", "1", "host-1", { hostname: ["host-1", "renamed"] }],
  "/admin/hosts/test": ["agent", "127.0.0.1:1", "", { ssl: 0, sslverify: 1, status: "red" }],
  "/admin/groups/create": ["group", "3", "new"],
  "/admin/groups/update": ["group", "1", "rack", { name: "shelf" }],
  "/admin/groups/target": ["group", "1", "rack", { target: [null, 99.95] }],
  "/admin/groups/delete": ["group", "1", "rack"],
  "/admin/groups/add": ["group", "2", "empty", { hosts: [1, 2], added: 2 }],
  "/admin/groups/remove": ["group", "1", "rack", { hosts: [1], removed: 0 }],
  "/admin/tags/add": ["tags", "", "", { tags: ["env=prod", "critical"], hosts: [1], added: 1 }],
  "/admin/tags/remove": ["tags", "", "", { tags: ["env=prod"], hosts: [1], removed: 1 }],
  "/admin/settings/update": ["settings", "", "", { sessionidle: [30, 60] }],
  "/admin/channels/create": [
    "channel",
    "4",
    "new",
    { name: "new", kind: "webhook", enabled: true, "settings.url": "https://hooks.example.org/" },
  ],
  "/admin/channels/update": [
    "channel",
    "2",
    "phone",
    { enabled: [true, false], "settings.topic": ["alerts", "other"] },
  ],
  "/admin/channels/delete": ["channel", "2", "phone"],
  "/admin/channels/test": ["channel", "2", "phone", { outcome: "failed" }],
  "/admin/deliveries/retry": ["delivery", "1", ""],
  "/admin/dependencies/create": ["host", "1", "host-1", { dependent: "web on host-1", cause: "host-2" }],
  "/admin/dependencies/delete": [
    "dependency",
    "1",
    "",
    { dependent: ["host-1", null], cause: ["db on host-2", null] },
  ],
  "/admin/rules/move": ["rule", "1", "all", { position: [1, 2] }],
  "/admin/mailreports/send": ["mailreport", "1", "week", { deliveries: 1 }],
  "/admin/rehearsals/start": ["rehearsal", "3", "", { of: 'rule "all"', escalate: true, wait: 60 }],
  "/admin/rehearsals/delete": [
    "rehearsal",
    "1",
    "",
    { of: ['rule "all"', null], escalate: [false, null], wait: [30, null] },
  ],
  "/admin/keys/end": ["agentkey", "1", "racks", { ends: LATER + 30 }],
  "/admin/keys/replace": ["agentkey", "1", "racks", { overlap: 3600 }],
  "/admin/keys/secret": ["agentkey", "1", "racks"],
  "/admin/keys/helper": ["agentkey", "1", "racks"],
  "/admin/keys/move": ["agentkey", "1", "racks", { hosts: [1, 2], moved: 2 }],
  "/admin/keys/codes/create": ["agentkey", "1", "racks", { code: 4, uses: 20, ends: LATER + 30 }],
  "/admin/keys/codes/delete": ["agentkey", "1", "racks", { code: 1 }],
  "/enrol/exchange": ["agentkey", "1", "racks", { code: 1, counted: true }],
  "/admin/expected/import": ["expected", "", "", { added: 1, skipped: 0, createdgroups: ["annex"] }],
  "/admin/pastevents/store": ["host", "1", "host-1", { stored: 1 }],
  "/views/tokens/create": ["view", "1", "disks", { name: "lobby", number: 2 }],
  "/views/tokens/delete": ["view token", "1", "lobby"],
};

/** Resources: what the log calls them, and the names of those that the examples create, change and delete. */
export const RESOURCES: Readonly<
  Record<string, readonly [subject: string, created: string, changed: string, deleted: string]>
> = {
  "/limits": ["limit", "new", "disk", "disk"],
  "/oncall": ["oncall", "Nights", "Office", "Office"],
  "/filters": ["filter", "open", "red", "red"],
  "/views": ["view", "load", "disks", "disks"],
  "/admin/keys": ["agentkey", "new", "racks", "annex"],
  "/admin/expected": ["expected", "web-3", "web-1", "web-2"],
  "/admin/rules": ["rule", "new", "all", "last"],
  "/admin/maintenance": ["maintenance", "new", "patching", "move"],
  "/admin/mailreports": ["mailreport", "day", "week", "week"],
  "/admin/weeklyrehearsals": ["weeklyrehearsal", "Sundays", "Weekly", "Weekly"],
  "/admin/statuspages": ["statuspage", "Racks", "Rack", "Rack"],
};
