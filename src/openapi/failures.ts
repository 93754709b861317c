/** The errors that an operation can answer with: those that follow from its record, and those its own rules cause. */
import { errors } from "../http/errors.ts";
import { changesState, type Method, type Operation } from "../http/operation.ts";
import { argumentsSchema } from "./schemas.ts";

export interface Failure {
  status: number;
  code: string;
  /** One sentence that says when. */
  when: string;
}

interface Told {
  status: number;
  code: string;
  message: string;
}

function failure({ status, code, message }: Told, when = message): Failure {
  return { status, code, when };
}

function unknown(what: string): Failure {
  return failure(errors.notFound(what, ""), `There is no such ${what}`);
}

function refused(when: string): Failure {
  return failure(errors.badRequest(when));
}

const groupTaken = failure(errors.conflict("group.exists", "Another group has this name"));
const slugTaken = failure(errors.conflict("statuspage.exists", "Another status page has this slug"));
const missingPart = failure(errors.missingArgument("", ""), "An argument is given that needs another one");
const ruleTaken = failure(errors.conflict("rule.exists", "Another rule has this name"));
const channelTaken = failure(errors.conflict("channel.exists", "Another channel has this name"));
const maintenanceTaken = failure(errors.conflict("maintenance.exists", "Another maintenance has this name"));
const lastAdmin = failure(errors.conflict("user.lastadmin", "No administrator would be left"));
const throttled = failure(
  errors.tooManyLogins(0),
  "Too many wrong passwords; Retry-After says how many seconds to wait",
);
const noPassword = failure(errors.noPassword(""), "The user signs in elsewhere and has no password here");
const totpEnabled = failure(errors.totpEnabled());
const rangeStart = failure(errors.missingArgument("datefrom", "the start of a custom range"));

/** What the rules of single operations add. */
const OWN: Readonly<Record<string, readonly Failure[]>> = {
  "/login": [
    failure(errors.wrongCredentials()),
    failure(errors.secondFactorNeeded()),
    failure(errors.wrongSecondFactor()),
    failure(errors.foreignOrigin()),
    throttled,
  ],
  "/login/proxy": [
    refused("No trusted proxy says who is calling"),
    failure(errors.noAccount(""), "There is no account for whom the proxy names"),
    failure(errors.nameTaken(""), "An account of another kind has this name"),
    failure(errors.foreignOrigin()),
  ],
  "/session/put": [
    refused("No pair was given, a key is empty or too long, or the session holds too many attributes"),
    failure(errors.badArgument("A value", "a text of at most 8192 characters; CSRFToken is reserved")),
  ],
  "/session/revoke": [unknown("session of the caller")],
  "/tokens/create": [refused("The user has the most API tokens a user can have")],
  "/tokens/delete": [unknown("API token of the caller")],
  "/status/hosts/get": [unknown("host")],
  "/reports/events/get": [unknown("event")],
  "/reports/events/dismiss": [unknown("event")],
  "/reports/events/note": [unknown("event")],
  "/reports/events/alerts": [unknown("event")],
  "/reports/uptime/list": [rangeStart],
  "/reports/uptime/get": [unknown("host"), rangeStart],
  "/reports/uptime/bars": [unknown("host or service"), rangeStart],
  "/reports/history/get": [unknown("host"), rangeStart],
  "/admin/users/get": [unknown("user")],
  "/admin/users/create": [failure(errors.conflict("user.exists", "Another user has this name"))],
  "/admin/users/update": [
    failure(errors.wrongOldPassword()),
    unknown("user"),
    lastAdmin,
    noPassword,
    throttled,
  ],
  "/admin/users/totp/begin": [failure(errors.wrongPassword()), noPassword, totpEnabled, throttled],
  "/admin/users/totp/confirm": [
    failure(errors.wrongCode()),
    failure(errors.conflict("totp.unbegun", "Nothing was begun")),
    totpEnabled,
  ],
  "/admin/users/totp/disable": [
    failure(errors.missingArgument("password", "the present password, unless code is given")),
    failure(errors.wrongPassword()),
    failure(errors.wrongCode()),
    unknown("user"),
    noPassword,
    failure(errors.conflict("totp.off", "There is no second factor")),
    throttled,
  ],
  "/admin/users/delete": [failure(errors.loginNeeded()), unknown("user"), lastAdmin],
  "/admin/users/image": [
    failure(errors.missingArgument("image", "a picture, unless remove is given")),
    unknown("user"),
  ],
  "/admin/hosts/get": [unknown("host")],
  "/admin/hosts/update": [unknown("host")],
  "/admin/hosts/delete": [refused("Give either id or inactive"), unknown("host")],
  "/admin/hosts/action": [
    unknown("host or service"),
    failure(errors.conflict("host.conflict", "Where the agent is has to be confirmed by hosts/update first")),
    failure(errors.agentFailed("The agent cannot be reached, or refused")),
  ],
  "/admin/groups/create": [groupTaken],
  "/admin/groups/update": [unknown("group"), groupTaken],
  "/admin/groups/delete": [unknown("group")],
  "/admin/groups/add": [unknown("group or host")],
  "/admin/groups/remove": [unknown("group or host")],
  "/admin/channels/get": [unknown("channel")],
  "/admin/channels/create": [channelTaken],
  "/admin/channels/update": [unknown("channel"), channelTaken],
  "/admin/channels/delete": [
    unknown("channel"),
    failure(errors.conflict("channel.used", "Rules use the channel")),
  ],
  "/admin/channels/test": [
    unknown("channel"),
    failure(errors.missingArgument("kind", "the kind of the channel, unless id is given")),
  ],
  "/admin/deliveries/retry": [
    unknown("delivery"),
    failure(errors.conflict("delivery.notfailed", "The delivery has not failed")),
  ],
  "/admin/rules/get": [unknown("rule")],
  "/admin/rules/preview": [unknown("rule"), missingPart],
  "/admin/rules/create": [ruleTaken],
  "/admin/rules/update": [unknown("rule"), ruleTaken],
  "/admin/rules/move": [unknown("rule")],
  "/admin/rules/delete": [unknown("rule")],
  "/admin/maintenance/get": [unknown("maintenance")],
  "/admin/maintenance/create": [maintenanceTaken],
  "/admin/maintenance/update": [unknown("maintenance"), maintenanceTaken],
  "/admin/maintenance/delete": [unknown("maintenance")],
  "/admin/transfer/export": [failure(errors.tokenReadsOnly())],
  "/admin/transfer/import": [
    failure(errors.missingArgument("file", "the document")),
    refused("The file is no document of Muster's, or something in it is wrong; the error says where"),
    lastAdmin,
  ],
  "/admin/statuspages/create": [unknown("group"), slugTaken],
  "/admin/statuspages/update": [unknown("status page or group"), slugTaken],
  "/admin/statuspages/delete": [unknown("status page")],
};

/** Paths that the table above speaks of: each must be one of an operation. */
export const OWN_PATHS: readonly string[] = Object.keys(OWN);

function ofArguments({ takes }: Operation): Failure[] {
  const { properties = {}, required = [] } = argumentsSchema({ takes });
  return [
    ...(required.length > 0
      ? [failure(errors.missingArgument("", ""), "A required argument was not given")]
      : []),
    ...(Object.keys(properties).length > 0
      ? [failure(errors.badArgument("", ""), "An argument has a value that is not allowed")]
      : []),
  ];
}

function ofAccess({ access, kind }: Operation): Failure[] {
  if (access === "public") return [];
  const found = [failure(errors.signInNeeded())];
  if (access === "admin" || access === "self") found.push(failure(errors.adminNeeded()));
  const changes = changesState(kind);
  if (access === "login" || (access === "self" && changes)) found.push(failure(errors.loginNeeded()));
  if (access !== "login" && changes) found.push(failure(errors.tokenReadsOnly()));
  return found;
}

function ofMethod({ access, kind, upload }: Operation, method: Method): Failure[] {
  const guarded = changesState(kind) && access !== "public";
  if (method === "GET") return guarded ? [failure(errors.foreignOrigin())] : [];
  return [
    ...(guarded ? [failure(errors.csrfToken())] : []),
    refused("The body is no well-formed form"),
    failure(errors.bodyTooLarge(upload?.maxBytes ?? 0), "The body or a file in it is too large"),
    failure(errors.bodyNotForm()),
  ];
}

/** All errors of an operation when called by `method`, by status; each status and code once. */
export function failuresOf(operation: Operation, method: Method): Failure[] {
  const all = [
    ...(OWN[operation.path] ?? []),
    ...ofArguments(operation),
    ...ofAccess(operation),
    ...ofMethod(operation, method),
    failure(errors.internal()),
  ];
  const once = new Map<string, Failure>();
  for (const each of all) {
    const key = `${each.status} ${each.code}`;
    const known = once.get(key);
    once.set(
      key,
      known && known.when !== each.when ? { ...known, when: `${known.when}. ${each.when}` } : each,
    );
  }
  return [...once.values()].sort((a, b) => a.status - b.status);
}
