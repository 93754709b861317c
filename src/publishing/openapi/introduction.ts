/** The introductory texts of the API description. */

import { COOKIES } from "../../platform/http/cookies.ts";
import { CSRF_TOKEN } from "../../platform/http/csrf.ts";
import type { Access } from "../../platform/http/operation.ts";

export const INTRODUCTION = [
  "Muster collects what Monit agents report. A host appears when its agent's first message arrives.",
  "Arguments are query parameters or, in a POST, form fields. Where the description says so, a POST takes JSON instead. If an argument occurs twice, the last value counts, unless it is repeatable. Writes reject unknown arguments, except those that programs for other servers know; all other operations ignore them.",
  "Replies are JSON in ASCII. Times are unix timestamps in seconds. A successful write returns 200 and an object. An error returns its status and an object with error, a sentence for people, and code, a stable name for programs.",
  "Besides what is listed, any operation may answer 503 with the code busy, and Retry-After says how many seconds to wait. A read may answer 400 with the code reply.long.",
  "Operations with the argument at also answer for a moment in the past: what is known now about that second. What moment/get lists as unknown is empty in such replies, or as it was first recorded.",
  "Replies to reads by GET carry an ETag. A request with that value in If-None-Match gets a 304 if nothing has changed.",
].join("\n\n");

interface SecurityScheme {
  type: "apiKey" | "http";
  description: string;
  name?: string;
  in?: "cookie" | "header";
  scheme?: "bearer";
}

export const SECURITY_SCHEMES: Readonly<Record<string, SecurityScheme>> = {
  session: {
    type: "apiKey",
    in: "cookie",
    name: COOKIES.session.name,
    description: "Cookie set by the login. The session ends on logout, or after some time without requests.",
  },
  csrf: {
    type: "apiKey",
    in: "header",
    name: CSRF_TOKEN,
    description:
      `Token of the session, needed by every write along with the cookie. The login returns it, and the session's attribute ${CSRF_TOKEN} contains it. ` +
      "It may be sent as an argument of that name instead.",
  },
  token: {
    type: "http",
    scheme: "bearer",
    description:
      "API token, for programs. Scope read allows reading only, and never shows a password; scope full allows everything that its user may do.",
  },
};

/** The callers of an operation, in the words of the description. */
export const ACCESS_TEXT: Readonly<Record<Access, string>> = {
  public: "For everyone.",
  session: "For every user.",
  login: "For every user, signed in; API tokens are refused.",
  self: "For every user about their own account, for administrators about every account.",
  admin: "For administrators.",
  respond: "For users, except about hosts of groups in which their level is view.",
  operate:
    "For administrators, and for users about hosts of groups in which their level is operate or manage.",
  manage: "For administrators, and for users about hosts of groups in which their level is manage.",
};

const TAGS: readonly { name: string; description: string }[] = [
  { name: "login", description: "Signing in" },
  { name: "session", description: "Attributes of the session, and logout" },
  { name: "tokens", description: "The user's own API tokens" },
  { name: "status", description: "Search by name" },
  { name: "status/hosts", description: "Current state of hosts and their services" },
  { name: "status/hostgroups", description: "Host groups with their members" },
  { name: "status/tags", description: "Tags that hosts have" },
  { name: "status/servicegroups", description: "Service groups of the agents' control files" },
  { name: "reports/events", description: "Events and their notes" },
  { name: "limits", description: "Limits of values, which Muster checks in addition to what agents check" },
  { name: "incidents", description: "Failures, each from its first error to its recovery" },
  { name: "problems", description: "Acknowledgements of failures" },
  { name: "forgotten", description: "Old acknowledgements, mutes, ignored hosts and disabled rules" },
  { name: "publicnotes", description: "What status pages tell the public about hosts and incidents" },
  { name: "mutes", description: "Pauses of notifications that users begin" },
  { name: "oncall", description: "Schedules of people on call, and who is on call when" },
  { name: "oncall/override", description: "Temporary replacements of people on call" },
  { name: "reports/uptime", description: "Availability of hosts and services, and error budgets" },
  { name: "reports/history", description: "Statistics over time" },
  { name: "moment", description: "Which moments of the past are known" },
  { name: "reports/forecasts", description: "When disks, inodes and memory will be full" },
  { name: "reports/mail", description: "Reports by mail that the caller gets" },
  { name: "admin/users", description: "Accounts" },
  { name: "admin/grants", description: "Levels of users in host groups: view, operate, manage" },
  { name: "admin/users/totp", description: "Second factors: codes of an app (RFC 6238)" },
  { name: "admin/hosts", description: "Settings of hosts, and actions on their services" },
  {
    name: "admin/hosts/action",
    description: "Actions that wait until the agents of their hosts ask for them",
  },
  { name: "admin/hosts/deleted", description: "Hosts whose deletion can be undone" },
  { name: "admin/groups", description: "Host groups" },
  { name: "admin/hosts/bulk", description: "Changes of many hosts at once" },
  { name: "admin/dependencies", description: "Which hosts and services depend on which others" },
  { name: "admin/tags", description: "Tags of hosts" },
  { name: "admin/statuspages", description: "Pages that anyone with their address may read" },
  { name: "filters", description: "Saved filters of the lists of hosts and of events" },
  { name: "views", description: "Saved views of the fleet" },
  { name: "views/tokens", description: "Tokens with which a wall shows one view" },
  { name: "wall", description: "A view on a wall, without a user" },
  { name: "admin/channels", description: "Notification channels: mail, webhooks, messengers, programs" },
  {
    name: "admin/contacts",
    description: "Channels through which users are notified when they are on call or named by rules",
  },
  { name: "admin/deliveries", description: "Messages about events, and their outcome" },
  { name: "admin/rules", description: "Notification rules: who is notified of which events, and when" },
  { name: "admin/rehearsals", description: "Rehearsals of rules and schedules: who would notice a problem" },
  { name: "admin/weeklyrehearsals", description: "Rehearsals that are held each week" },
  { name: "admin/mailreports", description: "Reports by mail: uptime, failures and noise of a period" },
  { name: "admin/maintenance", description: "Maintenance windows, in which notifications are paused" },
  { name: "admin/transfer", description: "Moving the configuration from one Muster to another" },
  { name: "admin/pastevents", description: "Events that a host had on another server" },
  { name: "admin/settings", description: "Settings of Muster itself" },
  {
    name: "admin/keys",
    description: "Keys with which agents post, besides the collector's first credential",
  },
  { name: "admin/keys/codes", description: "Codes that machines exchange for a key" },
  { name: "enrol", description: "What machines call to get a key" },
  {
    name: "admin/expected",
    description: "Hosts that are expected, with their settings before they first report",
  },
  { name: "admin/refusals", description: "Messages of agents that were rejected" },
  { name: "admin/audit", description: "Who did what" },
  { name: "admin/backups", description: "Scheduled backups" },
  { name: "admin/nodes", description: "The nodes that share a PostgreSQL database" },
  { name: "admin/health", description: "The health of Muster itself" },
  { name: "openapi.json", description: "This description, for programs" },
];

/** The tag of an operation: its path without the last segment, the verb. */
export function tagOf(path: string): string {
  return path.split("/").slice(1, -1).join("/") || path.slice(1);
}

/** The tag with this name, and its description. */
export function tagNamed(name: string) {
  return TAGS.find((tag) => tag.name === name) ?? { name, description: "" };
}
