import type { AppContext } from "../../platform/http/context.ts";
import type { ACTOR_CREDENTIALS } from "../../platform/storage/schema/accounts.ts";

/** The actor of a change, as the audit log records it. */
export interface Actor {
  uname: string;
  /** The client's address; "" for the command line. */
  address: string;
  via: (typeof ACTOR_CREDENTIALS)[number];
  /** Name of the API token; "" without one. */
  token: string;
}

/**
 * The caller of a request, signed in by session or API token; otherwise an anonymous actor with the client's
 * address.
 */
export function actorOf(c: AppContext): Actor {
  const caller = c.get("caller");
  const { address } = c.get("clientInfo");
  if (!caller) return anonymousActor("", address);
  return {
    uname: caller.uname,
    address,
    via: caller.token ? "token" : "login",
    token: caller.token?.name ?? "",
  };
}

/** The actor of commands that run on the machine itself. */
export const COMMAND_LINE: Actor = { uname: "", address: "", via: "command", token: "" };

/** The person who used a link in a message. @param recipient the person whom the message was sent to */
export function linkActor(recipient: string, address: string): Actor {
  return { uname: recipient, address, via: "link", token: "" };
}

/** The user of a sign-in, or of the session that it began. */
export function signedInActor(uname: string, address: string): Actor {
  return { uname, address, via: "login", token: "" };
}

/** An actor who is not signed in. @param uname the claimed login name, if such a user exists */
export function anonymousActor(uname: string, address: string): Actor {
  return { uname, address, via: "none", token: "" };
}
