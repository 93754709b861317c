import { existingUser } from "../../accounts/users/users.service.ts";
import { errors } from "../../platform/http/errors.ts";
import { inNameOrder } from "../../platform/sort-key.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { findChannel } from "../channels/channels.repository.ts";
import { PROGRAM } from "../channels/program.ts";
import { allContacts, allPeople, channelKinds, channelNamesOf, setContacts } from "./contacts.repository.ts";
import type { Contact } from "./contacts.schemas.ts";
import { People } from "./people.ts";

/** How users are notified: those on call, and those whom rules name. */
export class Contacts {
  constructor(private readonly db: Db) {}

  /** Every user, by login name. */
  list() {
    const { db } = this;
    const people = new People(db);
    const names = new Map(channelKinds(db).map(({ id, name }) => [id, name]));
    const contactsByUser = Map.groupBy(allContacts(db), ({ userId }) => userId);
    const records = inNameOrder(allPeople(db), (person) => person.uname).map(({ id, uname, fullname }) => ({
      uname,
      fullname,
      channels: (contactsByUser.get(id) ?? []).map(({ channelId }) => channelId),
      ways: people.waysOf(id).map(({ channelId: channelid, address }) => ({
        channelid,
        channel: names.get(channelid) ?? "",
        address,
      })),
    }));
    return { totalRecords: records.length, records };
  }

  /**
   * Sets the channels through which a user is notified.
   * @throws ApiError 400 for a channel that does not exist or runs a program, 404 for an unknown user
   */
  set({ uname, channels }: Contact): void {
    const { db } = this;
    transaction(db, () => {
      const user = existingUser(db, uname);
      for (const [i, id] of channels.entries()) {
        const kind = findChannel(db, id)?.kind;
        const name = `channels[${i}]`;
        if (kind === undefined)
          throw errors.badArgument(name, `the id of a channel; there is no channel ${id}`);
        // A manager who names a user in a rule must not be able to run a program that way.
        if (kind === PROGRAM)
          throw errors.badArgument(name, "the id of a channel that does not run a program");
      }
      setContacts(db, user.id, channels);
    });
  }

  /** What the audit log says about a user's contacts. @throws ApiError 404 */
  auditState(uname: string): Record<string, string> {
    const { id } = existingUser(this.db, uname);
    return { channels: channelNamesOf(this.db, id).join(", ") };
  }
}
