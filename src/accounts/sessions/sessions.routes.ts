import * as v from "valibot";
import { sessionOf } from "../../platform/http/context.ts";
import { CSRF_TOKEN } from "../../platform/http/csrf.ts";
import { because, errors } from "../../platform/http/errors.ts";
import { change, type Operation, query } from "../../platform/http/operation.ts";
import { described, text } from "../../platform/http/validate.ts";
import { MAX_ATTRIBUTE_KEY, MAX_ATTRIBUTE_VALUE, type Sessions } from "./sessions.service.ts";

const keys = v.object({
  key: described(v.optional(v.array(text(0, MAX_ATTRIBUTE_KEY))), "name of an attribute"),
});

/** Attributes of the caller's session, and signing out. */
export function sessionOperations(sessions: Sessions): Operation[] {
  return [
    change("/session/put", {
      access: "login",
      compatible: true,
      summary: "Store attributes in the session: every argument is a key and its value",
      pairs: `any key with its value, a text of at most ${MAX_ATTRIBUTE_VALUE} bytes`,
      errors: [
        because(
          errors.badRequest,
          "There is no pair, a key is empty or too long, or the session has too many attributes",
        ),
        because(errors.badArgument, "A value is too long, or CSRFToken is used, which is reserved"),
      ],
      audit: "none",
      handle: (_args, c) => {
        const session = sessionOf(c);
        const args = c.get("arguments");
        // A form proves its origin by sending the token as an argument. It is not stored as an attribute.
        if ((args.get(CSRF_TOKEN) ?? []).some((value) => value !== session.csrfToken))
          throw errors.badArgument(CSRF_TOKEN, "left out: it is reserved");
        const pairs = [...args].filter(([key]) => key !== CSRF_TOKEN);
        if (pairs.length === 0) throw errors.badRequest("Give at least one key=value pair");
        sessions.putAttributes(
          session.idHash,
          new Map(pairs.map(([key, values]) => [key, values.at(-1) ?? ""])),
        );
      },
    }),
    query("/session/get", {
      access: "login",
      compatible: true,
      summary: "Read attributes of the session; without a key, all of them",
      request: keys,
      response: v.record(v.string(), v.string()),
      handle: ({ key }, c) => sessions.attributes(sessionOf(c).idHash, key),
    }),
    change("/session/delete", {
      access: "login",
      compatible: true,
      summary: "Delete attributes of the session; without a key, all of them",
      request: keys,
      audit: "none",
      handle: ({ key }, c) => sessions.deleteAttributes(sessionOf(c).idHash, key),
    }),
    change("/session/invalidate", {
      access: "login",
      compatible: true,
      summary: "Sign out: end the session",
      audit: { subject: "session" },
      handle: (_args, c) => sessions.end(sessionOf(c).idHash),
    }),
  ];
}
