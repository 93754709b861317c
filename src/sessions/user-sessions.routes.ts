import * as v from "valibot";
import { callerOf, sessionOf } from "../http/context.ts";
import { type Operation, read, write } from "../http/operation.ts";
import { nothing, text } from "../http/validate.ts";
import type { UserSessions } from "./user-sessions.service.ts";

/** Where the caller is signed in. */
export function userSessionOperations(sessions: UserSessions): Operation[] {
  return [
    read("/session/list", {
      access: "login",
      summary: "List one's own sessions",
      takes: nothing,
      gives: v.object({
        totalRecords: v.number(),
        records: v.array(
          v.object({
            id: v.string(),
            created: v.number(),
            used: v.number(),
            address: v.string(),
            useragent: v.string(),
            current: v.boolean(),
          }),
        ),
      }),
      handle: (_args, c) => sessions.list(callerOf(c), sessionOf(c)),
    }),
    write("/session/revoke", {
      access: "login",
      summary: "End one of one's own sessions",
      takes: v.object({ id: text(1, 255) }),
      gives: v.object({}),
      audit: { subject: "session", id: (args) => args.id },
      handle: (args, c) => {
        sessions.revoke(callerOf(c), args.id);
        return {};
      },
    }),
  ];
}
