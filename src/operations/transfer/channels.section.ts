import * as v from "valibot";
import { findChannelByName } from "../../alerting/channels/channels.repository.ts";
import { channel } from "../../alerting/channels/channels.schemas.ts";
import { FULL_REACH } from "../../platform/http/scope.ts";
import { checked } from "../../platform/http/validate.ts";
import { collectionSection } from "./collection-section.ts";
import type { Section } from "./section.ts";

const itemSchema = v.objectWithRest(
  {
    name: v.string(),
    /** Names of the secrets that are set, in a file that does not contain them. */
    secrets: v.optional(v.array(v.string())),
  },
  v.unknown(),
);

const collection = collectionSection("channels", channel, ({ channels }) => channels);

/**
 * Channels. A file without secrets names those that are set: some servers need a secret that others of the kind do
 * not.
 */
export const channelsSection: Section<v.InferOutput<typeof itemSchema>> = {
  name: collection.name,
  schema: itemSchema,
  nameOf: ({ name }) => name,
  exportItems: (dependencies, withSecrets, leaveOut) => {
    const items = collection.exportItems(dependencies, withSecrets, leaveOut) as { name: string }[];
    if (withSecrets) return items;
    const { records } = dependencies.channels.reads.list(FULL_REACH);
    const secretsOf = new Map(records.map(({ name, secrets }) => [name, secrets]));
    return items.map((item) => {
      const secrets = secretsOf.get(item.name) ?? [];
      return secrets.length === 0 ? item : { ...item, secrets };
    });
  },
  importItem: ({ db, channels, references }, { secrets = [], ...item }, { place }) => {
    const isStored = findChannelByName(db, item.name) !== undefined;
    const content = checked(channel.content, references.withIds(channel.content, item));
    const outcome = channels.put(content, place, secrets);
    return outcome === "incomplete" && isStored ? "lacking" : outcome;
  },
};
