import * as v from "valibot";
import { callerOf } from "../../platform/http/context.ts";
import { because, errors, noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import { idOf } from "../../platform/http/validate.ts";
import {
  channelReply,
  createArguments,
  createReply,
  kindsReply,
  listReply,
  settingsAmong,
  testArguments,
  testReply,
  updateArguments,
} from "./channels.schemas.ts";
import { type Channels, channelExists, channelUsed } from "./channels.service.ts";

/** Operations on notification channels. */
export function channelOperations(channels: Channels): Operation[] {
  return [
    read("/admin/channels/kinds", {
      access: "admin",
      summary: "List the kinds of channels, with the settings that each has",
      response: kindsReply,
      handle: () => channels.kinds(),
    }),
    read("/admin/channels/list", {
      access: "manage",
      summary: "List all channels; secrets are never shown, and to others than administrators only names",
      response: listReply,
      handle: (_args, c) => (callerOf(c).admin ? channels.list() : channels.listToUse()),
    }),
    read("/admin/channels/get", {
      access: "admin",
      summary: "One channel; secrets are never shown",
      request: v.object({ id: idOf("channel") }),
      response: channelReply,
      errors: [noSuch("channel")],
      handle: (args) => channels.get(args.id),
    }),
    write("/admin/channels/create", {
      access: "admin",
      summary: "Create a channel",
      request: createArguments,
      response: createReply,
      errors: [channelExists],
      audit: {
        subject: "channel",
        id: (_args, reply) => reply?.id,
        details: ({ kind }, reply) => ({ kind, ...channels.auditState(reply.id) }),
      },
      handle: (args) => ({ id: channels.create({ ...args, settings: settingsAmong(args) }) }),
    }),
    write("/admin/channels/update", {
      access: "admin",
      summary: "Change a channel; absent arguments and empty secrets keep their value",
      request: updateArguments,
      errors: [noSuch("channel"), channelExists],
      audit: {
        subject: "channel",
        id: (args) => args.id,
        state: (args) => channels.auditState(args.id),
      },
      handle: (args) => channels.update({ ...args, settings: settingsAmong(args) }),
    }),
    write("/admin/channels/delete", {
      access: "admin",
      summary: "Delete a channel that no rule uses",
      request: v.object({ id: idOf("channel") }),
      errors: [noSuch("channel"), channelUsed],
      audit: { subject: "channel", id: (args) => args.id },
      handle: (args) => channels.delete(args.id),
    }),
    write("/admin/channels/test", {
      access: "admin",
      summary:
        "Send a test message through a channel, or through one not stored yet, and return the remote's answer",
      request: testArguments,
      response: testReply,
      errors: [noSuch("channel"), because(errors.missingArgument, "Neither id nor kind was given")],
      audit: {
        subject: "channel",
        id: (args) => args.id,
        details: ({ kind }, { outcome }) => ({ kind, outcome }),
      },
      handle: (args) => channels.test({ ...args, settings: settingsAmong(args) }),
    }),
  ];
}
