import { managedReach } from "../../platform/http/context.ts";
import { because, errors, noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, writeJson } from "../../platform/http/operation.ts";
import { resourceOperations } from "../../platform/resources/resource.routes.ts";
import { channel, kindsReply, testArguments, testReply } from "./channels.schemas.ts";
import { type Channels, channelExists, channelUsed } from "./channels.service.ts";
import type { ListedChannels } from "./listed-channels.ts";

/** Operations on notification channels. */
export function channelOperations(channels: Channels, listed: ListedChannels): Operation[] {
  return [
    read("/admin/channels/kinds", {
      access: "admin",
      summary: "List the kinds of channels, with the settings that each has",
      response: kindsReply,
      handle: () => channels.kinds(),
    }),
    ...resourceOperations({
      path: "/admin/channels",
      resource: channel,
      collection: channels,
      queries: listed,
      access: { read: "manage", get: "admin", change: "admin" },
      reach: managedReach,
      subject: "channel",
      taken: channelExists,
      used: channelUsed,
      summaries: {
        list: "List all channels; secrets are never shown, and users who are not administrators see only names",
        get: "One channel; secrets are never shown",
        create: "Create a channel",
        update: "Change a channel",
        delete: "Delete a channel that no rule, report or user uses",
      },
    }),
    writeJson("/admin/channels/test", {
      access: "admin",
      summary:
        "Send a test message through a channel, with changes if there are any, or through one not stored yet, and return the remote's answer",
      request: testArguments,
      response: testReply,
      errors: [noSuch("channel"), because(errors.missingArgument, "Neither id nor channel is set")],
      audit: {
        subject: "channel",
        id: ({ id }) => id,
        details: ({ channel: tested }, { outcome }) => ({ kind: tested?.kind, outcome }),
      },
      handle: ({ id, channel: tested }) => channels.test(id, tested),
    }),
  ];
}
