import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import { sourceOf } from "../net/client-address.ts";
import type { USER_ORIGINS } from "../storage/schema/accounts.ts";
import type { Bodies } from "./bodies.ts";
import type { Reach, Right, Rights, Scope } from "./scope.ts";
import type { Turn } from "./turn.ts";

/** Texts of a request by argument name, in order. An argument in the body replaces one in the query. */
export type Arguments = ReadonlyMap<string, readonly string[]>;

/** A user as authenticated, before their rights are looked up. */
export interface Account {
  id: number;
  uname: string;
  fullname: string;
  admin: boolean;
  origin: (typeof USER_ORIGINS)[number];
  /** Whether the user sees the hosts of their groups only, even without a grant. */
  restricted: boolean;
  /** The session, or null when the caller used an API token. Exactly one of `session` and `token` is set. */
  session: CallerSession | null;
  token: CallerToken | null;
}

export interface Caller extends Account {
  rights: Rights;
}

export interface CallerSession {
  idHash: string;
  csrfProtection: boolean;
  csrfToken: string;
}

export interface CallerToken {
  name: string;
  /** read: only reads, without passwords. full: everything the user may do. */
  scope: "read" | "full";
}

/** Client information, with headers of trusted proxies taken into account. */
export interface ClientInfo {
  address: string;
  /** Host and port that the client requested. */
  host: string;
  /** Whether the client connected over https. */
  secure: boolean;
  /** The user authenticated by a trusted proxy; null when there is none or proxy sign-in is off. */
  externalUser: ExternalUser | null;
}

export interface ExternalUser {
  uname: string;
  /** null when groups are not configured. */
  groups: string[] | null;
}

/** Outcome of a message that was received outside the Hono app. */
export interface RequestOutcome {
  /** Milliseconds of the monotonic clock. */
  startedAt: number;
  /** null when the message was accepted. */
  error: unknown;
}

export interface AppEnv {
  Bindings: Partial<HttpBindings> & { outcome?: RequestOutcome };
  Variables: {
    clientInfo: ClientInfo;
    bodies: Bodies;
    caller: Caller | null;
    /** Looks up the caller again: a session, a token or rights may have ended since. */
    callerNow: () => Caller | null;
    arguments: Arguments;
    /** The uploaded file, for operations that declare an upload. */
    upload: Uint8Array<ArrayBuffer> | null;
    /** The moment in the past that the request is about, unix seconds; undefined: the present. */
    at: number | undefined;
  };
}

export type AppContext = Context<AppEnv>;

/** The caller. Only for operations that require one: without one, it throws a plain Error. */
export function callerOf(c: AppContext): Caller {
  const caller = c.get("caller");
  if (!caller) throw new Error(`${c.req.path} asked for its caller without requiring a session`);
  return caller;
}

/** The caller's session. Only for operations with access "login". */
export function sessionOf(c: AppContext): CallerSession {
  const { session } = callerOf(c);
  if (!session) throw new Error(`${c.req.path} asked for its caller's login without requiring one`);
  return session;
}

/**
 * The caller that a query counts for: the user of a session, a token, or the source address. Each has one query in
 * progress at a time. For a request about the past, the result includes the moment.
 */
export function turnOf(c: AppContext): Turn {
  const at = c.get("at");
  return at === undefined ? callerKey(c) : { caller: callerKey(c), at };
}

function callerKey(c: AppContext): string {
  const caller = c.get("caller");
  if (!caller) return `address ${sourceOf(c.get("clientInfo").address)}`;
  return caller.token ? `token ${caller.id} ${caller.token.name}` : `user ${caller.id}`;
}

/**
 * The hosts that the caller sees, or that another of their rights covers. Requests about the past are judged by the
 * rights of today.
 */
export function scopeOf(c: AppContext, right: Right = "view"): Scope {
  const scope = callerOf(c).rights[right];
  return scope === "all" || c.get("at") === undefined ? scope : { ...scope, isToday: true };
}

/** The hosts that the caller may change, if the change requires this right. */
export function reachOf(c: AppContext, right: Right): Reach {
  return { view: scopeOf(c), act: scopeOf(c, right) };
}

/** The reach of a caller where only those who may change an object see it. */
export function managedReach(c: AppContext): Reach {
  const scope = scopeOf(c, "manage");
  return { view: scope, act: scope };
}

/** Whether replies to this caller may contain passwords and their hashes. */
export function seesSecrets({ admin, token }: Caller): boolean {
  return admin && token?.scope !== "read";
}
