import * as v from "valibot";
import { callerOf, reachOf, scopeOf, turnOf } from "../../platform/http/context.ts";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write, writeJson } from "../../platform/http/operation.ts";
import { idOf } from "../../platform/http/validate.ts";
import type { MuteQueries } from "./mutes.queries.ts";
import {
  createReply,
  endReply,
  muteArguments,
  muteHistoryArguments,
  muteHistoryReply,
  muteListReply,
  renewArguments,
} from "./mutes.schemas.ts";
import type { Mutes } from "./mutes.service.ts";

/**
 * Operations on mutes. Everyone sees those of their hosts. A user who operates all hosts of a mute can begin and end
 * it.
 */
export function muteOperations(mutes: Mutes, queries: MuteQueries): Operation[] {
  const ofMute = { subject: "mute", id: ({ id }: { id: number }) => id };
  const oneMute = v.strictObject({ id: idOf("mute") });
  return [
    read("/mutes/list", {
      access: "session",
      past: true,
      summary: "List the mutes that have not ended, and the maintenance of the next 24 hours",
      response: muteListReply,
      handle: (_args, c) => queries.muteList(turnOf(c), scopeOf(c)),
    }),
    read("/mutes/history", {
      access: "session",
      summary: "List the times in which maintenance or mutes cover a host or service",
      request: muteHistoryArguments,
      response: muteHistoryReply,
      errors: [noSuch("host")],
      handle: (args, c) => queries.muteHistory(turnOf(c), args, scopeOf(c)),
    }),
    writeJson("/mutes/create", {
      access: "operate",
      summary:
        "Mute hosts, host groups, services or rules: for some minutes, until a time, or while a lease is renewed",
      request: muteArguments,
      response: createReply,
      audit: {
        subject: "mute",
        id: (_args, reply) => reply?.id,
        details: (_args, reply) => mutes.auditState(reply.id),
      },
      handle: (args, c) => ({ id: mutes.create(args, callerOf(c).uname, reachOf(c, "operate")) }),
    }),
    writeJson("/mutes/renew", {
      access: "operate",
      summary: "Change the end of a mute, or renew its lease",
      request: renewArguments,
      response: endReply,
      errors: [noSuch("mute")],
      audit: { ...ofMute, details: (_args, { to }) => ({ to }) },
      handle: (args, c) => mutes.renew(args, reachOf(c, "operate")),
    }),
    writeJson("/mutes/release", {
      access: "operate",
      summary: "End the lease of a mute: it lasts until its hosts have recovered, within its grace",
      request: oneMute,
      response: endReply,
      errors: [noSuch("mute")],
      audit: ofMute,
      handle: (args, c) => mutes.release(args.id, reachOf(c, "operate")),
    }),
    write("/mutes/delete", {
      access: "operate",
      summary: "End a mute now; failures that are still open trigger notifications",
      request: oneMute,
      errors: [noSuch("mute")],
      audit: { ...ofMute, state: ({ id }) => mutes.auditState(id) },
      handle: (args, c) => mutes.delete(args.id, reachOf(c, "operate")),
    }),
  ];
}
