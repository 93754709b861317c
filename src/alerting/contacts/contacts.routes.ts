import { turnOf } from "../../platform/http/context.ts";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, writeJson } from "../../platform/http/operation.ts";
import type { ContactQueries } from "./contacts.queries.ts";
import { contact, listReply } from "./contacts.schemas.ts";
import type { Contacts } from "./contacts.service.ts";

/** Operations on how users are notified. */
export function contactOperations(contacts: Contacts, queries: ContactQueries): Operation[] {
  return [
    read("/admin/contacts/list", {
      access: "admin",
      summary: "How users are notified when they are on call or named by rules",
      response: listReply,
      handle: (_args, c) => queries.contactList(turnOf(c)),
    }),
    writeJson("/admin/contacts/set", {
      access: "admin",
      summary: "Choose the channels through which a user is notified",
      request: contact,
      errors: [noSuch("user")],
      audit: {
        subject: "user",
        id: ({ uname }) => uname,
        state: ({ uname }) => contacts.auditState(uname),
      },
      handle: (args) => contacts.set(args),
    }),
  ];
}
