import * as v from "valibot";
import { openSettings, rejectUnknownSettings } from "../../alerting/channels/channel-settings.ts";
import {
  allChannels,
  findChannelByName,
  insertChannel,
  updateChannel,
} from "../../alerting/channels/channels.repository.ts";
import type { ChannelKind, ChannelSettings } from "../../alerting/channels/kinds/channel-kind.ts";
import { faultOf, secretsOf, withInitials } from "../../alerting/channels/kinds/fields.ts";
import { KINDS, kindNamed } from "../../alerting/channels/kinds/kinds.ts";
import { errors } from "../../platform/http/errors.ts";
import { text } from "../../platform/http/validate.ts";
import type { Section } from "./section.ts";

const channelSchema = v.strictObject({
  name: text(1, 255),
  kind: v.picklist(KINDS.map(({ kind }) => kind)),
  enabled: v.boolean(),
  settings: v.record(v.string(), v.string()),
});
type ChannelItem = v.InferOutput<typeof channelSchema>;

function withoutSecrets(kind: ChannelKind | undefined, settings: ChannelSettings): Record<string, string> {
  const secrets = kind ? secretsOf(kind, settings) : new Map(Object.entries(settings));
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !secrets.has(name)));
}

/** Whether the only fault is a missing secret, as in a file without secrets. @throws ApiError for others */
function isIncomplete(kind: ChannelKind, settings: ChannelSettings): boolean {
  const fault = faultOf(kind, settings);
  if (!fault) return false;
  const field = kind.fields.find(({ name }) => name === fault.field);
  if (field?.type === "secret" && settings[fault.field] === "") return true;
  throw errors.badArgument(fault.field, fault.allowed);
}

/** Channels. One with a missing secret is stored disabled, until somebody enters the secret. */
export const channelsSection: Section<ChannelItem> = {
  name: "channels",
  schema: channelSchema,
  nameOf: (channel) => channel.name,
  exportItems: ({ db, box }, withSecrets) =>
    allChannels(db).map(({ name, kind, enabled, settings: sealed }) => {
      const settings = openSettings(box, sealed);
      const given = withSecrets ? settings : withoutSecrets(kindNamed(kind), settings);
      return { name, kind, enabled, settings: given };
    }),
  importItem: ({ db, box, clock }, { name, kind: kindName, enabled, settings }) => {
    const kind = kindNamed(kindName);
    if (!kind) throw errors.badArgument("kind", `one of ${KINDS.map((one) => one.kind).join(", ")}`);
    const known = findChannelByName(db, name);
    if (known && known.kind !== kindName)
      throw errors.badArgument("kind", `${known.kind}, as the channel is here`);
    rejectUnknownSettings(kind, settings);
    const before = known ? openSettings(box, known.settings) : {};
    const values = withInitials(kind, { ...before, ...settings });
    const incomplete = isIncomplete(kind, values);
    const row = { enabled: enabled && !incomplete, settings: box.seal(JSON.stringify(values)) };
    if (known) updateChannel(db, known.id, row);
    else insertChannel(db, { ...row, name, kind: kindName, createdAt: clock.now() });
    if (incomplete) return "incomplete";
    return known ? "updated" : "created";
  },
};
