import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { Contacts } from "./contacts.service.ts";

/** Queries of how people are notified that run on a query worker. */
export function contactQueries(db: Db) {
  const contacts = new Contacts(db);
  return { contactList: () => contacts.list() };
}

export type ContactQueries = AsyncQueries<ReturnType<typeof contactQueries>>;
