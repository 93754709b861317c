import { turnOf } from "../../platform/http/context.ts";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import type { ContactQueries } from "./contacts.queries.ts";
import { listReply, setArguments } from "./contacts.schemas.ts";
import type { Contacts } from "./contacts.service.ts";

/** Operations on how users are notified. */
export function contactOperations(contacts: Contacts, queries: ContactQueries): Operation[] {
  return [
    read("/admin/contacts/list", {
      access: "admin",
      summary: "How users are notified who are on call, or whom rules name",
      response: listReply,
      handle: (_args, c) => queries.contactList(turnOf(c)),
    }),
    write("/admin/contacts/set", {
      access: "admin",
      summary: "Choose the channels through which a user is notified",
      request: setArguments,
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
