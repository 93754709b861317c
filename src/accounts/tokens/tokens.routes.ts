import { callerOf } from "../../platform/http/context.ts";
import { because, errors, noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write, writeJson } from "../../platform/http/operation.ts";
import { createReply, token } from "./tokens.schemas.ts";
import type { Tokens } from "./tokens.service.ts";

/** Operations with which users manage their own API tokens, never those of others. */
export function tokenOperations(tokens: Tokens): Operation[] {
  return [
    read("/tokens/list", {
      access: "login",
      summary: "List the caller's API tokens",
      response: token.list,
      handle: (_args, c) => tokens.list(callerOf(c).id),
    }),
    writeJson("/tokens/create", {
      access: "login",
      summary: "Create an API token; only this reply contains it",
      request: token.content,
      response: createReply,
      errors: [because(errors.badRequest, "The user has the maximum number of API tokens")],
      audit: {
        subject: "token",
        id: (_args, reply) => reply?.id,
        details: ({ scope, expires }) => ({ scope, expires }),
      },
      handle: (args, c) => tokens.create(callerOf(c).id, args),
    }),
    write("/tokens/delete", {
      access: "login",
      summary: "Delete one of the caller's API tokens; it stops working immediately",
      request: token.item,
      errors: [noSuch("API token of the caller")],
      audit: { subject: "token", id: (args) => args.id },
      handle: (args, c) => tokens.delete(callerOf(c).id, args.id),
    }),
  ];
}
