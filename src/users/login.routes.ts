import * as v from "valibot";
import { type Operation, write } from "../http/operation.ts";
import { oneOf, text } from "../http/validate.ts";
import { giveSessionCookie } from "../sessions/session-cookie.ts";
import type { Sessions } from "../sessions/sessions.service.ts";
import type { Login } from "./login.service.ts";

/** Signing in over the API: always under a new session id. */
export function loginOperations(login: Login, sessions: Sessions): Operation[] {
  return [
    write("/login", {
      access: "public",
      summary: "Sign in; the reply sets the session cookie",
      takes: v.object({
        z_username: text(1, 255),
        z_password: text(1, 255),
        z_csrf_protection: v.optional(oneOf(["on", "off"]), "on"),
      }),
      gives: v.object({ uname: v.string(), fullname: v.string(), admin: v.boolean(), CSRFToken: v.string() }),
      audit: "itself",
      handle: (args, c) => {
        const { address } = c.get("outside");
        const user = login.check(args.z_username, args.z_password, address);
        const session = sessions.start(
          user.id,
          sessions.newId(),
          address,
          args.z_csrf_protection !== "off",
          c.req.header("User-Agent"),
        );
        giveSessionCookie(c, session.id);
        return {
          uname: user.uname,
          fullname: user.fullname,
          admin: user.admin,
          CSRFToken: session.csrfToken,
        };
      },
    }),
  ];
}
