import * as v from "valibot";
import { callerOf, seesSecrets } from "../http/context.ts";
import { errors } from "../http/errors.ts";
import { type Operation, read, write } from "../http/operation.ts";
import { nothing } from "../http/validate.ts";
import {
  createArguments,
  createReply,
  uname,
  updateArguments,
  userListReply,
  userReply,
} from "./users.schemas.ts";
import type { Users } from "./users.service.ts";

/** User administration, and everyone's own account. */
export function userOperations(users: Users): Operation[] {
  return [
    read("/admin/users/list", {
      access: "admin",
      summary: "List users",
      takes: nothing,
      gives: userListReply,
      handle: () => users.list(),
    }),
    read("/admin/users/get", {
      access: "self",
      summary: "Details of a user",
      takes: v.object({ uname }),
      gives: userReply,
      handle: (args, c) => users.get(args.uname, seesSecrets(callerOf(c))),
    }),
    write("/admin/users/create", {
      access: "admin",
      summary: "Create a user",
      takes: createArguments,
      gives: createReply,
      handle: (args) => {
        users.create(args);
        return { uname: args.uname };
      },
    }),
    write("/admin/users/update", {
      access: "self",
      summary: "Change a user's details or password; what is optional and absent is kept",
      takes: updateArguments,
      gives: v.object({}),
      handle: (args, c) => {
        users.update(args, callerOf(c));
        return {};
      },
    }),
    write("/admin/users/delete", {
      access: "admin",
      summary: "Delete a user with everything of his",
      takes: v.object({ uname }),
      gives: v.object({}),
      handle: (args, c) => {
        const caller = callerOf(c);
        if (caller.token && args.uname === caller.uname) throw errors.loginNeeded();
        users.delete(args.uname);
        return {};
      },
    }),
  ];
}
