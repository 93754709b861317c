import * as v from "valibot";
import { callerOf, seesSecrets, turnOf } from "../../platform/http/context.ts";
import { errors, noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import { type Actor, actorOf } from "../audit/actor.ts";
import { accountErrors } from "./users.errors.ts";
import type { UserQueries } from "./users.queries.ts";
import {
  callerReply,
  createArguments,
  createReply,
  uname,
  updateArguments,
  userListReply,
  userReply,
} from "./users.schemas.ts";
import type { Users } from "./users.service.ts";

interface ChangeConfirmation {
  /** Checks the user's current password. @throws ApiError 403, 404, 429 */
  confirmChange(uname: string, oldpassword: string, actor: Actor): void;
}

/**
 * Operations on users: administrators manage all, and other users read and change their own account.
 * @param login confirms a change with the old password before `Users` makes it
 */
export function userOperations(users: Users, login: ChangeConfirmation, queries: UserQueries): Operation[] {
  return [
    read("/session/user", {
      access: "session",
      summary: "The caller: the signed-in user, or the owner of the API token",
      response: callerReply,
      handle: (_args, c) => v.parse(callerReply, users.get(callerOf(c).uname, false)),
    }),
    read("/admin/users/list", {
      access: "admin",
      compatible: true,
      summary: "List users",
      response: userListReply,
      handle: (_args, c) => queries.userList(turnOf(c)),
    }),
    read("/admin/users/get", {
      access: "self",
      compatible: true,
      summary: "Details of a user",
      request: v.object({ uname }),
      response: userReply,
      errors: [noSuch("user")],
      handle: (args, c) => users.get(args.uname, seesSecrets(callerOf(c))),
    }),
    write("/admin/users/create", {
      access: "admin",
      compatible: true,
      summary: "Create a user",
      request: createArguments,
      response: createReply,
      errors: [accountErrors.userExists],
      audit: { subject: "user", id: ({ uname }) => uname, details: ({ admin }) => ({ admin }) },
      handle: (args) => {
        users.create(args);
        return { uname: args.uname };
      },
    }),
    write("/admin/users/update", {
      access: "self",
      compatible: true,
      summary: "Change a user's details or password; absent optional arguments keep their values",
      request: updateArguments,
      errors: [
        accountErrors.wrongPassword,
        noSuch("user"),
        accountErrors.lastAdmin,
        accountErrors.noPassword,
        accountErrors.tooManyLogins,
      ],
      audit: { subject: "user", id: ({ uname }) => uname, state: ({ uname }) => users.get(uname, true) },
      first: (args, c) => login.confirmChange(args.uname, args.oldpassword, actorOf(c)),
      handle: (args, c) => users.update(args, callerOf(c)),
    }),
    write("/admin/users/delete", {
      access: "admin",
      compatible: true,
      summary: "Delete a user and everything that belongs to them",
      request: v.object({ uname }),
      errors: [errors.loginNeeded, noSuch("user"), accountErrors.lastAdmin, accountErrors.userUsed],
      audit: { subject: "user", id: ({ uname }) => uname },
      handle: (args, c) => {
        const caller = callerOf(c);
        if (caller.token && args.uname === caller.uname) throw errors.loginNeeded();
        users.delete(args.uname);
      },
    }),
  ];
}
