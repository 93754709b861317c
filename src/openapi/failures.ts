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
const lastAdmin = failure(errors.conflict("user.lastadmin", "No administrator would be left"));
const throttled = failure(
  errors.tooManyLogins(0),
  "Too many wrong passwords; Retry-After says how many seconds to wait",
);
const rangeStart = failure(errors.missingArgument("datefrom", "the start of a custom range"));

/** What the rules of single operations add. */
const OWN: Readonly<Record<string, readonly Failure[]>> = {
  "/login": [failure(errors.wrongCredentials()), failure(errors.foreignOrigin()), throttled],
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
  "/reports/uptime/list": [rangeStart],
  "/reports/uptime/get": [unknown("host"), rangeStart],
  "/reports/uptime/bars": [unknown("host or service"), rangeStart],
  "/reports/history/get": [unknown("host"), rangeStart],
  "/admin/users/get": [unknown("user")],
  "/admin/users/create": [failure(errors.conflict("user.exists", "Another user has this name"))],
  "/admin/users/update": [failure(errors.wrongOldPassword()), unknown("user"), lastAdmin, throttled],
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
