import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Arguments } from "./arguments.ts";

/** Who is calling, once authenticated. */
export interface Caller {
  id: number;
  uname: string;
  fullname: string;
  admin: boolean;
  session: CallerSession;
}

export interface CallerSession {
  idHash: string;
  csrfProtection: boolean;
  csrfToken: string;
}

/** How the request looks from outside, proxies that are trusted taken into account. */
export interface Outside {
  /** The client's address. */
  address: string;
  /** Host (and port) the client asked for. */
  host: string;
  /** Whether the client speaks https. */
  secure: boolean;
}

export interface AppEnv {
  Bindings: Partial<HttpBindings>;
  Variables: { outside: Outside; caller: Caller | null; arguments: Arguments };
}

export type AppContext = Context<AppEnv>;

/** The signed-in caller. Only handlers of operations that need a session may ask. */
export function callerOf(c: AppContext): Caller {
  const caller = c.get("caller");
  if (!caller) throw new Error(`${c.req.path} asked for its caller without requiring a session`);
  return caller;
}
