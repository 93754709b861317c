import * as v from "valibot";
import { findUser } from "../../accounts/users/users.repository.ts";
import { findChannel } from "../../alerting/channels/channels.repository.ts";
import { idOfChannel, orNone } from "./references.ts";
import type { Section } from "./section.ts";

const contactSchema = v.strictObject({
  uname: v.string(),
  /** Names of channels. */
  channels: v.array(v.string()),
});

/** The channels through which users are notified, of those users that the file has too. */
export const contactsSection: Section<v.InferOutput<typeof contactSchema>> = {
  name: "contacts",
  schema: contactSchema,
  nameOf: (contact) => contact.uname,
  exportItems: ({ db, contacts }) =>
    contacts
      .list()
      .records.filter(({ channels }) => channels.length > 0)
      .filter(({ uname }) => findUser(db, uname)?.origin === "local")
      .map(({ uname, channels }) => ({
        uname,
        channels: channels.flatMap((id) => findChannel(db, id)?.name ?? []),
      })),
  importItem: ({ db, contacts }, { uname, channels }) => {
    const isKnown = contacts.list().records.some((one) => one.uname === uname && one.channels.length > 0);
    contacts.set({ uname, channelid: orNone(channels.map((name) => idOfChannel(db, name))) });
    return isKnown ? "updated" : "created";
  },
};
