import type { AppContext } from "../../platform/http/context.ts";

/** Who did something, as the audit log keeps it. */
export interface Actor {
  uname: string;
  /** The client's address; "" for the machine itself. */
  address: string;
  via: "login" | "token" | "command" | "none";
  /** Name of the API token, "" without one. */
  token: string;
}

export function actorOf(c: AppContext): Actor {
  const caller = c.get("caller");
  const { address } = c.get("clientInfo");
  if (!caller) return stranger("", address);
  return {
    uname: caller.uname,
    address,
    via: caller.token ? "token" : "login",
    token: caller.token?.name ?? "",
  };
}

/** Whoever may run commands on the machine itself. */
export const COMMAND_LINE: Actor = { uname: "", address: "", via: "command", token: "" };

/** Somebody who is not signed in. @param uname who he says he is, where there is such a user */
export function stranger(uname: string, address: string): Actor {
  return { uname, address, via: "none", token: "" };
}
