import * as v from "valibot";
import { type AppContext, callerOf, sessionOf } from "../../platform/http/context.ts";
import { because, errors, noSuch } from "../../platform/http/errors.ts";
import { type Operation, write } from "../../platform/http/operation.ts";
import { described, text } from "../../platform/http/validate.ts";
import { actorOf } from "../audit/actor.ts";
import { accountErrors } from "../users/users.errors.ts";
import { ownOrOther, password } from "../users/users.schemas.ts";
import type { Login } from "./login.service.ts";
import type { SecondFactor } from "./second-factor.service.ts";

const ownPassword = described(password, "the caller's current password, in clear text");
const code = described(text(1, 64), "current code from the app");
const ofCaller = {
  subject: "user",
  id: (_args: unknown, _reply: unknown, c: AppContext) => callerOf(c).uname,
};

export const beginReply = v.object({
  secret: described(v.string(), "secret in base32, to type into an app; it is never shown again"),
  uri: described(v.string(), "the same secret as a URI, for a QR code"),
});
export const confirmReply = v.object({
  recoverycodes: described(
    v.array(v.string()),
    "recovery codes: each can be used once instead of a code; they are not shown again",
  ),
});

/** Operations on the caller's second factor. Administrators may also disable that of others. */
export function secondFactorOperations(secondFactor: SecondFactor, login: Login): Operation[] {
  return [
    write("/admin/users/totp/begin", {
      access: "login",
      summary: "Create a secret for the caller's second factor; it takes effect after totp/confirm",
      request: v.object({ password: ownPassword }),
      response: beginReply,
      errors: [
        accountErrors.wrongPassword,
        accountErrors.noPassword,
        accountErrors.totpEnabled,
        accountErrors.tooManyLogins,
      ],
      audit: ofCaller,
      first: (args, c) =>
        login.confirmPassword("admin/users/totp/begin", callerOf(c).uname, args.password, actorOf(c)),
      handle: (_args, c) => secondFactor.begin(callerOf(c).uname),
    }),
    write("/admin/users/totp/confirm", {
      access: "login",
      summary: "Enable the caller's second factor and end their other sessions",
      request: v.object({ code }),
      response: confirmReply,
      errors: [accountErrors.wrongCode, accountErrors.totpNotBegun, accountErrors.totpEnabled],
      audit: ofCaller,
      handle: (args, c) => ({
        recoverycodes: secondFactor.confirm(callerOf(c).uname, args.code, sessionOf(c).idHash),
      }),
    }),
    write("/admin/users/totp/disable", {
      access: "self",
      summary:
        "Disable a second factor: the caller's own with the password or a code, or as an administrator any user's",
      request: v.object({
        uname: ownOrOther,
        password: v.optional(ownPassword),
        code: described(v.optional(code), "current code from the app, or a recovery code"),
      }),
      errors: [
        because(errors.missingArgument, "Neither a password nor a code is set"),
        accountErrors.wrongPassword,
        accountErrors.wrongCode,
        noSuch("user"),
        accountErrors.noPassword,
        accountErrors.totpOff,
        accountErrors.tooManyLogins,
      ],
      audit: { subject: "user", id: (args, _reply, c) => args.uname ?? callerOf(c).uname },
      first: (args, c) => {
        const caller = callerOf(c);
        if ((args.uname ?? caller.uname) !== caller.uname) return;
        const operation = "admin/users/totp/disable";
        if (args.password !== undefined)
          login.confirmPassword(operation, caller.uname, args.password, actorOf(c));
        else if (args.code !== undefined) login.confirmCode(operation, caller.uname, args.code, actorOf(c));
        else throw errors.missingArgument("password", "the current password, unless there is a code");
      },
      handle: (args, c) => secondFactor.disable(args.uname ?? callerOf(c).uname),
    }),
  ];
}
