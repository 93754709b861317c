import * as v from "valibot";
import { findUser } from "../../accounts/users/users.repository.ts";
import { type Contact, contact } from "../../alerting/contacts/contacts.schemas.ts";
import { checked } from "../../platform/http/validate.ts";
import type { Section } from "./section.ts";

const itemSchema = v.looseObject({ uname: v.string() });

/** The channels through which users are notified, for the users in the file. */
export const contactsSection: Section<v.InferOutput<typeof itemSchema>> = {
  name: "contacts",
  schema: itemSchema,
  nameOf: ({ uname }) => uname,
  exportItems: ({ db, contacts, references }) =>
    contacts
      .list()
      .records.filter(({ channels }) => channels.length > 0)
      .filter(({ uname }) => findUser(db, uname)?.origin === "local")
      .map(({ uname, channels }) => ({ uname, ...references.named(contact, { channels }).item })),
  importItem: ({ contacts, references }, item) => {
    const { uname, channels }: Contact = checked(contact, references.withIds(contact, item));
    const isStored = contacts
      .list()
      .records.some((record) => record.uname === uname && record.channels.length > 0);
    contacts.set({ uname, channels });
    return isStored ? "updated" : "created";
  },
};
