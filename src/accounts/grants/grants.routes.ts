import * as v from "valibot";
import { callerOf } from "../../platform/http/context.ts";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import { uname } from "../users/users.schemas.ts";
import { grantsReply, rightsReply, setArguments } from "./grants.schemas.ts";
import { type Grants, grantsText } from "./grants.service.ts";

/** Operations on roles per host group. */
export function grantOperations(grants: Grants): Operation[] {
  /** Lists become texts, so that the audit log can compare them. */
  const stateOf = (name: string) => {
    const { restricted, grants: levels } = grants.get(name);
    return { restricted, grants: grantsText(levels) };
  };
  return [
    read("/session/rights", {
      access: "session",
      summary: "What the caller may do with which hosts",
      response: rightsReply,
      handle: (_args, c) => callerOf(c).rights as v.InferInput<typeof rightsReply>,
    }),
    read("/admin/grants/get", {
      access: "admin",
      summary: "The levels of a user in host groups",
      request: v.object({ uname }),
      response: grantsReply,
      errors: [noSuch("user")],
      handle: (args) => grants.get(args.uname),
    }),
    write("/admin/grants/set", {
      access: "admin",
      summary: "Replace the levels of a user in host groups; a group named twice has the higher level",
      request: setArguments,
      errors: [noSuch("user")],
      audit: { subject: "user", id: ({ uname }) => uname, state: ({ uname }) => stateOf(uname) },
      handle: (args) => grants.set(args),
    }),
  ];
}
