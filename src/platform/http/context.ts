import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Bodies } from "./bodies.ts";

/** Texts of a request by argument name, in the order given; a name of the body hides the same name of the query. */
export type Arguments = ReadonlyMap<string, readonly string[]>;

/** Who is calling, once authenticated. */
export interface Caller {
  id: number;
  uname: string;
  fullname: string;
  admin: boolean;
  /** Who vouches for him at sign-in: Muster itself, an OpenID provider, or a proxy. */
  origin: "local" | "oidc" | "proxy";
  /** The login or, if null, the API token by which the caller proved who he is: one of the two, never both. */
  session: CallerSession | null;
  token: CallerToken | null;
}

export interface CallerSession {
  idHash: string;
  csrfProtection: boolean;
  csrfToken: string;
}

export interface CallerToken {
  name: string;
  /** read: what changes nothing, without anyone's passwords. full: whatever its user may do. */
  scope: "read" | "full";
}

/** How the request looks from outside, proxies that are trusted taken into account. */
export interface ClientInfo {
  /** The client's address. */
  address: string;
  /** Host (and port) the client asked for. */
  host: string;
  /** Whether the client speaks https. */
  secure: boolean;
  /** Whom a trusted proxy says it has signed in; null when it says nothing, or is not asked. */
  externalUser: ExternalUser | null;
}

export interface ExternalUser {
  uname: string;
  /** null when the proxy is not asked for them. */
  groups: string[] | null;
}

/** How a message went that was received below the app. */
export interface Outcome {
  /** Milliseconds of the monotonic clock. */
  startedAt: number;
  /** null when the message was accepted. */
  error: unknown;
}

export interface AppEnv {
  Bindings: Partial<HttpBindings> & { outcome?: Outcome };
  Variables: {
    clientInfo: ClientInfo;
    bodies: Bodies;
    caller: Caller | null;
    arguments: Arguments;
    /** The file that came with the call, where the operation takes one. */
    upload: Uint8Array<ArrayBuffer> | null;
  };
}

export type AppContext = Context<AppEnv>;

/** The signed-in caller. Only handlers of operations that need a session may ask. */
export function callerOf(c: AppContext): Caller {
  const caller = c.get("caller");
  if (!caller) throw new Error(`${c.req.path} asked for its caller without requiring a session`);
  return caller;
}

/** The caller's login. Only handlers of operations with access "login" may ask. */
export function sessionOf(c: AppContext): CallerSession {
  const { session } = callerOf(c);
  if (!session) throw new Error(`${c.req.path} asked for its caller's login without requiring one`);
  return session;
}

/** Whether passwords and their hashes are for this caller's eyes. */
export function seesSecrets({ admin, token }: Caller): boolean {
  return admin && token?.scope !== "read";
}
