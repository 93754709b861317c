import * as v from "valibot";
import { callerOf, sessionOf } from "../../platform/http/context.ts";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import { totalRecords } from "../../platform/http/paging.ts";
import { described, text } from "../../platform/http/validate.ts";
import type { UserSessions } from "./user-sessions.service.ts";

const session = v.object({
  id: described(v.string(), "id for session/revoke; it is not the cookie"),
  created: described(v.number(), "when the session began, unix timestamp"),
  used: described(v.number(), "when it was last used, unix timestamp"),
  address: described(v.string(), "address of the client"),
  useragent: described(v.string(), "User-Agent header of the client"),
  current: described(v.boolean(), "whether it is the session of this call"),
});

export const sessionListReply = v.object({
  totalRecords,
  records: described(v.array(session), "the caller's sessions"),
});

/** Operations with which users see and end their own sessions, never those of others. */
export function userSessionOperations(sessions: UserSessions): Operation[] {
  return [
    read("/session/list", {
      access: "login",
      summary: "List the caller's sessions",
      response: sessionListReply,
      handle: (_args, c) => sessions.list(callerOf(c), sessionOf(c)),
    }),
    write("/session/revoke", {
      access: "login",
      summary: "End one of the caller's sessions",
      request: v.object({ id: described(text(1, 255), "id of the session, as in session/list") }),
      errors: [noSuch("session of the caller")],
      audit: { subject: "session", id: (args) => args.id },
      handle: (args, c) => sessions.revoke(callerOf(c), args.id),
    }),
  ];
}
