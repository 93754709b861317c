/** What the description of the API says before it comes to single operations. */

import { SESSION_COOKIE } from "../../accounts/sessions/session-cookie.ts";
import { CSRF_TOKEN } from "../../platform/http/csrf.ts";
import type { Access } from "../../platform/http/operation.ts";
import type { SecurityScheme, Tag } from "./document.types.ts";

export const INTRODUCTION = [
  "Muster collects what Monit agents report and answers for it. Hosts appear by themselves with their agent's first message.",
  "Arguments come in the query or, by POST, as a form. Of an argument given twice the last counts, unless it is repeatable. What is not known is ignored.",
  "Replies are JSON in ASCII. Times are unix timestamps in seconds. A write answers 200 with an object, an error with its status and an object of error, a sentence for people, and code, which programs can rely on.",
  "Reads carry an ETag and are answered 304 to whoever sends it as If-None-Match.",
].join("\n\n");

export const SECURITY_SCHEMES = {
  session: {
    type: "apiKey",
    in: "cookie",
    name: SESSION_COOKIE,
    description: "Cookie that a login sets. It ends after a time without requests, and with a logout.",
  },
  csrf: {
    type: "apiKey",
    in: "header",
    name: CSRF_TOKEN,
    description:
      `Token of the session, needed by every write along with the cookie. The login tells it, and so does the session's attribute ${CSRF_TOKEN}. ` +
      "It may come as an argument of that name instead.",
  },
  token: {
    type: "http",
    scheme: "bearer",
    description:
      "API token, for programs. One with scope read may only ask, and is never shown a password; one with scope full may do what its user may.",
  },
} satisfies Record<string, SecurityScheme>;

/** Who may call, as the description says it. */
export const ACCESS_TEXT: Readonly<Record<Access, string>> = {
  public: "For everyone.",
  session: "For every user.",
  login: "For every user, signed in; API tokens are refused.",
  self: "For every user about himself, for administrators about everyone.",
  admin: "For administrators.",
};

const TAGS: readonly Tag[] = [
  { name: "login", description: "Signing in" },
  { name: "session", description: "Attributes of the login, and its end" },
  { name: "tokens", description: "API tokens of one's own" },
  { name: "status/hosts", description: "How hosts and their services are now" },
  { name: "status/servicegroups", description: "Service groups of the agents' control files" },
  { name: "reports/events", description: "What happened, with notes" },
  { name: "reports/uptime", description: "For how long hosts and services were available" },
  { name: "reports/history", description: "Statistics over time" },
  { name: "admin/users", description: "Accounts" },
  { name: "admin/users/totp", description: "Second factors: codes of an app (RFC 6238)" },
  { name: "admin/hosts", description: "Settings of hosts, and acting on them" },
  { name: "admin/groups", description: "Host groups" },
  { name: "admin/statuspages", description: "Pages that everyone may read who has their address" },
  { name: "admin/channels", description: "Ways out for messages: mail, webhooks, messengers, programs" },
  { name: "admin/deliveries", description: "Messages about events, and what became of them" },
  { name: "admin/rules", description: "Who is told of which events, and when" },
  { name: "admin/maintenance", description: "When nobody is told" },
  { name: "admin/transfer", description: "Moving what was set up from one Muster to another" },
  { name: "admin/settings", description: "Settings of Muster itself" },
  { name: "admin/refusals", description: "Agents' messages that were refused" },
  { name: "admin/audit", description: "Who did what" },
  { name: "openapi.json", description: "All of this, for programs" },
];

/** The noun of an operation: its path without the verb. */
export function tagOf(path: string): string {
  return path.split("/").slice(1, -1).join("/") || path.slice(1);
}

/** The noun with what it is. */
export function tagNamed(name: string): Tag {
  return TAGS.find((tag) => tag.name === name) ?? { name, description: "" };
}
