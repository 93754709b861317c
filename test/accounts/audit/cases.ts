/** Each operation that is recorded by its declaration: what is asked, and the entries that it leaves. */

import { expect } from "bun:test";
import { insertDelivery } from "../../../src/alerting/notifications/deliveries.repository.ts";
import { FULL_REACH } from "../../../src/platform/http/scope.ts";
import type { TestApp } from "../../support/app.ts";
import { ADMIN_PASSWORD } from "../../support/app.ts";
import type { Fields } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { totpCode } from "../../support/totp.ts";
import { type Entry, entry, HOST, USER } from "./support.ts";

export interface Case {
  path: string;
  fields: Fields;
  /** What has to be there first. */
  first?: (app: TestApp) => unknown;
  expected: () => Entry[];
}

const group = (app: TestApp) => app.muster.groups.create("racks");
const statusPage = (app: TestApp) =>
  app.muster.statusPages.create({ title: "Shelf", groupid: group(app), slug: "shelf" }, "all");
const channel = (app: TestApp) =>
  app.muster.channels.create({ name: "chat", kind: "slack", settings: { url: "http://127.0.0.1:9/secret" } });
const rule = (app: TestApp) => {
  channel(app);
  app.muster.rules.create({ name: "all", channelid: [1] }, "all");
};
const DEPENDENCY = { hostid: 1, service: "web", causehostid: 1, causeservice: "db" };
const NAMED_DEPENDENCY = { dependent: "web on host-1", cause: "db on host-1" };
const LIMIT = { name: "disk", statistics: [1], warning: 80, minutes: 10 };
const limit = async (app: TestApp) => (await app.admin()).post("/api/1/limits/create", LIMIT);
const schedule = (app: TestApp) =>
  app.muster.onCall.create({ name: "Office", rotations: "[]", timezone: "UTC" });
const OVERRIDE = { scheduleid: 1, uname: "user", from: START, to: START + 60 };
const NAMED_OVERRIDE = { schedule: "Office", uname: "user", from: START, to: START + 60 };
const FILTER = { name: "red", screen: "hosts", query: "led=0" } as const;
const view = (app: TestApp) =>
  app.muster.views.create({
    ...{ name: "disks", type: [18], order: "desc", results: 20, hostid: [], serviceid: [] },
  });
const mute = (app: TestApp, end: { minutes: number } | { lease: true } = { minutes: 10 }) =>
  app.muster.mutes.create({ hostid: [1], lease: false, grace: 15, note: "", ...end }, "admin", FULL_REACH);
const maintenance = (app: TestApp) =>
  app.muster.maintenance.create({ name: "move", everything: true, from: START, to: START + 60 }, "all");
const REPORT = { name: "week", channelid: 1, everything: true, address: "boss@example.org" };
const mailChannel = (app: TestApp) => {
  const settings = { host: "localhost", from: "muster@example.org", to: "ops@example.org" };
  app.muster.channels.create({ name: "mail", kind: "email", settings });
};
const mailReport = (app: TestApp) => {
  mailChannel(app);
  app.muster.mailReports.create({ ...REPORT, address: [REPORT.address] });
};
const failure = (app: TestApp) =>
  app.report({ services: [{ name: "web", status: 512 }], event: { service: "web" } });

const TOTP_SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
const beginTotp = (app: TestApp, uname: string) =>
  app.db.$client
    .query("update users set totp_secret = ? where uname = ?")
    .run(app.box.seal(TOTP_SECRET), uname);

export const CASES: Record<string, Case> = {
  "settings, as before and after": {
    path: "/admin/settings/update",
    fields: { eventdays: 30, collectorpassword: "brand new", historyraw: 14 },
    expected: () => [
      entry("admin/settings/update", "settings", "", "", {
        eventdays: [1095, 30],
        collectorpassword: "(secret)",
      }),
    ],
  },
  "a new group": {
    path: "/admin/groups/create",
    fields: { name: "racks" },
    expected: () => [entry("admin/groups/create", "group", "1", "racks")],
  },
  "a group's other name": {
    path: "/admin/groups/update",
    fields: { id: 1, name: "shelves" },
    first: group,
    expected: () => [entry("admin/groups/update", "group", "1", "racks", { name: "shelves" })],
  },
  "a group that is gone, by its name": {
    path: "/admin/groups/delete",
    fields: { id: 1 },
    first: group,
    expected: () => [entry("admin/groups/delete", "group", "1", "racks")],
  },
  "who joined a group": {
    path: "/admin/groups/add",
    fields: { id: 1, hostid: 1 },
    first: group,
    expected: () => [entry("admin/groups/add", "group", "1", "racks", { hosts: [1], added: 1 })],
  },
  "who left a group": {
    path: "/admin/groups/remove",
    fields: { id: 1, hostid: 1 },
    first: group,
    expected: () => [entry("admin/groups/remove", "group", "1", "racks", { hosts: [1], removed: 0 })],
  },
  "what a host was tagged": {
    path: "/admin/tags/add",
    fields: { tag: "env=prod", hostid: 1 },
    expected: () => [entry("admin/tags/add", "tags", "", "", { tags: ["env=prod"], hosts: [1], added: 1 })],
  },
  "a tag that a host lost": {
    path: "/admin/tags/remove",
    fields: { tag: "env=prod", hostid: 1 },
    expected: () => [
      entry("admin/tags/remove", "tags", "", "", { tags: ["env=prod"], hosts: [1], removed: 0 }),
    ],
  },
  "a schedule of people on call": {
    path: "/oncall/create",
    fields: { name: "Office", rotations: "[]", timezone: "UTC" },
    expected: () => [
      entry("oncall/create", "oncall", "1", "Office", { name: "Office", timezone: "UTC", rotations: [] }),
    ],
  },
  "a schedule that was changed": {
    path: "/oncall/update",
    fields: { id: 1, timezone: "Europe/Berlin" },
    first: schedule,
    expected: () => [entry("oncall/update", "oncall", "1", "Office", { timezone: ["UTC", "Europe/Berlin"] })],
  },
  "a schedule that is gone": {
    path: "/oncall/delete",
    fields: { id: 1 },
    first: schedule,
    expected: () => [entry("oncall/delete", "oncall", "1", "Office")],
  },
  "who is on call instead": {
    path: "/oncall/override/create",
    fields: OVERRIDE,
    first: schedule,
    expected: () => [entry("oncall/override/create", "oncall", "1", "Office", NAMED_OVERRIDE)],
  },
  "who is no longer on call instead": {
    path: "/oncall/override/delete",
    fields: { id: 1 },
    first: (app) => {
      schedule(app);
      app.muster.onCall.createOverride(OVERRIDE, "admin");
    },
    expected: () => [
      entry("oncall/override/delete", "override", "1", "", {
        schedule: ["Office", null],
        uname: ["user", null],
        from: [START, null],
        to: [START + 60, null],
      }),
    ],
  },
  "how a user is notified": {
    path: "/admin/contacts/set",
    fields: { uname: "user", channelid: 1 },
    first: channel,
    expected: () => [entry("admin/contacts/set", "user", "user", "A User", { channels: ["", "chat"] })],
  },
  "a limit that is new": {
    path: "/limits/create",
    fields: LIMIT,
    expected: () => [entry("limits/create", "limit", "1", "", expect.objectContaining({ name: "disk" }))],
  },
  "a limit that was changed": {
    path: "/limits/update",
    fields: { id: 1, warning: 90 },
    first: limit,
    expected: () => [
      entry("limits/update", "limit", "1", "", expect.objectContaining({ warning: [80, 90] })),
    ],
  },
  "a limit that is gone": {
    path: "/limits/delete",
    fields: { id: 1 },
    first: limit,
    expected: () => [entry("limits/delete", "limit", "1", "", {})],
  },
  "a message that is sent again": {
    path: "/admin/deliveries/retry",
    fields: { id: 1 },
    first: (app) => {
      channel(app);
      const names = { ruleName: "all", channelName: "chat", kind: "problem" as const };
      insertDelivery(app.db, { channelId: 1, ...names, createdAt: START, status: "failed" }, []);
    },
    expected: () => [entry("admin/deliveries/retry", "delivery", "1", "")],
  },
  "a new status page, but not its address, which nobody shall guess": {
    path: "/admin/statuspages/create",
    fields: { title: "Racks", groupid: 1 },
    first: group,
    expected: () => [
      entry("admin/statuspages/create", "statuspage", "1", "Racks", { title: "Racks", group: 1 }),
    ],
  },
  "a dependency": {
    path: "/admin/dependencies/create",
    fields: DEPENDENCY,
    expected: () => [entry("admin/dependencies/create", "host", "1", "host-1", NAMED_DEPENDENCY)],
  },
  "a dependency that is gone": {
    path: "/admin/dependencies/delete",
    fields: { id: 1 },
    first: (app) => app.muster.dependencies.create(DEPENDENCY, FULL_REACH),
    expected: () => [
      entry("admin/dependencies/delete", "dependency", "1", "", {
        dependent: ["web on host-1", null],
        cause: ["db on host-1", null],
      }),
    ],
  },
  "a saved filter": {
    path: "/admin/filters/create",
    fields: FILTER,
    expected: () => [entry("admin/filters/create", "filter", "1", "", FILTER)],
  },
  "a filter with another name": {
    path: "/admin/filters/rename",
    fields: { id: 1, name: "open" },
    first: (app) => app.muster.savedFilters.create(FILTER),
    expected: () => [entry("admin/filters/rename", "filter", "1", "", { name: "open" })],
  },
  "a filter that is gone": {
    path: "/admin/filters/delete",
    fields: { id: 1 },
    first: (app) => app.muster.savedFilters.create(FILTER),
    expected: () => [entry("admin/filters/delete", "filter", "1", "")],
  },
  "a saved view": {
    path: "/admin/views/create",
    fields: { name: "disks", type: 18 },
    expected: () => [entry("admin/views/create", "view", "1", "", { name: "disks", type: [18] })],
  },
  "a view with another name": {
    path: "/admin/views/rename",
    fields: { id: 1, name: "space" },
    first: view,
    expected: () => [entry("admin/views/rename", "view", "1", "", { name: "space" })],
  },
  "a view that is gone": {
    path: "/admin/views/delete",
    fields: { id: 1 },
    first: view,
    expected: () => [entry("admin/views/delete", "view", "1", "")],
  },
  "a token of a view, but not its text": {
    path: "/admin/views/tokens/create",
    fields: { id: 1, name: "lobby" },
    first: view,
    expected: () => [entry("admin/views/tokens/create", "view", "1", "", { name: "lobby", number: 1 })],
  },
  "a token of a view that was revoked": {
    path: "/admin/views/tokens/delete",
    fields: { id: 1 },
    first: (app) => {
      view(app);
      app.muster.views.createToken(1, "lobby");
    },
    expected: () => [entry("admin/views/tokens/delete", "view token", "1", "")],
  },
  "what changed of a status page": {
    path: "/admin/statuspages/update",
    fields: { id: 1, services: false },
    first: statusPage,
    expected: () => [entry("admin/statuspages/update", "statuspage", "1", "Shelf", { services: false })],
  },
  "a status page that is gone": {
    path: "/admin/statuspages/delete",
    fields: { id: 1 },
    first: statusPage,
    expected: () => [entry("admin/statuspages/delete", "statuspage", "1", "Shelf")],
  },
  "a new rule, with all that it is": {
    path: "/admin/rules/create",
    fields: { name: "all", channelid: 1, hostid: 1 },
    first: channel,
    expected: () => [
      entry("admin/rules/create", "rule", "1", "all", {
        ...{ name: "all", position: 1, enabled: true, filter: { hosts: [1] } },
        ...{ delay: 0, repeat: 0, recovery: true, final: false, quiet: null },
        ...{ flapcount: 3, flapwindow: 10 },
        steps: [{ after: 0, channels: [1], users: [], schedules: [] }],
      }),
    ],
  },
  "what a rule was and is": {
    path: "/admin/rules/update",
    fields: { id: 1, delay: 5, enabled: 0, servicename: "web" },
    first: rule,
    expected: () => [
      entry("admin/rules/update", "rule", "1", "all", {
        ...{ delay: [0, 5], enabled: [true, false] },
        filter: [{}, { servicenames: ["web"] }],
      }),
    ],
  },
  "a rule's other place": {
    path: "/admin/rules/move",
    fields: { id: 1, position: 2 },
    first: rule,
    expected: () => [entry("admin/rules/move", "rule", "1", "all")],
  },
  "a rule that is gone, by its name": {
    path: "/admin/rules/delete",
    fields: { id: 1 },
    first: rule,
    expected: () => [entry("admin/rules/delete", "rule", "1", "all")],
  },
  "new maintenance": {
    path: "/admin/maintenance/create",
    fields: { name: "move", everything: true, from: START, to: START + 60 },
    expected: () => [
      entry("admin/maintenance/create", "maintenance", "1", "move", {
        ...{ name: "move", enabled: true, filter: {} },
        schedule: { kind: "once", from: START, to: START + 60 },
      }),
    ],
  },
  "a new mute": {
    path: "/mutes/create",
    fields: { hostid: 1, minutes: 10, note: "disk" },
    expected: () => [
      entry("mutes/create", "mute", "1", "", {
        ...{ filter: { hosts: [1] }, kind: "once", from: START, to: START + 600, note: "disk" },
      }),
    ],
  },
  "a new mute of a rule, by its name": {
    path: "/mutes/create",
    fields: { ruleid: 1, minutes: 10 },
    first: rule,
    expected: () => [
      entry("mutes/create", "mute", "1", "", {
        ...{ filter: { ruleids: [1] }, rules: ["all"] },
        ...{ kind: "once", from: START, to: START + 600, note: "" },
      }),
    ],
  },
  "another end of a mute": {
    path: "/mutes/renew",
    fields: { id: 1, minutes: 20 },
    first: mute,
    expected: () => [entry("mutes/renew", "mute", "1", "", { to: START + 1200 })],
  },
  "the end of a lease": {
    path: "/mutes/release",
    fields: { id: 1 },
    first: (app) => mute(app, { lease: true }),
    expected: () => [entry("mutes/release", "mute", "1", "")],
  },
  "the end of a mute": {
    path: "/mutes/delete",
    fields: { id: 1 },
    first: mute,
    expected: () => [entry("mutes/delete", "mute", "1", "")],
  },
  "what maintenance was and is": {
    path: "/admin/maintenance/update",
    fields: { id: 1, name: "removal" },
    first: maintenance,
    expected: () => [
      entry("admin/maintenance/update", "maintenance", "1", "move", { name: ["move", "removal"] }),
    ],
  },
  "maintenance that is gone, by its name": {
    path: "/admin/maintenance/delete",
    fields: { id: 1 },
    first: maintenance,
    expected: () => [entry("admin/maintenance/delete", "maintenance", "1", "move")],
  },
  "a new report by mail": {
    path: "/admin/mailreports/create",
    fields: REPORT,
    first: mailChannel,
    expected: () => [
      entry("admin/mailreports/create", "mailreport", "1", "week", {
        ...{ name: "week", enabled: true, period: "weekly", hour: 7, everything: true, target: 99.9 },
        ...{ channelid: 1, hostgroups: "", unames: "", addresses: "boss@example.org" },
      }),
    ],
  },
  "what a report by mail was and is": {
    path: "/admin/mailreports/update",
    fields: { id: 1, hour: 6, uname: "user" },
    first: mailReport,
    expected: () => [
      entry("admin/mailreports/update", "mailreport", "1", "week", { hour: [7, 6], unames: ["", "user"] }),
    ],
  },
  "a report that was sent at once": {
    path: "/admin/mailreports/send",
    fields: { id: 1 },
    first: mailReport,
    expected: () => [entry("admin/mailreports/send", "mailreport", "1", "week", { deliveries: 1 })],
  },
  "a report by mail that is gone, by its name": {
    path: "/admin/mailreports/delete",
    fields: { id: 1 },
    first: mailReport,
    expected: () => [entry("admin/mailreports/delete", "mailreport", "1", "week")],
  },
  "a new channel, but none of its secrets": {
    path: "/admin/channels/create",
    fields: { name: "phone", kind: "ntfy", "setting.topic": "alerts", "setting.token": "tk_secret" },
    expected: () => [
      entry("admin/channels/create", "channel", "1", "phone", {
        kind: "ntfy",
        name: "phone",
        enabled: true,
        "setting.url": "https://ntfy.sh",
        "setting.topic": "alerts",
        "setting.token (secret)": "(secret)",
        "setting.priority": "4",
      }),
    ],
  },
  "what changed of a channel": {
    path: "/admin/channels/update",
    fields: { id: 1, enabled: false, "setting.url": "http://127.0.0.1:9/other" },
    first: channel,
    expected: () => [
      entry("admin/channels/update", "channel", "1", "chat", {
        enabled: [true, false],
        "setting.url (secret)": "(secret)",
      }),
    ],
  },
  "a channel that is gone": {
    path: "/admin/channels/delete",
    fields: { id: 1 },
    first: channel,
    expected: () => [entry("admin/channels/delete", "channel", "1", "chat")],
  },
  "a channel that was tried": {
    path: "/admin/channels/test",
    fields: { id: 1 },
    first: channel,
    expected: () => [entry("admin/channels/test", "channel", "1", "chat", { outcome: "failed" })],
  },
  "a new user": {
    path: "/admin/users/create",
    fields: { uname: "x", password: "long enough", fullname: "X Y", admin: true },
    expected: () => [entry("admin/users/create", "user", "x", "X Y", { admin: true })],
  },
  "what changed of a user": {
    path: "/admin/users/update",
    fields: { ...USER, title: "Dr", password: "changed word" },
    expected: () => [
      entry("admin/users/update", "user", "user", "A User", { title: ["", "Dr"], password: "(secret)" }),
    ],
  },
  "levels in host groups": {
    path: "/admin/grants/set",
    fields: { uname: "user", manage: 1 },
    first: group,
    expected: () => [
      entry("admin/grants/set", "user", "user", "A User", {
        restricted: [false, true],
        grants: ["", "1 manage"],
      }),
    ],
  },
  "a user that is gone": {
    path: "/admin/users/delete",
    fields: { uname: "user" },
    expected: () => [entry("admin/users/delete", "user", "user", "A User")],
  },
  "a picture": {
    path: "/admin/users/image",
    fields: { remove: 1 },
    expected: () => [entry("admin/users/image", "user", "admin", "Administrator", { picture: "removed" })],
  },
  "the secret of a second factor": {
    path: "/admin/users/totp/begin",
    fields: { password: ADMIN_PASSWORD },
    expected: () => [entry("admin/users/totp/begin", "user", "admin", "Administrator")],
  },
  "a second factor": {
    path: "/admin/users/totp/confirm",
    fields: { code: totpCode(TOTP_SECRET, START) },
    first: (app) => beginTotp(app, "admin"),
    expected: () => [entry("admin/users/totp/confirm", "user", "admin", "Administrator")],
  },
  "a second factor that is switched off": {
    path: "/admin/users/totp/disable",
    fields: { uname: "user" },
    first: (app) => beginTotp(app, "user"),
    expected: () => [entry("admin/users/totp/disable", "user", "user", "A User")],
  },
  "what changed of a host": {
    path: "/admin/hosts/update",
    fields: { ...HOST, agentpassword: "other", status: 2, description: "d".repeat(300) },
    expected: () => [
      entry("admin/hosts/update", "host", "1", "host-1", {
        agentpassword: "(secret)",
        status: [0, 2],
        description: ["", "d".repeat(255)],
      }),
    ],
  },
  "a connection test": {
    path: "/admin/hosts/test",
    fields: { ipaddr: "127.0.0.1", port: 9, ssl: 0, agentuser: "u", agentpassword: "p" },
    expected: () => [
      entry("admin/hosts/test", "agent", "127.0.0.1:9", "", { ssl: 0, sslverify: 1, status: "red" }),
    ],
  },
  "a dismissal": {
    path: "/reports/events/dismiss",
    fields: { id: 1 },
    first: failure,
    expected: () => [entry("reports/events/dismiss", "event", "1", "", { id: [1] })],
  },
  "a dismissal taken back": {
    path: "/reports/events/undismiss",
    fields: { id: 1 },
    first: failure,
    expected: () => [entry("reports/events/undismiss", "event", "1", "", { id: [1] })],
  },
  "an acknowledgement": {
    path: "/problems/acknowledge",
    fields: { id: 1, note: "on it", until: START + 86_400 },
    first: failure,
    expected: () => [entry("problems/acknowledge", "event", "1", "", { id: [1], until: START + 86_400 })],
  },
  "an acknowledgement taken back": {
    path: "/problems/unacknowledge",
    fields: { id: 1 },
    first: failure,
    expected: () => [entry("problems/unacknowledge", "event", "1", "", { id: [1] })],
  },
  "a note": {
    path: "/reports/events/note",
    fields: { id: 1, message: "seen" },
    first: failure,
    expected: () => [entry("reports/events/note", "event", "1", "", { note: 1 })],
  },
  "a new API token": {
    path: "/tokens/create",
    fields: { name: "bot", scope: "full" },
    expected: () => [entry("tokens/create", "token", "1", "bot", { scope: "full" })],
  },
  "an API token that is gone": {
    path: "/tokens/delete",
    fields: { id: 1 },
    first: (app) => app.muster.tokens.create(1, { name: "bot", scope: "read" }),
    expected: () => [entry("tokens/delete", "token", "1", "bot")],
  },
  "the end of a session": {
    path: "/session/invalidate",
    fields: {},
    expected: () => [entry("session/invalidate", "session", "", "")],
  },
};
